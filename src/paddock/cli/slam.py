"""`paddock slam`: compute a map and a path from a recorded log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paddock.cli.options import Force, Json, Seed
from paddock.core.files import write_text

if TYPE_CHECKING:
    from paddock.core.geometry import Pose
    from paddock.perception.mapping.logs import RelationErrors, ScanLog, SlamResult

LogFile = Annotated[Path, typer.Argument(help="A CARMEN log, or a g2o graph with scans; plain, .gz or .zip.")]
Relations = Annotated[
    Path | None, typer.Option(help="File with the reference relations of the SLAM benchmark; the errors are printed.")
]
Method = Annotated[str, typer.Option(help="Method: odometry, scan-to-scan, scan-to-map, particles or graph.")]
Resolution = Annotated[float, typer.Option(help="Side of the map's cells, in metres.")]
WrongLoops = Annotated[
    float, typer.Option(help="With method graph: share of deliberately false loops, 0 … 1, to test their rejection.")
]


def slam(
    file: LogFile,
    out: Annotated[Path, typer.Option(help="Folder for map, trajectory, metrics and pictures.")],
    relations: Relations = None,
    method: Method = "graph",
    seed: Seed = 0,
    resolution: Resolution = 0.05,
    false_loops: WrongLoops = 0.0,
    json_lines: Json = False,
    force: Force = False,
) -> None:
    """Compute the map and the trajectory of a recorded log with laser scans.

    paddock slam intel.log --relations intel.relations --out intel
    paddock slam killian.g2o.zip --method odometry --out odometry
    """
    from rich.progress import Progress

    from paddock.cli.console import Console
    from paddock.cli.tables import print_json
    from paddock.core.errors import PaddockError
    from paddock.perception.mapping.logs import read_log, read_relations, run_slam
    from paddock.perception.mapping.method import MAPPING_METHODS
    from paddock.report.document import ensure_folder

    if false_loops and method != "graph":
        raise PaddockError(f"--false-loops: only method graph looks for loops, got --method {method}")
    known = read_relations(relations) if relations else None
    log = read_log(file)
    if len(log.scans) < 2:
        raise PaddockError(f"{file}: expected two scans or more, got {len(log.scans)}")
    MAPPING_METHODS.get(method)  # raises an error if there is none of this name
    errors = relation_errors(log, {"odometry": log.odometry}, known)
    if known and not len(errors["odometry"].translation):
        raise PaddockError(
            f"{relations}: none of its {len(known)} relations has both its times in {file}: expected those of this log"
        )
    if any(ensure_folder(out).iterdir()) and not force:
        raise PaddockError(f"{out} already exists: choose another folder, or overwrite it with --force")
    options: dict[str, Any] = {"false_loops": false_loops} if method == "graph" else {}
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("scans", total=len(log.scans))
        result = run_slam(
            log,
            method,
            resolution=resolution,
            seed=seed,
            progress=lambda count: bar.update(task, completed=count),
            **options,
        )
    errors = relation_errors(log, {method: result.trajectory.poses}, known) | errors
    metrics = describe_run(log, method, seed, result, errors)
    write_results(out, log, method, result, errors, metrics)
    if json_lines:
        print_json(metrics)
    else:
        print_metrics(metrics, out)


def relation_errors(
    log: ScanLog, paths: dict[str, Sequence[Pose]], known: Sequence[Any] | None
) -> dict[str, RelationErrors]:
    """Return the errors of paths; relations identify scans by the sensor's or by the logger's time stamps."""
    from paddock.perception.mapping.logs import Trajectory, evaluate_relations

    if not known:
        return {}
    sent = [scan.time for scan in log.scans]
    found = {}
    for name, poses in paths.items():
        by_time = [evaluate_relations(known, Trajectory(times, poses)) for times in (sent, log.logger_times)]
        found[name] = max(by_time, key=lambda errors: len(errors.translation))
    return found


def describe_run(
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
        "relations": {name: each.figures() for name, each in errors.items()},
    }


def write_results(
    out: Path, log: ScanLog, method: str, result: SlamResult, errors: dict[str, RelationErrors], metrics: dict[str, Any]
) -> None:
    """Write map, trajectories, metrics and pictures."""
    from paddock.perception.mapping import save_map
    from paddock.perception.mapping.logs import Trajectory, write_tum
    from paddock.report.figures import save_figure
    from paddock.report.slam_charts import map_chart, path_chart, relations_chart

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


def print_metrics(metrics: dict[str, Any], out: Path) -> None:
    """Print the metrics as a table."""
    from paddock.cli.console import Console
    from paddock.cli.files import print_written
    from paddock.cli.tables import new_table

    console = Console()
    for problem in metrics["broken_lines"][:5]:
        console.print(f"left out: {metrics['log']}: {problem}", style="yellow", highlight=False, markup=False)
    speeds = [f"{metrics[name]:.0f} ×" for name in ("times_real_time", "times_real_time_of_a_core")]
    console.print(
        f"{metrics['scans']} scans, {metrics['length_m']:.0f} m in {metrics['duration_s']:.0f} s; "
        f"took {metrics['seconds']:.1f} s, {metrics['cpu_seconds']:.1f} s of CPU time "
        f"({' and '.join(speeds)} real time); "
        f"{metrics['loops']} loops, {metrics['refused_loops']} refused",
        highlight=False,
    )
    if metrics["relations"]:
        numbers = ("relations", "mean [m]", "std [m]", "max [m]", "mean [°]", "max [°]")
        table = new_table("Errors of relations", "path", *numbers, right=numbers)
        for name, found in metrics["relations"].items():
            keys = ("translation_m_mean", "translation_m_std", "translation_m_max", "rotation_deg_mean")
            values = [f"{found[key]:.3f}" for key in (*keys, "rotation_deg_max")]
            table.add_row(name, f"{found['relations']} of {found['relations'] + found['left_out']}", *values)
        console.print(table)
    print_written(out, ": map, trajectory, metrics and pictures")
