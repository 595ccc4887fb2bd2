"""`paddock map`: robots that build maps and drive with them, and maps from recorded logs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from paddock.cli import options
from paddock.core.terminal.shared_options import Force, Json, Seed, out_option

map_app = typer.Typer(help="Explore worlds, drive on maps, and compute maps from logs.", no_args_is_help=True)
MAPPING = "Mapping"

MappingRobot = Annotated[str | None, typer.Option(help="Name of the robot. Default: the first one that can map.")]
PathFollower = Annotated[
    str, typer.Option(rich_help_panel=MAPPING, help="Path follower: pure-pursuit, dynamic-window, mppi.")
]
MappingMethodName = Annotated[
    str | None,
    typer.Option(
        "--mapping",
        rich_help_panel=MAPPING,
        help="odometry, scan-to-scan, scan-to-map, particles, graph. Default: scan-to-map with a laser, else odometry.",
    ),
]
MapFolder = Annotated[Path | None, out_option("Folder for map, trace, summary and pictures.")]


@map_app.command("explore")
def explore(
    world: options.World,
    robot: MappingRobot = None,
    seconds: options.Seconds = 600.0,
    seed: Seed = 0,
    method: Annotated[
        str,
        typer.Option(rich_help_panel=MAPPING, help="Frontiers by tour, balanced, nearest, gain-per-cost, random-walk."),
    ] = "tour",
    follower: PathFollower = "pure-pursuit",
    mapping: MappingMethodName = None,
    speed: options.Speed = None,
    headless: options.Headless = False,
    port: options.Port = None,
    out: MapFolder = None,
) -> None:
    """Map all reachable parts of a world, and stop when finished. The exit status is 0 only if the map is complete.

    paddock map explore yellow-rooms
    paddock map explore yellow-rooms --headless --out runs
    paddock map explore my_rooms.toml --method nearest --mapping particles
    """
    options.refuse_page_options(headless, speed=speed, port=port)
    from paddock.cli.map_runs import MapRun, run_explorer

    run = MapRun(world, robot, follower, mapping, seconds, speed, seed, out, headless, port)
    if not run_explorer(run, method):
        raise typer.Exit(1)


@map_app.command("goto", context_settings=options.NEGATIVE_NUMBERS)
def goto(
    world: options.World,
    x: Annotated[float, typer.Argument(help="x of the goal, in metres.")],
    y: Annotated[float, typer.Argument(help="y of the goal, in metres.")],
    heading_deg: Annotated[float | None, typer.Option(help="Heading at the goal in degrees. Default: any.")] = None,
    robot: MappingRobot = None,
    seconds: options.Seconds = 120.0,
    seed: Seed = 0,
    follower: PathFollower = "pure-pursuit",
    mapping: MappingMethodName = None,
    speed: options.Speed = None,
    headless: options.Headless = False,
    port: options.Port = None,
    out: MapFolder = None,
) -> None:
    """Drive a robot to a goal on the map that it builds on the way. The exit status is 0 only if it reaches the goal.

    paddock map goto yellow-rooms 10 7
    paddock map goto yellow-rooms 6 2.4 --headless   # inside a box: refused
    """
    options.refuse_page_options(headless, speed=speed, port=port)
    from paddock.cli.map_runs import MapRun, run_navigator

    run = MapRun(world, robot, follower, mapping, seconds, speed, seed, out, headless, port)
    if not run_navigator(run, (x, y), heading_deg):
        raise typer.Exit(1)


@map_app.command("slam")
def slam(
    file: Annotated[
        Path, typer.Argument(help="A CARMEN or DP-SLAM log, or a g2o graph with scans; plain, .gz or .zip.")
    ],
    out: Annotated[Path, out_option("Folder for map, paths, metrics and pictures.")],
    method: Annotated[str, typer.Option(help="odometry, scan-to-scan, scan-to-map, particles or graph.")] = "graph",
    relations: Annotated[
        Path | None, typer.Option(help="Reference relations of the SLAM benchmark, for the errors of the path.")
    ] = None,
    resolution: Annotated[float, typer.Option(help="Side of the map's cells in metres.")] = 0.05,
    false_loops: Annotated[
        float, typer.Option(help="graph: share of deliberately false loops, 0 … 1, to test their rejection.")
    ] = 0.0,
    seed: Seed = 0,
    json_lines: Json = False,
    force: Force = False,
) -> None:
    """Compute the map and the trajectory of a recorded log with laser scans.

    paddock map slam intel.log --relations intel.relations --out intel
    paddock map slam killian.g2o.zip --method odometry --out odometry
    """
    from rich.progress import Progress

    from paddock.core.errors import PaddockError
    from paddock.core.files import ensure_folder
    from paddock.core.terminal.console import Console, print_json
    from paddock.perception.mapping.logs import read_log, read_relations, run_slam
    from paddock.perception.mapping.method import MAPPING_METHODS
    from paddock.report.slam_results import describe_slam, relation_errors, write_slam_results

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
    more: dict[str, Any] = {"false_loops": false_loops} if method == "graph" else {}
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("scans", total=len(log.scans))
        more["progress"] = lambda count: bar.update(task, completed=count)
        result = run_slam(log, method, resolution=resolution, seed=seed, **more)
    errors = relation_errors(log, {method: result.trajectory.poses}, known) | errors
    metrics = describe_slam(log, method, seed, result, errors)
    write_slam_results(out, log, method, result, errors, metrics)
    if json_lines:
        print_json(metrics)
    else:
        print_metrics(metrics, out)


def print_metrics(metrics: dict[str, Any], out: Path) -> None:
    """Print the metrics as a table."""
    from paddock.core.terminal.console import Console, new_table
    from paddock.core.terminal.output_files import print_written

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
