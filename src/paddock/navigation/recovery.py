"""What to do when stuck: a ladder of recoveries, each bolder than the one before. They are registered by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paddock.core.geometry import Pose, wrap
from paddock.core.registry import Registry
from paddock.mapping import GridFrame, Scan
from paddock.navigation.costmap import CostMap
from paddock.navigation.drive_limits import STILL, Twist
from paddock.navigation.followers import Follower

LADDER = ("look-round", "back-up", "turn-aside", "get-free")
LONGEST = 12.0  # that a recovery may take [s]
EDGE = 3.0  # farther than this no body gets when it backs [circumscribed radii]


@dataclass
class Surroundings:
    """What a recovery is told."""

    pose: Pose
    time: float  # [s]
    local: CostMap
    scan: Scan | None  # the last one
    follower: Follower

    @property
    def size(self) -> float:
        """The body's circumscribed radius [m]."""
        return self.local.footprint.circumscribed

    def try_twist(self, twist: Twist) -> Twist:
        """As much of a twist as is safe."""
        return self.follower.keep_clear(self.pose, twist, self.local)

    def try_back(self, twist: Twist) -> Twist:
        """As much of a twist as is safe where nothing looks: what was never seen may be an obstacle."""
        return self.follower.keep_clear(self.pose, twist, self._map_surroundings())

    def _map_surroundings(self) -> CostMap:
        """The map around, with all that was never seen as obstacles, but for where the body is."""
        frame, side = self.local.frame, self.local.frame.resolution
        edge = math.ceil(EDGE * self.size / side)  # beyond its edge a cost map is free
        states = np.pad(self.local.states, edge, constant_values=-1)
        wide = GridFrame(frame.x - edge * side, frame.y - edge * side, side, *states.shape)
        rows, columns = np.ogrid[: wide.rows, : wide.columns]
        x, y = wide.x + (columns + 0.5) * side, wide.y + (rows + 0.5) * side
        here = np.hypot(x - self.pose.x, y - self.pose.y) <= self.size
        blocked = (states > 0) | ((states < 0) & ~here)
        return CostMap.of(blocked.astype(np.int8), wide, self.local.footprint, self.local.inflation)

    def freer_side(self) -> float:
        """1: more room on the left; -1: on the right. By the longest range ahead, as AP2DX chose it, to 60° aside."""
        if self.scan is None:
            return 1.0
        bearings = self.scan.angles + self.scan.mount.heading
        ahead = np.abs(bearings) < math.radians(60)
        ranges = np.minimum(np.nan_to_num(self.scan.ranges, nan=0.0), self.scan.max_range)[ahead]
        return 1.0 if not len(ranges) or bearings[ahead][int(np.argmax(ranges))] >= 0 else -1.0

    def room_ahead(self) -> float:
        """How far the body may drive straight on before it comes near to something, up to 2 m."""
        return self.follower.free_seconds(self.pose, Twist(1.0, 0.0), self.local, 2.0)


class Recovery(ABC):
    """A few seconds of doing something else. A new object for each time."""

    def __init__(self) -> None:
        self.turned = self.moved = 0.0  # since it began [rad, m]
        self._last: Pose | None = None

    def update(self, around: Surroundings) -> Twist | None:
        """The next twist; None: it is over."""
        pose = around.pose
        if self._last is not None:
            self.turned += wrap(pose.heading - self._last.heading)
            self.moved += math.dist(pose[:2], self._last[:2])
        self._last = pose
        return self.move(around)

    @abstractmethod
    def move(self, around: Surroundings) -> Twist | None:
        """The next twist; None: it is over."""


class LookRound(Recovery):
    """Turn once on the spot, so that what is no longer there leaves the map."""

    def move(self, around: Surroundings) -> Twist | None:
        if abs(self.turned) >= math.tau - 0.1:
            return None
        twist = around.try_twist(Twist(0.0, 0.8 * around.follower.limits.turn_rate))
        return None if twist == STILL else twist


class BackUp(Recovery):
    """Drive back a bit, as far as the way is known to be free."""

    distance = 1.15  # [circumscribed radii]: 0.3 m of a Pioneer

    def move(self, around: Surroundings) -> Twist | None:
        if self.moved >= self.distance * around.size:
            return None
        twist = around.try_back(Twist(-0.3 * around.follower.limits.speed, 0.0))
        return None if twist == STILL else twist


class TurnAside(Recovery):
    """Turn by a quarter to the side with more room."""

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
    """AP2DX (2011), with its final constants: back up a bit, turn to the freer side until there is room ahead."""

    distance = 0.57  # [circumscribed radii]: 0.15 m of a Pioneer
    depth = 1.5  # 0.4 m of a Pioneer

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


class RecoveryLadder:
    """Recoveries one after the other, each time the robot gets stuck again before it has got on."""

    def __init__(self, rungs: Sequence[str] = LADDER) -> None:
        self.rungs = [(name, RECOVERIES.get(name)) for name in rungs]
        self.reset()

    def reset(self) -> None:
        """Begin with the first rung."""
        self.climbed = 0  # rungs so far
        self._now: Recovery | None = None

    @property
    def name(self) -> str:
        """The recovery at work; empty if there is none."""
        return self.rungs[self.climbed - 1][0] if self._now is not None else ""

    def start(self, time: float) -> bool:
        """Take the next rung; False: there is none left."""
        if self.climbed >= len(self.rungs):
            return False
        self._now, self._began = self.rungs[self.climbed][1](), time
        self.climbed += 1
        return True

    def update(self, around: Surroundings) -> Twist | None:
        """The next twist of the recovery at work; None: it is over."""
        if self._now is None:
            return None
        twist = self._now.update(around) if around.time - self._began < LONGEST else None
        if twist is None:
            self._now = None
        return twist
