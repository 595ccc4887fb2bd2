"""Draw pictures of worlds, robots and mazes, in layers."""

from paddock.draw.colours import palette
from paddock.draw.world import draw_robot, draw_world

__all__ = ["draw_robot", "draw_world", "palette"]
