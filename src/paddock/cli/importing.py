"""`paddock import`: create worlds from floor plans, pictures and maps."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paddock.cli.options import Force
from paddock.core.errors import PaddockError
from paddock.core.terminal_text import shell_word

if TYPE_CHECKING:
    from paddock.core.geometry import Point

Source = Annotated[
    Path,
    typer.Argument(
        help="A picture (PNG …), a map of the ROS map_server (.yaml), a Stage world (.world), or a floor plan of "
        "Rossum's Playhouse."
    ),
]
Robot = Annotated[str, typer.Option(help="Type of the robot to add, or none; Stage worlds have their own.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="File for the world. Default: FILE's name with .toml, in this folder."),
]
Threshold = Annotated[
    float | None, typer.Option(help="For pictures: darker pixels are walls, 0 black … 1 white. Default: 0.5.")
]
Place = Annotated[
    str | None,
    typer.Option(
        help="Position x,y of the robot in metres. Default: the plan's first placement, or the largest free space."
    ),
]


def import_world_file(
    file: Source,
    output: Output = None,
    scale: Annotated[float | None, typer.Option(help="For pictures: metres per pixel. Default: 0.01.")] = None,
    threshold: Threshold = None,
    height: Annotated[float, typer.Option(help="Height of walls and obstacles, in metres.")] = 0.5,
    robot: Robot = "scout",
    at: Place = None,
    heading: Annotated[float | None, typer.Option(help="Heading of the robot, in degrees.")] = None,
    force: Force = False,
) -> None:
    """Create a world from a picture, whose dark parts become walls, a ROS map, a Stage world, or a floor plan.

    paddock import office.png --scale 0.02
    paddock import map.yaml -o rooms.toml --robot pioneer-p3dx
    paddock import simple.world -o simple.toml
    paddock import trinity.txt -o trinity.toml --robot e-puck
    """
    from paddock.cli.console import Console
    from paddock.cli.files import check_new, save_world_file
    from paddock.perception.mapping import import_map
    from paddock.simulation.worlds.importers import MAPS, import_world
    from paddock.simulation.worlds.importers.import_result import world_name

    path = check_new(output or Path(file.stem + ".toml"), ".toml", force=force)
    kind, place = None if robot in ("", "none") else robot, None if at is None else _place(at)
    if file.suffix.lower() in MAPS:
        if scale is not None or threshold is not None:
            raise PaddockError(f"--scale, --threshold: leave them out: {file.name} has its own values")
        found = import_map(file, height=height, robot=kind, at=place, heading_deg=heading)
    else:
        found = import_world(
            file, scale=scale, threshold=threshold, height=height, robot=kind, at=place, heading_deg=heading
        )
    world = replace(found.world, name=world_name(path))
    x0, y0, x1, y1 = world.bounds
    count, robots = len(world.walls) + len(world.boxes), len(world.robots)
    placed = {0: "no robot", 1: "a robot"}.get(robots, f"{robots} robots")
    save_world_file(world, path, f"{x1 - x0:.4g} × {y1 - y0:.4g} m, {count} obstacles, {placed}")
    console = Console()
    for what in found.left_out:
        console.print(f"left out: {what}", highlight=False, soft_wrap=True, markup=False)
    for what in found.problems:
        console.print(f"check: {what}", style="yellow", highlight=False, soft_wrap=True, markup=False)
    word = shell_word(path)
    commands = f"Draw it:  paddock worlds --show {word}     Run it:  paddock run {word}"
    console.print(commands, style="dim", soft_wrap=True, markup=False)


def _place(text: str) -> Point:
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise PaddockError(f"--at: expected x,y in metres such as 0.5,1.2, got {text!r}")
    return x, y
