"""Drives through floor plans: true poses, scans and biased odometry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from paddock.core.geometry import Pose, compose, relative, wrap
from paddock.perception.mapping.graph_slam import GraphOptions, GraphSlam
from paddock.perception.mapping.logs import ScanLog
from paddock.perception.mapping.logs.slam_run import OdometryModel
from perception.mapping.floor_plans import Floats, see


def along(*corners: tuple[float, float], spacing: float = 0.4) -> list[Pose]:
    """Return poses along corner points; the robot turns in place in steps of at most 45°."""
    poses: list[Pose] = []
    for (x0, y0), (x1, y1) in pairwise(corners):
        heading, length = math.atan2(y1 - y0, x1 - x0), math.hypot(x1 - x0, y1 - y0)
        if poses:
            turn = wrap(heading - poses[-1].heading)
            count = math.ceil(abs(turn) / (math.pi / 4))
            start = poses[-1]
            poses += [start._replace(heading=wrap(start.heading + turn * k / count)) for k in range(1, count + 1)]
        count = math.ceil(length / spacing)
        first = 1 if poses else 0
        shares = [k / count for k in range(first, count + 1)]
        poses += [Pose(x0 + share * (x1 - x0), y0 + share * (y1 - y0), heading) for share in shares]
    return poses


def record(walls: Floats, truth: Sequence[Pose], *, seed: int = 0, bias: float = math.radians(0.4)) -> ScanLog:
    """Make a log with wheels 1 % too large, a heading bias per metre [rad] and noise."""
    random = np.random.default_rng(seed)
    odometry = [truth[0]]
    for before, after in pairwise(truth):
        step = relative(before, after)
        way = math.hypot(step.x, step.y)
        noise = random.normal(0, 1, 3) * (0.02 * way, 0.01 * way, 0.02 * abs(step.heading) + 0.002)
        odometry.append(
            compose(
                odometry[-1], Pose(1.01 * step.x + noise[0], step.y + noise[1], step.heading + bias * way + noise[2])
            )
        )
    scans = [see(walls, pose, 1000 * seed + k, time=0.5 * k) for k, pose in enumerate(truth)]
    return ScanLog("drive", scans, odometry, [scan.time for scan in scans])


def follow(log: ScanLog, options: GraphOptions | None = None) -> GraphSlam:
    """Run graph SLAM over a log."""
    slam = GraphSlam(options, log.odometry[0])
    for scan, step in zip(log.scans, OdometryModel().steps(log), strict=True):
        slam.add(scan, step)
    slam.finish()
    return slam


def place_errors(estimate: Sequence[Pose], truth: Sequence[Pose]) -> Floats:
    """Return distances [m] between two paths with the same start pose."""
    return np.array([math.hypot(a.x - b.x, a.y - b.y) for a, b in zip(estimate, truth, strict=True)])
