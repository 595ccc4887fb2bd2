"""Ways through a maze: how far it is to the exit, and the shortest way there."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.worlds.mazes.maze import Cell, Maze


def measure_distances(maze: Maze) -> NDArray[np.int64]:
    """Steps from every cell to the exit along the corridors, shape (columns, rows); -1 where there is no way."""
    steps = np.full((maze.columns, maze.rows), -1)
    steps[maze.exit] = 0
    ways, queue = maze.ways(), deque([maze.exit])
    while queue:
        cell = queue.popleft()
        for other in ways[cell]:
            if steps[other] < 0:
                steps[other] = steps[cell] + 1
                queue.append(other)
    return steps


def solve_maze(maze: Maze) -> list[Cell]:
    """The cells of a shortest way from the start to the exit, both included."""
    steps, ways = measure_distances(maze), maze.ways()
    if steps[maze.start] < 0:
        raise PaddockError(f"no way leads from the start {maze.start} to the exit {maze.exit}")
    way = [maze.start]
    while way[-1] != maze.exit:
        way.append(min(ways[way[-1]], key=lambda cell: int(steps[cell]) if steps[cell] >= 0 else steps.size))
    return way
