"""Mazes: generated at random from a seed, always solvable, and convertible to worlds."""

from __future__ import annotations

from paddock.simulation.worlds.mazes.make import KINDS, make_maze
from paddock.simulation.worlds.mazes.maze import Cell, Maze
from paddock.simulation.worlds.mazes.maze_paths import measure_distances, solve_maze
from paddock.simulation.worlds.mazes.read import read_maze
from paddock.simulation.worlds.mazes.world import Layout, make_maze_world

__all__ = [
    "KINDS",
    "Cell",
    "Layout",
    "Maze",
    "make_maze",
    "make_maze_world",
    "measure_distances",
    "read_maze",
    "solve_maze",
]
