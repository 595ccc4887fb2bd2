"""EKF: an extended Kalman filter of a pose. Late measurements are applied at their own time."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose, wrap
from paddock.core.observation import Observation
from paddock.perception.estimation.consistency import Innovation, chi_square_quantile
from paddock.perception.estimation.estimates import Estimate, check_covariance, check_memory
from paddock.perception.estimation.measurements import SAME_TIME, Measurement, SensorModel, gather_measurements
from paddock.perception.estimation.odometry import Floats, TravelSensors, WheelTravel, roll, roll_jacobians

GATE = 0.99  # share of consistent measurements that pass
MEMORY = 1.0  # [s] of stored past states; older measurements are too late
MAX_INNOVATIONS = 100_000  # maximum number stored
NO_TRAVEL = WheelTravel(0.0, 0.0, np.zeros((3, 3)))


def predict(pose: Pose, covariance: Floats, travel: WheelTravel, separation: float) -> tuple[Pose, Floats]:
    """Return pose and covariance, shape (3, 3), after the travel of wheels with a separation [m]."""
    left, right, noise = travel
    by_pose, by_travel = roll_jacobians(pose.heading, left, right, separation)
    moved: Floats = by_pose @ covariance @ by_pose.T + by_travel @ noise @ by_travel.T
    return roll(pose, left, right, separation), moved


def correct(pose: Pose, covariance: Floats, off: Floats, slopes: Floats, noise: Floats) -> tuple[Pose, Floats]:
    """Return pose and covariance after a measurement; the Joseph form keeps the covariance symmetric and positive.

    Args:
        pose: pose before the measurement.
        covariance: covariance before the measurement, shape (3, 3).
        off: measured minus expected values, shape (k).
        slopes: derivatives of the expected values by the pose, shape (k, 3).
        noise: covariance of the measurement, shape (k, k).
    """
    gain = covariance @ slopes.T @ np.linalg.inv(slopes @ covariance @ slopes.T + noise)
    x, y, heading = (np.array(pose) + gain @ off).tolist()
    keep = np.eye(3) - gain @ slopes
    return Pose(x, y, wrap(heading)), keep @ covariance @ keep.T + gain @ noise @ gain.T


def squared_distance(off: Floats, spread: Floats) -> float:
    """Return the squared Mahalanobis distance."""
    return float(off @ np.linalg.solve(spread, off))


class AlternativePose:
    """Alternative pose that moves with the robot's wheels. A fix that agrees refines it and votes for it.

    Any other fix votes against it. Without votes, the next fix replaces it (the majority vote of Boyer and Moore 1981).
    Outliers, which differ from each other, therefore never win. Fixes of a kidnapped robot win, even if some are
    outliers.
    """

    def __init__(self, time: float) -> None:
        self.time, self.votes = time, 0
        self.pose, self.covariance = ORIGIN, np.zeros((3, 3))

    def move(self, time: float, travel: WheelTravel, separation: float) -> None:
        """Move the pose to a time by the travel of the wheels."""
        self.time = time
        self.pose, self.covariance = predict(self.pose, self.covariance, travel, separation)

    def add_fix(self, fix: Floats, covariance: Floats, gate: float) -> None:
        """Count a fix of the current time: x, y [m], heading [rad]."""
        if not self.votes:
            self.pose, self.covariance, self.votes = Pose(*fix.tolist()), covariance.copy(), 1
            return
        off = fix - np.array(self.pose)
        off[2] = wrap(float(off[2]))
        if squared_distance(off, self.covariance + covariance) < chi_square_quantile(gate, 3):
            self.pose, self.covariance = correct(self.pose, self.covariance, off, np.eye(3), covariance)
            self.votes += 1
        else:
            self.votes -= 1


@dataclass(slots=True)
class Moment:
    """A past state: travel up to its time, measurements at its time, and the estimate after these."""

    time: float
    travel: WheelTravel  # since the previous moment
    measurements: list[Measurement] = field(default_factory=list)
    pose: Pose = ORIGIN
    covariance: Floats = field(default_factory=lambda: np.zeros((3, 3)))


class EKF:
    """Estimates a pose from a start pose, travel and any mix of sensors. If lost, it restarts at agreeing fixes."""

    def __init__(
        self,
        travel: TravelSensors,
        models: Sequence[SensorModel] = (),
        *,
        covariance: Floats | None = None,
        gate: float = GATE,
        memory: float = MEMORY,
        restart_after: int | None = 10,
    ) -> None:
        """Start at the odometry's pose.

        Args:
            travel: encoders and gyroscope.
            models: measurement models: compass, ranges to walls, external fixes.
            covariance: of the start pose, shape (3, 3); None: it is known exactly.
            gate: share of consistent measurements that pass; less likely ones are outliers.
            memory: maximum delay of a measurement [s].
            restart_after: if, of successively rejected fixes, this many more agree with each other and with the motion
                than disagree, the robot was moved, and the filter restarts at their pose. Fixes without a heading do
                not count. None: never restart.
        """
        if not (all_finite(gate) and 0 < gate < 1):
            raise PaddockError(f"EKF: gate: expected a probability between 0 and 1, got {gate!r}")
        check_memory("EKF", memory)
        if restart_after is not None and restart_after < 1:
            raise PaddockError(f"EKF: restart_after: expected a number of fixes >= 1, or None, got {restart_after!r}")
        self.travel, self.models, self.gate, self.memory = travel, models, gate, memory
        self.restart_after = restart_after
        self._first = np.zeros((3, 3)) if covariance is None else check_covariance("EKF", covariance)
        self.reset(travel.odometry.pose)

    def reset(self, pose: Pose, covariance: Floats | None = None) -> None:
        """Restart at a pose; without a covariance, use that of the first start."""
        self.innovations: deque[Innovation] = deque(maxlen=MAX_INNOVATIONS)  # of measurements, when first applied
        self.too_late = 0  # measurements older than the memory
        self.too_early = 0  # measurements with a time in the future
        self.not_finite = 0  # measurements with NaN or infinity
        self.restarts = 0
        self._alternative: AlternativePose | None = None  # of the fixes rejected since the last accepted one
        self._moments: list[Moment] = []
        self.travel.reset()
        self.travel.odometry.reset(pose)
        spread = self._first if covariance is None else check_covariance("EKF", covariance)
        self._start = Moment(-np.inf, NO_TRAVEL, [], pose, spread)

    @property
    def estimate(self) -> Estimate:
        """Current estimate."""
        last = self._moments[-1] if self._moments else self._start
        return Estimate(last.pose, last.covariance + self._rounding(last.pose))

    def update(self, observation: Observation, time: float) -> Estimate:
        """Process an observation at a time [s] that never decreases."""
        travel = self.travel.read(observation, time)
        self._append(Moment(time, travel))
        gathered = gather_measurements(self.models, observation, time)
        self.not_finite += gathered.not_finite
        self.too_early += gathered.too_early
        for measurement in gathered.usable:
            self.add(measurement)
        return self.estimate

    def add(self, measurement: Measurement) -> None:
        """Apply a measurement of the current time or of any stored time."""
        times = [moment.time for moment in self._moments]
        if not times or measurement.time < times[0] - SAME_TIME:
            self.too_late += 1
            return
        i = bisect_left(times, measurement.time - SAME_TIME)
        if i == len(times):
            self._append(Moment(measurement.time, NO_TRAVEL))
        elif times[i] > measurement.time + SAME_TIME:
            self._split(i, measurement.time)
        following = self._moments[i:]
        following[0].measurements.append(measurement)
        self._apply(following[0], measurement, is_new=True)
        for before, after in pairwise(following):
            self._pass(before, after)

    def _append(self, moment: Moment) -> None:
        before = self._moments[-1] if self._moments else self._start
        self._pass(before, moment)
        self._moments.append(moment)
        while len(self._moments) > 1 and self._moments[1].time <= moment.time - self.memory:
            self._moments.pop(0)
            self._move_rival(self._moments[0].time)

    def _split(self, i: int, time: float) -> None:
        """Insert a moment between two others."""
        before, after = self._moments[i - 1], self._moments[i]
        first, after.travel = after.travel.split((time - before.time) / (after.time - before.time))
        between = Moment(time, first)
        self._pass(before, between)
        self._moments.insert(i, between)

    def _pass(self, before: Moment, after: Moment) -> None:
        """Compute the estimate of a moment from the previous one."""
        separation = self.travel.odometry.wheel_separation
        after.pose, after.covariance = predict(before.pose, before.covariance, after.travel, separation)
        for measurement in after.measurements:
            self._apply(after, measurement)

    def _apply(self, moment: Moment, measurement: Measurement, *, is_new: bool = False) -> None:
        """Correct a moment's estimate by a measurement, unless it is an outlier."""
        expected = measurement.expect(np.array([moment.pose]))[0]
        off, slopes = measurement.difference(expected), measurement.slopes(moment.pose)
        seen = (measurement.value < measurement.limit) & (expected < measurement.limit)
        rounding = self._rounding(moment.pose)
        noise = measurement.covariance + slopes @ rounding @ slopes.T
        spread = slopes @ moment.covariance @ slopes.T + noise
        groups = [[int(k)] for k in np.flatnonzero(seen)] if measurement.separate else [list(range(len(off)))]
        kept: list[int] = []
        for group in groups:
            nis = squared_distance(off[group], spread[np.ix_(group, group)])
            accepted = nis < chi_square_quantile(self.gate, len(group))
            kept += group if accepted else []
            if is_new:
                self.innovations.append(Innovation(measurement.time, measurement.source, nis, len(group), accepted))
        if is_new and measurement.is_fix:
            if kept:
                self._alternative = None
            elif len(off) == len(moment.pose) and self._is_elsewhere(moment, measurement.value, noise):
                self._restart(moment)
                return
        if kept:
            moment.pose, moment.covariance = correct(
                moment.pose, moment.covariance, off[kept], slopes[kept], noise[np.ix_(kept, kept)]
            )

    def _is_elsewhere(self, moment: Moment, fix: Floats, noise: Floats) -> bool:
        """Return whether enough rejected fixes agree that the robot was moved."""
        if self._alternative is None:
            self._alternative = AlternativePose(moment.time)
        if self.restart_after is None or moment.time < self._alternative.time:
            return False
        self._move_rival(moment.time)
        self._alternative.add_fix(fix, noise, self.gate)
        return self._alternative.votes >= self.restart_after

    def _move_rival(self, time: float) -> None:
        for moment in self._moments:
            if self._alternative is not None and self._alternative.time < moment.time <= time:
                self._alternative.move(moment.time, moment.travel, self.travel.odometry.wheel_separation)

    def _restart(self, moment: Moment) -> None:
        """Restart at the alternative pose, and discard all earlier states."""
        assert self._alternative is not None
        self._moments = [kept for kept in self._moments if kept.time >= moment.time]
        moment.measurements.clear()
        moment.pose, moment.covariance = self._alternative.pose, self._alternative.covariance
        self._alternative, self.restarts = None, self.restarts + 1

    def _rounding(self, pose: Pose) -> Floats:
        odometry = self.travel.odometry
        return odometry.noise.of_count(pose.heading, odometry.wheel_separation)
