"""Mapper: estimates a pose and a map from a robot's own observations, and learns the scale of its wheels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import ORIGIN, Pose, relative
from paddock.core.observation import Observation
from paddock.perception.estimation.estimates import Estimate, check_covariance
from paddock.perception.estimation.odometry import TravelSensors, WheelTravel, roll_jacobians
from paddock.perception.mapping.method import (
    MAPPING_METHODS,
    NO_SPREAD,
    MapSetup,
    MotionStep,
    rotate_covariance,
    rotation,
    subtract,
)
from paddock.perception.mapping.occupancy import OccupancyGrid
from paddock.perception.mapping.scan import SAME_TIME, Floats, RangeReader, Scan
from paddock.perception.mapping.view import MapView

FLAT = math.tan(math.radians(10))  # an edge is a line to a neighbour's end at a smaller angle to the beam
LEAST_DEPTH = 0.05  # [m] smaller steps are noise
TOLERANCE = 0.01  # standard deviation of the errors of unknown wheels, relative
WAY, TURN = 0.5, 0.5  # length [m] and turn [rad] of a step, after which it is used
SURPRISE = 11.3  # chi², 3 dimensions, 99 %: a robot that is pushed or blocked teaches nothing about its wheels
LEAST_SPREAD: Floats = np.diag([0.01, 0.01, math.radians(0.2)]) ** 2  # limit of the accuracy of a matched step
NO_STEP = MotionStep()
MAX_OBSERVATIONS = 1000  # stored observations with which a late scan may be paired


def drop_mixed_pixels(scan: Scan) -> Scan:
    """Remove ranges that have a depth edge on both sides, except ranges nearer than both neighbours.

    A thin obstacle hit by one beam is nearer than both neighbours. Beams next to one without a return are kept as well,
    because they hit only one surface.
    """
    if len(scan.angles) < 3 or scan.origins is not None:
        return scan
    ranges, across = scan.ranges, np.diff(scan.angles)
    near, far = np.minimum(ranges[:-1], ranges[1:]), np.maximum(ranges[:-1], ranges[1:])
    with np.errstate(invalid="ignore"):  # comparisons with NaN and infinity give no edges
        depth = far - near * np.cos(across)
        edge = np.isfinite(far) & (near * np.abs(np.sin(across)) < FLAT * depth) & (depth > LEAST_DEPTH)
        mixed: NDArray[np.bool_] = edge[:-1] & edge[1:] & (ranges[1:-1] > np.minimum(ranges[:-2], ranges[2:]))
    if not mixed.any():
        return scan
    cleaned = np.array(ranges, float)
    cleaned[1:-1][mixed] = np.nan
    return replace(scan, ranges=cleaned)


class WheelLearner:
    """A Kalman filter for the relative errors of both wheel diameters and of the wheel separation.

    Worn wheels have the same error in every step, so that scans of a place with many surfaces also correct odometry
    where scans show nothing (Kümmerle et al. 2011). Directions that a scan does not constrain contribute nothing.
    """

    def __init__(self, separation: float) -> None:
        """Start without errors; `separation` is the assumed distance between the wheels [m]."""
        self.nominal, self.errors = separation, np.zeros(3)  # of the left and right diameter and of the separation
        self.covariance: Floats = np.eye(3) * TOLERANCE**2
        self.restart(ORIGIN, None)

    @property
    def separation(self) -> float:
        """Current estimate of the distance between the wheels [m]."""
        return self.nominal * (1 + float(self.errors[2]))

    def correct(self, travel: WheelTravel) -> WheelTravel:
        """Return the travel of wheels with the estimated errors."""
        left, right = (1 + self.errors[:2]).tolist()
        return travel._replace(left=travel.left * left, right=travel.right * right)

    def restart(self, pose: Pose, spread: Floats | None) -> None:
        """Begin a step at a pose by a scan; `spread` is its covariance, None if no scan determines it."""
        self._start, self._spread = pose, spread
        self._step, self._by_errors = MotionStep(), np.zeros((3, 3))  # the step by odometry, its derivatives by errors
        self._way = self._turn = 0.0

    def learn(self, step: MotionStep, left: float, right: float, pose: Pose, spread: Floats | None) -> None:
        """Extend the step by odometry and the corrected travel [m], up to a pose by a scan with its covariance."""
        if self._spread is None:
            self.restart(pose, spread)
            return
        self._extend(step, left, right)
        if max(self._way / WAY, self._turn / TURN) >= 1:
            if spread is not None:
                self._update(pose, spread + self._spread + LEAST_SPREAD)
            self.restart(pose, spread)

    def _extend(self, step: MotionStep, left: float, right: float) -> None:
        turn = (right - left) / self.separation
        _, by_travel = roll_jacobians(0.0, left, right, self.separation)
        by_errors = np.column_stack((by_travel[:, 1] * left, by_travel[:, 0] * right, -by_travel[:, 2] * turn))
        before, self._step = self._step.pose, self._step.then(step)
        lever = np.outer((before.y - self._step.pose.y, self._step.pose.x - before.x, 0.0), self._by_errors[2])
        self._by_errors = self._by_errors + lever + rotation(-before.heading) @ by_errors
        self._way, self._turn = self._way + abs(left + right) / 2, self._turn + abs(turn)

    def _update(self, pose: Pose, spread: Floats) -> None:
        noise = rotate_covariance(spread, self._start.heading) + self._step.covariance
        slopes = self._by_errors
        certainty = np.linalg.inv(slopes @ self.covariance @ slopes.T + noise)
        difference = subtract(relative(self._start, pose), self._step.pose)
        if difference @ certainty @ difference > SURPRISE:
            return
        gain = self.covariance @ slopes.T @ certainty
        self.errors = self.errors + gain @ difference
        self.covariance = (np.eye(3) - gain @ slopes) @ self.covariance


class Mapper:
    """Estimates pose and map of a robot from odometry and its laser, sonars or infrared sensors.

    It is a `Localiser`. Each scan is used once and paired with the odometry at the time of the scan, even if it arrives
    late. Between scans, odometry updates the estimate. The errors of the wheels are estimated from matched scans.
    """

    def __init__(
        self,
        sensors: TravelSensors,
        reader: RangeReader,
        *,
        method: str = "odometry",
        resolution: float = 0.05,
        seed: int = 0,
        **options: Any,
    ) -> None:
        """Start at the odometry's pose with an empty map.

        Args:
            sensors: encoders and gyroscope.
            reader: the range sensor.
            method: name in `MAPPING_METHODS`.
            resolution: side of a cell [m].
            seed: seed of all random numbers.
            options: options of the method.
        """
        self.sensors, self.reader = sensors, reader
        setup = MapSetup(resolution=resolution, opening=reader.opening, seed=seed)
        self.method = MAPPING_METHODS.get(method)(setup, **options)
        self.reset(sensors.odometry.pose)

    def reset(self, pose: Pose, covariance: Floats | None = None) -> None:
        """Restart at a pose with an empty map; without a covariance the pose defines the map's frame and is certain."""
        self.sensors.reset()
        self.sensors.odometry.reset(pose)
        self.reader.reset()
        self.method.reset(pose, NO_SPREAD if covariance is None else check_covariance("Mapper", covariance))
        self.wheels = WheelLearner(self.sensors.odometry.wheel_separation)
        self.scan: Scan | None = None  # the last used one
        self.scans = 0  # number of used scans
        self.too_late = 0  # number of scans skipped because they were older than the previous one
        self._time = -np.inf  # of the last scan, or of the start of `_since`
        self._before = NO_STEP  # from the last scan up to then; later scans cannot be from that time
        self._since: list[tuple[float, WheelTravel]] = []  # travel since then, with the time at its end
        self._sum = NO_STEP  # of all travel since the last scan
        self._estimate: Estimate | None = None  # computed on demand

    @property
    def estimate(self) -> Estimate:
        """Current estimate."""
        if self._estimate is None:
            pose, covariance = self._sum.after(self.method.pose, self.method.covariance)
            self._estimate = Estimate(pose, covariance, self.method.particles)
        return self._estimate

    @property
    def grid(self) -> OccupancyGrid:
        """Current map."""
        return self.method.grid

    @property
    def scan_pose(self) -> Pose:
        """Pose of the robot at the time of the last scan."""
        return self.method.pose

    @property
    def map_view(self) -> MapView:
        """The map for display, with the last scan."""
        return MapView.of(self.grid, self.scan, self.scan_pose)

    def update(self, observation: Observation, time: float | None = None) -> Estimate:
        """Process an observation like `look`, and return the current estimate."""
        self.look(observation, time)
        return self.estimate

    def look(self, observation: Observation, time: float | None = None) -> None:
        """Process an observation at a time [s] that never decreases; None for the observation's own time."""
        time = observation.time if time is None else time
        travel = self.wheels.correct(self.sensors.read(observation, time))
        self._since.append((time, travel))
        if len(self._since) > MAX_OBSERVATIONS:  # no scans arrive
            self._time, oldest = self._since.pop(0)
            self._before = self._before.roll(oldest, self._separation)
        self._sum = self._sum.roll(travel, self._separation)
        self._estimate = None
        scan = self.reader.read(observation, time)
        if scan is not None:
            self._use(scan)

    @property
    def _separation(self) -> float:
        return self.wheels.separation

    def _use(self, scan: Scan) -> None:
        if scan.time < self._time - SAME_TIME:
            self.too_late += 1
            return
        scan = drop_mixed_pixels(scan)
        before, self._since = split_travel(self._since, self._time, scan.time)
        self._sum = self._add_up(self._since)
        step = self._add_up(before, self._before)
        self.method.add(scan, step)
        if self._before is NO_STEP:
            left, right = sum(travel.left for _, travel in before), sum(travel.right for _, travel in before)
            self.wheels.learn(step, left, right, self.method.pose, self.method.match_covariance)
        else:
            self.wheels.restart(self.method.pose, self.method.match_covariance)
        self.scan, self._time, self._before = scan, scan.time, NO_STEP
        self.scans += 1

    def _add_up(self, travels: list[tuple[float, WheelTravel]], step: MotionStep = NO_STEP) -> MotionStep:
        for _, travel in travels:
            step = step.roll(travel, self._separation)
        return step


def split_travel(
    travels: list[tuple[float, WheelTravel]], start: float, time: float
) -> tuple[list[tuple[float, WheelTravel]], list[tuple[float, WheelTravel]]]:
    """Split travel into the parts before and after a time; `start` is the start time of the first one."""
    before: list[tuple[float, WheelTravel]] = []
    for k, (end, travel) in enumerate(travels):
        if end > time + SAME_TIME:
            if start >= time - SAME_TIME or not np.isfinite(start):
                return before, travels[k:]
            first, rest = travel.split((time - start) / (end - start))
            return [*before, (time, first)], [(end, rest), *travels[k + 1 :]]
        before.append((end, travel))
        start = end
    return before, []
