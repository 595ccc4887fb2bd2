"""Mapper: estimates a pose and a map from a robot's own observations, as part of any controller."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddock.core.geometry import Pose
from paddock.core.observation import Observation
from paddock.perception.estimation.estimates import Estimate, check_covariance
from paddock.perception.estimation.motion_model import Floats
from paddock.perception.estimation.travel import TravelSensors, WheelTravel
from paddock.perception.mapping.method import MAPPING_METHODS, MapSetup
from paddock.perception.mapping.mixed_pixels import drop_mixed_pixels
from paddock.perception.mapping.motion_step import NO_SPREAD, MotionStep
from paddock.perception.mapping.occupancy import OccupancyGrid
from paddock.perception.mapping.reader import SAME_TIME, RangeReader
from paddock.perception.mapping.scan import Scan
from paddock.perception.mapping.view import MapView
from paddock.perception.mapping.wheel_learner import WheelLearner

NO_STEP = MotionStep()
MAX_OBSERVATIONS = 1000  # stored observations with which a late scan may be paired


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
