"""`paddock maze`: generate a maze as text, as a world file, or as a picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paddock.cli.options import Force
from paddock.core.errors import PaddockError

if TYPE_CHECKING:
    from paddock.simulation.worlds.mazes import Cell

Picture = Annotated[
    Path | None, typer.Argument(help="With --png: file for the picture. Default: next to the world, or maze.png.")
]
Kind = Annotated[str, typer.Option(help="backtracker, kruskal, wilson, braided (no dead ends) or rooms.")]
Loops = Annotated[
    float | None, typer.Option(help="Share of the dead ends to open, 0 … 1. Default: 1 for braided, 0 for other kinds.")
]
Start = Annotated[str | None, typer.Option(help="Column,row of the robot, from the lower left. Default: 0,0.")]


def maze(
    picture: Picture = None,
    size: Annotated[str, typer.Option(help="Number of columns and rows.")] = "8x8",
    kind: Kind = "backtracker",
    seed: Annotated[int, typer.Option(help="Equal seeds give equal mazes.")] = 0,
    loops: Loops = None,
    start: Start = None,
    exit: Annotated[str | None, typer.Option(help="Column,row of the exit. Default: upper right.")] = None,
    corridor: Annotated[float, typer.Option(help="Clear width between walls, in metres.")] = 0.2,
    thickness: Annotated[float, typer.Option(help="Thickness of walls, in metres.")] = 0.01,
    height: Annotated[float, typer.Option(help="Height of walls, in metres.")] = 0.1,
    robot: Annotated[
        str, typer.Option(help="Type of the robot: shipped (see: paddock robots) or a TOML file.")
    ] = "scout",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File for the world (TOML).")] = None,
    png: Annotated[bool, typer.Option("--png", help="Also draw a picture.")] = False,
    solution: Annotated[bool, typer.Option("--solution", help="Show the shortest path.")] = False,
    force: Force = False,
) -> None:
    """Generate a maze in which every cell can be reached. Without -o and --png it is printed.

    paddock maze --size 8x8 --seed 3 -o my.toml --png
    paddock maze --size 12x6 --kind wilson --loops 0.3 --png my.png --solution
    """
    from paddock.cli.files import check_new, save_picture, save_world_file
    from paddock.simulation.worlds.importers.import_result import world_name
    from paddock.simulation.worlds.mazes import Layout, make_maze, make_maze_world, solve_maze

    if output is not None:
        check_new(output, ".toml", force=force)
    picture = _choose_picture(picture, output, png=png, force=force)
    columns, rows = _two_numbers("--size", size, "x×", "columns and rows such as 8x8")
    first, last = _cell("--start", start), _cell("--exit", exit)
    made = make_maze(columns, rows, kind=kind, seed=seed, loops=loops, start=first or (0, 0), exit=last)
    way = solve_maze(made)
    opened = "" if loops is None else f", loops {loops:g}"
    title = f"Maze of {columns} × {rows} cells: {kind}, seed {seed}{opened}"  # sufficient to generate it again
    name, walls = world_name(output) if output else "maze", {"corridor": corridor, "thickness": thickness}
    world = make_maze_world(made, **walls, height=height, robot=robot, name=name, title=title)
    if output is not None:
        about = f"{columns} × {rows} cells, {len(world.walls)} walls, {len(way)} cells from start to exit"
        save_world_file(world, output, about)
    if picture is not None:
        from paddock.report.drawing.draw_world import draw_solution, draw_world

        save_picture(draw_solution(made, world, Layout(**walls)) if solution else draw_world(world), picture)
    if output is None and picture is None:
        _print(made.to_text(way if solution else ()))


def _choose_picture(picture: Path | None, world: Path | None, *, png: bool, force: bool) -> Path | None:
    from paddock.cli.files import check_new, check_picture

    if picture is not None and not png:
        raise PaddockError(f"{picture}: expected -o before a world's file name, or --png before a picture's file name")
    usual = Path("maze.png") if world is None else world.with_suffix(".png")
    return (check_picture(picture) or check_new(usual, force=force)) if png else None


def _print(text: str) -> None:
    from paddock.cli.console import Console

    console = Console()
    console.print(text, markup=False, highlight=False, soft_wrap=True)
    console.print("Save it:  paddock maze … -o my.toml     Draw it:  paddock maze … --png", style="dim")


def _cell(option: str, text: str | None) -> Cell | None:
    return None if text is None else _two_numbers(option, text, ",", "column and row such as 0,0")


def _two_numbers(option: str, text: str, between: str, expected: str) -> tuple[int, int]:
    found = re.fullmatch(rf"\s*(\d{{1,9}})\s*[{between}]\s*(\d{{1,9}})\s*", text, re.IGNORECASE | re.ASCII)
    if found is None:
        raise PaddockError(f"{option}: expected {expected}, got {text!r}")
    return int(found[1]), int(found[2])
