"""Draw pictures of worlds, robots and mazes, in layers."""

from paddock.report.drawing.colours import palette
from paddock.report.drawing.draw_world import draw_robot, draw_world

__all__ = ["draw_robot", "draw_world", "palette"]
