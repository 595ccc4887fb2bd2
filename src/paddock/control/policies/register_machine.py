"""Kernel of programs: a list of instructions on a row of registers. Used by Python, compiled loop and GPU.

The plan begins like a network's: PLAN_COLUMNS numbers and INPUT_COLUMNS for each input. An individual's weights are
the number of its instructions, then INSTRUCTION_COLUMNS for each. The registers are the inputs, the two wheels, and
others. All except the inputs keep their values from tick to tick until an instruction writes to them. If the program
is not recurrent, they start as zero in every tick.
"""

from __future__ import annotations

from paddock.control.policies.network_kernel import (
    INPUTS,
    LAST,
    LAYERS,
    RELU,
    SIGMOID,
    SPEED,
    TANH,
    activated,
    take_inputs,
)
from paddock.core.jit import kernel

CLEARED = LAYERS  # column of a network's layers: number of registers after the inputs that start as zero
WHEELS = 2
OPERATION, TARGET, A, B, NUMBER, INSTRUCTION_COLUMNS = range(6)
COUNT = 1  # numbers before the first instruction
LARGEST = 1e9  # values are clipped to this, so that none becomes infinite

(
    SET, COPY, ADD, SUBTRACT, MULTIPLY, DIVIDE, LEAST, MOST,
    WHERE, WEIGH, MAGNITUDE, SQUASH, SWITCH, RECTIFY, OPERATIONS,
) = range(15)  # fmt: skip


@kernel
def program(plan, weights, memory, readings, wheels):
    """Compute one decision: from a row of readings to wheel speeds [m/s]."""
    inputs = int(plan[INPUTS])
    first = LAST + inputs
    take_inputs(plan, inputs, memory, readings, first)
    for k in range(int(plan[CLEARED])):
        memory[first + inputs + k] = 0.0
    row = COUNT
    for _ in range(int(weights[0])):
        target = first + int(weights[row + TARGET])
        a, b = memory[first + int(weights[row + A])], memory[first + int(weights[row + B])]
        memory[target] = limited(computed(weights[row + OPERATION], a, b, weights[row + NUMBER], memory[target]))
        row += INSTRUCTION_COLUMNS
    wheels[0] = plan[SPEED] * min(1.0, max(-1.0, memory[first + inputs]))
    wheels[1] = plan[SPEED] * min(1.0, max(-1.0, memory[first + inputs + 1]))


@kernel
def computed(operation, a, b, number, before):
    """Return the result of one instruction; `before` is the previous value of its target."""
    if operation == SET:
        return number
    if operation == COPY:
        return a
    if operation == ADD:
        return a + b
    if operation == SUBTRACT:
        return a - b
    if operation == MULTIPLY:
        return a * b
    if operation == DIVIDE:
        return a / b if abs(b) > 1e-3 else a
    if operation == LEAST:
        return min(a, b)
    if operation == MOST:
        return max(a, b)
    if operation == WHERE:
        return b if a > 0.0 else before
    if operation == WEIGH:
        return a + number * b
    if operation == MAGNITUDE:
        return abs(a)
    if operation == SQUASH:
        return activated(TANH, a)
    if operation == SWITCH:
        return activated(SIGMOID, a)
    return activated(RELU, a)


@kernel
def limited(value):
    """Return a finite number: clip large values and replace NaN by 0."""
    if value != value:
        return 0.0
    return min(LARGEST, max(-LARGEST, value))
