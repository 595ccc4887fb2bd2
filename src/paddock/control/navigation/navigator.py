"""Navigator: a controller that drives to goals while it builds a map."""

from __future__ import annotations

import math
from threading import Lock
from typing import Any

from paddock.control.navigation.costmap import CostMap, Inflation, pad, seen_states
from paddock.control.navigation.dstar_lite import DStarLite
from paddock.control.navigation.grid_search import Cell
from paddock.control.navigation.map_controller import MapController
from paddock.control.navigation.path_driver import MapSource
from paddock.control.navigation.path_points import smooth_path
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose
from paddock.core.observation import Observation, WheelSpeeds
from paddock.simulation.robots import RobotSpec

UNKNOWN_COST = 2.0  # additional cost of an unknown cell, because it may be blocked
BESIDE = 0.6  # maximum distance of a goal from the nearest free cell [circumscribed radii]
FARTHEST = 50.0  # maximum distance of a goal beyond the known map [m]


class Navigator(MapController):
    """Drives to goals one after the other, also through unknown space where no known obstacle blocks the path.

    A goal may be set at any time, from any thread. `refusal` contains the reason why a goal was refused.

    Args:
        mapper: source of the pose and the map.
        robot: specification of the robot, with its body and drive.
        goal: x, y [m] in the map's frame; None: the navigator waits for goals and is never done.
        heading: heading at the goal [rad]; None: any.
        options: options of `MapController`: follower, speed, inflation, period, seed.
    """

    def __init__(
        self,
        mapper: MapSource,
        robot: RobotSpec,
        goal: Point | None = None,
        heading: float | None = None,
        **options: Any,
    ) -> None:
        if options.get("inflation") is None:
            options["inflation"] = Inflation.of(self.make_footprint(robot), unknown=UNKNOWN_COST)
        self.waits = goal is None
        self._turn = Lock()  # other threads may set goals while it drives
        super().__init__(mapper, robot, **options)
        if goal is not None:
            self.set_goal(*goal, heading)

    def _forget(self) -> None:
        super()._forget()
        self.refusal = ""  # why the last goal was refused or abandoned; empty if it was not
        self.target: Pose | None = None  # a heading of NaN means any heading
        self._planner: tuple[DStarLite, object, Cell] | None = None  # with the map's frame and the goal's cell

    def act(self, observation: Observation) -> WheelSpeeds:
        with self._turn:
            return super().act(observation)

    def set_goal(self, x: float, y: float, heading: float | None = None) -> bool:
        """Set a new goal [m]; return False if it is refused, see `refusal`."""
        if not all_finite(x, y, heading or 0.0):
            given = (x, y) if heading is None else (x, y, heading)
            raise PaddockError(f"goal: expected finite numbers, got {', '.join(map(str, given))}")
        with self._turn:
            self._finished, self.reason, self.refusal, self._planner = False, "", "", None
            self.target, self._due, self._version = Pose(x, y, math.nan if heading is None else heading), 0.0, None
            self.driver.stop()
            if self.mapper.grid.frame.rows:
                self._find_goal()
            return not self.refusal

    def cancel(self) -> None:
        """Cancel the goal and stop."""
        with self._turn:
            self._refuse("the goal was cancelled")

    def _conclude(self, outcome: str) -> None:
        """Stop; mark the controller as done unless it waits for further goals."""
        self.target, self._planner = None, None
        self.finish(outcome)
        self._finished = not self.waits

    def _refuse(self, why: str) -> None:
        self.refusal = why
        self._conclude(f"refused: {why}")

    def cost_map(self) -> CostMap:
        """Return the cost map of the current map, padded with unknown space up to the goal."""
        states, frame = seen_states(self.mapper.grid), self.mapper.grid.frame
        if self.target is not None:
            states, frame = pad(states, frame, self.target.x, self.target.y, 2 * self.footprint.circumscribed)
        return CostMap.of(states, frame, self.footprint, self.inflation)

    def _find_goal(self) -> tuple[CostMap, Cell] | None:
        """Return the current cost map and the goal cell; None if the goal is refused."""
        assert self.target is not None
        (x, y), (x0, y0, x1, y1) = self.target[:2], self.mapper.grid.frame.bounds
        place = f"({x:.2f}, {y:.2f})"
        if max(x0 - x, x - x1, y0 - y, y - y1) > FARTHEST:
            self._refuse(f"{place} is more than {FARTHEST:.0f} m beyond the known map")
            return None
        costmap = self.cost_map()
        cell = costmap.nearest_passable(x, y, BESIDE * self.footprint.circumscribed)
        if costmap.states[costmap.frame.cell(x, y)] > 0:
            self._refuse(f"{place} is in an obstacle")
        elif cell is None:
            self._refuse(f"{place} is too near to an obstacle for the body")
        return None if cell is None or self.refusal else (costmap, cell)

    def plan(self, pose: Pose, time: float) -> None:
        if self.target is None:
            return
        if self.driver.state == "reached":
            self._conclude(f"({self.target.x:.2f}, {self.target.y:.2f}) reached")
            return
        if self.driver.state == "stuck":
            self._refuse("stuck: no recovery helped")
            return
        found = self._find_goal()
        if found is None:
            return
        costmap, goal = found
        start = self.find_start(costmap, pose, time)
        if start is None:
            return
        planner = self._update_planner(costmap, start, goal)
        if not math.isfinite(planner.cost):
            self._refuse(f"({self.target.x:.2f}, {self.target.y:.2f}) cannot be reached: there is no path")
            return
        heading = None if math.isnan(self.target.heading) else self.target.heading
        fresh = self.driver.state == "standing"
        self.driver.take(smooth_path(planner.path(), costmap), heading, same_goal=not fresh)

    def _update_planner(self, costmap: CostMap, start: Cell, goal: Cell) -> DStarLite:
        """Update D* Lite, or create it again if the map has grown or the goal cell has changed."""
        if self._planner is not None and self._planner[1:] == (costmap.frame, goal):
            self._planner[0].update(costmap.costs, start)
        else:
            self._planner = DStarLite(costmap.costs, start, goal), costmap.frame, goal
        return self._planner[0]

    @property
    def state(self) -> str:
        return super().state if self.target is not None else self.reason or "waiting for a goal"
