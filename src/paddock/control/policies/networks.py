"""Neural networks as controllers: feed-forward or recurrent, of any size, trained or evolved elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.control.policies.trainable import Trainable
from paddock.core.argument_checks import all_finite, check_seed
from paddock.core.errors import PaddockError, UnknownName, format_value
from paddock.core.jit import Kernel, kernel

INPUTS, LAYERS, SPEED, PLAN_COLUMNS = range(4)
SLOT, ZERO, GAIN, CHANGE, INPUT_COLUMNS = range(5)
UNITS, ACTIVATION, RECURRENT, LAYER_COLUMNS = range(4)
TANH, RELU, SIGMOID, IDENTITY, CLIP = range(5)
LARGEST_EXPONENT = 700.0  # plain Python raises above this, compiled code returns infinity

# Memory: whether it has started, the last reading of every input, the inputs, the units of every layer, one layer.
STARTED, LAST = range(2)
ACTIVATIONS = {"tanh": TANH, "relu": RELU, "sigmoid": SIGMOID, "identity": IDENTITY, "clip": CLIP}


@kernel
def network(plan, weights, memory, readings, wheels):
    """One decision: from a row of readings to wheel speeds [m/s]."""
    inputs, layers = int(plan[INPUTS]), int(plan[LAYERS])
    below = LAST + inputs
    take_inputs(plan, inputs, memory, readings, below)
    count, weight = inputs, 0
    own = below + inputs
    layer = PLAN_COLUMNS + INPUT_COLUMNS * inputs
    spare = own
    for k in range(layers):
        spare += int(plan[layer + LAYER_COLUMNS * k])
    for _ in range(layers):
        units, recurrent = int(plan[layer]), plan[layer + RECURRENT] > 0.0
        target = spare if recurrent else own
        for unit in range(units):
            memory[target + unit] = weights[weight + unit]
        weight = add_products(weights, weight, memory, below, count, target, units)
        if recurrent:
            weight = add_products(weights, weight, memory, own, units, target, units)
        weight += units
        for unit in range(units):
            memory[own + unit] = activated(plan[layer + ACTIVATION], memory[target + unit])
        below, count, own = own, units, own + units
        layer += LAYER_COLUMNS
    wheels[0] = plan[SPEED] * memory[below]
    wheels[1] = plan[SPEED] * memory[below + 1]


@kernel
def take_inputs(plan, inputs, memory, readings, first):
    """Scale the input readings, or their changes, to -1 … 1."""
    row = PLAN_COLUMNS
    for k in range(inputs):
        reading = readings[int(plan[row + SLOT])]
        value = reading - plan[row + ZERO]
        if plan[row + CHANGE] > 0.0:
            value = reading - memory[LAST + k] if memory[STARTED] > 0.0 else 0.0
        memory[LAST + k] = reading
        memory[first + k] = min(1.0, max(-1.0, plan[row + GAIN] * value))
        row += INPUT_COLUMNS
    memory[STARTED] = 1.0


@kernel
def add_products(weights, weight, memory, below, count, target, units):
    """Add weights times values to every unit, four units at a time, for instruction-level parallelism."""
    fours = units // 4 * 4
    for unit in range(0, fours, 4):
        at, row = target + unit, weight + unit
        a, b, c, d = memory[at], memory[at + 1], memory[at + 2], memory[at + 3]
        for k in range(count):
            row += units
            value = memory[below + k]
            a += weights[row] * value
            b += weights[row + 1] * value
            c += weights[row + 2] * value
            d += weights[row + 3] * value
        memory[at], memory[at + 1], memory[at + 2], memory[at + 3] = a, b, c, d
    for unit in range(fours, units):
        total, row = memory[target + unit], weight + unit
        for k in range(count):
            row += units
            total += weights[row] * memory[below + k]
        memory[target + unit] = total
    return weight + units * count


@kernel
def activated(kind, value):
    """Return the output of a unit."""
    if kind == TANH:
        # With one exponential: three times as fast as the library function, and equal within 3e-16.
        return 1.0 - 2.0 / (math.exp(min(2.0 * value, LARGEST_EXPONENT)) + 1.0)
    if kind == SIGMOID:
        return 1.0 / (math.exp(min(-value, LARGEST_EXPONENT)) + 1.0)
    if kind == RELU:
        return max(0.0, value)
    if kind == CLIP:
        return min(1.0, max(-1.0, value))
    return value


@dataclass(frozen=True, kw_only=True, eq=False)
class Network(Trainable):
    """Layers of units between devices and wheels. Wheel speed = `speed` · output of the last layer's two units.

    `policies/networks.py` documents the order of the weights. In a recurrent network (Elman), hidden units also
    receive their values of the previous tick.
    """

    hidden: tuple[int, ...] = (8,)  # units of each hidden layer
    activation: str = "tanh"  # of the hidden layers: tanh, relu, sigmoid, identity or clip (to -1 … 1)
    output: str = "tanh"  # of the wheels

    kernel: ClassVar[Kernel] = network
    format: ClassVar[str] = "paddock network 1"

    def check_structure(self) -> None:
        for name in ("activation", "output"):
            if getattr(self, name) not in list(ACTIVATIONS):
                raise UnknownName("activation", getattr(self, name), ACTIVATIONS)
        hidden = self.hidden if isinstance(self.hidden, tuple | list) else (None,)
        if not all(isinstance(units, int) and not isinstance(units, bool) and units > 0 for units in hidden):
            raise PaddockError(
                f"Network: hidden: expected a tuple of whole numbers > 0, such as (8,), got {format_value(self.hidden)}"
            )

    @property
    def layers(self) -> list[tuple[int, int, bool]]:
        """Number of inputs and units of every layer, and whether it is recurrent, from the inputs to the wheels."""
        sizes = [self.values, *self.hidden, 2]
        return [
            (below, units, self.recurrent and i < len(self.hidden)) for i, (below, units) in enumerate(pairwise(sizes))
        ]

    @property
    def size(self) -> int:
        return sum((1 + below + (units if recurrent else 0)) * units for below, units, recurrent in self.layers)

    @property
    def memory_size(self) -> int:
        units = [units for _, units, _ in self.layers]
        return 1 + 2 * self.values + sum(units) + max(units)

    def random(self, individuals: int, *, seed: int, spread: float = 1.0) -> NDArray[np.float64]:
        """Draw normal random weights, with a standard deviation of spread / √(number of inputs of a unit)."""
        if not isinstance(individuals, int | np.integer) or individuals < 1:
            raise PaddockError(f"random: individuals: expected a whole number >= 1, got {format_value(individuals)}")
        if not (all_finite(spread) and spread >= 0):
            raise PaddockError(f"random: spread: expected a number >= 0, got {format_value(spread)}")
        rng = np.random.default_rng(check_seed(seed))
        parts = []
        for below, units, recurrent in self.layers:
            rows = 1 + below + (units if recurrent else 0)
            parts.append(rng.normal(0.0, spread / np.sqrt(rows), (individuals, rows * units)))
        return np.hstack(parts)

    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        plan = [float(self.values), float(len(self.layers)), self.speed, *self.plan_inputs(firsts)]
        for i, (_, units, recurrent) in enumerate(self.layers):
            kind = self.activation if i < len(self.hidden) else self.output
            plan += [units, ACTIVATIONS[kind], float(recurrent)]
        return plan
