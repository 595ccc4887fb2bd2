"""Mazes: made at random from a seed, always solvable, and built as worlds."""

from __future__ import annotations

from paddock.worlds.mazes.make import KINDS, make_maze
from paddock.worlds.mazes.maze import Cell, Maze
from paddock.worlds.mazes.read import read_maze
from paddock.worlds.mazes.ways import distance_map, solution
from paddock.worlds.mazes.world import Layout, maze_world

__all__ = ["KINDS", "Cell", "Layout", "Maze", "distance_map", "make_maze", "maze_world", "read_maze", "solution"]
