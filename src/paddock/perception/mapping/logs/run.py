"""Run a mapping method on a complete log."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paddock.core.geometry import Pose
from paddock.perception.mapping.graph_method import GraphMapping
from paddock.perception.mapping.logs.odometry_model import OdometryModel
from paddock.perception.mapping.logs.scan_log import ScanLog
from paddock.perception.mapping.logs.trajectory import Trajectory
from paddock.perception.mapping.method import MAPPING_METHODS, MappingMethod, MapSetup
from paddock.perception.mapping.motion_step import NO_SPREAD
from paddock.perception.mapping.occupancy import OccupancyGrid


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
