"""WheelCheck: whether wheels turn as they were told, by their step counters: commands on Wi-Fi have no checksum."""

from __future__ import annotations

import math

from paddock.core.errors import BadMessage

SETTLING = 0.15  # [s] after a command to a robot that drives, in which packets may be older than it
ENOUGH = 24  # steps after which the shares of both wheels can be told apart
WRONG_SHARE = (
    0.1  # of what both wheels have turned; a bit that is wrong in a speed makes more than that, or is harmless
)
STILL = 2  # steps that a robot may do that was told to stand
WRAP = 1 << 16


class WheelCheck:
    """Compares the way of both wheels since a command with that command. Only their ratio counts: a simulated robot's
    time may run at any pace, and the clocks of real robots differ."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """A new connection: until the robot is told to drive, nothing is checked."""
        self._told: tuple[int, int] | None = None
        self._told_at = 0.0
        self._start: tuple[int, ...] | None = None

    def begin(self, left: int, right: int, now: float) -> None:
        """The robot was told to turn its wheels [steps/s]; what it was told before is no longer checked."""
        if (left, right) == (self._told or (0, 0)):
            return
        stood = self._told is None or (self._told == (0, 0) and self._start is not None)
        self._told, self._told_at = (left, right), -math.inf if stood else now
        self._start = self._start if stood else None

    @property
    def has_driven(self) -> bool:
        """Whether the robot was told to drive."""
        return self._told is not None

    def check(self, steps: tuple[int, ...], now: float) -> None:
        """Step counters have come; a BadMessage says that they do not fit the command."""
        if self._told is None or now - self._told_at < SETTLING:
            return
        if self._start is None:
            self._start = steps
            return
        left, right = (_wrap(new - old) for new, old in zip(steps, self._start, strict=True))
        told, done = abs(self._told[0]) + abs(self._told[1]), abs(left) + abs(right)
        if told == 0:
            wrong = done > STILL
        elif done < ENOUGH:
            return
        else:
            expected = [speed * done / told for speed in self._told]
            wrong = abs(left - expected[0]) + abs(right - expected[1]) > max(WRONG_SHARE * done, 2 * STILL)
        self._start = steps
        if wrong:
            raise BadMessage(
                f"wheels: told {self._told[0]}, {self._told[1]} steps/s, but they have done {left}, {right} steps: a "
                "command or an answer was damaged on its way, or another program drives the robot"
            )


def _wrap(count: int) -> int:
    return (count + WRAP // 2) % WRAP - WRAP // 2
