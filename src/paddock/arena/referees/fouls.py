"""FoulWatch: finds the fouls of all games: contact, leaving the arena, being moved by hand, early starts."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from paddock.arena import Arena
from paddock.arena.episodes import Foul
from paddock.arena.referees.places import Places
from paddock.arena.referees.referee import Rule
from paddock.core.geometry import Disc, bounding_radius, overlap, place_shape
from paddock.simulation.engine.state import BEARINGS, CONTACTS, FORWARD, HEADING, LEFT_SPEED, RIGHT_SPEED, X, Y

TOUCH = 1e-3  # [m] distance of bodies after a tick with contact, in addition to the driven distance
SLOWEST_PUSH = 1e-3  # [m/s] minimum speed towards the other robot
PARTED = 0.5  # [s] without contact, after which a new contact is a new foul
MAX_FOULS = 1000  # maximum number of stored fouls; all are counted
STEP = 1e-3  # [m] minimum motion that counts as a start


class FoulWatch:
    """Checks all robots after every tick. A robot that is hit by another one commits no foul."""

    def __init__(self, arena: Arena, rules: tuple[Rule, ...], *, waiting: bool = False) -> None:
        self.arena, self.rules = arena, rules
        self.fouls: list[Foul] = []  # the first fouls
        self.counts: Counter[str] = Counter()  # number of all fouls by robot
        self.places = Places(arena)
        self._touched: dict[tuple[str, str], float] = {}  # time of the last contact by (driving robot, hit robot)
        self._outside: set[str] = set()
        self._starts = dict(zip(self.places.names, self.places.now, strict=True)) if waiting else {}
        self._bodies = -1
        self.excused = False  # whether moving robots by hand is allowed now

    def check(self) -> None:
        """Check all rules after a tick."""
        self.places.update(self.arena)
        if "contact" in self.rules and len(self.places.names) > 1:
            self._look_at_contacts()
        if "leaving" in self.rules and self.arena.world.open:
            self._look_at_bounds()
        if "early" in self.rules and self._starts:
            self._look_at_starts()

    def signal(self) -> None:
        """Give the start signal; robots may move from now on."""
        self._starts = {}

    def find_moved(self) -> list[str]:
        """Return the robots that were moved by hand since the last tick; this is a foul unless excused."""
        places, motion = self.places, self.arena.motion
        moved = [
            name
            for row, name in enumerate(places.names)
            if name in self.arena.numbers
            and not np.array_equal(places.now[row], motion[self.arena.numbers[name], X : Y + 1])
        ]
        for name in moved:
            places.forget(self.arena, name)
            self._starts.pop(name, None)
            if "moved" in self.rules and not self.excused:
                self._call(name, "was moved by hand")
        return moved

    def _call(self, robot: str, text: str) -> None:
        self.counts[robot] += 1
        if len(self.fouls) < MAX_FOULS:
            self.fouls.append(Foul(robot=robot, time=self.arena.time, text=text))

    def _look_at_contacts(self) -> None:
        motion, time = self.arena.motion, self.arena.time
        rows = np.flatnonzero(motion[:, CONTACTS]).tolist()
        if not rows:
            return
        self._measure_bodies()
        poses = motion[:, X : HEADING + 1].tolist()
        driven = (np.abs(motion[:, FORWARD]) * self.arena.dt).tolist()
        for row in rows:
            state = motion[row]
            speed = (state[LEFT_SPEED] + state[RIGHT_SPEED]) / 2
            for bearing in state[BEARINGS : BEARINGS + int(state[CONTACTS])].tolist():
                if speed * math.cos(bearing) <= SLOWEST_PUSH:
                    continue
                other = self._touching(row, bearing, poses, driven)
                if other is not None:
                    pair = self.places.names[row], self.places.names[other]
                    if time - self._touched.get(pair, -math.inf) > PARTED:
                        self._call(pair[0], f"drove into {pair[1]}")
                    self._touched[pair] = time

    def _touching(self, row: int, bearing: float, poses: list[list[float]], driven: list[float]) -> int | None:
        """Return the robot at the contact point of a robot's body; None if it was not a robot."""
        x, y, heading = poses[row]
        shape = self.arena.built.robots[row].body.shape
        for other, (other_x, other_y, other_heading) in enumerate(poses):
            reach = TOUCH + driven[row] + driven[other]
            gap = math.hypot(other_x - x, other_y - y) - self._radii[row] - self._radii[other]
            if other == row or gap > reach:
                continue
            if math.cos(math.atan2(other_y - y, other_x - x) - heading - bearing) <= 0:
                continue  # it is in another direction
            body = self.arena.built.robots[other].body.shape
            if not (isinstance(shape, Disc) and isinstance(body, Disc)):
                gap = -overlap(place_shape(shape, x, y, heading), place_shape(body, other_x, other_y, other_heading))
            if gap <= reach:
                return other
        return None

    def _measure_bodies(self) -> None:
        if self._bodies != self.arena.layout:
            self._bodies = self.arena.layout
            self._radii = [bounding_radius(spec.body.shape) for spec in self.arena.built.robots]

    def _look_at_bounds(self) -> None:
        x0, y0, x1, y1 = self.arena.world.bounds
        x, y = self.places.now.T
        outside = {self.places.names[row] for row in np.flatnonzero((x < x0) | (x > x1) | (y < y0) | (y > y1)).tolist()}
        for name in sorted(outside - self._outside):
            self._call(name, "left the arena")
        self._outside = outside

    def _look_at_starts(self) -> None:
        for row, name in enumerate(self.places.names):
            start = self._starts.get(name)
            if start is not None and math.dist(start, self.places.now[row]) > STEP:
                del self._starts[name]
                self._call(name, "moved before the start signal")
