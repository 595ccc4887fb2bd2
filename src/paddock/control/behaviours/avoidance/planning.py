"""Planning: stores detected obstacles, plans a path around them, follows it, and backs off when stuck."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paddock.control.behaviours.avoidance.avoidance_strategy import STOP, TURN_GAIN, ObstacleAvoidance, bearing_to
from paddock.control.behaviours.avoidance.memory import Bounds, ObstacleMemory, choose_target, find_path, is_open
from paddock.control.behaviours.avoidance.proximity_ring import Distances
from paddock.core.geometry import Point, Pose, wrap
from paddock.core.observation import WheelSpeeds

LOOK_EVERY = 0.06  # [s] between two readings that are stored
NEXT = 0.04  # [m] points of the path nearer than this count as passed
MAX_PATH_DISTANCE = 0.06  # [m] distance from the path above which the robot plans again
LONGER_PATH = 0.08  # [m] a path longer than the last one by this makes the robot wait before it accepts the path
MAX_WATCHES = 4  # maximum waiting time in multiples of watch_time, while the obstacle moves
PLAN_EVERY = 1.0  # [s] maximum age of a plan: obstacles may have moved
PLAN_REST = 0.25  # [s] minimum time between two plans, unless the path is closed just ahead
REACH = 0.10  # [m] look-ahead distance on the path
TURNED = 0.5  # [rad] a turn by this angle also counts as progress
SPOT_TURN = math.radians(35)  # heading error above which the robot turns on the spot
AHEAD = math.radians(60)  # sensors within this angle of the front monitor the path ahead
PREFER_RIGHT = 0.15  # extra cost of passing on the left, so that two robots that meet choose the same side


@dataclass(kw_only=True)
class Planning(ObstacleAvoidance):
    """Drives straight if possible. Around obstacles it takes the cheapest path that is not known to be closed (A*).

    It leaves dead ends as soon as it has detected them. If it makes no progress for some time, because another robot
    blocks it or a sighting is wrong, it backs off for a random time and removes old sightings.
    """

    bounds: Bounds | None = None  # bounds of the room, if known; paths stay inside
    memory_time: float = 60.0  # time after which sightings are removed [s]
    near: float = 0.012  # an obstacle ahead nearer than this stops the robot [m]
    slow: float = 0.035  # an obstacle ahead nearer than this slows the robot down [m]
    stuck_time: float = 2.5  # time without progress after which the robot backs off [s]
    watch_time: float = 1.0  # waiting time after the path was closed [s]
    progress: float = 0.012  # distance that counts as progress [m]

    def reset(self, start: Pose, goal: Point) -> None:
        super().reset(start, goal)
        self.memory = ObstacleMemory(ring=self.ring, bounds=self.bounds)
        self.path: list[Point] = []  # remaining points; empty: straight to the goal
        self._looked, self._planned = -math.inf, -math.inf
        self._anchor, self._anchored = start, 0.0  # pose and time of the last progress
        self._backing, self._waiting = 0.0, 0.0  # [s] left
        self._cost, self._planned_at = math.dist(start[:2], goal), start[:2]  # cost of the path [m], and its start
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
        if self.memory.add_readings(distances, pose, self.elapsed):
            self.detections += 1
        self.memory.forget_before(self.elapsed - self.memory_time)

    def _plan(self, pose: Pose) -> None:
        """Plan again if an obstacle is on the path, or the path is old."""
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
        if path is None:  # enclosed by sightings: some must be wrong or outdated
            self.memory.forget_before(self.elapsed - 1.0)
            path = find_path(self.memory, at, self.goal, left=PREFER_RIGHT)
        points, cost = path or ([], straight)
        if cost <= self._cost - math.dist(at, self._planned_at) + LONGER_PATH or not self._watch():
            self._accept(points, cost, at)

    def _is_plan_due(self, at: Point) -> bool:
        """Return whether the path is old or closed, or the robot is far from it."""
        age = self.elapsed - self._planned
        if not self.path or age >= PLAN_EVERY or math.dist(at, self.path[0]) > MAX_PATH_DISTANCE:
            return age >= PLAN_REST
        soon = self.path[: round(NEXT / self.memory.cell)] if age < PLAN_REST else self.path[:-1]
        return any(self.memory.find_cell(*point) in self.memory.closed for point in soon)

    def _accept(self, points: list[Point], cost: float, at: Point) -> None:
        self.path, self._cost, self._planned_at = points, cost, at
        self._watching = False

    def _watch(self) -> bool:
        """Return whether to wait: the obstacle that has just closed the path may be a robot that drives on."""
        if not self._watching:
            self._watching = True
            self._watch_until = self.elapsed + self.watch_time
            self._watch_most = self.elapsed + MAX_WATCHES * self.watch_time
            self._dropped = self.memory.dropped
        elif self.memory.dropped > self._dropped:  # the obstacle moves
            self._watch_until = min(self.elapsed + self.watch_time, self._watch_most)
            self._dropped = self.memory.dropped
        return self.elapsed < self._watch_until

    def _is_news(self) -> bool:
        """Return whether the sightings have changed while waiting, or the waiting time is over."""
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

    # ---- recovery when stuck

    def _notice_progress(self, pose: Pose) -> None:
        turned = abs(wrap(pose.heading - self._anchor.heading))
        if math.dist(pose[:2], self._anchor[:2]) > self.progress or turned > TURNED:
            self._anchor, self._anchored = pose, self.elapsed
        elif self.elapsed - self._anchored > self.stuck_time:
            self.tries += 1
            self._backing = 0.3 + 0.5 * self.draw(f"back {self.tries}")
            self._waiting = 1.5 * self.draw(f"wait {self.tries}")
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
