"""Pacing of simulated time against the wall clock, and periods in ticks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from paddock.core.argument_checks import all_finite
from paddock.core.errors import SimulationError


def ticks_between_rows(every: float, dt: float) -> int:
    """Return the number of ticks between two rows of a trace, for a period `every` [s] and a tick of `dt` [s]."""
    if not (all_finite(every) and every > 0):
        raise SimulationError(f"run: every: expected seconds > 0 between two rows of a trace, got {every!r}")
    return max(1, math.floor(every / dt + 0.5))


class Pacer:
    """Waits so that simulated time advances at `speed` × real time; None never waits."""

    def __init__(
        self,
        speed: float | None,
        *,
        now: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if speed is not None and not (all_finite(speed) and speed > 0):
            raise SimulationError(f"speed: expected a factor > 0, or None for as fast as possible, got {speed!r}")
        self.speed, self._now, self._sleep = speed, now, sleep
        self._start: float | None = None
        self._simulated = 0.0

    def wait(self, simulated: float) -> None:
        """Sleep until the wall clock has caught up with the simulated time [s]; the first call sets the reference."""
        if self.speed is None:
            return
        if self._start is None:
            self._start, self._simulated = self._now(), simulated
        ahead = (simulated - self._simulated) / self.speed - (self._now() - self._start)
        if ahead > 0:
            self._sleep(ahead)
