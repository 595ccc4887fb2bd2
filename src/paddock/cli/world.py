"""`paddock world`: shipped worlds, mazes and apartments from a seed, and worlds from files of other programs."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paddock.cli.options import RobotType, WorldName
from paddock.core.errors import PaddockError
from paddock.core.terminal.shared_options import FILES, Force, Output, file_option, out_option

if TYPE_CHECKING:
    from paddock.core.geometry import Point
    from paddock.simulation.worlds import WorldSpec

world_app = typer.Typer(help="List, draw, generate and import worlds.", no_args_is_help=True)
WALLS = "Walls"
WorldFile = Annotated[Path | None, out_option("File for the world (TOML).")]
Picture = Annotated[Path | None, file_option("File for a picture (PNG, SVG, PDF).")]


@world_app.command("list")
def list_worlds() -> None:
    """List the shipped worlds."""
    from paddock.core.terminal.console import Console, new_table
    from paddock.simulation.worlds import load_world, world_names

    table = new_table("Shipped worlds", "name", "size [m]", "obstacles", "robots", "description", right=("obstacles",))
    for name in world_names():
        spec = load_world(name)
        x0, y0, x1, y1 = spec.bounds
        kinds = Counter(robot.type if isinstance(robot.type, str) else robot.type.name for robot in spec.robots)
        table.add_row(
            f"[bold]{name}[/]",
            f"{x1 - x0:g} × {y1 - y0:g}",
            str(len(spec.walls) + len(spec.boxes) + len(spec.cylinders) + len(spec.arcs) + len(spec.things)),
            ", ".join(f"{count} × {kind}" for kind, count in kinds.items()) or "none",
            spec.title,
        )
    console = Console()
    console.print(table)
    console.print("Draw one:  paddock world show NAME     Run one:  paddock run NAME", style="dim")


@world_app.command("show")
def show_world(name: WorldName, out: Output = None, force: Force = False) -> None:
    """Draw a world.

    paddock world show wall-loop
    paddock world show my_world.toml -o my_world.svg
    """
    from paddock.core.terminal.output_files import choose_picture, print_written
    from paddock.report.drawing import save_drawing
    from paddock.simulation.worlds import load_world

    spec = load_world(name)
    save_drawing(spec, path := choose_picture(out, spec.name, force=force))
    print_written(path)


@world_app.command("export")
def write_world_map(
    name: WorldName,
    out: Annotated[Path | None, out_option("The .yaml file; the image gets its name. Default: NAME.yaml.")] = None,
    force: Force = False,
) -> None:
    """Write a world as a map for the ROS map_server: a .yaml file and an image.

    paddock world export yellow-rooms -o map.yaml
    """
    from paddock.core.terminal.output_files import check_new, print_written
    from paddock.perception.mapping import draw_map, save_map
    from paddock.simulation.worlds import load_world

    spec = load_world(name)
    path = check_new(out or Path(f"{spec.name}.yaml"), ".yaml", force=force)
    grid = draw_map(spec)
    save_map(grid, path)
    print_written(path, f" and {path.with_suffix('.pgm')} ({grid.frame.columns} × {grid.frame.rows} cells)")


@world_app.command("maze")
def make_maze(
    size: Annotated[str, typer.Option(help="Number of columns and rows.")] = "8x8",
    kind: Annotated[str, typer.Option(help="backtracker, kruskal, wilson, braided, rooms.")] = "backtracker",
    seed: Annotated[int, typer.Option(help="Equal seeds give equal mazes.")] = 0,
    loops: Annotated[
        float | None, typer.Option(help="Share of dead ends to open, 0 … 1. Default: 0; braided: 1.")
    ] = None,
    start: Annotated[str | None, typer.Option(help="Column,row of the robot. Default: 0,0, lower left.")] = None,
    exit: Annotated[str | None, typer.Option(help="Column,row of the exit. Default: upper right.")] = None,
    robot: RobotType = "scout",
    corridor: Annotated[float, typer.Option(rich_help_panel=WALLS, help="Clear width between walls in metres.")] = 0.2,
    thickness: Annotated[float, typer.Option(rich_help_panel=WALLS, help="Thickness of walls in metres.")] = 0.01,
    height: Annotated[float, typer.Option(rich_help_panel=WALLS, help="Height of walls in metres.")] = 0.1,
    out: WorldFile = None,
    picture: Picture = None,
    solution: Annotated[
        bool, typer.Option("--solution", rich_help_panel=FILES, help="Show the shortest path.")
    ] = False,
    force: Force = False,
) -> None:
    """Generate a maze in which every cell can be reached. Without a file, it is printed.

    paddock world maze --size 8x8 --seed 3 -o my.toml --picture my.png
    paddock world maze --size 12x6 --kind wilson --loops 0.3 --solution
    """
    from paddock.core.terminal.console import Console
    from paddock.core.terminal.output_files import check_new, check_picture, print_written
    from paddock.simulation.worlds import mazes
    from paddock.simulation.worlds.importers.import_result import world_name

    if out is not None:
        check_new(out, ".toml", force=force)
    picture = check_picture(picture)
    columns, rows = _read_cells("--size", size, "x×", "columns and rows such as 8x8")
    first, last = (
        None if text is None else _read_cells(option, text, ",", "column and row such as 0,0")
        for option, text in (("--start", start), ("--exit", exit))
    )
    maze = mazes.make_maze(columns, rows, kind=kind, seed=seed, loops=loops, start=first or (0, 0), exit=last)
    path = mazes.solve_maze(maze)
    opened = "" if loops is None else f", loops {loops:g}"
    title = f"Maze of {columns} × {rows} cells: {kind}, seed {seed}{opened}"  # sufficient to generate it again
    name, walls = world_name(out) if out else "maze", {"corridor": corridor, "thickness": thickness}
    world = mazes.make_maze_world(maze, **walls, height=height, robot=robot, name=name, title=title)
    if out is not None:
        _save(world, out, f"{columns} × {rows} cells, {len(world.walls)} walls, {len(path)} cells from start to exit")
    if picture is not None:
        from paddock.report.drawing.draw_world import add_solution, save_drawing

        drawn = add_solution(maze, world, mazes.Layout(**walls)) if solution else world
        save_drawing(drawn, picture, rays=not solution)
        print_written(picture)
    if out is None and picture is None:
        text = maze.to_text(path if solution else ())
        console = Console()
        console.print(text, markup=False, highlight=False, soft_wrap=True)
        hint = "Save it:  paddock world maze … -o my.toml     Draw it:  paddock world maze … --picture my.png"
        console.print(hint, style="dim", soft_wrap=True)


@world_app.command("apartment")
def make_apartment(
    seed: Annotated[int, typer.Option(help="Equal seeds give equal apartments.")] = 0,
    kind: Annotated[str, typer.Option(help="rooms, corridor, or symmetric (identical rooms).")] = "corridor",
    size: Annotated[str, typer.Option(help="Width x depth in metres: from 2.6x6.8 to 200x200.")] = "11x9",
    door: Annotated[float, typer.Option(help="Clear width of doors in metres.")] = 1.0,
    loops: Annotated[
        float | None, typer.Option(help="Share of additional doors, 0 … 1. Default: 0.25; symmetric: 0.")
    ] = None,
    furniture: Annotated[float, typer.Option(help="Average number of pieces per room.")] = 1.0,
    odometry_error: Annotated[float, typer.Option(help="Maximum relative error of the wheels, such as 0.01.")] = 0.0,
    robot: RobotType = "pioneer-p2dx",
    out: WorldFile = None,
    picture: Picture = None,
    force: Force = False,
) -> None:
    """Generate an apartment in which a robot can reach every room.

    paddock world apartment --seed 3 -o home.toml --picture home.png
    paddock world apartment --kind symmetric --size 50x9 -o corridor.toml
    """
    from paddock.core.terminal.output_files import check_new, check_picture, print_written
    from paddock.simulation.worlds import apartments
    from paddock.simulation.worlds.importers.import_result import world_name

    if out is None and picture is None:
        raise PaddockError("expected a file for the world, -o home.toml, or for a picture, --picture home.png")
    if out is not None:
        check_new(out, ".toml", force=force)
    picture = check_picture(picture)
    width, depth = _read_numbers("--size", size, "x", "metres such as 11x9")
    world = apartments.make_apartment(
        seed, kind=kind, width=width, depth=depth, door=door, loops=loops, furniture=furniture,
        odometry_error=odometry_error, robot=robot, name=world_name(out) if out else "apartment",
    )  # fmt: skip
    if out is not None:
        _save(world, out, world.title)
    if picture is not None:
        from paddock.report.drawing import save_drawing

        save_drawing(world, picture)
        print_written(picture)


@world_app.command("import")
def import_world_file(
    file: Annotated[
        Path, typer.Argument(help="A picture, a .yaml map of ROS, a .world of Stage, or a plan of Rossum's Playhouse.")
    ],
    scale: Annotated[float | None, typer.Option(help="For pictures: metres per pixel. Default: 0.01.")] = None,
    threshold: Annotated[
        float | None, typer.Option(help="For pictures: darker pixels are walls, 0 … 1. Default: 0.5.")
    ] = None,
    height: Annotated[float, typer.Option(help="Height of walls and obstacles in metres.")] = 0.5,
    robot: Annotated[
        str, typer.Option(help="Type of the robot to add, or none; Stage worlds have their own.")
    ] = "scout",
    at: Annotated[
        str | None,
        typer.Option(help="x,y of the robot in metres. Default: that of the plan, or the largest free space."),
    ] = None,
    heading: Annotated[float | None, typer.Option(help="Heading of the robot in degrees.")] = None,
    out: WorldFile = None,
    force: Force = False,
) -> None:
    """Create a world from a picture, whose dark parts become walls, a ROS map, a Stage world, or a floor plan.

    paddock world import office.png --scale 0.02
    paddock world import map.yaml -o rooms.toml --robot pioneer-p3dx
    paddock world import simple.world -o simple.toml
    paddock world import trinity.txt -o trinity.toml --robot e-puck
    """
    from dataclasses import replace

    from paddock.core.terminal.console import Console
    from paddock.core.terminal.output_files import check_new
    from paddock.core.terminal_text import shell_word
    from paddock.perception.mapping import import_map
    from paddock.simulation.worlds.importers import MAPS, import_world
    from paddock.simulation.worlds.importers.import_result import world_name

    path = check_new(out or Path(file.stem + ".toml"), ".toml", force=force)
    kind = None if robot in ("", "none") else robot
    place = None if at is None else _read_numbers("--at", at, ",", "x,y in metres such as 0.5,1.2")
    if file.suffix.lower() in MAPS:
        if scale is not None or threshold is not None:
            raise PaddockError(f"--scale, --threshold: leave them out: {file.name} has its own values")
        result = import_map(file, height=height, robot=kind, at=place, heading_deg=heading)
    else:
        result = import_world(
            file, scale=scale, threshold=threshold, height=height, robot=kind, at=place, heading_deg=heading
        )
    world = replace(result.world, name=world_name(path))
    x0, y0, x1, y1 = world.bounds
    count, robots = len(world.walls) + len(world.boxes), len(world.robots)
    robots_text = {0: "no robot", 1: "a robot"}.get(robots, f"{robots} robots")
    _save(world, path, f"{x1 - x0:.4g} × {y1 - y0:.4g} m, {count} obstacles, {robots_text}")
    console = Console()
    for what in result.left_out:
        console.print(f"left out: {what}", highlight=False, soft_wrap=True, markup=False)
    for what in result.problems:
        console.print(f"check: {what}", style="yellow", highlight=False, soft_wrap=True, markup=False)
    word = shell_word(path)
    commands = f"Draw it:  paddock world show {word}     Run it:  paddock run {word}"
    console.print(commands, style="dim", soft_wrap=True, markup=False)


def _save(world: WorldSpec, path: Path, about: str) -> None:
    """Write a world and print its path."""
    from paddock.core.terminal.output_files import print_written
    from paddock.simulation.worlds import save_world

    save_world(world, path)
    print_written(path, f" ({about})")


def _read_cells(option: str, text: str, between: str, expected: str) -> tuple[int, int]:
    numbers = re.fullmatch(rf"\s*(\d{{1,9}})\s*[{between}]\s*(\d{{1,9}})\s*", text, re.IGNORECASE | re.ASCII)
    if numbers is None:
        raise PaddockError(f"{option}: expected {expected}, got {text!r}")
    return int(numbers[1]), int(numbers[2])


def _read_numbers(option: str, text: str, between: str, expected: str) -> Point:
    try:
        x, y = (float(part) for part in text.replace("×", "x").split(between))
    except ValueError:
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise PaddockError(f"{option}: expected {expected}, got {text!r}")
    return x, y
