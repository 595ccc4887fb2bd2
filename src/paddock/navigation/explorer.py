"""Explorer: a controller that maps all it can get to, and stops by itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddock.core.chance import chance
from paddock.core.geometry import Point, Pose
from paddock.mapping.frame import Points
from paddock.mapping.view import NO_POINTS
from paddock.navigation.blacklist import Blacklist
from paddock.navigation.exploration import EXPLORATION, SAME, Situation
from paddock.navigation.frontiers import Frontier, find_frontiers
from paddock.navigation.grid_search import search_grid
from paddock.navigation.map_source import MapSource
from paddock.navigation.map_user import MapUser
from paddock.navigation.paths import smooth_path
from paddock.robots import RobotSpec

FINISHED = "explored: no frontier is left that can be reached"
FARTHEST, SURE = 4.0, 0.8  # frontiers are looked at from so many circumscribed radii, or less where a sensor sees less
PATIENCE, DELAY = 4.0, 15.0  # a way may take so many times as long as expected, and so many seconds more


class Explorer(MapUser):
    """Drives to frontiers until there are none that it can get to. It never knows how large the world is.

    Args:
        mapper: gives the pose and the map.
        robot: its body and its drive.
        method: how to choose among frontiers, by name.
        least: shorter frontiers do not count [circumscribed radii of the body].
        options: of `MapUser`: follower, speed, inflation, period, seed.
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
        self.current: Frontier | None = None  # on its way to
        self.found: list[Frontier] = []  # in the last plan
        self._used_up: list[Point] = []  # places from which something was looked at in vain
        self._late = math.inf  # when the way to it has taken too long

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
        self._give_up_in_vain(time)
        choices = self._choices(time)
        if not choices:
            self.finish(FINISHED)
            return
        situation = Situation(
            choices, self.current, pose, self.limits, costmap, tree, lambda key: chance(self.seed, self.plans, key)
        )
        chosen = self.method.choose(situation)
        same = situation.is_current(chosen)
        if not same:
            self._late = time + PATIENCE * situation.seconds_to(chosen) + DELAY
        self.current = chosen
        cell = costmap.nearest_passable(chosen.view.x, chosen.view.y, self.near)
        path = smooth_path(tree.path_to(cell), costmap) if cell is not None else NO_POINTS
        if not len(path):  # it was passable before, and no longer is
            self.blacklist.add(chosen.centre, time)
            self.current = None
            return
        self.driver.take(path, chosen.view.heading, same_goal=same)

    def _give_up_in_vain(self, time: float) -> None:
        """What was reached and is still there, or not reached in time, is left alone for a while."""
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
        """Frontiers to choose from: those not left alone, else those that may have a second chance."""
        left = [frontier for frontier in self.found if not self.blacklist.holds(frontier.centre, time)]
        return left or [frontier for frontier in self.found if self.blacklist.pardon(frontier.centre, time)]

    @property
    def state(self) -> str:
        if self._finished or self.current is None or self.driver.state == "recovering":
            return super().state
        return f"to a frontier of {self.current.length:.1f} m, {len(self.found)} known"
