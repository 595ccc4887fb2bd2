"""Planning: remembers what it has seen, plans a way around it, drives along it, and backs off where it is stuck."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paddock.control.avoidance.base import STOP, TURN_GAIN, ObstacleAvoidance, bearing_to
from paddock.control.avoidance.memory import Bounds, ObstacleMemory
from paddock.control.avoidance.path import choose_target, find_path, is_open
from paddock.control.avoidance.ring import Distances
from paddock.core.geometry import Point, Pose, wrap
from paddock.core.observation import WheelSpeeds

LOOK_EVERY = 0.06  # [s] between two looks that are remembered
NEXT = 0.04  # [m] points of the path nearer than this are passed
ASTRAY = 0.06  # [m] farther off its path than this it plans anew
SURPRISE = 0.08  # [m] a way that is so much longer than the last one needs a second look
MOST_WATCHES = 4  # times the time of a watch, while what it watches moves
PLAN_EVERY = 1.0  # [s] after which a plan is made anew: things may have moved
PLAN_REST = 0.25  # [s] at least between two plans, unless the way is closed just ahead
REACH = 0.10  # [m] how far along the path it steers
TURNED = 0.5  # [rad] turning by so much counts as progress, too
SPOT_TURN = math.radians(35)  # further off its course than this, it turns on the spot
AHEAD = math.radians(60)  # sensors within this of the nose guard the way ahead
PREFER_RIGHT = 0.15  # extra cost of passing on the left, so that two robots that meet do the same


@dataclass(kw_only=True)
class Planning(ObstacleAvoidance):
    """Drives straight where it can. Around things it takes the cheapest way that is not known to be closed (A*).

    So it leaves dead ends as soon as it has seen that they are. Where it makes no way for a while, because another
    robot is in the way or a sighting was wrong, it backs off for a time drawn by chance and forgets what is old.
    """

    bounds: Bounds | None = None  # the room that it is in, where that is known: it looks for no way outside
    memory_time: float = 60.0  # sightings are forgotten after this long [s]
    near: float = 0.012  # what is nearer ahead than this stops it [m]
    slow: float = 0.035  # … and nearer than this slows it down [m]
    stuck_time: float = 2.5  # without progress for this long it backs off [s]
    watch_time: float = 1.0  # how long it looks on when its way was closed [s]
    progress: float = 0.012  # what counts as some [m]

    def reset(self, start: Pose, goal: Point) -> None:
        super().reset(start, goal)
        self.memory = ObstacleMemory(ring=self.ring, bounds=self.bounds)
        self.path: list[Point] = []  # ahead; empty: straight to the goal
        self._looked, self._planned = -math.inf, -math.inf
        self._anchor, self._anchored = start, 0.0  # where it was when it last made way, and when
        self._backing, self._waiting = 0.0, 0.0  # [s] left
        self._cost, self._planned_at = math.dist(start[:2], goal), start[:2]  # what the way should take [m], from where
        self._watching, self._watch_until, self._watch_most = False, 0.0, 0.0
        self._dropped = self._changes = 0
        self._front = [i for i, mount in enumerate(self.ring.mounts) if abs(mount[2]) < AHEAD]
        self._rear = [i for i, mount in enumerate(self.ring.mounts) if abs(mount[2]) > math.pi - AHEAD]

    def decide(self, proximity: Distances, pose: Pose, dt: float) -> WheelSpeeds:
        distances = [float(distance) for distance in proximity]
        self._remember(distances, pose)
        if self._backing > 0.0 or self._waiting > 0.0:
            return self._back_off(distances, dt)
        self._notice_progress(pose)
        if self._backing > 0.0:
            return self._back_off(distances, dt)
        self._plan(pose)
        if self._watching:
            self._anchored = self.elapsed
            return STOP
        return self._follow(distances, pose, dt)

    # ---- memory and plan

    def _remember(self, distances: list[float], pose: Pose) -> None:
        if self.elapsed - self._looked < LOOK_EVERY - 1e-9:
            return
        self._looked = self.elapsed
        if self.memory.look(distances, pose, self.elapsed):
            self.detections += 1
        self.memory.forget_before(self.elapsed - self.memory_time)

    def _plan(self, pose: Pose) -> None:
        """Renew the path where it is due: something is in the way, or it is old."""
        if self._looked != self.elapsed or (self._watching and not self._is_news()):
            return
        at = pose[:2]
        straight = math.dist(at, self.goal)
        if is_open(self.memory, at, self.goal, roomy=True):
            self._accept([], straight, at)
            return
        if self.path:
            self.path = self.path[choose_target(self.memory, self.path, at, NEXT) :]
        if not self._is_plan_due(at):
            return
        self._planned = self.elapsed
        self.tries += 1
        path = find_path(self.memory, at, self.goal, left=PREFER_RIGHT)
        if path is None:  # closed in by what it remembers: some of it must be wrong, or have moved
            self.memory.forget_before(self.elapsed - 1.0)
            path = find_path(self.memory, at, self.goal, left=PREFER_RIGHT)
        points, cost = path or ([], straight)
        if cost <= self._cost - math.dist(at, self._planned_at) + SURPRISE or not self._watch():
            self._accept(points, cost, at)

    def _is_plan_due(self, at: Point) -> bool:
        """Whether the path is old, or closed, or the robot is far off it."""
        age = self.elapsed - self._planned
        if not self.path or age >= PLAN_EVERY or math.dist(at, self.path[0]) > ASTRAY:
            return age >= PLAN_REST
        soon = self.path[: round(NEXT / self.memory.cell)] if age < PLAN_REST else self.path[:-1]
        return any(self.memory.cell_of(*point) in self.memory.closed for point in soon)

    def _accept(self, points: list[Point], cost: float, at: Point) -> None:
        self.path, self._cost, self._planned_at = points, cost, at
        self._watching = False

    def _watch(self) -> bool:
        """Whether to stand and look on: what has just closed the way may be a robot that drives on."""
        if not self._watching:
            self._watching = True
            self._watch_until = self.elapsed + self.watch_time
            self._watch_most = self.elapsed + MOST_WATCHES * self.watch_time
            self._dropped = self.memory.dropped
        elif self.memory.dropped > self._dropped:  # it moves
            self._watch_until = min(self.elapsed + self.watch_time, self._watch_most)
            self._dropped = self.memory.dropped
        return self.elapsed < self._watch_until

    def _is_news(self) -> bool:
        """Whether, while it watches, something has changed or the time is over."""
        changes, self._changes = self._changes, self.memory.changes
        return changes != self.memory.changes or self.elapsed >= self._watch_until

    # ---- driving

    def _follow(self, distances: list[float], pose: Pose, dt: float) -> WheelSpeeds:
        target = self.goal
        if self.path:
            target = self.path[choose_target(self.memory, self.path, pose[:2], REACH)]
        off = bearing_to(pose, target)
        if abs(off) > SPOT_TURN:
            return self.turn_on_spot(off, dt)
        nearest = min(self._front, key=lambda i: distances[i])
        if distances[nearest] < self.near:
            away = -math.copysign(1.0, self.ring.mounts[nearest][2])
            return self.turn_wheels(-0.2 * self.speed, 1.5 * away)
        speed = self.brake_before_goal(pose, dt)
        if distances[nearest] < self.slow:
            speed *= 0.5
        return self.turn_wheels(speed * math.cos(off), TURN_GAIN * off)

    # ---- getting free

    def _notice_progress(self, pose: Pose) -> None:
        turned = abs(wrap(pose.heading - self._anchor.heading))
        if math.dist(pose[:2], self._anchor[:2]) > self.progress or turned > TURNED:
            self._anchor, self._anchored = pose, self.elapsed
        elif self.elapsed - self._anchored > self.stuck_time:
            self.tries += 1
            self._backing = 0.3 + 0.5 * self.chance(f"back {self.tries}")
            self._waiting = 1.5 * self.chance(f"wait {self.tries}")
            self.memory.forget_before(self.elapsed - 0.5)
            self._anchored = self.elapsed

    def _back_off(self, distances: list[float], dt: float) -> WheelSpeeds:
        blocked = any(distances[i] < self.near for i in self._rear)
        if self._backing > 0.0 and not blocked:
            self._backing -= dt
            return WheelSpeeds(-0.5 * self.speed, -0.5 * self.speed)
        self._backing = 0.0
        self._waiting -= dt
        self._planned, self._watching = -math.inf, False
        return STOP
