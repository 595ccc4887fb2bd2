"""maze_of: the cells and passages of a world that is a maze, such as the shipped one."""

from __future__ import annotations

import math

from paddock.core.errors import SpecError
from paddock.core.geometry import Point, bar, overlap
from paddock.worlds.mazes.maze import Cell, Maze, check_size, neighbours
from paddock.worlds.mazes.world import EXIT, START
from paddock.worlds.solids import solids
from paddock.worlds.spec import WorldSpec


def maze_of(world: WorldSpec, columns: int, rows: int) -> Maze:
    """The maze of a world whose cells are equally large: passages are where no obstacle is between two centres.

    The world needs starts called `start` and `exit`.
    """
    check_size(columns, rows)
    x0, y0, x1, y1 = world.bounds
    wide, high = (x1 - x0) / columns, (y1 - y0) / rows
    places = {start.name: start.at for start in world.starts}
    for name in (START, EXIT):
        if name not in places:
            raise SpecError(f"missing: a start called {name!r}", path="starts", file=world.file)

    def centre(cell: Cell) -> Point:
        return x0 + (cell[0] + 0.5) * wide, y0 + (cell[1] + 0.5) * high

    def cell(name: str) -> Cell:
        return math.floor((places[name][0] - x0) / wide), math.floor((places[name][1] - y0) / high)

    shapes = [solid.shape for solid in solids(world) if solid.path != "border"]
    free = frozenset(
        pair
        for pair in neighbours(columns, rows)
        if all(overlap(bar(centre(pair[0]), centre(pair[1]), 1e-6), shape) <= 0 for shape in shapes)
    )
    return Maze(columns=columns, rows=rows, passages=free, start=cell(START), exit=cell(EXIT))
