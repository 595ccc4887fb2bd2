"""Planners: random wandering, and those that use the mapper's map."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddock.control.navigation import Explorer, Navigator
from paddock.core.observation import Observation, WheelSpeeds
from paddock.network.nodes.readings import PointReader
from paddock.network.nodes.remote_map import RemoteMapper
from paddock.simulation.robots import RobotSpec


def make_explorer(spec: RobotSpec, feed: list[Any], **options: Any) -> Explorer:
    """Create a planner that explores all reachable space."""
    return Explorer(_join(spec, feed), spec, **options)


def make_navigator(spec: RobotSpec, feed: list[Any], **options: Any) -> Navigator:
    """Create a planner that drives to goals from messages."""
    return Navigator(_join(spec, feed), spec, **options)


def _join(spec: RobotSpec, feed: list[Any]) -> RemoteMapper:
    mapper = RemoteMapper(spec)
    feed.append(mapper.take)
    return mapper


class WanderingPlanner:
    """Wanders without a map, by range sensors only.

    Args:
        spec: the robot.
        speed: speed on a straight line [m/s].
        room: free distance required ahead of the robot's centre [m].
    """

    def __init__(self, spec: RobotSpec, *, speed: float = 0.3, room: float = 0.8) -> None:
        self.reader, self.speed, self.room = PointReader(spec), speed, room
        self.turning = 0.0

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return wheel speeds [m/s]."""
        x, y = self.reader.read(observation).T
        if not ((x > 0) & (x < self.room) & (np.abs(y) < self.room / 2)).any():
            self.turning = 0.0
            return WheelSpeeds(self.speed, self.speed)
        if not self.turning:
            left, right = (np.minimum(np.hypot(x[side], y[side]), 5.0).sum() for side in (y > 0, y <= 0))
            self.turning = 1.0 if left >= right else -1.0
        rim = self.turning * self.speed / 2
        return WheelSpeeds(-rim, rim)


def make_wandering(spec: RobotSpec, feed: list[Any], **options: Any) -> WanderingPlanner:
    """Create a planner that needs no map."""
    return WanderingPlanner(spec, **options)
