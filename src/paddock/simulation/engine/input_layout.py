"""InputLayout: positions of the robots' inputs in commands, in motion and on a tape."""

from __future__ import annotations

import numpy as np

from paddock.simulation.engine.model import Floats, Ints
from paddock.simulation.engine.state import AMPLITUDE, COMMAND_PANS, FREQUENCY, PANS
from paddock.simulation.engine.tape import HEAD, LOOK


class InputLayout:
    """Positions of the robots' inputs in tables of given shapes."""

    def __init__(self, commands: Floats, motion: Floats) -> None:
        """Take commands of shape (N, ·) and motion of shape (N, ·)."""
        self.robots, self.wanted = commands.shape
        first_led = PANS + self.wanted - COMMAND_PANS
        self.columns = np.array([FREQUENCY, AMPLITUDE, *range(first_led, motion.shape[1])])  # of motion
        self.width = self.wanted + len(self.columns)
        self.count = self.robots * self.width

    def values(self, commands: Floats, motion: Floats) -> Floats:
        """Return the current values of all inputs, shape (count)."""
        return np.concatenate([commands, motion[:, self.columns]], axis=1).ravel()

    def apply(self, numbers: Ints, values: Floats, commands: Floats, motion: Floats) -> None:
        """Set inputs that are given by their numbers."""
        robots, columns = np.divmod(numbers, self.width)
        is_command = columns < self.wanted
        commands[robots[is_command], columns[is_command]] = values[is_command]
        motion[robots[~is_command], self.columns[columns[~is_command] - self.wanted]] = values[~is_command]

    def new_tape(self, commands: Floats, motion: Floats, ticks: int) -> Floats:
        """Return an empty tape that is large enough for this many ticks, even if all inputs change in each tick."""
        tape = np.zeros((HEAD + self.count * (1 + ticks), 2))
        tape[HEAD : HEAD + self.count, 0] = self.values(commands, motion)
        tape[LOOK] = 1.0
        return tape

    def take_entries(self, tape: Floats) -> tuple[Floats, Floats]:
        """Return the keys and values written since the last call (valid until the next tick), and empty the tape."""
        first = HEAD + self.count
        entries = tape[first : first + int(tape[0, 0])]
        tape[0, 0] = 0
        return entries[:, 0], entries[:, 1]
