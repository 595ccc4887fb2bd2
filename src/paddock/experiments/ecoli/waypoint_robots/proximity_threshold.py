"""Calibration of a robot's proximity threshold where it drives, because ambient light and the floor shift it."""

from __future__ import annotations

import cmath
import itertools
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paddock.control.behaviours.avoidance import EPUCK_RING
from paddock.core.errors import PaddockError
from paddock.core.geometry import wrap

STEPS = 36  # by 10° each
SPREADS = 6.0  # standard deviations above the mean …
LEAST_MARGIN = 50.0  # … but at least this many counts, because simulated sensors hardly vary without obstacles
NOISE = 8.0  # median differences between neighbours; independent readings hardly ever differ by more
LIT_MARGIN = 0.1  # share of the largest sum above it, if the sums depend on the heading
ASIDE = (0.05, 0.05)  # [m] to the second place; the sensors see 7 cm ahead, so each part is free if nothing is near
GONE = 0.5  # share of a sum that is missing at the other place if an obstacle caused it; a lamp is farther away
FAINT = 210.0  # … and at least this many counts, which obstacles cause only from the end of the range


@dataclass(frozen=True, kw_only=True, slots=True)
class ThresholdCalibration:
    """Readings of the front sensors in one or two places: at each heading, the larger of the sums 0+1 and 6+7."""

    headings: tuple[float, ...]  # [rad]
    sums: tuple[int, ...]
    sums_aside: tuple[int, ...] = ()  # in the second place; empty if the sums do not depend on the heading

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
        return max(*self.sums, *self.sums_aside)

    @property
    def is_lit(self) -> bool:
        """Whether the sums depend on the heading: something shines, or is near, from one side."""
        return depend_on_heading(self.sums)

    @property
    def threshold(self) -> int:
        """Mean + 6 standard deviations or the least margin, larger than all sums; in directional light above these."""
        if self.is_lit:
            return math.ceil(self.largest + max(LIT_MARGIN * self.largest, LEAST_MARGIN))
        return max(math.ceil(self.mean + max(SPREADS * self.spread, LEAST_MARGIN)), self.largest + 1)

    @property
    def range(self) -> float:
        """Distance [m] from which an object ahead exceeds the threshold without light."""
        return EPUCK_RING.find_distance(self.threshold / 2)

    @property
    def varies_too_little(self) -> bool:
        """Whether the spread was too small, so that the least margin determines the threshold."""
        return SPREADS * self.spread < LEAST_MARGIN

    @property
    def clutter(self) -> tuple[float, ...]:
        """Headings [rad] at which an obstacle was near, so that the calibration is invalid.

        The sum of an obstacle changes much between both places, and that of a lamp does not.
        """
        pairs = zip(self.headings, self.sums, self.sums_aside or self.sums, strict=True)
        return tuple(heading for heading, *sums in pairs if max(sums) - min(sums) > max(GONE * max(sums), FAINT))


def calibrate_threshold(
    read_front: Callable[[float], Sequence[float]],
    drive: Callable[[float], object],
    start: float = 0.0,
    *,
    steps: int = STEPS,
    on_step: Callable[[int, int], object] = lambda step, value: None,
) -> ThresholdCalibration:
    """Measure the front sensors during one turn on the spot, and if they depend on the heading, 10 cm away once more.

    Args:
        read_front: turns the robot to a heading [rad] and returns sensors 0, 1, 7 and 6.
        drive: drives straight ahead by a distance [m].
        start: first and last heading [rad].
        steps: number of headings.
        on_step: called with the number of a step, from 0, and its sum.
    """
    if steps < 2:
        raise PaddockError(f"calibrate_threshold: steps: expected 2 or more, got {steps}")
    headings = tuple(wrap(start + 2 * math.pi * step / steps) for step in range(steps))

    def turn_around(first: int) -> tuple[int, ...]:
        sums = []
        for step, heading in enumerate(headings, first):
            sums.append(largest_sum(read_front(heading)))
            on_step(step, sums[-1])
        return tuple(sums)

    sums = turn_around(0)
    aside: tuple[int, ...] = ()
    if depend_on_heading(sums):
        away, driven = find_way_out(headings, sums), []
        for distance in ASIDE:
            if largest_sum(read_front(away)) > min(sums) + FAINT:
                break
            drive(distance)
            driven.append(distance)
        aside = turn_around(steps)
        for distance in driven:
            read_front(away + math.pi)
            drive(distance)
    read_front(start)
    return ThresholdCalibration(headings=headings, sums=sums, sums_aside=aside)


def depend_on_heading(sums: Sequence[int]) -> bool:
    """Whether the sums at different headings, in their order, differ by more than noise and than the least margin."""
    noise = statistics.median(abs(here - there) for here, there in itertools.pairwise(sums))
    return max(sums) - min(sums) > max(NOISE * noise, LEAST_MARGIN)


def find_way_out(headings: Sequence[float], sums: Sequence[int]) -> float:
    """Return the heading [rad] away from what raises the sums, among those with low sums."""
    raised = cmath.phase(sum(value * cmath.rect(1.0, heading) for heading, value in zip(headings, sums, strict=True)))
    low = (h for h, value in zip(headings, sums, strict=True) if value <= min(sums) + LEAST_MARGIN)
    return min(low, key=lambda heading: math.cos(heading - raised))


def largest_sum(front: Sequence[float]) -> int:
    """Return the larger of the sums on the right and on the left, from sensors 0, 1, 7 and 6."""
    p0, p1, p7, p6 = front
    return int(max(p0 + p1, p6 + p7))
