"""Convert a maze to a world, with walls, a robot at the start, and the exit as a named start pose."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from paddock.core.errors import SpecError, format_value
from paddock.core.geometry import Point, bounding_radius
from paddock.core.spec import Number, Spec
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds.mazes.maze import Cell, Maze
from paddock.simulation.worlds.mazes.maze_paths import solve_maze
from paddock.simulation.worlds.mazes.walls import Corner, trace_walls
from paddock.simulation.worlds.placement import check_placement, robot_types
from paddock.simulation.worlds.world_spec import Border, Floor, MazeGrid, RobotPlacement, Start, Stroke, Wall, WorldSpec

EXIT_COLOR = "#cfe8d5"
FLOOR_DETAIL = 100.0  # pixels per metre, enough for one coloured square
MAX_FLOOR = 5000.0  # maximum pixels along a side
WIDEST = 1000.0  # maximum width of corridors and walls [m]
START, EXIT = "start", "exit"


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout(Spec):
    """Positions of the cells of a maze in its world; the lower left corner is the origin."""

    corridor: Annotated[float, Number("metres", above=0, minimum=1e-6, limit=WIDEST)] = 0.2  # clear width between walls
    thickness: Annotated[float, Number("metres", low=0, limit=WIDEST)] = 0.01  # thickness of walls

    @property
    def pitch(self) -> float:
        """Distance between the centres of adjacent cells [m]."""
        return self.corridor + self.thickness

    def centre(self, cell: Cell) -> Point:
        """Return the centre of a cell [m]."""
        return tuple(_tidy(index * self.pitch + self.corridor / 2) for index in cell)  # type: ignore[return-value]

    def cell_at(self, x: float, y: float) -> Cell:
        """Return the cell at a position [m]; each half of a wall belongs to the cell on its side."""
        return math.floor((x + self.thickness / 2) / self.pitch), math.floor((y + self.thickness / 2) / self.pitch)

    def size(self, maze: Maze) -> Point:
        """Return width and height of the maze inside its border [m]."""
        return _tidy(maze.columns * self.pitch - self.thickness), _tidy(maze.rows * self.pitch - self.thickness)


def make_maze_world(
    maze: Maze,
    *,
    corridor: float = 0.2,
    thickness: float = 0.01,
    height: float = 0.1,
    robot: str | RobotSpec = "scout",
    name: str = "maze",
    title: str = "",
) -> WorldSpec:
    """Convert a maze to a world with one robot, which faces along the shortest path.

    The world's starts are `start` and `exit`; a coloured square marks the exit on the floor.

    Args:
        corridor: clear width between walls [m].
        thickness: thickness of walls [m].
        height: height of walls and border [m].
        robot: a shipped type, a robot's TOML file, or a spec; it must be able to turn in the corridor.
    """
    layout = Layout(corridor=corridor, thickness=thickness)
    way = solve_maze(maze)
    width, depth = layout.size(maze)
    starts = (_start(START, way[0], way[1], layout), _start(EXIT, way[-1], way[-2], layout))
    world = WorldSpec(
        name=name,
        title=title or f"A maze of {maze.columns} × {maze.rows} cells",
        bounds=(0.0, 0.0, width, depth),
        border=Border(height=height),
        walls=tuple(
            Wall(points=tuple(_place(corner, maze, layout) for corner in line), thickness=thickness, height=height)
            for line in trace_walls(maze)
        ),
        floor=Floor(
            strokes=(_patch(maze.exit, layout),), pixels_per_metre=min(FLOOR_DETAIL, MAX_FLOOR / max(width, depth))
        ),
        starts=starts,
        robots=(RobotPlacement(name="robot", type=robot, start=START),),
        maze=MazeGrid(columns=maze.columns, rows=maze.rows),
    )
    (spec,) = robot_types(world)
    room = 2 * bounding_radius(spec.body.shape)
    if corridor <= room:
        raise SpecError(
            f"expected metres > {room:g}, so that the {spec.name} can turn, got {format_value(corridor)}",
            path="corridor",
        )
    check_placement(world, [spec])
    return world


def _start(name: str, cell: Cell, onward: Cell, layout: Layout) -> Start:
    """Return a start pose at the centre of a cell that faces a neighbour."""
    heading = math.degrees(math.atan2(onward[1] - cell[1], onward[0] - cell[0]))
    return Start(name=name, at=layout.centre(cell), heading_deg=heading)


def _place(corner: Corner, maze: Maze, layout: Layout) -> Point:
    """Return the position of a corner [m]; corners at the border are on the border."""
    return tuple(  # type: ignore[return-value]
        _tidy(min(max(index * layout.pitch - layout.thickness / 2, 0.0), most))
        for index, most in zip(corner, layout.size(maze), strict=True)
    )


def _patch(cell: Cell, layout: Layout) -> Stroke:
    x, y = layout.centre(cell)
    r = 0.4 * layout.corridor
    corners = ((x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r))
    points = tuple((_tidy(a), _tidy(b)) for a, b in corners)
    return Stroke(points=points, closed=True, filled=True, width=0.1 * layout.corridor, color=EXIT_COLOR)


def _tidy(length: float) -> float:
    return round(length, 9)
