"""PathDriver: drives along a path to a pose, monitors progress, and starts recoveries without progress."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from paddock.control.navigation.costmap import CostMap, Inflation, classify_cells, crop
from paddock.control.navigation.followers import Follower
from paddock.control.navigation.vehicle import STILL, Footprint, Twist
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.registry import Registry
from paddock.perception.estimation import Estimate
from paddock.perception.mapping import GridFrame, OccupancyGrid, Scan
from paddock.perception.mapping.occupancy import Points
from paddock.perception.mapping.scan import RangeReader, transform
from paddock.perception.mapping.view import NO_POINTS

DEFAULT_RECOVERIES = ("look-round", "back-up", "turn-aside", "get-free")
LONGEST = 12.0  # maximum duration of a recovery [s]
EDGE = 3.0  # upper bound of the distance driven backwards [circumscribed radii]


@dataclass
class Surroundings:
    """Input of a recovery: state of the robot and its surroundings."""

    pose: Pose
    time: float  # [s]
    local: CostMap
    scan: Scan | None  # the last one
    follower: Follower

    @property
    def size(self) -> float:
        """Circumscribed radius of the body [m]."""
        return self.local.footprint.circumscribed

    def try_twist(self, twist: Twist) -> Twist:
        """Return a twist reduced to a safe speed."""
        return self.follower.keep_clear(self.pose, twist, self.local)

    def try_back(self, twist: Twist) -> Twist:
        """Return a twist reduced to a safe speed if all unseen cells are treated as obstacles."""
        return self.follower.keep_clear(self.pose, twist, self._map_surroundings())

    def _map_surroundings(self) -> CostMap:
        """Return the local cost map with unseen cells as obstacles, except those under the body."""
        frame, side = self.local.frame, self.local.frame.resolution
        edge = math.ceil(EDGE * self.size / side)  # a cost map is free beyond its edge, so it is padded
        states = np.pad(self.local.states, edge, constant_values=-1)
        wide = GridFrame(frame.x - edge * side, frame.y - edge * side, side, *states.shape)
        rows, columns = np.ogrid[: wide.rows, : wide.columns]
        x, y = wide.x + (columns + 0.5) * side, wide.y + (rows + 0.5) * side
        here = np.hypot(x - self.pose.x, y - self.pose.y) <= self.size
        blocked = (states > 0) | ((states < 0) & ~here)
        return CostMap.of(blocked.astype(np.int8), wide, self.local.footprint, self.local.inflation)

    def freer_side(self) -> float:
        """Return 1 if there is more room on the left, else -1, by the longest range within 60°, as in AP2DX."""
        if self.scan is None:
            return 1.0
        bearings = self.scan.angles + self.scan.mount.heading
        ahead = np.abs(bearings) < math.radians(60)
        ranges = np.minimum(np.nan_to_num(self.scan.ranges, nan=0.0), self.scan.max_range)[ahead]
        return 1.0 if not len(ranges) or bearings[ahead][int(np.argmax(ranges))] >= 0 else -1.0

    def room_ahead(self) -> float:
        """Return the free distance straight ahead [m], up to 2 m."""
        return self.follower.free_seconds(self.pose, Twist(1.0, 0.0), self.local, 2.0)


class Recovery(ABC):
    """Base class of recovery behaviours, which last a few seconds. Each run uses a new object."""

    def __init__(self) -> None:
        self.turned = self.moved = 0.0  # since it began [rad, m]
        self._last: Pose | None = None

    def update(self, around: Surroundings) -> Twist | None:
        """Update the motion since the start and return the next twist; None when the recovery is finished."""
        pose = around.pose
        if self._last is not None:
            self.turned += wrap(pose.heading - self._last.heading)
            self.moved += math.dist(pose[:2], self._last[:2])
        self._last = pose
        return self.move(around)

    @abstractmethod
    def move(self, around: Surroundings) -> Twist | None:
        """Return the next twist; None when the recovery is finished."""


class LookRound(Recovery):
    """Turn once on the spot, so that the map drops obstacles that no longer exist."""

    def move(self, around: Surroundings) -> Twist | None:
        if abs(self.turned) >= math.tau - 0.1:
            return None
        twist = around.try_twist(Twist(0.0, 0.8 * around.follower.limits.turn_rate))
        return None if twist == STILL else twist


class BackUp(Recovery):
    """Drive back a short distance, as far as the space is known to be free."""

    distance = 1.15  # [circumscribed radii]; 0.3 m for a Pioneer

    def move(self, around: Surroundings) -> Twist | None:
        if self.moved >= self.distance * around.size:
            return None
        twist = around.try_back(Twist(-0.3 * around.follower.limits.speed, 0.0))
        return None if twist == STILL else twist


class TurnAside(Recovery):
    """Turn by 90° to the side with more room."""

    def __init__(self) -> None:
        super().__init__()
        self._side = 0.0

    def move(self, around: Surroundings) -> Twist | None:
        self._side = self._side or around.freer_side()
        if abs(self.turned) >= math.pi / 2:
            return None
        twist = around.try_twist(Twist(0.0, self._side * 0.5 * around.follower.limits.turn_rate))
        return None if twist == STILL else twist


class GetFree(BackUp):
    """Back up a short distance, then turn to the freer side until there is room ahead (AP2DX 2011, final constants)."""

    distance = 0.57  # [circumscribed radii]; 0.15 m for a Pioneer
    depth = 1.5  # required room ahead [circumscribed radii]; 0.4 m for a Pioneer

    def __init__(self) -> None:
        super().__init__()
        self._side = 0.0

    def move(self, around: Surroundings) -> Twist | None:
        if not self._side and (twist := super().move(around)) is not None:
            return twist
        self._side = self._side or around.freer_side()
        if (around.room_ahead() >= self.depth * around.size and abs(self.turned) > 0.3) or abs(self.turned) >= math.tau:
            return None
        twist = around.try_twist(Twist(0.0, self._side * 0.5 * around.follower.limits.turn_rate))
        return None if twist == STILL else twist


RECOVERIES: Registry[type[Recovery]] = Registry(
    "recovery",
    group="paddock.recoveries",
    builtin={"look-round": LookRound, "back-up": BackUp, "turn-aside": TurnAside, "get-free": GetFree},
    base=Recovery,
)


class RecoverySequence:
    """Sequence of recoveries: the next one starts each time the robot is stuck again without progress."""

    def __init__(self, recoveries: Sequence[str] = DEFAULT_RECOVERIES) -> None:
        self.recoveries = [(name, RECOVERIES.get(name)) for name in recoveries]
        self.reset()

    def reset(self) -> None:
        """Restart with the first recovery."""
        self.started = 0  # number of recoveries started so far
        self._now: Recovery | None = None

    @property
    def name(self) -> str:
        """Name of the active recovery; empty if there is none."""
        return self.recoveries[self.started - 1][0] if self._now is not None else ""

    def start(self, time: float) -> bool:
        """Start the next recovery; return False if none is left."""
        if self.started >= len(self.recoveries):
            return False
        self._now, self._began = self.recoveries[self.started][1](), time
        self.started += 1
        return True

    def update(self, around: Surroundings) -> Twist | None:
        """Return the next twist of the active recovery; None when it is finished."""
        if self._now is None:
            return None
        twist = self._now.update(around) if around.time - self._began < LONGEST else None
        if twist is None:
            self._now = None
        return twist


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
