"""Mapper: a pose and a map from a robot's own observations, as part of any controller."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddock.core.geometry import Pose
from paddock.core.observation import Observation
from paddock.estimate.estimates import Estimate, check_covariance
from paddock.estimate.motion_model import Floats
from paddock.estimate.travel import TravelSensors, WheelTravel
from paddock.mapping.method import MAPPING_METHODS, MapSetup
from paddock.mapping.mixed_pixels import drop_mixed_pixels
from paddock.mapping.motion_step import NO_SPREAD, MotionStep
from paddock.mapping.occupancy import OccupancyGrid
from paddock.mapping.reader import SAME_TIME, RangeReader
from paddock.mapping.scan import Scan
from paddock.mapping.view import MapView

NO_STEP = MotionStep()
MOST_LOOKS = 1000  # back to which a scan may be paired with travel


class Mapper:
    """Where a robot is and what is around it, by its wheels and its laser, sonars or infrared sensors.

    It is a `Localiser`. A scan is used once, and paired with where the wheels were when it was taken, even if it comes
    late; until the next one the estimate goes on by the wheels.
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
        """Begin at the odometry's pose with an empty map.

        Args:
            sensors: encoders and gyroscope.
            reader: the range sensor.
            method: of `MAPPING_METHODS`.
            resolution: side of a cell [m].
            seed: decides all that is drawn.
            options: of the method.
        """
        self.sensors, self.reader = sensors, reader
        setup = MapSetup(resolution=resolution, opening=reader.opening, seed=seed)
        self.method = MAPPING_METHODS.get(method)(setup, **options)
        self.reset(sensors.odometry.pose)

    def reset(self, pose: Pose, covariance: Floats | None = None) -> None:
        """Begin anew at a pose, with an empty map; None: the pose is what the map's frame is about, and certain."""
        self.sensors.reset()
        self.sensors.odometry.reset(pose)
        self.reader.reset()
        self.method.reset(pose, NO_SPREAD if covariance is None else check_covariance("Mapper", covariance))
        self.scan: Scan | None = None  # the last one that was used
        self.scans = 0  # how many were
        self.too_late = 0  # how many were left out, because they were older than the one before
        self._time = -np.inf  # of the last scan, or when `_since` begins
        self._before = NO_STEP  # from the last scan up to then; no scan can be of that time any more
        self._since: list[tuple[float, WheelTravel]] = []  # travel since then, with the time at its end
        self._sum = NO_STEP  # of all travel since the last scan
        self._estimate: Estimate | None = None  # made when it is asked for

    @property
    def estimate(self) -> Estimate:
        """The present estimate."""
        if self._estimate is None:
            pose, covariance = self._sum.after(self.method.pose, self.method.covariance)
            self._estimate = Estimate(pose, covariance, self.method.particles)
        return self._estimate

    @property
    def grid(self) -> OccupancyGrid:
        """The present map."""
        return self.method.grid

    @property
    def scan_pose(self) -> Pose:
        """Where the robot was when the last scan was taken."""
        return self.method.pose

    @property
    def map_view(self) -> MapView:
        """The map to look at, with the last scan."""
        return MapView.of(self.grid, self.scan, self.scan_pose)

    def update(self, observation: Observation, time: float | None = None) -> Estimate:
        """As `look`; gives the present estimate."""
        self.look(observation, time)
        return self.estimate

    def look(self, observation: Observation, time: float | None = None) -> None:
        """Take a look at all sensors, at a time [s] that never goes back; None: the observation's own."""
        time = observation.time if time is None else time
        travel = self.sensors.read(observation, time)
        self._since.append((time, travel))
        if len(self._since) > MOST_LOOKS:  # there are no scans
            self._time, oldest = self._since.pop(0)
            self._before = self._before.roll(oldest, self._separation)
        self._sum = self._sum.roll(travel, self._separation)
        self._estimate = None
        scan = self.reader.read(observation, time)
        if scan is not None:
            self._use(scan)

    @property
    def _separation(self) -> float:
        return self.sensors.odometry.wheel_separation

    def _use(self, scan: Scan) -> None:
        if scan.time < self._time - SAME_TIME:
            self.too_late += 1
            return
        scan = drop_mixed_pixels(scan)
        before, self._since = split_travel(self._since, self._time, scan.time)
        self._sum = self._add_up(self._since)
        self.method.add(scan, self._add_up(before, self._before))
        self.scan, self._time, self._before = scan, scan.time, NO_STEP
        self.scans += 1

    def _add_up(self, travels: list[tuple[float, WheelTravel]], step: MotionStep = NO_STEP) -> MotionStep:
        for _, travel in travels:
            step = step.roll(travel, self._separation)
        return step


def split_travel(
    travels: list[tuple[float, WheelTravel]], start: float, time: float
) -> tuple[list[tuple[float, WheelTravel]], list[tuple[float, WheelTravel]]]:
    """Travel up to a time, and after it; `start` is when the first began."""
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
