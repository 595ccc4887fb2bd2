"""Trails: the paths of robots, split where they were moved by hand; with arrows, starts, and estimated paths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose
from paddock.report.drawing.canvas import Rect
from paddock.report.drawing.colours import ESTIMATE, TRAIL_START, WHITE, darken, tint
from paddock.report.drawing.layout import Trail, WorldPicture, draw_arrow, draw_trail_start
from paddock.report.drawing.symbols import front
from paddock.simulation.robots.robot_spec import RobotSpec

ARROW_EVERY = 70.0  # pixels between two arrows, at a width of 1000
ARROW_ROOM = 24.0  # pixels of a cell with at most one arrow


def split_trail(points: Iterable[Iterable[float]], least: float = 0.0) -> list[list[Point]]:
    """Split a path at rows with NaN. Steps shorter than `least` [m] are joined.

    Args:
        points: x, y [m] and optional further columns, shape (row, 2 or more).
        least: the shortest step to draw [m].
    """
    rows: NDArray[np.float64]
    rows = points if isinstance(points, np.ndarray) else np.array([tuple(row) for row in points], float)
    if not len(rows):
        return []
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise PaddockError(f"expected points of a path with x and y [m], got an array of shape {rows.shape}")
    known: NDArray[np.bool_] = np.isfinite(rows[:, 0] + rows[:, 1])
    first = np.flatnonzero(known & ~np.append(False, known[:-1]))
    last = np.flatnonzero(known & ~np.append(known[1:], False))
    return [list(join_short_steps(rows[a : b + 1, :2].tolist(), least)) for a, b in zip(first, last, strict=True)]


def join_short_steps(points: Iterable[Sequence[float]], least: float) -> Iterator[Point]:
    """Iterate over the first point, points at least this far [m] from the previous one, and the last point."""
    kept: Point | None = None
    x = y = 0.0
    for x, y in points:
        if kept is None or math.hypot(x - kept[0], y - kept[1]) >= least:
            kept = (x, y)
            yield kept
    if kept is not None and kept != (x, y):
        yield (x, y)


def trail_layer(picture: WorldPicture) -> None:
    """Draw the paths of robots in their colours."""
    for robot, color in zip(picture.spec.robots, picture.colors, strict=True):
        for piece in picture.trails.get(robot.name, ()):
            if len(piece) > 1:
                picture.canvas.line(piece, tint(WHITE, 0.7), 4.8 * picture.zoom)  # for contrast on dark floors
                picture.canvas.line(piece, tint(color, 0.9), 3.0 * picture.zoom)


def estimate_layer(picture: WorldPicture) -> None:
    """Draw the estimated paths of robots as dashed lines."""
    z, layout = picture.zoom, picture.layout
    for estimate in picture.estimates.values():
        for piece in estimate:
            for part in clip_path([picture.canvas.at(point) for point in piece], layout.plot):
                for dash in cut_dashes(part, 6 * z, 4 * z):
                    picture.canvas.stroke(dash, tint(ESTIMATE, 0.75), 1.3 * z)


def direction_layer(picture: WorldPicture) -> None:
    """Draw arrows along the trails, at most one per cell where a path is driven repeatedly."""
    if not picture.directions:
        return
    z = picture.zoom
    taken: set[tuple[int, int]] = set()
    for robot, color in zip(picture.spec.robots, picture.colors, strict=True):
        for piece in picture.trails.get(robot.name, ()):
            for part in clip_path([picture.canvas.at(point) for point in piece], picture.layout.plot):
                for tip, angle in place_arrows(part, ARROW_EVERY * z):
                    cell = (round(tip[0] / (ARROW_ROOM * z)), round(tip[1] / (ARROW_ROOM * z)))
                    if cell not in taken:
                        taken.add(cell)
                        draw_arrow(picture.canvas, tip, angle, 7.5 * z, darken(color, 0.35))


def trail_start_layer(picture: WorldPicture) -> None:
    """Mark the start of each path with a small ring, or with a ring larger than the robot that covers it."""
    canvas, z = picture.canvas, picture.zoom
    for trail in picture.trails.values():
        if not has_length(trail):
            continue
        robot = _robot_on(trail[0][0], picture.types, picture.poses)
        if robot is None:
            draw_trail_start(canvas, canvas.at(trail[0][0]), z)
        else:
            pose, reach = robot
            around = (reach + math.dist(trail[0][0], pose[:2])) * canvas.scale + 6 * z
            canvas.ring(canvas.at(trail[0][0]), around, tint(TRAIL_START), 3.0 * z)
            canvas.reserve(canvas.at(trail[0][0]), around)


def has_length(trail: Trail) -> bool:
    """Whether a trail has more than one point."""
    return any(len(piece) > 1 for piece in trail)


def _robot_on(at: Point, types: Sequence[RobotSpec], poses: Sequence[Pose]) -> tuple[Pose, float] | None:
    """Return the pose of a robot that covers a point, and its extent [m], or None."""
    for robot, pose in zip(types, poses, strict=True):
        reach = front(robot.body.shape)
        if math.dist(pose[:2], at) < reach:
            return pose, reach
    return None


def clip_path(pixels: Sequence[Point], within: Rect) -> Iterator[list[Point]]:
    """Iterate over the pieces of a path inside a rectangle. A path that leaves it may be very long."""
    piece: list[Point] = []
    for a, b in pairwise(pixels):
        first, last = 0.0, 1.0  # part of the step that is inside
        for k in range(2):
            low, high, step = within[k] - a[k], within[k + 2] - a[k], b[k] - a[k]
            if step:
                first, last = max(first, min(low / step, high / step)), min(last, max(low / step, high / step))
            elif not low <= 0.0 <= high:
                last = -1.0
        if first <= last:
            start, end = ((a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])) for share in (first, last))
            piece += [b if last == 1.0 else end] if piece else [a if first == 0.0 else start, b if last == 1.0 else end]
        if last < 1.0 and piece:
            yield piece
            piece = []
    if piece:
        yield piece


def place_arrows(pixels: Sequence[Point], every: float) -> Iterator[tuple[Point, float]]:
    """Iterate over equidistant points of a path, with the direction of travel."""
    due, gone = every / 2, 0.0
    for a, b in pairwise(pixels):
        step = math.dist(a, b)
        while gone + step >= due:
            share = (due - gone) / step
            yield (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])), math.atan2(b[1] - a[1], b[0] - a[0])
            due += every
        gone += step


def cut_dashes(pixels: Iterable[Point], dash: float, gap: float) -> Iterator[list[Point]]:
    """Iterate over the dashes of a dashed line along a path."""
    piece: list[Point] = []
    along, draws, last = 0.0, True, None
    for point in pixels:
        while last is not None and along + math.dist(last, point) >= (dash if draws else gap):
            share = ((dash if draws else gap) - along) / math.dist(last, point)
            last = (last[0] + share * (point[0] - last[0]), last[1] + share * (point[1] - last[1]))
            if draws:
                yield [*piece, last]
            draws, along, piece = not draws, 0.0, [last]
        along += math.dist(last, point) if last is not None else 0.0
        last = point
        if draws:
            piece.append(point)
        else:
            piece = [point]
    if draws and len(piece) > 1:
        yield piece
