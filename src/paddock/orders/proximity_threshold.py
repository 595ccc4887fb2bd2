"""The proximity threshold of a robot, measured where it drives: ambient light and the floor shift it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paddock.core.errors import PaddockError
from paddock.core.geometry import wrap

STEPS = 36  # by 10° each
SPREADS = 6.0  # standard deviations above the mean …
LEAST_MARGIN = 50.0  # … but at least so many counts: simulated sensors hardly vary where they see nothing
CLUTTER = 10.0  # spreads of the quietest quarter above it, from which on a sum is no noise: something stands there


@dataclass(frozen=True, kw_only=True, slots=True)
class ThresholdCalibration:
    """What the front sensors tell in the open: at each heading, the larger of the sums 0+1 and 6+7."""

    headings: tuple[float, ...]  # [rad]
    sums: tuple[int, ...]

    @property
    def mean(self) -> float:
        """Of the sums."""
        return statistics.fmean(self.sums)

    @property
    def spread(self) -> float:
        """Standard deviation of the sums."""
        return statistics.stdev(self.sums)

    @property
    def largest(self) -> int:
        """Of the sums."""
        return max(self.sums)

    @property
    def threshold(self) -> int:
        """Mean + 6 standard deviations, or the least margin; more than any sum that was seen."""
        return max(math.ceil(self.mean + max(SPREADS * self.spread, LEAST_MARGIN)), self.largest + 1)

    @property
    def varies_too_little(self) -> bool:
        """Whether the spread was too small to decide."""
        return SPREADS * self.spread < LEAST_MARGIN

    @property
    def clutter(self) -> tuple[float, ...]:
        """Headings at which something stood near, or a lamp shone [rad]: the place was not open."""
        quiet = statistics.quantiles(self.sums, n=4)[0]
        limit = quiet + max(CLUTTER * (quiet - min(self.sums)), LEAST_MARGIN)
        return tuple(heading for heading, value in zip(self.headings, self.sums, strict=True) if value > limit)


def calibrate_threshold(
    read_front: Callable[[float], Sequence[float]],
    start: float = 0.0,
    *,
    steps: int = STEPS,
    on_step: Callable[[int, int], object] = lambda step, value: None,
) -> ThresholdCalibration:
    """Turn once around on the spot.

    Args:
        read_front: turns the robot to a heading [rad]; gives sensors 0, 1, 7 and 6.
        start: heading to begin and to end with [rad].
        steps: how many headings.
        on_step: told the number of a step, from 0, and its sum.
    """
    if steps < 2:
        raise PaddockError(f"calibrate_threshold: steps: expected 2 or more, got {steps}")
    headings, sums = [], []
    for step in range(steps):
        heading = wrap(start + 2 * math.pi * step / steps)
        sums.append(largest_sum(read_front(heading)))
        headings.append(heading)
        on_step(step, sums[-1])
    read_front(start)
    return ThresholdCalibration(headings=tuple(headings), sums=tuple(sums))


def largest_sum(front: Sequence[float]) -> int:
    """The larger of what is seen on the right and on the left, from sensors 0, 1, 7 and 6."""
    p0, p1, p7, p6 = front
    return int(max(p0 + p1, p6 + p7))
