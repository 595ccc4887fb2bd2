"""PathDriver: drives along a path to a pose, watches whether the robot gets on, and recovers where it does not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from paddock.core.geometry import Pose, wrap
from paddock.core.observation import WheelSpeeds
from paddock.mapping import Scan
from paddock.mapping.frame import Points
from paddock.mapping.scan import transform
from paddock.mapping.view import NO_POINTS
from paddock.navigation.costmap import CostMap, Inflation, crop, states_of
from paddock.navigation.drive_limits import STILL, Twist
from paddock.navigation.followers import Follower
from paddock.navigation.footprint import Footprint
from paddock.navigation.map_source import MapSource
from paddock.navigation.recovery import LADDER, RecoveryLadder, Surroundings

DriverState = Literal["standing", "driving", "turning", "recovering", "reached", "stuck"]
PERIOD = 0.1  # between two decisions [s]
BLIND_AFTER = 1.0  # so long after a scan was due it is blind, and stands [s]
REACH = 10.0  # of the local map, to each side [circumscribed radii]
GOT_ON = 2.5  # so far from where it was stuck it has got on [circumscribed radii]


class PathDriver:
    """Between a planner and the wheels.

    Args:
        follower: how to follow paths.
        footprint: of the robot.
        inflation: margins of the local map; None: those that suit the body.
        rungs: what to try where it is stuck, by name.
        within: this near to a path's end is there [circumscribed radii of the body].
        facing: so is this near to the heading there [rad].
        patience: without getting on for so long it is stuck [s].
    """

    def __init__(
        self,
        follower: Follower,
        footprint: Footprint,
        *,
        inflation: Inflation | None = None,
        rungs: Sequence[str] = LADDER,
        within: float = 0.45,
        facing: float = 0.15,
        patience: float = 3.0,
    ) -> None:
        self.follower, self.footprint, self.inflation = follower, footprint, inflation or Inflation.of(footprint)
        self.ladder = RecoveryLadder(rungs)
        self.within, self.facing, self.patience = within * footprint.circumscribed, facing, patience
        self.reset()

    def reset(self) -> None:
        """Stand, and forget all that was."""
        self.state: DriverState = "standing"
        self.path: Points = NO_POINTS
        self.heading: float | None = None
        self.twist = STILL
        self.recoveries = 0  # so far
        self._due = -math.inf
        self._version: object = None
        self._mark: tuple[Pose, float] | None = None  # where and when it last got on
        self._recovered_at: Pose | None = None
        self.ladder.reset()
        self.follower.reset()

    def take(self, path: Points, heading: float | None = None, *, same_goal: bool = False) -> None:
        """Follow a path [m], shape (n, 2), and turn to a heading at its end [rad]; None: any."""
        self.path, self.heading = path, heading
        if not same_goal:
            self._mark = None
            self.follower.begin_path()
            self.ladder.reset()
        if self.state != "recovering" or not same_goal:
            self.state = "driving"

    def stop(self) -> None:
        """Follow nothing."""
        self.path, self.heading, self.state = NO_POINTS, None, "standing"

    @property
    def wheels(self) -> WheelSpeeds:
        """What the wheels shall do now."""
        return self.follower.limits.wheels(self.twist)

    def update(self, mapper: MapSource, time: float) -> WheelSpeeds:
        """Wheel speeds [m/s] at a time, by what a mapper knows; a new decision every tenth of a second."""
        if time < self._due - 1e-9:
            return self.wheels
        self._due = time + PERIOD
        pose = mapper.estimate.pose
        if mapper.grid.version != self._version:
            self._version = mapper.grid.version
            self.local = self._look(mapper, pose)
        if is_blind(mapper, time):
            wanted, self._mark = STILL, None  # no reason to recover
        else:
            wanted = self._decide(pose, time, mapper.scan)
        self.twist = self.follower.limits.approach(self.twist, wanted, PERIOD)
        return self.wheels

    def _look(self, mapper: MapSource, pose: Pose) -> CostMap:
        """What is near: the map, and all that the last scan met, which may be too new to be believed by the map."""
        grid, reach = mapper.grid, REACH * self.footprint.circumscribed
        log_odds, frame = crop(grid.log_odds, grid.frame, pose.x, pose.y, reach)
        states = states_of(log_odds)
        if mapper.scan is not None and not mapper.reader.opening:  # echoes of sonars may be anywhere on their arcs
            cells = frame.cells(transform(mapper.scan.points(), mapper.scan_pose))
            cells = cells[((cells >= 0) & (cells < frame.shape)).all(axis=1)]
            states[cells[:, 0], cells[:, 1]] = 1
        return CostMap.of(states, frame, self.footprint, self.inflation)

    def _decide(self, pose: Pose, time: float, scan: Scan | None) -> Twist:
        if self.state == "recovering":
            around = Surroundings(pose, time, self.local, scan, self.follower)
            twist = self.ladder.update(around)
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
        """Leave behind what lies behind, not farther than 2 m at once."""
        near = self.path[:40]
        self.path = self.path[int(np.argmin(np.hypot(*(near - (pose.x, pose.y)).T))) :]

    def _stands_still(self, pose: Pose, time: float) -> bool:
        if self._mark is not None:
            then, since = self._mark
            if (
                math.dist(then[:2], pose[:2]) < 0.4 * self.footprint.circumscribed
                and abs(wrap(pose.heading - then.heading)) < 0.3
            ):
                return time - since > self.patience
        self._mark = pose, time
        if (
            self._recovered_at is not None
            and math.dist(self._recovered_at[:2], pose[:2]) > GOT_ON * self.footprint.circumscribed
        ):
            self._recovered_at = None
            self.ladder.reset()
        return False

    def recover(self, pose: Pose, time: float) -> bool:
        """Take the next rung of the ladder; False: there is none left, and it is stuck."""
        self._mark, self._recovered_at = None, pose
        self.follower.begin_path()
        started = self.ladder.start(time)
        self.recoveries += started
        self.state = "recovering" if started else "stuck"
        return started


def is_blind(mapper: MapSource, time: float) -> bool:
    """Whether the last scan is too old to drive by at a time [s]."""
    reader, scan = mapper.reader, mapper.scan
    return scan is None or time - scan.time > BLIND_AFTER + reader.period + reader.delay
