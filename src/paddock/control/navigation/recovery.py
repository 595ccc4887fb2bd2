"""Recoveries of a stuck robot, tried in sequence with increasing effort. They are registered by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.drive_limits import STILL, Twist
from paddock.control.navigation.followers import Follower
from paddock.core.geometry import Pose, wrap
from paddock.core.registry import Registry
from paddock.perception.mapping import GridFrame, Scan

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
