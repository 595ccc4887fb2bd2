"""The summary of a run: duration, distance, speed, errors and contacts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from paddock.arena.episodes import Trace
from paddock.arena.episodes.trace import Floats
from paddock.arena.metrics import ContactTime, Distance
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.encoders import EncodersSpec

METRICS = (Distance(), ContactTime())  # metrics of every summary


def summary(
    trace: Trace, results: Mapping[str, float] = MappingProxyType({}), robot: RobotSpec | None = None
) -> dict[str, Any]:
    """Return the numbers of one robot; None if unknown.

    Args:
        trace: trace of the robot.
        results: its metrics, from all ticks; missing ones are computed from the trace.
        robot: its type, for the turns of its wheels by their encoders.
    """
    if "distance" not in results or "contact_time" not in results:
        results = {**trace.evaluate(METRICS), **results}
    time, pose, estimated, errors = trace.time, trace.pose, trace.estimated_pose, trace.errors
    known = np.abs(errors[np.isfinite(errors)])
    spans = [span for span in trace.spans() if span.task]
    totals: dict[str, float] = {}
    for span in spans:
        totals[span.task] = totals.get(span.task, 0.0) + span.end - span.start
    estimates = bool(np.isfinite(estimated).any())
    return {
        "rows": len(trace),
        "dt": trace.dt,
        "start_time": float(time[0]),
        "duration": float(time[-1] - time[0]),
        **results,
        "estimated_distance": path_length(estimated) if estimates else None,
        "wheel_turns": None if robot is None else count_wheel_turns(trace, robot),
        "error_of": trace.error_of,
        "unit": trace.unit,
        "target": trace.target,
        "mean_abs_error": float(known.mean()) if len(known) else None,
        "max_abs_error": float(known.max()) if len(known) else None,
        "sum_abs_error": float(known.sum()) if len(known) else None,
        "task_seconds": totals,
        "tasks": [{"task": s.task, "start": s.start, "seconds": s.end - s.start} for s in spans],
        "start_pose": pose[0].tolist(),
        "end_pose": pose[-1].tolist(),
        "estimated_end_pose": estimated[-1].tolist() if estimates else None,
    }


def count_wheel_turns(trace: Trace, robot: RobotSpec) -> list[float] | None:
    """Return the turns of the left and the right wheel, forward minus backwards; None without recorded encoders."""
    names = [s.name for s in robot.sensors if isinstance(s, EncodersSpec) and s.name in trace.readings]
    if not names:
        return None
    travel = trace.reading(names[0])
    turns: list[float] = ((travel[-1] - travel[0]) / (math.pi * robot.drive.wheel_diameter)).tolist()
    return turns


def path_length(poses: Floats) -> float:
    """Return the sum of the steps between known poses [m]."""
    known = poses[np.isfinite(poses[:, :2]).all(axis=1), :2]
    steps = np.diff(known, axis=0)
    return float(np.hypot(steps[:, 0], steps[:, 1]).sum())
