"""Figures for the checks."""

from paddock.simulation.worlds.mazes import Layout, measure_distances, read_maze


def path_fraction(trace, world):
    """Fraction of the path from the start to the exit, 0 … 1, at the robot's nearest cell to the exit."""
    maze, layout = read_maze(world), Layout()
    to_exit = measure_distances(maze)
    cells = {layout.cell_at(x, y) for x, y in trace.pose[:, :2].tolist()}
    return 1.0 - min(to_exit[cell] for cell in cells) / to_exit[maze.start]
