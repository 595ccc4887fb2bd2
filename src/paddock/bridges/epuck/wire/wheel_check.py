"""WheelCheck: checks by the step counters whether the wheels follow their command, which has no checksum on Wi-Fi."""

from __future__ import annotations

import math

from paddock.core.argument_checks import wrap_int16
from paddock.core.errors import BadMessage

SETTLING = 0.15  # [s] after a command to a driving robot, during which packets may be older than the command
ENOUGH = 24  # steps needed to compare the shares of both wheels
WRONG_SHARE = 0.1  # allowed deviation as a share of all steps; a wrong bit in a speed exceeds it or is harmless
STILL = 2  # steps allowed after a stop command


class WheelCheck:
    """Compares the steps of both wheels since a command with that command.

    Only the ratio of the wheels is compared, because the time of a simulated robot may run at any speed and the clocks
    of real robots differ.
    """

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Start again on a new connection. Nothing is checked until the next drive command."""
        self._commanded: tuple[int, int] | None = None
        self._commanded_at = 0.0
        self._start: tuple[int, ...] | None = None

    def begin(self, left: int, right: int, now: float) -> None:
        """Record a new wheel command [steps/s], which replaces the previous one."""
        if (left, right) == (self._commanded or (0, 0)):
            return
        stood = self._commanded is None or (self._commanded == (0, 0) and self._start is not None)
        self._commanded, self._commanded_at = (left, right), -math.inf if stood else now
        self._start = self._start if stood else None

    @property
    def has_driven(self) -> bool:
        """Whether a drive command was sent."""
        return self._commanded is not None

    def check(self, steps: tuple[int, ...], now: float) -> None:
        """Check received step counters. Raise BadMessage if they do not match the command."""
        if self._commanded is None or now - self._commanded_at < SETTLING:
            return
        if self._start is None:
            self._start = steps
            return
        left, right = (wrap_int16(new - old) for new, old in zip(steps, self._start, strict=True))
        commanded, done = abs(self._commanded[0]) + abs(self._commanded[1]), abs(left) + abs(right)
        if commanded == 0:
            wrong = done > STILL
        elif done < ENOUGH:
            return
        else:
            expected = [speed * done / commanded for speed in self._commanded]
            wrong = abs(left - expected[0]) + abs(right - expected[1]) > max(WRONG_SHARE * done, 2 * STILL)
        self._start = steps
        if wrong:
            raise BadMessage(
                f"wheels: sent {self._commanded[0]}, {self._commanded[1]} steps/s, but they moved {left}, {right} "
                "steps: a command or an answer was damaged in transit, or another program drives the robot"
            )
