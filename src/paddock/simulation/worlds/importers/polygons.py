"""Polygons of a floor plan: transform them, and convert them to obstacles."""

from __future__ import annotations

import math
from collections.abc import Sequence

from paddock.core.geometry import Point
from paddock.simulation.worlds.world_spec import Box, Stroke, Wall

HAIR = 0.001  # [m] width of the line around a painted area, which must be positive


def regular(sides: int, radius: float) -> list[Point]:
    """Return the corners of a regular polygon around the origin, the first on the x axis."""
    turns = (math.tau * i / sides for i in range(sides))
    return [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]


def move_corners(corners: Sequence[Point], turn: float, offset: Point) -> list[Point]:
    """Rotate corners around the origin [rad], then translate them; remove repeated corners."""
    c, s = math.cos(turn), math.sin(turn)
    there = [(round(c * x - s * y + offset[0], 9), round(s * x + c * y + offset[1], 9)) for x, y in corners]
    return [corner for i, corner in enumerate(there) if corner != there[i - 1]]


def paint_area(corners: Sequence[Point], color: str) -> Stroke:
    """Return a filled area of the floor in a colour."""
    return Stroke(points=tuple(corners), closed=True, filled=True, width=HAIR, color=color)


def make_box(corners: Sequence[Point], height: float, color: str) -> Box | None:
    """Convert a polygon to a box if its corners form a rectangle, else return None."""
    if len(corners) != 4:
        return None
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners
    long, wide = math.hypot(bx - ax, by - ay), math.hypot(cx - bx, cy - by)
    slack = 1e-6 * (long + wide)
    straight = abs((bx - ax) * (cx - bx) + (by - ay) * (cy - by)) <= slack * max(long, wide)
    if math.hypot(ax + cx - bx - dx, ay + cy - by - dy) > slack or not straight:
        return None
    turn = math.degrees(math.atan2(by - ay, bx - ax))
    middle = (round((ax + cx) / 2, 9), round((ay + cy) / 2, 9))
    return Box(at=middle, size=(round(long, 9), round(wide, 9)), heading_deg=round(turn, 9), height=height, color=color)


def outline(corners: Sequence[Point], height: float, color: str) -> Wall:
    """Convert any other polygon to a closed wall without thickness along its sides."""
    return Wall(points=tuple(corners), closed=True, thickness=0.0, height=height, color=color)
