"""The numbers of a run: how long, how far, how fast, how well, and what was touched."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from paddock.report.log import Floats, RunLog


def summary(log: RunLog) -> dict[str, Any]:
    """What one robot did, in numbers; None where nothing is known."""
    times, poses, believed, errors = log.times, log.poses, log.believed, log.errors
    duration = float(times[-1] - times[0])
    distance = path_length(poses)
    known = np.abs(errors[np.isfinite(errors)])
    touched = log.contacts
    spans = [span for span in log.spans() if span.task]
    totals: dict[str, float] = {}
    for span in spans:
        totals[span.task] = totals.get(span.task, 0.0) + span.end - span.start
    believes = bool(np.isfinite(believed).any())
    return {
        "notes": len(log),
        "dt": log.dt,
        "start_time": float(times[0]),
        "duration": duration,
        "distance": distance,
        "believed_distance": path_length(believed) if believes else None,
        "mean_speed": distance / duration if duration > 0 else None,
        "measured": log.measured,
        "unit": log.unit,
        "target": log.target,
        "mean_abs_error": float(known.mean()) if len(known) else None,
        "max_abs_error": float(known.max()) if len(known) else None,
        "contacts": int(np.count_nonzero(touched & ~np.append(False, touched[:-1]))),
        "contact_seconds": float(np.diff(times, prepend=times[0])[touched].sum()),
        "task_seconds": totals,
        "tasks": [{"task": s.task, "start": s.start, "seconds": s.end - s.start} for s in spans],
        "start_pose": poses[0].tolist(),
        "end_pose": poses[-1].tolist(),
        "believed_end_pose": believed[-1].tolist() if believes else None,
    }


def path_length(poses: Floats) -> float:
    """Sum of the steps between poses that are known [m]."""
    known = poses[np.isfinite(poses[:, :2]).all(axis=1), :2]
    steps = np.diff(known, axis=0)
    return float(np.hypot(steps[:, 0], steps[:, 1]).sum())


def plain(value: Any) -> Any:
    """The same value in what JSON has; numbers that JSON cannot write become None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {part.name: plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    return value.as_posix() if isinstance(value, Path) else str(value)
