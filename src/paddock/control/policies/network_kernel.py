"""Kernel of neural networks: inputs from readings, layers, wheel speeds. Used by Python, compiled loop and GPU.

A plan contains everything except the weights: PLAN_COLUMNS numbers, then INPUT_COLUMNS for each input and
LAYER_COLUMNS for each layer. A layer's weights are a table with a column for each of its units. The rows are the
biases, one row for each of its inputs, and, if it is recurrent, one row for each of its own units at the previous tick.
The tables of the layers follow each other.
"""

from __future__ import annotations

import math

from paddock.core.jit import kernel

INPUTS, LAYERS, SPEED, PLAN_COLUMNS = range(4)
SLOT, ZERO, GAIN, CHANGE, INPUT_COLUMNS = range(5)
UNITS, ACTIVATION, RECURRENT, LAYER_COLUMNS = range(4)
TANH, RELU, SIGMOID, IDENTITY, CLIP = range(5)
LARGEST_EXPONENT = 700.0  # plain Python raises above this, compiled code returns infinity

# Memory: whether it has started, the last reading of every input, the inputs, the units of every layer, one layer.
STARTED, LAST = range(2)


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
