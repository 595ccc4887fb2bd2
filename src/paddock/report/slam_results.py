"""Results of a SLAM run: figures, map, trajectories and pictures in a folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paddock.core.files import write_text
from paddock.core.geometry import Pose
from paddock.perception.mapping import save_map
from paddock.perception.mapping.logs import (
    RelationErrors,
    ScanLog,
    SlamResult,
    Trajectory,
    evaluate_relations,
    write_tum,
)
from paddock.report.chart_style import save_figure
from paddock.report.slam_charts import map_chart, path_chart, relations_chart


def relation_errors(
    log: ScanLog, paths: dict[str, Sequence[Pose]], known: Sequence[Any] | None
) -> dict[str, RelationErrors]:
    """Return the errors of paths; relations identify scans by the sensor's or by the logger's time stamps."""
    if not known:
        return {}
    sent = [scan.time for scan in log.scans]
    found = {}
    for name, poses in paths.items():
        by_time = [evaluate_relations(known, Trajectory(times, poses)) for times in (sent, log.logger_times)]
        found[name] = max(by_time, key=lambda errors: len(errors.translation))
    return found


def describe_slam(
    log: ScanLog, method: str, seed: int, result: SlamResult, errors: dict[str, RelationErrors]
) -> dict[str, Any]:
    """Return the results as plain data."""
    path = "\n".join(" ".join(f"{value:.9f}" for value in pose) for pose in result.trajectory.poses)
    return {
        "log": log.name,
        "method": method,
        "seed": seed,
        "scans": len(log.scans),
        "duration_s": round(log.duration, 3),
        "length_m": round(log.length, 2),
        "skipped_lines": dict(log.skipped),
        "broken_lines": list(log.problems),
        "loops": len(result.loops),
        "refused_loops": result.refused,
        "trajectory_digest": hashlib.sha256(path.encode()).hexdigest()[:16],
        "map_digest": result.grid.digest()[:16],
        "seconds": round(result.seconds, 2),
        "cpu_seconds": round(result.cpu_seconds, 2),
        "times_real_time": round(log.duration / max(result.seconds, 1e-9), 1),
        "times_real_time_of_a_core": round(log.duration / max(result.cpu_seconds, 1e-9), 1),
        "relations": {name: each.compute_results() for name, each in errors.items()},
    }


def write_slam_results(
    out: Path, log: ScanLog, method: str, result: SlamResult, errors: dict[str, RelationErrors], metrics: dict[str, Any]
) -> None:
    """Write map, trajectories, metrics and pictures."""
    save_map(result.grid, out / "map.yaml")
    write_tum(result.trajectory, out / "trajectory.tum")
    write_tum(Trajectory(result.trajectory.times, log.odometry), out / "odometry.tum")
    write_text(out / "metrics.json", json.dumps(metrics, indent=2) + "\n")
    about = f"{len(log.scans)} scans, {log.length:.0f} m, {log.duration:.0f} s; method {method}"
    name = Path(log.name).name
    poses = result.trajectory.poses
    save_figure(map_chart(result.grid, poses, loops=result.loops, title=name, about=about), out / "map.png")
    save_figure(path_chart({"odometry": log.odometry, method: poses}, title=name), out / "paths.png")
    if errors:
        save_figure(relations_chart(errors), out / "errors.png")
