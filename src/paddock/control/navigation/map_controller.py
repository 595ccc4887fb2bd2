"""MapController: base class of controllers that build a map and navigate with it."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from paddock.control.navigation.costmap import CostMap, Inflation, seen_states
from paddock.control.navigation.followers import Follower, make_follower
from paddock.control.navigation.grid_search import Cell
from paddock.control.navigation.path_driver import MapSource, PathDriver
from paddock.control.navigation.vehicle import STILL, DriveLimits, Footprint
from paddock.core.geometry import Pose
from paddock.core.observation import Observation, WheelSpeeds
from paddock.perception.estimation import Estimate
from paddock.perception.mapping import MapView
from paddock.perception.mapping.occupancy import Points
from paddock.perception.mapping.view import NO_POINTS
from paddock.simulation.robots import RobotSpec

NEAR = 2.0  # distance to search for a free start cell if the robot is too near to an obstacle [circumscribed radii]
WALLED_IN = "enclosed: no free space for the body nearby"


class MapController(ABC):
    """A controller that updates the mapper with each observation, plans periodically, and drives.

    Args:
        mapper: source of the pose and the map.
        robot: specification of the robot, with its body and drive.
        follower: name of a path follower, or a follower object.
        speed: maximum forward speed [m/s]; None: half of the maximum wheel speed, and at most 0.5.
        inflation: distances from obstacles; None: chosen for the size of the body.
        period: time between two plans [s].
        seed: seed of all random numbers.
    """

    def __init__(
        self,
        mapper: MapSource,
        robot: RobotSpec,
        *,
        follower: str | Follower = "pure-pursuit",
        speed: float | None = None,
        inflation: Inflation | None = None,
        period: float = 1.0,
        seed: int = 0,
    ) -> None:
        robot.drive.require_turns(f"{robot.name}: navigation")
        self.mapper, self.period, self.seed = mapper, period, seed
        self.footprint = self.make_footprint(robot)
        self.inflation = inflation or Inflation.of(self.footprint)
        self.limits = DriveLimits.of(robot, speed)
        if isinstance(follower, str):
            follower = make_follower(follower, self.limits, seed=seed)
        self.near = NEAR * self.footprint.circumscribed  # [m]
        self.driver = PathDriver(follower, self.footprint, inflation=self.inflation)
        self.start = mapper.estimate.pose  # start pose in the frame of the map
        self._forget()

    @staticmethod
    def make_footprint(robot: RobotSpec) -> Footprint:
        """Return the footprint of a robot."""
        return Footprint.of(robot.body.shape)

    def _forget(self) -> None:
        self.reason = ""  # why the controller is done
        self._finished = False
        self.plans = 0  # number of plans so far
        self.growth: list[tuple[float, float]] = []  # times [s] and known free space [m²]
        self._due = 0.0  # when to plan again
        self._version: object = None  # of the map of the last plan

    def reset(self) -> None:
        """Restart with an empty map at the start pose."""
        self.mapper.reset(self.start)
        self.driver.reset()
        self._forget()

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for an observation."""
        self.mapper.update(observation)
        self.driver.follower.observe(observation)
        time, grid = observation.time, self.mapper.grid
        if not grid.frame.rows:  # the map is empty
            return WheelSpeeds(0.0, 0.0)
        wheels = self.driver.update(self.mapper, time)
        is_due, seen_more = time >= self._due - 1e-9, grid.version != self._version
        # Plan immediately if idle with a new map, and periodically otherwise. An idle robot may never get a new map.
        if not self._finished and (is_due, seen_more, self._is_idle).count(True) >= 2:
            self._due, self._version = time + self.period, grid.version
            self.plans += 1
            self.growth.append((time, float(np.count_nonzero(grid.log_odds < 0)) * grid.resolution**2))
            self.plan(self.mapper.estimate.pose, time)
        return wheels

    @property
    def _is_idle(self) -> bool:
        return self.driver.state in ("standing", "reached", "stuck")

    @abstractmethod
    def plan(self, pose: Pose, time: float) -> None:
        """Choose a goal, and pass a path to the driver."""

    def finish(self, reason: str) -> None:
        """Stop the robot and mark the controller as done, with a reason."""
        self.driver.stop()
        self._finished, self.reason = True, reason

    @property
    def done(self) -> bool:
        """Whether the controller has finished and the robot is stationary."""
        return self._finished and self.driver.twist == STILL

    def find_start(self, costmap: CostMap, pose: Pose, time: float) -> Cell | None:
        """Return the cell to plan from; None if there is none: then start a recovery, or finish if none is left."""
        start = costmap.nearest_passable(pose.x, pose.y, self.near)
        if start is None and self.driver.state != "recovering" and not self.driver.recover(pose, time):
            self.finish(WALLED_IN)
        return start

    def cost_map(self) -> CostMap:
        """Return the cost map of the current map for the robot's body."""
        return CostMap.of(seen_states(self.mapper.grid), self.mapper.grid.frame, self.footprint, self.inflation)

    @property
    def estimate(self) -> Estimate:
        """Current pose estimate."""
        return self.mapper.estimate

    @property
    def state(self) -> str:
        """Readable description of the current state."""
        return self.reason if self._finished else self.task

    @property
    def task(self) -> str:
        """Short description of the current task, for traces."""
        state = self.driver.state
        return f"recovering: {self.driver.recovery_sequence.name}" if state == "recovering" else state

    @property
    def goal(self) -> Points:
        """Current goal [m], shape (1, 2); empty without a goal."""
        return self.driver.path[-1:]

    @property
    def frontiers(self) -> Points:
        """Centres of frontiers [m], shape (n, 2)."""
        return NO_POINTS

    @property
    def map_view(self) -> MapView:
        """The map for display, with frontiers, plan and goal."""
        mapper = self.mapper
        return MapView.of(
            mapper.grid,
            mapper.scan,
            mapper.scan_pose,
            frontiers=self.frontiers,
            plan=self.driver.path,
            goal=self.goal,
        )
