"""Networks of fixed size on the GPU: the same sums in the same order as `policies/networks.py`.

With sizes that are known at compile time, the loops over inputs are unrolled, the inputs stay in registers, and the
weights of a unit are loaded from memory all at once.
"""

from __future__ import annotations

from paddock.control.policies.networks import (
    ACTIVATIONS,
    GAIN,
    LAST,
    PLAN_COLUMNS,
    SPEED,
    STARTED,
    ZERO,
    Network,
    activated,
    network,
)
from paddock.core.jit import Kernel, kernel

MAX_LAYERS = 4
# Set when a driver is built: index of the inputs in a row of readings, whether changes are used, number of inputs and
# of the units of every layer, activations of the layers, whether hidden layers are recurrent, and number of layers.
SLOT, CHANGES, SIZES, KINDS, RECURRENT, LAYERS = 0, False, (1, 2, 0, 0, 0), (0, 0, 0, 0), False, 1


def fits(net: Network) -> bool:
    """Whether this module can run a network: it must have one device and at most MAX_LAYERS layers."""
    return len(net.inputs) == 1 and len(net.layers) <= MAX_LAYERS


def names_for(net: Network, slot: int) -> dict[str, object]:
    """Return the values of the global names above for a network."""
    layers = net.layers
    kinds = [ACTIVATIONS[net.activation]] * len(net.hidden) + [ACTIVATIONS[net.output]]
    rest = MAX_LAYERS - len(layers)
    names = {
        "SLOT": slot,
        "CHANGES": net.inputs[0].change,
        "SIZES": (layers[0][0], *(units for _, units, _ in layers), *(0,) * rest),
        "KINDS": (*kinds, *(0,) * rest),
        "RECURRENT": net.recurrent,
        "LAYERS": len(layers),
    }
    return {f"{__name__}.{name}": value for name, value in names.items()}


@kernel
def flat_network(plan, weights, memory, readings, wheels):
    """Compute one decision: from a row of readings, which it overwrites, to wheel speeds [m/s]."""
    scale_inputs(plan, memory, readings)
    own = LAST + 2 * SIZES[0]
    spare = own + SIZES[1] + SIZES[2] + SIZES[3] + SIZES[4]
    last = own
    hidden = RECURRENT and LAYERS > 1
    weight = layer(weights, 0, readings, SLOT, SIZES[0], memory, own, SIZES[1], KINDS[0], hidden, spare)
    if LAYERS > 1:
        last = own + SIZES[1]
        hidden = RECURRENT and LAYERS > 2
        weight = layer(weights, weight, memory, own, SIZES[1], memory, last, SIZES[2], KINDS[1], hidden, spare)
    if LAYERS > 2:
        below, last = last, last + SIZES[2]
        hidden = RECURRENT and LAYERS > 3
        weight = layer(weights, weight, memory, below, SIZES[2], memory, last, SIZES[3], KINDS[2], hidden, spare)
    if LAYERS > 3:
        below, last = last, last + SIZES[3]
        layer(weights, weight, memory, below, SIZES[3], memory, last, SIZES[4], KINDS[3], False, spare)
    wheels[0] = plan[SPEED] * memory[last]
    wheels[1] = plan[SPEED] * memory[last + 1]


@kernel
def scale_inputs(plan, memory, readings):
    """Scale the inputs, or their changes, to -1 … 1, in place."""
    zero, gain = plan[PLAN_COLUMNS + ZERO], plan[PLAN_COLUMNS + GAIN]
    for k in range(SIZES[0]):
        reading = readings[SLOT + k]
        value = reading - zero
        if CHANGES:
            value = reading - memory[LAST + k] if memory[STARTED] > 0.0 else 0.0
            memory[LAST + k] = reading
        readings[SLOT + k] = min(1.0, max(-1.0, gain * value))
    memory[STARTED] = 1.0


@kernel
def layer(weights, weight, source, below, count, memory, own, units, kind, recurrent, spare):
    """Compute one layer, unit by unit. Return the index of the next layer's weights."""
    target = spare if recurrent else own
    for unit in range(0, units - 1, 2):  # two at a time, to have twice as many memory loads in flight
        first, second = weights[weight + unit], weights[weight + unit + 1]
        for k in range(count):
            row = weight + units * (k + 1) + unit
            first += weights[row] * source[below + k]
            second += weights[row + 1] * source[below + k]
        if recurrent:
            for k in range(units):
                row = weight + units * (count + 1 + k) + unit
                first += weights[row] * memory[own + k]
                second += weights[row + 1] * memory[own + k]
        memory[target + unit], memory[target + unit + 1] = activated(kind, first), activated(kind, second)
    if units % 2 == 1:
        first = weights[weight + units - 1]
        for k in range(count):
            first += weights[weight + units * (k + 2) - 1] * source[below + k]
        if recurrent:
            for k in range(units):
                first += weights[weight + units * (count + 2 + k) - 1] * memory[own + k]
        memory[target + units - 1] = activated(kind, first)
    if recurrent:
        for unit in range(units):
            memory[own + unit] = memory[spare + unit]
    return weight + units * (1 + count + (units if recurrent else 0))


SWAPS: dict[Kernel, Kernel] = {network: flat_network}
