"""Calibration of a robot's proximity threshold where it drives, because ambient light and the floor shift it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paddock.core.errors import PaddockError
from paddock.core.geometry import wrap

STEPS = 36  # by 10° each
SPREADS = 6.0  # standard deviations above the mean …
LEAST_MARGIN = 50.0  # … but at least this many counts, because simulated sensors hardly vary without obstacles
CLUTTER = 10.0  # spreads of the lowest quarter above it, from which a sum indicates an obstacle


@dataclass(frozen=True, kw_only=True, slots=True)
class ThresholdCalibration:
    """Readings of the front sensors without obstacles: at each heading, the larger of the sums 0+1 and 6+7."""

    headings: tuple[float, ...]  # [rad]
    sums: tuple[int, ...]

    @property
    def mean(self) -> float:
        """Mean of the sums."""
        return statistics.fmean(self.sums)

    @property
    def spread(self) -> float:
        """Standard deviation of the sums."""
        return statistics.stdev(self.sums)

    @property
    def largest(self) -> int:
        """Largest sum."""
        return max(self.sums)

    @property
    def threshold(self) -> int:
        """Mean + 6 standard deviations or the least margin; larger than all sums."""
        return max(math.ceil(self.mean + max(SPREADS * self.spread, LEAST_MARGIN)), self.largest + 1)

    @property
    def varies_too_little(self) -> bool:
        """Whether the spread was too small, so that the least margin determines the threshold."""
        return SPREADS * self.spread < LEAST_MARGIN

    @property
    def clutter(self) -> tuple[float, ...]:
        """Headings [rad] at which an obstacle was near or a lamp shone, so that the calibration is invalid."""
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
    """Measure the front sensors during one turn on the spot.

    Args:
        read_front: turns the robot to a heading [rad] and returns sensors 0, 1, 7 and 6.
        start: first and last heading [rad].
        steps: number of headings.
        on_step: called with the number of a step, from 0, and its sum.
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
    """Return the larger of the sums on the right and on the left, from sensors 0, 1, 7 and 6."""
    p0, p1, p7, p6 = front
    return int(max(p0 + p1, p6 + p7))
