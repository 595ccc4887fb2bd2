"""PathDriver: drives along a path to a pose, monitors progress, and starts recoveries without progress."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from paddock.control.navigation.costmap import CostMap, Inflation, classify_cells, crop
from paddock.control.navigation.drive_limits import STILL, Twist
from paddock.control.navigation.followers import Follower
from paddock.control.navigation.footprint import Footprint
from paddock.control.navigation.recovery import DEFAULT_RECOVERIES, RecoverySequence, Surroundings
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.perception.estimation import Estimate
from paddock.perception.mapping import OccupancyGrid, Scan
from paddock.perception.mapping.frame import Points
from paddock.perception.mapping.scan import RangeReader, transform
from paddock.perception.mapping.view import NO_POINTS

DriverState = Literal["standing", "driving", "turning", "recovering", "reached", "stuck"]
PERIOD = 0.1  # time between two decisions [s]
BLIND_AFTER = 1.0  # delay of a scan after which the robot is blind and stops [s]
REACH = 10.0  # of the local map in each direction [circumscribed radii]
GOT_ON = 2.5  # distance from a recovery after which the robot has made progress [circumscribed radii]


class MapSource(Protocol):
    """Source of the pose and the map, such as a `Mapper`."""

    reader: RangeReader
    scan: Scan | None  # the last one

    @property
    def estimate(self) -> Estimate:
        """Current pose estimate of the robot."""

    @property
    def grid(self) -> OccupancyGrid:
        """Current map."""

    @property
    def scan_pose(self) -> Pose:
        """Pose of the robot at the time of the last scan."""

    def update(self, observation: Observation, time: float | None = None) -> Estimate:
        """Process an observation and return the estimate."""

    def reset(self, pose: Pose) -> None:
        """Restart at a pose."""


class PathDriver:
    """Converts the paths of a planner to wheel speeds.

    Args:
        follower: the path follower.
        footprint: footprint of the robot.
        inflation: margins of the local map; None: chosen for the size of the body.
        recovery_names: names of the recoveries to try when the robot is stuck.
        within: position tolerance at the end of a path [circumscribed radii of the body].
        facing: heading tolerance at the end of a path [rad].
        progress_timeout: time without progress after which the robot is stuck [s].
    """

    def __init__(
        self,
        follower: Follower,
        footprint: Footprint,
        *,
        inflation: Inflation | None = None,
        recovery_names: Sequence[str] = DEFAULT_RECOVERIES,
        within: float = 0.45,
        facing: float = 0.15,
        progress_timeout: float = 3.0,
    ) -> None:
        self.follower, self.footprint, self.inflation = follower, footprint, inflation or Inflation.of(footprint)
        self.recovery_sequence = RecoverySequence(recovery_names)
        self.within, self.facing, self.progress_timeout = within * footprint.circumscribed, facing, progress_timeout
        self.reset()

    def reset(self) -> None:
        """Stop and clear all state."""
        self.state: DriverState = "standing"
        self.path: Points = NO_POINTS
        self.heading: float | None = None
        self.twist = STILL
        self.recoveries = 0  # number of recoveries so far
        self._due = -math.inf
        self._version: object = None
        self._mark: tuple[Pose, float] | None = None  # pose and time of the last progress
        self._recovered_at: Pose | None = None
        self.recovery_sequence.reset()
        self.follower.reset()

    def take(self, path: Points, heading: float | None = None, *, same_goal: bool = False) -> None:
        """Follow a path [m], shape (n, 2), and turn to a heading [rad] at its end; None for any heading."""
        self.path, self.heading = path, heading
        if not same_goal:
            self._mark = None
            self.follower.begin_path()
            self.recovery_sequence.reset()
        if self.state != "recovering" or not same_goal:
            self.state = "driving"

    def stop(self) -> None:
        """Drop the path and stop."""
        self.path, self.heading, self.state = NO_POINTS, None, "standing"

    @property
    def wheels(self) -> WheelSpeeds:
        """Current wheel speeds [m/s]."""
        return self.follower.limits.wheels(self.twist)

    def update(self, mapper: MapSource, time: float) -> WheelSpeeds:
        """Return wheel speeds [m/s] at a time, based on a mapper; make a new decision every tenth of a second."""
        if time < self._due - 1e-9:
            return self.wheels
        self._due = time + PERIOD
        pose = mapper.estimate.pose
        if mapper.grid.version != self._version:
            self._version = mapper.grid.version
            self.local = self._make_local_map(mapper, pose)
        if is_blind(mapper, time):
            wanted, self._mark = STILL, None  # does not count as being stuck
        else:
            wanted = self._decide(pose, time, mapper.scan)
        self.twist = self.follower.limits.approach(self.twist, wanted, PERIOD)
        return self.wheels

    def _make_local_map(self, mapper: MapSource, pose: Pose) -> CostMap:
        """Return the local cost map: the map, plus all points of the last scan, which the map may not contain yet."""
        grid, reach = mapper.grid, REACH * self.footprint.circumscribed
        log_odds, frame = crop(grid.log_odds, grid.frame, pose.x, pose.y, reach)
        states = classify_cells(log_odds)
        if mapper.scan is not None and not mapper.reader.opening:  # sonar echoes may be anywhere on their arcs
            cells = frame.cells(transform(mapper.scan.points(), mapper.scan_pose))
            cells = cells[frame.inside(cells)]
            states[cells[:, 0], cells[:, 1]] = 1
        return CostMap.of(states, frame, self.footprint, self.inflation)

    def _decide(self, pose: Pose, time: float, scan: Scan | None) -> Twist:
        if self.state == "recovering":
            around = Surroundings(pose, time, self.local, scan, self.follower)
            twist = self.recovery_sequence.update(around)
            if twist is not None:
                return twist
            self.state, self._mark = ("driving" if len(self.path) else "standing"), None
        if self.state not in ("driving", "turning"):
            return STILL
        if self._stands_still(pose, time):
            self.recover(pose, time)
            return STILL
        self._cut_path(pose)
        if math.dist(self.path[-1], pose[:2]) > self.within * (2 if self.state == "turning" else 1):
            self.state = "driving"
            return self.follower.follow(pose, self.twist, self.path, self.local)
        if self.heading is not None and abs(wrap(self.heading - pose.heading)) > self.facing:
            self.state = "turning"
            return self.follower.turn_to(pose, self.heading, self.local)
        self.state = "reached"
        return STILL

    def _cut_path(self, pose: Pose) -> None:
        """Drop the part of the path behind the robot, at most 2 m at once."""
        near = self.path[:40]
        self.path = self.path[int(np.argmin(np.hypot(*(near - (pose.x, pose.y)).T))) :]

    def _stands_still(self, pose: Pose, time: float) -> bool:
        if self._mark is not None:
            then, since = self._mark
            if (
                math.dist(then[:2], pose[:2]) < 0.4 * self.footprint.circumscribed
                and abs(wrap(pose.heading - then.heading)) < 0.3
            ):
                return time - since > self.progress_timeout
        self._mark = pose, time
        if (
            self._recovered_at is not None
            and math.dist(self._recovered_at[:2], pose[:2]) > GOT_ON * self.footprint.circumscribed
        ):
            self._recovered_at = None
            self.recovery_sequence.reset()
        return False

    def recover(self, pose: Pose, time: float) -> bool:
        """Start the next recovery; return False if none is left and the robot is stuck."""
        self._mark, self._recovered_at = None, pose
        self.follower.begin_path()
        started = self.recovery_sequence.start(time)
        self.recoveries += started
        self.state = "recovering" if started else "stuck"
        return started


def is_blind(mapper: MapSource, time: float) -> bool:
    """Return whether the last scan is too old for driving at a time [s]."""
    reader, scan = mapper.reader, mapper.scan
    return scan is None or time - scan.time > BLIND_AFTER + reader.period + reader.delay
