"""The tape: all inputs of the robots of a world, tick by tick, written by the step function for recordings.

The inputs of a robot are its commands, its speaker's frequency and amplitude, and its LEDs. Between two interventions
the evolution of a state depends only on these inputs.
"""

from __future__ import annotations

from paddock.core.jit import kernel
from paddock.simulation.engine.state import COMMAND_PANS, FREQUENCY, PANS

# A tape has two columns. Its first row contains the number of entries, and whether LEDs or speakers may have changed,
# which cannot happen within a kernel's call. Then follows a row per input with its current value, and then the entries:
# tick × inputs + number of the input, and its value from that tick on.
HEAD = 1
LOOK = (0, 1)


@kernel
def write_inputs(tape, tick, commands, motion):
    """Write the inputs that differ from those of the previous tick."""
    robots, wanted = commands.shape
    first_led = PANS + wanted - COMMAND_PANS
    width = wanted + 2 + motion.shape[1] - first_led
    inputs = robots * width
    count = int(tape[0, 0])
    for robot in range(robots):
        for column in range(wanted):
            number = robot * width + column
            if commands[robot, column] != tape[HEAD + number, 0]:
                count = write_input(tape, inputs, count, tick, number, commands[robot, column])
    if tape[LOOK] != 0.0:
        tape[LOOK] = 0.0
        for robot in range(robots):
            for column in range(wanted, width):
                source = FREQUENCY + column - wanted if column < wanted + 2 else first_led + column - wanted - 2
                number = robot * width + column
                if motion[robot, source] != tape[HEAD + number, 0]:
                    count = write_input(tape, inputs, count, tick, number, motion[robot, source])
    tape[0, 0] = count


@kernel
def write_input(tape, inputs, count, tick, number, value):
    """Write an entry if the tape is long enough; return the number of entries, including those that did not fit."""
    tape[HEAD + number, 0] = value
    entry = HEAD + inputs + count
    if entry < tape.shape[0]:
        tape[entry, 0] = tick * inputs + number
        tape[entry, 1] = value
    return count + 1
