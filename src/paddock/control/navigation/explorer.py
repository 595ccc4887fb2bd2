"""Explorer: a controller that maps all reachable space and then stops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddock.control.navigation.exploration import EXPLORATION, SAME, Situation
from paddock.control.navigation.frontiers import Frontier, find_frontiers
from paddock.control.navigation.grid_search import search_grid
from paddock.control.navigation.map_controller import MapController
from paddock.control.navigation.path_driver import MapSource
from paddock.control.navigation.path_points import smooth_path
from paddock.core.geometry import Point, Pose
from paddock.core.seeds import draw_uniform
from paddock.perception.mapping.occupancy import Points
from paddock.perception.mapping.view import NO_POINTS
from paddock.simulation.robots import RobotSpec

FINISHED = "explored: no reachable frontier is left"
GIVEN_UP = ", except those that were visited three times in vain"
FARTHEST, SURE = 4.0, 0.8  # maximum viewing distance: in circumscribed radii, and as a share of the sensor's range
TIME_FACTOR, DELAY = 4.0, 15.0  # time limit of a path: factor on the expected time, plus a delay [s]


@dataclass
class FailedPlace:
    """A position with failed attempts."""

    place: Point  # [m]
    tries: int
    until: float  # end of the blocking time [s]


class Blacklist:
    """Blocked positions.

    Args:
        radius: distance within which positions count as the same [m].
        seconds: blocking time after the second failure; twice as long after the third. The first failure does not
            block, because there may be a better viewpoint.
    """

    def __init__(self, radius: float = 0.4, seconds: float = 60.0) -> None:
        self.radius, self.seconds = radius, seconds
        self.failures: list[FailedPlace] = []

    def find(self, place: Point) -> FailedPlace | None:
        """Return the failure at a position, if there was any."""
        near = [failure for failure in self.failures if math.dist(failure.place, place) <= self.radius]
        return min(near, key=lambda failure: math.dist(failure.place, place)) if near else None

    def add(self, place: Point, time: float) -> None:
        """Record a failed attempt at a position."""
        failure = self.find(place)
        if failure is None:
            failure = FailedPlace(place, 0, time)
            self.failures.append(failure)
        failure.tries += 1
        failure.until = time + self.seconds * (failure.tries - 1)

    def holds(self, place: Point, time: float) -> bool:
        """Return whether a position is blocked at a time."""
        failure = self.find(place)
        return failure is not None and time < failure.until

    def unblock(self, place: Point, time: float, tries: int = 3) -> bool:
        """Unblock a position unless it has failed `tries` times; return whether it is unblocked."""
        failure = self.find(place)
        if failure is not None and failure.tries < tries:
            failure.until = time
            return True
        return False


class Explorer(MapController):
    """Drives to frontiers until no reachable one is left. It does not use the size of the world.

    Args:
        mapper: source of the pose and the map.
        robot: specification of the robot, with its body and drive.
        method: name of the exploration method.
        least: minimum length of frontiers [circumscribed radii of the body].
        options: options of `MapController`: follower, speed, inflation, period, seed.
    """

    def __init__(
        self,
        mapper: MapSource,
        robot: RobotSpec,
        *,
        method: str = "tour",
        least: float = 1.2,
        **options: Any,
    ) -> None:
        self.method = EXPLORATION.get(method)()
        self.least = least
        super().__init__(mapper, robot, **options)

    def _forget(self) -> None:
        super()._forget()
        self.blacklist = Blacklist(1.5 * self.footprint.circumscribed)
        self.current: Frontier | None = None  # that the robot is driving to
        self.found: list[Frontier] = []  # in the last plan
        self._used_up: list[Point] = []  # viewpoints from which a frontier did not disappear
        self._late = math.inf  # time limit for reaching it

    @property
    def frontiers(self) -> Points:
        return np.array([frontier.centre for frontier in self.found]) if self.found else NO_POINTS

    def plan(self, pose: Pose, time: float) -> None:
        costmap = self.cost_map()
        start = self.find_start(costmap, pose, time)
        if start is None:
            return
        tree = search_grid(costmap.costs, start)
        reach = min(FARTHEST, SURE * self.mapper.reader.max_range / self.footprint.circumscribed)
        self.found = find_frontiers(costmap, tree, least=self.least, reach=reach, avoid=self._used_up)
        self._blacklist_failed(time)
        choices = self._choices(time)
        if not choices:
            if not self._looks_round(pose, time):
                self.finish(f"{FINISHED}{GIVEN_UP if self.found else ''}")
            return
        situation = Situation(
            choices,
            self.current,
            pose,
            self.limits,
            costmap,
            tree,
            lambda key: draw_uniform(self.seed, self.plans, key),
        )
        chosen = self.method.choose(situation)
        same = situation.is_current(chosen)
        if not same:
            self._late = time + TIME_FACTOR * situation.seconds_to(chosen) + DELAY
        self.current = chosen
        cell = costmap.nearest_passable(chosen.view.x, chosen.view.y, self.near)
        path = smooth_path(tree.path_to(cell), costmap) if cell is not None else NO_POINTS
        if not len(path):  # it is no longer passable
            self.blacklist.add(chosen.centre, time)
            self.current = None
            return
        self.driver.take(path, chosen.view.heading, same_goal=same)

    def _looks_round(self, pose: Pose, time: float) -> bool:
        """Turn once before the first frontier is chosen: a few beams may show none from the start pose."""
        if self.plans == 1 and math.isinf(self._late):
            self.driver.recover(pose, time)
        return math.isinf(self._late) and self.driver.state == "recovering"

    def _blacklist_failed(self, time: float) -> None:
        """Blacklist the current frontier if it was reached without effect, or not reached in time."""
        state, current = self.driver.state, self.current
        if current is None or (state not in ("reached", "stuck") and time < self._late):
            return
        self.current = None
        near = SAME * self.footprint.circumscribed
        still_there = [frontier for frontier in self.found if math.dist(frontier.centre, current.centre) < near]
        for frontier in still_there:
            self.blacklist.add(frontier.centre, time)
        if still_there and state == "reached":
            self._used_up.append(current.view[:2])

    def _choices(self, time: float) -> list[Frontier]:
        """Return the frontiers to choose from: those not blacklisted, or else those that may be tried again."""
        left = [frontier for frontier in self.found if not self.blacklist.holds(frontier.centre, time)]
        return left or [frontier for frontier in self.found if self.blacklist.unblock(frontier.centre, time)]

    @property
    def state(self) -> str:
        if self._finished or self.current is None or self.driver.state == "recovering":
            return super().state
        return f"to a frontier of {self.current.length:.1f} m, {len(self.found)} known"
