"""Explorer drives to frontiers until the map is complete. Exploration methods, by name, choose the next frontier."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.frontiers import Frontier, find_frontiers
from paddock.control.navigation.grid_search import SearchTree, search_grid
from paddock.control.navigation.map_controller import MapController
from paddock.control.navigation.path_driver import MapSource
from paddock.control.navigation.path_points import smooth_path
from paddock.control.navigation.vehicle import DriveLimits
from paddock.core.geometry import Point, Pose, wrap
from paddock.core.jit import kernel
from paddock.core.registry import Registry
from paddock.core.seeds import draw_uniform
from paddock.perception.mapping.occupancy import Points
from paddock.perception.mapping.scan import Floats
from paddock.perception.mapping.view import NO_POINTS
from paddock.simulation.robots import RobotSpec

SAME = 2.7  # maximum movement of the same frontier between two plans [circumscribed radii of the body]


@kernel
def first_of_tour(start, between, worths, always, costs):
    """Return the first position of the best tour through all positions, with any end (after Held and Karp 1962).

    Every second costs the total value of the positions that are not visited yet, plus `always`. With values of 0 this
    is the shortest tour. With `always` 0 it is the tour of the travelling repairman problem.

    Args:
        start: seconds from the start to each position, shape (n,).
        between: seconds between positions, shape (n, n).
        worths: value of each position, shape (n,).
        always: constant cost per second.
        costs: scratch, shape (2**n, n): cost of the best tour through all positions outside a set, from one in it.
    """
    count = start.shape[0]
    full = (1 << count) - 1
    for last in range(count):
        costs[full, last] = 0.0
    for visited in range(full - 1, -1, -1):
        ahead = always
        for other in range(count):
            if not visited >> other & 1:
                ahead += worths[other]
        if visited == 0:
            break
        for at in range(count):
            best = math.inf
            if visited >> at & 1:
                for other in range(count):
                    if not visited >> other & 1:
                        best = min(best, ahead * between[at, other] + costs[visited | (1 << other), other])
            costs[visited, at] = best
    best, first = math.inf, 0
    for at in range(count):
        cost = ahead * start[at] + costs[1 << at, at]
        if cost < best:
            best, first = cost, at
    return first


@dataclass(frozen=True)
class Situation:
    """Input of an exploration method: the frontiers, and the state of the robot and the map."""

    frontiers: Sequence[Frontier]  # at least one
    current: Frontier | None  # that the robot is driving to
    pose: Pose
    limits: DriveLimits
    costmap: CostMap
    tree: SearchTree  # of paths from the robot
    draw: Callable[[str], float]  # returns a random number in [0, 1) for a key

    def is_current(self, frontier: Frontier) -> bool:
        """Return whether the robot is already driving to a frontier."""
        return self.current is not None and self.are_same(self.current, frontier)

    def are_same(self, first: Frontier, second: Frontier) -> bool:
        """Return whether two frontiers, found at different times, are the same."""
        return math.dist(first.centre, second.centre) < SAME * self.costmap.footprint.circumscribed

    def seconds_to(self, frontier: Frontier) -> float:
        """Return the driving time to a frontier, including the turns at the start and the end [s]."""
        view, pose = frontier.view, self.pose
        away = math.dist(view[:2], pose[:2])
        if away < self.costmap.footprint.circumscribed:
            turn = abs(wrap(view.heading - pose.heading))
        else:
            bearing = math.atan2(view.y - pose.y, view.x - pose.x)
            turn = abs(wrap(bearing - pose.heading)) + 0.3 * abs(wrap(view.heading - bearing))
        return frontier.cost / self.limits.speed + turn / self.limits.turn_rate


class ExplorationMethod(ABC):
    """Base class of exploration methods. The frontier with the lowest cost is next."""

    def choose(self, situation: Situation) -> Frontier:
        """Return the next frontier; the current one is preferred, so that the robot does not oscillate."""
        results = [
            self.favour(figure) if situation.is_current(frontier) else figure
            for frontier in situation.frontiers
            for figure in [self.rate(frontier, situation)]
        ]
        return situation.frontiers[int(np.argmin(results))]

    @abstractmethod
    def rate(self, frontier: Frontier, situation: Situation) -> float:
        """Return the cost of a frontier; lower is better."""

    def favour(self, figure: float) -> float:
        """Return the reduced cost of the current frontier."""
        return figure - 2.0


class Nearest(ExplorationMethod):
    """Choose the nearest frontier (Yamauchi 1997)."""

    def rate(self, frontier: Frontier, situation: Situation) -> float:
        return frontier.cost

    def favour(self, figure: float) -> float:
        return figure - 0.5


class GainPerCost(ExplorationMethod):
    """Choose the frontier with most unknown area per path length (after Burgard and others 2005)."""

    def rate(self, frontier: Frontier, situation: Situation) -> float:
        return (frontier.cost + 0.5) / (frontier.gain + 0.01)

    def favour(self, figure: float) -> float:
        return 0.8 * figure


class Balanced(ExplorationMethod):
    """Choose the frontier with the least time for path and turns, minus a bonus for the visible unknown area."""

    seconds_per_area = 0.3  # [s/m²]
    most_area = 10.0  # maximum area that counts [m²]

    def rate(self, frontier: Frontier, situation: Situation) -> float:
        return situation.seconds_to(frontier) - self.seconds_per_area * min(frontier.gain, self.most_area)


class Tour(ExplorationMethod):
    """Choose the first frontier of the best tour through all frontiers: large ones early, and none left behind.

    Every second costs the area that is still unseen up to the end of the tour, plus a constant. The constant dominates
    when only small frontiers are left, so that the tour is then the shortest one.
    """

    most = 9  # frontiers of a tour; if there are more, those with most area per second
    most_area = 10.0  # maximum area of a frontier that counts [m²]
    always = 15.0  # constant cost of every second [m²]
    coarse = 4  # factor on the cell size for path lengths between frontiers

    def choose(self, situation: Situation) -> Frontier:
        frontiers = sorted(situation.frontiers, key=lambda frontier: self.rate(frontier, situation))[: self.most]
        count = len(frontiers)
        if count == 1:
            return frontiers[0]
        begin = np.array([self._begin(frontier, situation) for frontier in frontiers])
        areas = np.array([self._area(frontier) for frontier in frontiers])
        between = self._find_seconds(frontiers, situation)
        return frontiers[int(first_of_tour(begin, between, areas, self.always, np.empty((1 << count, count))))]

    def rate(self, frontier: Frontier, situation: Situation) -> float:
        return self._begin(frontier, situation) / (self._area(frontier) + self.always)

    def _area(self, frontier: Frontier) -> float:
        return min(frontier.gain, self.most_area)

    def _begin(self, frontier: Frontier, situation: Situation) -> float:
        seconds = situation.seconds_to(frontier)
        return max(0.0, self.favour(seconds)) if situation.is_current(frontier) else seconds

    def _find_seconds(self, frontiers: Sequence[Frontier], situation: Situation) -> Floats:
        """Return the driving times between frontiers [s]."""
        rough = pool(situation.costmap.costs, self.coarse)
        cells = np.array([frontier.cell for frontier in frontiers]) // self.coarse
        scale = situation.costmap.frame.resolution * self.coarse / situation.limits.speed
        return np.array([search_grid(rough, cell).costs[tuple(cells.T)] * scale for cell in cells])


class RandomWalk(ExplorationMethod):
    """Choose a random reachable position; a baseline for other methods."""

    def choose(self, situation: Situation) -> Frontier:
        if situation.current is not None:
            return situation.current
        cells = np.argwhere(np.isfinite(situation.tree.costs))
        row, column = cells[int(situation.draw("cell") * len(cells))].tolist()
        x, y = situation.costmap.frame.centre(row, column)
        view = Pose(x, y, math.tau * situation.draw("heading") - math.pi)
        cost = float(situation.tree.costs[row, column]) * situation.costmap.frame.resolution
        return Frontier((x, y), 0.0, view, (row, column), cost, 0.0)

    def rate(self, frontier: Frontier, situation: Situation) -> float:
        return 0.0


def pool(costs: Floats, size: int) -> Floats:
    """Return the costs of cells that are larger by a factor, as the minimum of the original costs."""
    rows, columns = (-(-length // size) * size for length in costs.shape)
    whole = np.full((rows, columns), math.inf)
    whole[: costs.shape[0], : costs.shape[1]] = costs
    pooled: Floats = whole.reshape(rows // size, size, columns // size, size).min(axis=(1, 3))
    return pooled


EXPLORATION: Registry[type[ExplorationMethod]] = Registry(
    "exploration method",
    group="paddock.exploration",
    builtin={
        "tour": Tour,
        "balanced": Balanced,
        "nearest": Nearest,
        "gain-per-cost": GainPerCost,
        "random-walk": RandomWalk,
    },
    base=ExplorationMethod,
)


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
