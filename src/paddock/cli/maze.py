"""`paddock maze`: a maze as text, as a world's file, and as a picture."""

from __future__ import annotations

import re
from pathlib import Path

from rich.console import Console

from paddock.cli.files import checked_new, checked_world_file, save_world_file
from paddock.cli.pictures import checked_picture, save_picture
from paddock.core.errors import PaddockError
from paddock.worlds.importers.result import world_name
from paddock.worlds.mazes import Cell, Layout, Maze, make_maze, make_maze_world, solve_maze


def show_maze(
    *,
    size: str,
    kind: str,
    seed: int,
    loops: float | None,
    start: str | None,
    exit: str | None,
    corridor: float,
    thickness: float,
    height: float,
    robot: str,
    output: Path | None,
    png: bool,
    picture: Path | None,
    solved: bool,
    force: bool,
) -> None:
    """Make a maze; print it, unless it is written to a file or drawn."""
    if output is not None:
        checked_world_file(output, force=force)
    if picture is not None and not png:
        raise PaddockError(f"{picture}: expected -o before the name of a world, or --png before that of a picture")
    if png:
        usual = Path("maze.png") if output is None else output.with_suffix(".png")
        picture = checked_new(checked_picture(picture) or usual, force=force)
    columns, rows = _two_numbers("--size", size, "x×", "columns and rows such as 8x8")
    first, last = _cell("--start", start), _cell("--exit", exit)
    maze = make_maze(columns, rows, kind=kind, seed=seed, loops=loops, start=first or (0, 0), exit=last)
    way = solve_maze(maze)
    world = make_maze_world(
        maze,
        corridor=corridor,
        thickness=thickness,
        height=height,
        robot=robot,
        name=world_name(output) if output else "maze",
        title=_title(maze, kind, seed, loops),
    )
    console = Console()
    if output is not None:
        about = f"{columns} × {rows} cells, {len(world.walls)} walls, {len(way)} cells from start to exit"
        save_world_file(world, output, about)
    if picture is not None:
        from paddock.draw.maze import draw_solution
        from paddock.draw.world import draw_world

        layout = Layout(corridor=corridor, thickness=thickness)
        save_picture(draw_solution(maze, world, layout) if solved else draw_world(world), picture)
    if output is None and picture is None:
        console.print(maze.to_text(way if solved else ()), markup=False, highlight=False, soft_wrap=True)
        console.print("Keep it:  paddock maze … -o my.toml     Draw it:  paddock maze … --png", style="dim")


def _title(maze: Maze, kind: str, seed: int, loops: float | None) -> str:
    """How the maze can be made again."""
    opened = "" if loops is None else f", loops {loops:g}"
    return f"Maze of {maze.columns} × {maze.rows} cells: {kind}, seed {seed}{opened}"


def _cell(option: str, text: str | None) -> Cell | None:
    return None if text is None else _two_numbers(option, text, ",", "column and row such as 0,0")


def _two_numbers(option: str, text: str, between: str, expected: str) -> tuple[int, int]:
    found = re.fullmatch(rf"\s*(\d{{1,9}})\s*[{between}]\s*(\d{{1,9}})\s*", text, re.IGNORECASE | re.ASCII)
    if found is None:
        raise PaddockError(f"{option}: expected {expected}, got {text!r}")
    return int(found[1]), int(found[2])
