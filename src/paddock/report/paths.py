"""Paths over the map: where robots drove and in which direction, where they began, ended and thought they were."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from PIL import Image, ImageChops

from paddock.core.geometry import Point, Pose
from paddock.draw.canvas import FINER, Canvas, Rect, darker, tint
from paddock.draw.legend import BELIEF, BELIEVED, DIRECTION, draw_arrow, draw_beginning
from paddock.draw.world import Plan, draw_world, standing_on
from paddock.episodes import Trace
from paddock.episodes.trace import Floats
from paddock.report.axes import shortened
from paddock.worlds.placement import robot_types, start_pose
from paddock.worlds.spec import WorldSpec

ARROW_EVERY = 70.0  # pixels of a path, at a width of 1000
ARROW_ROOM = 24.0  # pixels of a cell that holds one arrow at most


def draw_paths(
    traces: Sequence[Trace], world: WorldSpec, *, title: str = "", about: str = "", size: int = 1000
) -> Image.Image:
    """The world with the path of every trace, `size` pixels wide; robots stand where they ended."""
    z = size / 1000
    plan = Plan(world, size, [])
    metres = 0.4 * z / plan.canvas.scale  # finer steps cannot be seen
    poses = {trace.robot: known(trace.pose) for trace in traces}
    trails = {name: list(sparse(track, metres)) for name, track in poses.items()}
    ends = {name: Pose(*track[-1].tolist()) for name, track in poses.items() if len(track)}
    standing = [ends.get(robot.name) or start_pose(world, robot) for robot in world.robots]
    beliefs = [[plan.canvas.at(p) for p in sparse(known(trace.estimated_pose), 2 * metres)] for trace in traces]
    picture = draw_world(
        replace(world, title=shortened(title, 26 * z, 900 * z) or world.title),
        poses=standing,
        trails=trails,
        rays=False,
        about=about,
        key=[DIRECTION, BELIEVED] if any(len(belief) > 1 for belief in beliefs) else [DIRECTION],
        size=size,
    )
    canvas = _over(picture, plan.canvas)
    kinds = dict(
        zip([robot.name for robot in world.robots], zip(world.robots, robot_types(world), strict=True), strict=True)
    )
    for belief in beliefs:
        for piece in dashed(belief, 6 * z, 4 * z):
            if all(_inside(p, plan.plot) for p in piece):
                canvas.stroke(piece, tint(BELIEF, 0.75), 1.3 * z)
    taken: set[tuple[int, int]] = set()  # places of arrows, which would pile up where a path is driven again and again
    for name, trail in trails.items():
        placed, kind = kinds[name]
        color = darker(placed.color or kind.body.color, 0.35)
        pixels = [canvas.at(p) for p in trail]
        for tip, angle in arrows(pixels, ARROW_EVERY * z):
            place = (round(tip[0] / (ARROW_ROOM * z)), round(tip[1] / (ARROW_ROOM * z)))
            if _inside(tip, plan.plot) and place not in taken:
                taken.add(place)
                draw_arrow(canvas, tip, angle, 7.5 * z, color)
        if pixels and standing_on(trail[0], robot_types(world), standing) is None:
            draw_beginning(canvas, pixels[0], z)
    canvas.image.paste(_enlarged(picture), (0, 0), _enlarged(_bodies(world, standing, plan.plot, size)))
    return canvas.finished()


def _over(picture: Image.Image, place: Canvas) -> Canvas:
    """A canvas with the picture on it, in metres as the other one."""
    canvas = Canvas(picture.width, picture.height)
    canvas.image.paste(_enlarged(picture), (0, 0))
    canvas.view(place.x, place.y, place.left, place.bottom, place.scale)
    return canvas


def _enlarged(picture: Image.Image) -> Image.Image:
    return picture.resize((picture.width * FINER, picture.height * FINER), Image.Resampling.NEAREST)


def _bodies(world: WorldSpec, poses: Sequence[Pose], plot: Rect, size: int) -> Image.Image:
    """A mask of the robots and their names, which stay on top: where a picture with them differs from one without."""
    full = draw_world(world, poses=poses, rays=False, size=size)
    bare = draw_world(world.with_robots(), rays=False, size=size)
    left, top, right, bottom = (round(part) for part in plot)
    inner = (left, top, right, bottom)
    mask = Image.new("L", full.size, 0)
    differs = ImageChops.difference(full.crop(inner), bare.crop(inner)).convert("L")
    mask.paste(differs.point(lambda value: 255 if value > 3 else 0), (left, top))
    return mask


def known(poses: Floats) -> Floats:
    """Those poses that are known."""
    found: Floats = poses[np.isfinite(poses).all(axis=1)]
    return found


def sparse(poses: Floats, least: float) -> Iterator[Point]:
    """The first position, those at least this far [m] from the one before, and the last."""
    last: Point | None = None
    x = y = 0.0
    for x, y in poses[:, :2].tolist():
        if last is None or math.hypot(x - last[0], y - last[1]) >= least:
            last = (x, y)
            yield last
    if last is not None and last != (x, y):
        yield (x, y)


def arrows(pixels: Sequence[Point], every: float) -> Iterator[tuple[Point, float]]:
    """Places along a path, equally far apart, and the direction of travel there."""
    due, gone = every / 2, 0.0
    for a, b in pairwise(pixels):
        step = math.dist(a, b)
        while gone + step >= due:
            share = (due - gone) / step
            yield (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])), math.atan2(b[1] - a[1], b[0] - a[0])
            due += every
        gone += step


def dashed(pixels: Iterable[Point], dash: float, gap: float) -> Iterator[list[Point]]:
    """The pieces of a dashed line along a path."""
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


def _inside(pixel: Point, rect: Rect) -> bool:
    return rect[0] <= pixel[0] <= rect[2] and rect[1] <= pixel[1] <= rect[3]
