"""read_maze: extract the cells and passages from a world that is a maze, such as the shipped one."""

from __future__ import annotations

import math

from paddock.core.errors import SpecError
from paddock.core.geometry import Point, Shape, bar, compute_bounds, overlap
from paddock.simulation.worlds.mazes.maze import Cell, Maze, Passage, check_size, list_neighbours
from paddock.simulation.worlds.mazes.world import EXIT, START
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import WorldSpec

CROSSINGS = (0.5, 0.35, 0.65, 0.2, 0.8)  # positions along the shared side of two cells where a passage is searched
REACH = 0.25  # fraction of a cell that must be free on both sides of the shared side


def read_maze(world: WorldSpec, size: tuple[int, int] | None = None) -> Maze:
    """Return the maze of a world: its passages are the sides between cells that no wall blocks.

    The world needs starts called `start` and `exit`.

    Args:
        size: columns and rows, for a world whose file does not specify them; None: those of the file.
    """
    places = {start.name: start.at for start in world.starts}
    for name in (START, EXIT):
        if name not in places:
            raise SpecError(f"missing: a start called {name!r}", path="starts", file=world.file)
    grid = Grid(world, maze_size(world, None if size is None else tuple(size)))  # type: ignore[arg-type]
    grid.check_fit()
    shapes = [solid.shape for solid in solids(world) if solid.path != "border"]
    return Maze(
        columns=grid.columns,
        rows=grid.rows,
        passages=grid.passages(shapes),
        start=grid.cell(places[START]),
        exit=grid.cell(places[EXIT]),
    )


def maze_size(world: WorldSpec, size: tuple[int, int] | None = None) -> tuple[int, int]:
    """Return columns and rows from the world's file, or the given size if the file does not specify them."""
    given = None if world.maze is None else (world.maze.columns, world.maze.rows)
    if given is None and size is None:
        raise SpecError(
            "missing: the size of the maze: add maze = { columns = 8, rows = 8 } with its numbers to the file",
            path="maze",
            file=world.file or world.name,
        )
    if given is not None and size is not None and size != given:
        raise SpecError(
            f"the file specifies {given[0]} x {given[1]} cells, not {size[0]} x {size[1]}: omit the size",
            path="maze",
            file=world.file or world.name,
        )
    columns, rows = given or size  # type: ignore[misc]
    check_size(columns, rows)
    return columns, rows


class Grid:
    """Positions of the cells of a maze in its world."""

    def __init__(self, world: WorldSpec, size: tuple[int, int]) -> None:
        self.world, (self.columns, self.rows) = world, size
        self.x, self.y, right, top = world.bounds
        self.wide, self.high = (right - self.x) / self.columns, (top - self.y) / self.rows

    def cell(self, at: Point) -> Cell:
        """Return the cell at a position."""
        return math.floor((at[0] - self.x) / self.wide), math.floor((at[1] - self.y) / self.high)

    def passages(self, shapes: list[Shape]) -> frozenset[Passage]:
        """Return the pairs of neighbours with a passage between them."""
        boxes = [(shape, compute_bounds(shape)) for shape in shapes]
        return frozenset(pair for pair in list_neighbours(self.columns, self.rows) if self._open(pair, boxes))

    def _open(self, pair: Passage, boxes: list[tuple[Shape, tuple[float, float, float, float]]]) -> bool:
        """Whether one of several short lines across the shared side of two cells is free."""
        (column, row), (other, _) = pair
        across = other > column
        left, low = self.x + column * self.wide, self.y + row * self.high
        right, top = left + self.wide * (1 + across), low + self.high * (2 - across)
        near = [s for s, (x0, y0, x1, y1) in boxes if x0 <= right and left <= x1 and y0 <= top and low <= y1]
        for share in CROSSINGS:
            if across:
                x, y = left + self.wide, low + share * self.high
                way = bar((x - REACH * self.wide, y), (x + REACH * self.wide, y), 1e-6)
            else:
                x, y = left + share * self.wide, low + self.high
                way = bar((x, y - REACH * self.high), (x, y + REACH * self.high), 1e-6)
            if all(overlap(way, shape) <= 0 for shape in near):
                return True
        return False

    def check_fit(self) -> None:
        """Refuse a size that does not fit the world: starts must be at cell centres, walls between cells.

        A maze whose file specifies the size may have further walls inside its cells.
        """
        places = [start.at for start in self.world.starts if start.name in (START, EXIT)]
        centred = all(abs(u % 1 - 0.5) < 0.2 and abs(v % 1 - 0.5) < 0.2 for u, v in map(self._in_cells, places))
        corners = [point for wall in self.world.walls for point in wall.points]
        between = self.world.maze is not None or all(
            abs(u - round(u)) < 0.2 and abs(v - round(v)) < 0.2 for u, v in map(self._in_cells, corners)
        )
        if not (centred and between):
            what = "its walls are not between cells" if centred else "start and exit are not at the centres of cells"
            raise SpecError(
                f"{self.columns} x {self.rows} cells do not fit: {what}; expected the columns and rows of the maze",
                path="size" if self.world.maze is None else "maze",
                file=self.world.file or self.world.name,
            )

    def _in_cells(self, at: Point) -> Point:
        return (at[0] - self.x) / self.wide, (at[1] - self.y) / self.high
