"""Neural networks as controllers: feed-forward or recurrent, of any size, trained or evolved elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.control.policies.network_kernel import CLIP, IDENTITY, RELU, SIGMOID, TANH, network
from paddock.control.policies.trainable import Trainable
from paddock.core.argument_checks import all_finite, check_seed
from paddock.core.errors import PaddockError, UnknownName, format_value
from paddock.core.jit import Kernel

ACTIVATIONS = {"tanh": TANH, "relu": RELU, "sigmoid": SIGMOID, "identity": IDENTITY, "clip": CLIP}


@dataclass(frozen=True, kw_only=True, eq=False)
class Network(Trainable):
    """Layers of units between devices and wheels. Wheel speed = `speed` · output of the last layer's two units.

    `policies/network_kernel.py` documents the order of the weights. In a recurrent network (Elman), hidden units also
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
