"""Draw a maze with its shortest path on the floor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paddock.report.drawing.colours import SOLUTION
from paddock.report.drawing.draw_world import draw_world
from paddock.simulation.worlds.mazes.maze import Maze
from paddock.simulation.worlds.mazes.maze_paths import solve_maze
from paddock.simulation.worlds.mazes.world import MAX_FLOOR, Layout
from paddock.simulation.worlds.world_spec import Stroke, WorldSpec

if TYPE_CHECKING:
    from PIL.Image import Image

WAY_DETAIL = 400.0  # pixels per metre of the floor texture


def draw_solution(maze: Maze, world: WorldSpec, layout: Layout, *, size: int = 1000) -> Image:
    """Draw the world of a maze, `size` pixels wide, with the path from the start to the exit."""
    way = Stroke(
        points=tuple(layout.centre(cell) for cell in solve_maze(maze)), width=0.08 * layout.corridor, color=SOLUTION
    )
    detail = min(WAY_DETAIL, MAX_FLOOR / max(layout.size(maze)))
    floor = replace(world.floor, strokes=(*world.floor.strokes, way), pixels_per_metre=detail)
    return draw_world(replace(world, floor=floor), rays=False, size=size)
