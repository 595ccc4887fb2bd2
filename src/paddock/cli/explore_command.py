"""`paddock explore` and `paddock go`: options and help texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.cli import options

MappingRobot = Annotated[str | None, typer.Option(help="Name of the robot. Default: the first one that can map.")]
Method = Annotated[
    str, typer.Option(help="Selection of frontiers: tour, balanced, nearest, gain-per-cost, random-walk.")
]
PathFollower = Annotated[str, typer.Option(help="Path follower: pure-pursuit, dynamic-window, mppi.")]
MappingMethodName = Annotated[
    str | None,
    typer.Option(
        "--mapping",
        help="Mapping method: odometry, scan-to-scan, scan-to-map, particles, graph. Default: scan-to-map with a "
        "laser, odometry without.",
    ),
]
MapFolder = Annotated[
    Path | None, typer.Option(help="Folder for the run's files: map, coverage, trace.csv, summary.json and pictures.")
]


def explore(
    world: options.World,
    robot: MappingRobot = None,
    method: Method = "tour",
    follower: PathFollower = "pure-pursuit",
    mapping: MappingMethodName = None,
    seconds: options.Seconds = 600.0,
    speed: options.Speed = None,
    seed: options.Seed = 0,
    out: MapFolder = None,
    headless: options.Headless = False,
    port: options.Port = None,
) -> None:
    """Map all reachable parts of a world, and stop when finished. The exit status is 0 only if the map is complete.

    paddock explore yellow-rooms
    paddock explore yellow-rooms --headless --out runs
    paddock explore my_rooms.toml --method nearest --follower mppi --mapping particles
    """
    options.refuse_page_options(headless, speed=speed, port=port)
    from paddock.cli.explore import MapRun, run_explorer

    run = MapRun(world, robot, follower, mapping, seconds, speed, seed, out, headless, port)
    if not run_explorer(run, method):
        raise typer.Exit(1)


def go(
    world: options.World,
    x: Annotated[float, typer.Argument(help="Position of the goal, in metres.")],
    y: Annotated[float, typer.Argument()],
    heading_deg: Annotated[float | None, typer.Option(help="Heading at the goal, in degrees. Default: any.")] = None,
    robot: MappingRobot = None,
    follower: PathFollower = "pure-pursuit",
    mapping: MappingMethodName = None,
    seconds: options.Seconds = 120.0,
    speed: options.Speed = None,
    seed: options.Seed = 0,
    out: MapFolder = None,
    headless: options.Headless = False,
    port: options.Port = None,
) -> None:
    """Drive a robot to a goal on the map that it builds on the way. The exit status is 0 only if it reaches the goal.

    paddock go yellow-rooms 10 7
    paddock go yellow-rooms 6 2.4 --headless        # inside a box: refused once the box is mapped
    """
    options.refuse_page_options(headless, speed=speed, port=port)
    from paddock.cli.explore import MapRun, run_navigator

    run = MapRun(world, robot, follower, mapping, seconds, speed, seed, out, headless, port)
    if not run_navigator(run, (x, y), heading_deg):
        raise typer.Exit(1)
