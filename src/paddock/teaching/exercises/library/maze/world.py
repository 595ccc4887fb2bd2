"""A different maze for every seed."""

from paddock.simulation.worlds.mazes import make_maze, make_maze_world


def make_world(seed):
    """Return a maze of 5 × 5 cells with corridors of 20 cm; the exit is the upper right cell."""
    return make_maze_world(make_maze(5, 5, seed=seed), name="exercise-maze")
