"""Run a mapping method on a complete log."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddock.core.geometry import Pose, relative
from paddock.perception.mapping.graph_slam import GraphMapping
from paddock.perception.mapping.logs.scan_log import ScanLog
from paddock.perception.mapping.logs.trajectory import Trajectory
from paddock.perception.mapping.method import MAPPING_METHODS, NO_SPREAD, MappingMethod, MapSetup, MotionStep
from paddock.perception.mapping.occupancy import OccupancyGrid


@dataclass(frozen=True, kw_only=True)
class OdometryModel:
    """Standard deviations of a step: a constant plus shares of its distance and turn."""

    distance: float = 0.01  # [m]
    distance_share: float = 0.06
    angle: float = math.radians(0.3)
    angle_share: float = 0.1
    angle_per_metre: float = math.radians(1.0)

    def step(self, start: Pose, end: Pose) -> MotionStep:
        """Return the step between two poses by odometry, with its covariance."""
        step = relative(start, end)
        way = math.hypot(step.x, step.y)
        across = self.distance + self.distance_share * way
        turn = self.angle + self.angle_share * abs(step.heading) + self.angle_per_metre * way
        return MotionStep(step, np.diag([across, across, turn]) ** 2)

    def steps(self, log: ScanLog) -> Iterator[MotionStep]:
        """Yield the steps to each scan of a log; the first step is empty."""
        previous = log.odometry[0]
        for pose in log.odometry:
            yield self.step(previous, pose) if pose is not previous else MotionStep()
            previous = pose


@dataclass(frozen=True)
class SlamResult:
    """Result of a mapping method on a log."""

    trajectory: Trajectory
    grid: OccupancyGrid
    seconds: float  # wall time, including drawing the map
    cpu_seconds: float
    loops: list[tuple[Pose, Pose]]  # pairs of poses of the detected loops; graph only
    refused: int  # number of rejected loops


def run_slam(
    log: ScanLog,
    method: str = "graph",
    *,
    resolution: float = 0.05,
    seed: int = 0,
    progress: Callable[[int], None] = lambda scans: None,
    **options: Any,
) -> SlamResult:
    """Estimate the poses of all scans of a log, and its map.

    Args:
        log: the log, see `read_log`.
        method: name in `MAPPING_METHODS`.
        resolution: side of the map's cells [m].
        seed: seed of all random numbers.
        progress: called with the number of processed scans.
        options: options of the method.
    """
    started, cpu = time.perf_counter(), time.process_time()
    kind = MAPPING_METHODS.get(method)
    if issubclass(kind, GraphMapping):
        options = {"live": False, **options}
    mapping: MappingMethod = kind(MapSetup(resolution=resolution, seed=seed), **options)
    mapping.reset(log.odometry[0], NO_SPREAD)
    poses = []
    for count, (scan, step) in enumerate(zip(log.scans, OdometryModel().steps(log), strict=True), 1):
        mapping.add(scan, step)
        poses.append(mapping.pose)
        progress(count)
    loops: list[tuple[Pose, Pose]] = []
    refused = 0
    if isinstance(mapping, GraphMapping):
        poses = mapping.finish()
        graph = mapping.slam.graph
        loops = [(graph.poses[loop.first], graph.poses[loop.second]) for loop in graph.loops]
        refused = len(mapping.slam.checks.refused)
    trajectory = Trajectory([scan.time for scan in log.scans], poses)
    return SlamResult(
        trajectory, mapping.grid, time.perf_counter() - started, time.process_time() - cpu, loops, refused
    )
