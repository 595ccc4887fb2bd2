"""The legend of a picture, and marks for the start, the direction and the goal of a path."""

from __future__ import annotations

import math
from typing import NamedTuple

from paddock.core.geometry import Point, Pose
from paddock.report.drawing.canvas import Canvas
from paddock.report.drawing.colours import GOAL, TRAIL_START, WHITE, darken, tint
from paddock.report.drawing.symbols import draw_lamp, draw_sound, draw_start


class LegendEntry(NamedTuple):
    """A symbol and its meaning."""

    symbol: str
    color: str
    text: str


def draw_symbol(canvas: Canvas, entry: LegendEntry, left: Point, z: float) -> None:
    """Draw the symbol of an entry, 18 pixels wide, to the right of a pixel."""
    (x, y), color = left, entry.color
    at = (x + 9 * z, y)
    if entry.symbol == "cone":
        tip = [(x, y), (x + 18 * z, y - 6 * z), (x + 18 * z, y + 6 * z)]
        canvas.stroke([tip[1], tip[0], tip[2], tip[1]], tint(color, 0.8), 1.4 * z)
    elif entry.symbol == "cut":  # a beam that goes on as dots
        canvas.stroke([(x, y), (x + 8 * z, y)], tint(color), 1.4 * z)
        for dot in (11, 14, 17):
            canvas.dot((x + dot * z, y), 0.8 * z, tint(color))
    elif entry.symbol == "field":
        canvas.block((x + 2 * z, y - 6 * z, x + 16 * z, y + 6 * z), tint(color, 0.55), radius=3 * z)
    elif entry.symbol == "lamp":
        draw_lamp(canvas, at, color, 4.5 * z)
    elif entry.symbol == "sound":
        draw_sound(canvas, at, 4 * z)
    elif entry.symbol == "goal":
        draw_goal(canvas, at, 8 * z)
    elif entry.symbol == "trail start":
        draw_trail_start(canvas, at, z)
    elif entry.symbol == "robot":
        canvas.dot(at, 8 * z, tint(darken(color, 0.45)))
        canvas.dot(at, 6.6 * z, tint(color))
        draw_arrow(canvas, at, 0.0, 6 * z, WHITE)
    elif entry.symbol == "direction":
        canvas.stroke([(x, y), (x + 18 * z, y)], tint(color, 0.5), 2.0 * z)
        draw_arrow(canvas, (x + 14 * z, y), 0.0, 7.5 * z, color)
    elif entry.symbol == "estimate":
        for start in (x, x + 7 * z, x + 14 * z):
            canvas.stroke([(start, y), (start + 4 * z, y)], tint(color, 0.75), 1.6 * z)
    else:
        place = canvas.x + (at[0] - canvas.left) / canvas.scale, canvas.y + (canvas.bottom - at[1]) / canvas.scale
        draw_start(canvas, Pose(*place, 0.0), 7 * z)


def draw_trail_start(canvas: Canvas, pixel: Point, z: float) -> None:
    """Mark the start of a path with a ring with a white rim and a white centre, which differs from any robot."""
    for radius, color in ((7.5, WHITE), (6.0, TRAIL_START), (3.0, WHITE)):
        canvas.dot(pixel, radius * z, tint(color))


def draw_goal(canvas: Canvas, pixel: Point, size: float) -> None:
    """Draw a flag centred on the pixel, `size` pixels to each side."""
    x, y = pixel
    pole = x - 0.45 * size
    flag = [(pole, y - size), (pole + 1.4 * size, y - 0.5 * size), (pole, y)]
    canvas.fill(flag, tint(GOAL))
    canvas.stroke([(pole, y - size), (pole, y + size)], tint(darken(GOAL)), 0.22 * size)


def draw_arrow(canvas: Canvas, tip: Point, angle: float, length: float, color: str) -> None:
    """Draw an arrow head. The angle is clockwise from the right, as in pixel coordinates."""
    for size, fill in ((length + 2.4, WHITE), (length, color)):
        corners = [(0.6 * size, 0.0), (-0.6 * size, 0.55 * size), (-0.25 * size, 0.0), (-0.6 * size, -0.55 * size)]
        c, s = math.cos(angle), math.sin(angle)
        pixels = [(tip[0] + c * x - s * y, tip[1] + s * x + c * y) for x, y in corners]
        canvas.fill(pixels, tint(fill))
