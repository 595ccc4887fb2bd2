"""Paths through a maze: distances to the exit, and the shortest path."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.simulation.worlds.mazes.maze import Cell, Maze


def measure_distances(maze: Maze) -> NDArray[np.int64]:
    """Return the steps from every cell to the exit along the corridors, shape (columns, rows); -1 without a path."""
    steps = np.full((maze.columns, maze.rows), -1)
    steps[maze.exit] = 0
    neighbours, queue = maze.adjacency(), deque([maze.exit])
    while queue:
        cell = queue.popleft()
        for other in neighbours[cell]:
            if steps[other] < 0:
                steps[other] = steps[cell] + 1
                queue.append(other)
    return steps


def solve_maze(maze: Maze) -> list[Cell]:
    """Return the cells of a shortest path from the start to the exit, both included."""
    steps, neighbours = measure_distances(maze), maze.adjacency()
    if steps[maze.start] < 0:
        raise PaddockError(f"no path leads from the start {maze.start} to the exit {maze.exit}")
    path = [maze.start]
    while path[-1] != maze.exit:
        path.append(min(neighbours[path[-1]], key=lambda cell: int(steps[cell]) if steps[cell] >= 0 else steps.size))
    return path
