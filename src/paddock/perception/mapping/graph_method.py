"""Graph SLAM as a mapping method: the map is rebuilt whenever the poses of earlier scans have moved."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddock.core.geometry import Pose
from paddock.perception.estimation.motion_model import Floats
from paddock.perception.mapping.graph_paths import find_shortest_paths
from paddock.perception.mapping.graph_slam import GraphOptions, GraphSlam
from paddock.perception.mapping.method import MappingMethod, MapSetup
from paddock.perception.mapping.motion_step import MotionStep
from paddock.perception.mapping.occupancy import OccupancyGrid
from paddock.perception.mapping.scan import Scan


class GraphMapping(MappingMethod):
    """Estimates the poses of all scans, optimised together when a loop is found."""

    needs_rays = True

    def __init__(self, setup: MapSetup, *, live: bool = True, **options: Any) -> None:
        """Create the method.

        Args:
            setup: common settings of mapping methods.
            live: whether the map is updated with each scan; False: only by `finish`.
            options: options of `GraphOptions`.
        """
        self.live, self.options = live, GraphOptions(seed=setup.seed, **options)
        super().__init__(setup)

    def reset(self, pose: Pose, covariance: Floats) -> None:
        """Restart at a pose with an empty map."""
        super().reset(pose, covariance)
        self.slam = GraphSlam(self.options, pose)
        self._scans: list[Scan] = []
        self._drawn = 0  # value of `checks.solved` when the map was drawn

    def add(self, scan: Scan, step: MotionStep) -> None:
        """Add a scan and the motion since the last one."""
        keys = len(self.slam.scans)
        self.pose = self.slam.add(scan, step)
        self._scans.append(scan)
        if self.live and len(self.slam.scans) > keys:
            self.covariance = self.spread()
        if self.live and self._drawn == self.slam.checks.solved:
            self.draw(scan, self.pose)
        elif self.live:
            self.draw_all()

    def finish(self) -> list[Pose]:
        """Search for loops again, draw the map, and return the poses of all scans."""
        self.slam.finish()
        self.pose = self.slam.pose
        self.draw_all()
        return self.slam.poses()

    def draw_all(self) -> None:
        """Draw the map from the current poses."""
        self.grid = OccupancyGrid(self.setup.resolution)
        for scan, pose in zip(self._scans, self.slam.poses(), strict=True):
            self.draw(scan, pose)
        self._drawn = self.slam.checks.solved

    def spread(self) -> Floats:
        """Return the covariance due to drift on the shortest path through the graph to the first pose."""
        drift = self.options.loops.drift
        path = float(find_shortest_paths(self.slam.graph, 0)[-1])
        deviations = np.array([drift.distance(path), drift.distance(path), drift.angle(path)]) / 3
        return np.diag(deviations**2)
