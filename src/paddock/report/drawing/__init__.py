"""Draw pictures of worlds, robots and mazes, in layers."""

from paddock.report.drawing.colours import palette
from paddock.report.drawing.draw_world import draw_robot, draw_world, plot_robot, plot_world, save_drawing

__all__ = ["draw_robot", "draw_world", "palette", "plot_robot", "plot_world", "save_drawing"]
