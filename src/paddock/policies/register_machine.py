"""The arithmetic of programs: a list of instructions on a row of registers. The same everywhere.

The plan begins like a network's: PLAN_COLUMNS numbers and INPUT_COLUMNS for each input. An individual's numbers are
the count of its instructions, then INSTRUCTION_COLUMNS for each. The registers are the inputs, the two wheels, and
others; all but the inputs keep their values from tick to tick until an instruction writes to them, or, if the program
remembers nothing, begin as zero.
"""

from __future__ import annotations

from paddock.core.jit import kernel
from paddock.policies.network_kernel import INPUTS, LAST, LAYERS, RELU, SIGMOID, SPEED, TANH, activated, take_inputs

CLEARED = LAYERS  # in the place of a network's layers: how many registers behind the inputs begin as zero
WHEELS = 2
OPERATION, TARGET, A, B, NUMBER, INSTRUCTION_COLUMNS = range(6)
COUNT = 1  # numbers before the first instruction
LARGEST = 1e9  # what is larger is cut off, so that nothing becomes infinite

(
    SET, COPY, ADD, SUBTRACT, MULTIPLY, DIVIDE, LEAST, MOST,
    WHERE, WEIGH, MAGNITUDE, SQUASH, SWITCH, RECTIFY, OPERATIONS,
) = range(15)  # fmt: skip


@kernel
def program(plan, weights, memory, readings, wheels):
    """One decision: from a row of readings to wheel speeds [m/s]."""
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
    """The result of one instruction; `before` is what its target held."""
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
    """A finite number."""
    if value != value:
        return 0.0
    return min(LARGEST, max(-LARGEST, value))
