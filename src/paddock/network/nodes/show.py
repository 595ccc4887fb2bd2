"""ModulesShow: state and health of modules for viewers of the robot's arena, who may send goals back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from paddock.arena.run_monitor import ShownModule
from paddock.core.geometry import ORIGIN, Pose, compose, relative
from paddock.core.observation import Observation
from paddock.network.nodes.health_monitor import HealthMonitor, ModuleHealth
from paddock.network.nodes.node_messages import (
    GoalMessage,
    HealthMessage,
    MapMessage,
    ModuleMessage,
    PlanMessage,
    PoseMessage,
    PresenceMessage,
    RefusedMessage,
)
from paddock.network.nodes.readings import PointReader
from paddock.network.nodes.remote_map import read_map
from paddock.perception.estimation import Estimate
from paddock.perception.mapping import GridFrame, MapView, OccupancyGrid
from paddock.perception.mapping.quality import sample
from paddock.perception.mapping.scan import Floats, transform
from paddock.perception.mapping.view import UNSEEN
from paddock.simulation.robots import RobotSpec

Cells = NDArray[np.uint8]
Send = Callable[[ModuleMessage], None]


class ModulesShow:
    """Has the display attributes of a controller: `estimate`, `map_view`, `state`, `refusal`, `modules`.

    The origin of the mapper's frame is the robot's start pose. All attributes are in the world's frame. The first pose
    of the mapper defines the transform.

    Args:
        spec: the robot.
        names: names of all modules.
        send: sends a message.
    """

    def __init__(self, spec: RobotSpec, names: Sequence[str], send: Send) -> None:
        self.reader, self.send = PointReader(spec), send
        self.health_monitor = HealthMonitor()
        for name in names:
            self.health_monitor[name].present = False
        self.estimate: Estimate | None = None
        self.state, self.refusal = "", ""
        self._origin: Pose | None = None  # of the mapper's frame in the world
        self._grid: OccupancyGrid | None = None
        self._plan = PlanMessage()
        self._scan: Floats = np.empty((0, 2))
        self._maps = 0

    def take(self, message: ModuleMessage, true_pose: Pose) -> None:
        """Update the display with a message that arrived while the robot was at a pose in the world."""
        match message:
            case PoseMessage(source="MAPPER"):
                pose = Pose(message.x, message.y, message.theta)
                if self._origin is None:
                    self._origin = compose(true_pose, relative(pose, ORIGIN))
                covariance = np.array(message.covariance).reshape(-1, 3)
                turn = np.eye(3)
                c, s = math.cos(self._origin.heading), math.sin(self._origin.heading)
                turn[:2, :2] = [[c, -s], [s, c]]
                if covariance.shape == (3, 3):
                    self.estimate = Estimate(compose(self._origin, pose), turn @ covariance @ turn.T)
            case MapMessage(source="MAPPER") if (grid := read_map(message)) is not None:
                self._grid = grid
                self._maps += 1
            case PlanMessage(source="PLANNER"):
                self._plan, self.state, self.refusal = message, message.doing, message.refusal
            case RefusedMessage(source="PLANNER"):
                self.refusal = message.reason
            case HealthMessage() | PresenceMessage() if message.source in self.health_monitor.modules:
                self.health_monitor.take(message)

    def store_scan(self, observation: Observation) -> None:
        """Store the newest scan of the robot."""
        self._scan = self.reader.read(observation)

    def set_goal(self, x: float, y: float) -> bool:
        """Send a goal [m] to the planner. If the planner refuses it, `refusal` contains the reason later."""
        if self._origin is None:
            self.refusal = "there is no map yet"
            return False
        goal = relative(self._origin, Pose(x, y, 0.0))
        self.send(GoalMessage(destination="PLANNER", x=goal.x, y=goal.y))
        self.refusal = ""
        return True

    @property
    def modules(self) -> tuple[ShownModule, ...]:
        """Health of all modules."""
        return tuple(describe_module(row) for row in self.health_monitor.modules.values())

    @property
    def has_map(self) -> bool:
        """Whether a map and a pose are available."""
        return self._grid is not None and self.estimate is not None

    @property
    def map_view(self) -> MapView | None:
        """The mapper's map in the frame of the world, with frontiers, plan and goal."""
        if self._grid is None or self._origin is None or self.estimate is None:
            return None
        view = MapView.of(self._grid)
        frame, cells = turn_cells(view.frame, view.cells, self._origin)
        frontiers, plan, goal = (
            transform(np.array(points, float).reshape(-1, 2), self._origin) if points else np.empty((0, 2))
            for points in (self._plan.frontiers, self._plan.plan, self._plan.goal)
        )
        scan = transform(self._scan, self.estimate.pose) if len(self._scan) else self._scan
        return MapView(
            frame=frame, cells=cells, frontiers=frontiers, plan=plan, goal=goal, scan=scan, version=self._maps
        )


def describe_module(row: ModuleHealth) -> ShownModule:
    """Return the health of a module for display."""
    slow = row.latencies.percentile(0.99)
    says = row.report.status if row.report else ""
    return ShownModule(row.name.lower(), row.state, row.rate, slow if math.isfinite(slow) else 0.0, says)


def turn_cells(frame: GridFrame, cells: Cells, origin: Pose) -> tuple[GridFrame, Cells]:
    """Resample cells of a frame with a given origin pose to cells of the world, by nearest neighbour."""
    x0, y0, x1, y1 = frame.bounds
    corners = transform(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]), origin)
    (low_x, low_y), (high_x, high_y) = corners.min(axis=0), corners.max(axis=0)
    there = GridFrame.around(low_x, low_y, high_x, high_y, frame.resolution)
    return there, sample(cells, frame, there, origin, UNSEEN)
