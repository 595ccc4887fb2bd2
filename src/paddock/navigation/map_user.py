"""MapUser: what all controllers have in common that build a map and drive by it."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from paddock.core.geometry import Pose
from paddock.core.observation import Observation, WheelSpeeds
from paddock.estimate import Estimate
from paddock.mapping import MapView
from paddock.mapping.frame import Points
from paddock.mapping.view import NO_POINTS
from paddock.navigation.costmap import CostMap, Inflation, seen_states
from paddock.navigation.drive_limits import STILL, DriveLimits
from paddock.navigation.followers import Follower, make_follower
from paddock.navigation.footprint import Footprint
from paddock.navigation.grid_search import Cell
from paddock.navigation.map_source import MapSource
from paddock.navigation.path_driver import PathDriver
from paddock.robots import RobotSpec

NEAR = 2.0  # a robot too near to something plans from the nearest free cell within [circumscribed radii]
WALLED_IN = "walled in: there is no room for the body anywhere near"


class MapUser(ABC):
    """A controller. Each observation goes to the mapper first; then it plans now and then, and drives.

    Args:
        mapper: gives the pose and the map.
        robot: its body and its drive.
        follower: how to follow paths, by name, or one made elsewhere.
        speed: forward, at most [m/s]; None: half of what its wheels can do, and 0.5 at most.
        inflation: how far to keep from obstacles; None: as suits the body.
        period: between two plans [s].
        seed: decides all that is drawn.
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
        self.mapper, self.period, self.seed = mapper, period, seed
        self.footprint = self.body_of(robot)
        self.inflation = inflation or Inflation.of(self.footprint)
        self.limits = DriveLimits.of(robot, speed)
        if isinstance(follower, str):
            follower = make_follower(follower, self.limits, seed=seed)
        self.near = NEAR * self.footprint.circumscribed  # [m]
        self.driver = PathDriver(follower, self.footprint, inflation=self.inflation)
        self.start = mapper.estimate.pose  # where it began, in the frame of the map
        self._forget()

    @staticmethod
    def body_of(robot: RobotSpec) -> Footprint:
        """The footprint of a robot."""
        return Footprint.of(robot.body.shape)

    def _forget(self) -> None:
        self.reason = ""  # why it is done
        self._finished = False
        self.plans = 0  # so far
        self.growth: list[tuple[float, float]] = []  # times [s], and the free space known by then [m²]
        self._due = 0.0  # when to plan again
        self._version: object = None  # of the map that was last planned on

    def reset(self) -> None:
        """Begin anew, with an empty map, at the pose at which it began."""
        self.mapper.reset(self.start)
        self.driver.reset()
        self._forget()

    def act(self, observation: Observation) -> WheelSpeeds:
        """One decision."""
        self.mapper.update(observation)
        time, grid = observation.time, self.mapper.grid
        if not grid.frame.rows:  # nothing was seen yet
            return WheelSpeeds(0.0, 0.0)
        wheels = self.driver.update(self.mapper, time)
        is_due, seen_more = time >= self._due - 1e-9, grid.version != self._version
        # At once where it is idle and has seen more; on time where it drives. An idle one may never see more.
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
        """Find out where to go, and give the driver a path."""

    def finish(self, reason: str) -> None:
        """Stop, and then be done."""
        self.driver.stop()
        self._finished, self.reason = True, reason

    @property
    def done(self) -> bool:
        """Whether it has finished, and stands."""
        return self._finished and self.driver.twist == STILL

    def find_start(self, costmap: CostMap, pose: Pose, time: float) -> Cell | None:
        """The cell to plan from; None: there is none, and it tries to get free, until it gives up."""
        start = costmap.nearest_passable(pose.x, pose.y, self.near)
        if start is None and self.driver.state != "recovering" and not self.driver.recover(pose, time):
            self.finish(WALLED_IN)
        return start

    def cost_map(self) -> CostMap:
        """The present map as the robot's body sees it."""
        return CostMap.of(seen_states(self.mapper.grid), self.mapper.grid.frame, self.footprint, self.inflation)

    @property
    def estimate(self) -> Estimate:
        """Where it takes itself to be."""
        return self.mapper.estimate

    @property
    def state(self) -> str:
        """What it does, for people."""
        return self.reason if self._finished else self.task

    @property
    def task(self) -> str:
        """What it does, in few words, for traces."""
        state = self.driver.state
        return f"recovering: {self.driver.ladder.name}" if state == "recovering" else state

    @property
    def goal(self) -> Points:
        """Where it goes [m]; shape (1, 2), or none."""
        return self.driver.path[-1:]

    @property
    def frontiers(self) -> Points:
        """Middles of frontiers [m], shape (n, 2)."""
        return NO_POINTS

    @property
    def map_view(self) -> MapView:
        """The map to look at, with all that it plans by."""
        mapper = self.mapper
        return MapView.of(
            mapper.grid,
            mapper.scan,
            mapper.scan_pose,
            frontiers=self.frontiers,
            plan=self.driver.path,
            goal=self.goal,
        )
