"""The layers of a picture of a world, from the floor up. Each layer draws one kind of object on the canvas."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Disc, Point, Pose, Shape, place_shape
from paddock.core.spec import rgb
from paddock.report.drawing.canvas import FINER, Canvas, Rect, round_length
from paddock.report.drawing.colours import (
    ESTIMATE,
    FAINT,
    INK,
    START_POSE,
    TRAIL_START,
    WHITE,
    darken,
    field_colors,
    tint,
)
from paddock.report.drawing.draw_robot import LineOfSight, draw_beams
from paddock.report.drawing.layout import Trail, WorldPicture, draw_arrow, draw_goal, draw_symbol, draw_trail_start
from paddock.report.drawing.symbols import draw_lamp, draw_robot_body, draw_sound, draw_start, front
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.worlds.field_picture import field_tint
from paddock.simulation.worlds.floor import draw_floor
from paddock.simulation.worlds.world_spec import GOALS, WorldSpec

LONGEST_BEAM = 1.5  # maximum length of drawn beams [m]
LARGEST_SHARE = 0.3  # maximum length of drawn beams as a fraction of the world
ARROW_EVERY = 70.0  # pixels between two arrows, at a width of 1000
ARROW_ROOM = 24.0  # pixels of a cell with at most one arrow


def floor_layer(picture: WorldPicture) -> None:
    """Draw the floor, and the fields on it."""
    from PIL import Image

    plot = picture.layout.plot
    left, top, right, bottom = (round(part * FINER) for part in plot)
    texture, _ = draw_floor(picture.spec)
    size = max(1, right - left), max(1, bottom - top)
    floor = Image.fromarray(texture).resize(size, Image.Resampling.BILINEAR)
    for i, color in enumerate(field_colors(picture.spec.fields)):
        strength = field_tint(picture.spec, i, max(1, round(plot[2] - plot[0])), max(1, round(plot[3] - plot[1])))
        mask = Image.fromarray(strength).resize(floor.size, Image.Resampling.BICUBIC)
        floor.paste(rgb(color), (0, 0), mask)
    picture.canvas.paste(floor, plot)


def grid_layer(picture: WorldPicture) -> None:
    """Draw faint lines at the ticks of the axes."""
    x0, y0, x1, y1 = picture.spec.bounds
    for x, _ in picture.layout.ticks(x0, x1):
        picture.canvas.line([(x, y0), (x, y1)], tint(INK, 0.07), 1.0)
    for y, _ in picture.layout.ticks(y0, y1):
        picture.canvas.line([(x0, y), (x1, y)], tint(INK, 0.07), 1.0)


def rays_layer(picture: WorldPicture) -> None:
    """Draw the beams of the sensors."""
    if not picture.rays:
        return
    most = longest_beam(picture.spec)
    sight = LineOfSight(picture.pieces, picture.spec.bounds)
    for robot, pose in zip(picture.types, picture.poses, strict=True):
        for sensor in robot.sensors:
            draw_beams(picture.canvas, sensor, pose, most, sight)


def longest_beam(spec: WorldSpec) -> float:
    """Return the maximum length of drawn beams [m]."""
    x0, y0, x1, y1 = spec.bounds
    return min(LONGEST_BEAM, LARGEST_SHARE * max(x1 - x0, y1 - y0))


def shadow_layer(picture: WorldPicture) -> None:
    """Draw soft shadows of walls, obstacles and robots."""
    bodies: list[Shape] = [
        place_shape(t.body.shape, *pose) for t, pose in zip(picture.types, picture.poses, strict=True)
    ]
    shapes = [piece.shape for piece in picture.pieces] + bodies
    picture.canvas.shadows(shapes, picture.layout.plot, 3.0 * picture.zoom)


def wall_layer(picture: WorldPicture) -> None:
    """Draw walls and obstacles. All outlines are drawn first, so that the pieces of a wall appear joined."""
    for piece in picture.pieces:
        _draw_thick(picture.canvas, piece.shape, darken(piece.color), 1.2 * picture.zoom)
    for piece in picture.pieces:
        _draw_thick(picture.canvas, piece.shape, piece.color, 0.0)


def _draw_thick(canvas: Canvas, shape: Shape, color: str, around: float) -> None:
    """Draw a filled shape, `around` pixels larger, and at least one pixel wide."""
    if isinstance(shape, Disc):
        canvas.disc((shape.x, shape.y), shape.radius + around / canvas.scale, tint(color))
        return
    canvas.polygon(shape, tint(color))
    canvas.line([*shape, shape[0], shape[1]], tint(color), 2 * around + 1.0)


def border_layer(picture: WorldPicture) -> None:
    """Draw the border of the world, or a thin line around an open one."""
    (left, top, right, bottom), wall = picture.layout.plot, picture.layout.wall
    if picture.spec.open:
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        picture.canvas.stroke(corners, tint(FAINT), 1.0)
        return
    for rect in (
        (left - wall, top - wall, right + wall, top),
        (left - wall, bottom, right + wall, bottom + wall),
        (left - wall, top, left, bottom),
        (right, top, right + wall, bottom),
    ):
        picture.canvas.block(rect, tint(picture.spec.border.color))


def axes_layer(picture: WorldPicture) -> None:
    """Draw ticks and their labels [m]."""
    canvas, layout, z = picture.canvas, picture.layout, picture.zoom
    x0, y0, x1, y1 = picture.spec.bounds
    left, below = layout.plot[0] - layout.wall, layout.plot[3] + layout.wall
    for x, text in layout.ticks(x0, x1):
        px = canvas.at((x, y0))[0]
        canvas.stroke([(px, below), (px, below + 5 * z)], tint(FAINT), 1.0)
        canvas.text((px, below + 15 * z), text, 14 * z, color=FAINT, anchor="middle")
    for y, text in layout.ticks(y0, y1):
        py = canvas.at((x0, y))[1]
        canvas.stroke([(left - 5 * z, py), (left, py)], tint(FAINT), 1.0)
        canvas.text((left - 9 * z, py), text, 14 * z, color=FAINT, anchor="right")


def title_layer(picture: WorldPicture) -> None:
    """Draw the title, and a line with the world's name, its size, and the description of the picture."""
    spec, z, canvas = picture.spec, picture.zoom, picture.canvas
    x0, y0, x1, y1 = spec.bounds
    left = min(picture.layout.plot[0], 62 * z)
    room = canvas.width - left - 30 * z
    title = spec.title or spec.name
    canvas.text((left, 28 * z), title, canvas.fitting(title, 26 * z, room))
    count = len(spec.robots)
    robots = "no robots" if count == 0 else "1 robot" if count == 1 else f"{count} robots"
    about = f"{spec.name} · {_metres(x1 - x0)} × {_metres(y1 - y0)} m · {picture.about or robots}"
    canvas.text((left, 55 * z), about, canvas.fitting(about, 15 * z, room), color=FAINT)


def _metres(length: float) -> str:
    """Format a length with three significant digits."""
    return f"{length:.3g}" if length < 100 else f"{length:.0f}"


def legend_layer(picture: WorldPicture) -> None:
    """Draw the legend of the symbols, and a scale bar."""
    z, canvas, below = picture.zoom, picture.canvas, picture.layout.below
    for i, row in enumerate(picture.layout.legend):
        x, y = 62 * z, below + (i * 24 + 10) * z
        for entry in row:
            draw_symbol(canvas, entry, (x, y), z)
            canvas.text((x + 24 * z, y), entry.text, 14 * z)
            x += 24 * z + canvas.measure(entry.text, 14 * z)[0] + 20 * z
    length = round_length(130 * z / canvas.scale)
    text = f"{length:g} m" if length >= 0.1 else f"{length * 100:g} cm"
    canvas.scale_bar((canvas.width - 30 * z, below + 10 * z), length, text, z)


def source_layer(picture: WorldPicture) -> None:
    """Draw lamps and sounds."""
    canvas, z = picture.canvas, picture.zoom
    for lamp in picture.spec.lights:
        draw_lamp(canvas, canvas.at(lamp.at), lamp.color, 7 * z)
    for sound in picture.spec.sounds:
        draw_sound(canvas, canvas.at(sound.at), 7 * z)


def start_layer(picture: WorldPicture) -> None:
    """Draw start poses and their names, around robots that cover them, and goals as flags."""
    canvas, z = picture.canvas, picture.zoom
    bodies = [(pose, front(robot.body.shape)) for robot, pose in zip(picture.types, picture.poses, strict=True)]
    for pose, reach in bodies:
        canvas.reserve(canvas.at((pose.x, pose.y)), reach * canvas.scale)
    for start in picture.spec.starts:
        radius = 11 * z
        for pose, reach in bodies:
            if math.dist(pose[:2], start.at) * canvas.scale < radius:
                radius = max(radius, 1.35 * reach * canvas.scale)
        if start.name in GOALS:
            draw_goal(canvas, canvas.at(start.at), 11 * z)
        else:
            draw_start(canvas, Pose(*start.at, math.radians(start.heading_deg)), radius)
        canvas.label(canvas.at(start.at), radius + 3 * z, start.name, 14 * z, picture.layout.plot, color=START_POSE)


def robot_layer(picture: WorldPicture) -> None:
    """Draw the robots."""
    for robot, pose, color in zip(picture.types, picture.poses, picture.colors, strict=True):
        draw_robot_body(picture.canvas, robot, pose, color)


def name_layer(picture: WorldPicture) -> None:
    """Draw the names of robots next to them."""
    if not picture.names:
        return
    canvas, z = picture.canvas, picture.zoom
    for placed_robot, robot, pose in zip(picture.spec.robots, picture.types, picture.poses, strict=True):
        away = front(robot.body.shape) * canvas.scale + 3 * z
        canvas.label(canvas.at((pose.x, pose.y)), away, placed_robot.name, 15 * z, picture.layout.plot)


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
