"""Symbols of pictures: robots with what their sensors see, lamps, sounds and start poses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import Disc, Point, Pose, Shape, placed
from paddock.draw.canvas import Canvas, blend, darker, tint
from paddock.robots.spec import RobotSpec
from paddock.sensors.appearance import PLAIN
from paddock.sensors.base import RangeSensorSpec, SensorSpec
from paddock.sensors.bumper import BumperSpec
from paddock.sensors.laser import LaserSpec
from paddock.sensors.proximity import ProximitySpec
from paddock.worlds.solids import Solid

FAN_STEP = math.radians(2)


class Beam(NamedTuple):
    """Where one eye of a sensor looks, in the robot's frame [m, rad]."""

    x: float
    y: float
    z: float
    heading: float
    half: float  # half of its opening
    reach: float


def beams(sensor: SensorSpec) -> Iterator[Beam]:
    """The beams of a sensor that looks at distances; others have none."""
    if not isinstance(sensor, RangeSensorSpec):
        return
    for x, y, z, heading in sensor.mounts:
        yield Beam(x, y, z, math.radians(heading), sensor.opening / 2, sensor.range)


class Sight:
    """How far one sees in a world before something solid is in the way."""

    def __init__(self, solids: Iterable[Solid], bounds: tuple[float, float, float, float] | None = None) -> None:
        pieces = list(solids)
        edges = [(*a, *b, piece.height) for piece in pieces for a, b in piece.edges]
        if bounds is not None:
            x0, y0, x1, y1 = bounds
            edge = math.inf
            edges += [(x0, y0, x1, y0, edge), (x1, y0, x1, y1, edge), (x1, y1, x0, y1, edge), (x0, y1, x0, y0, edge)]
        discs = [(*piece.shape, piece.height) for piece in pieces if isinstance(piece.shape, Disc)]
        self.edges = np.array(edges, float).reshape(-1, 5)
        self.discs = np.array(discs, float).reshape(-1, 4)

    def distance(self, at: Point, angle: float, z: float, most: float) -> float:
        """Distance [m] to the nearest thing taller than z, at most `most`."""
        dx, dy = math.cos(angle), math.sin(angle)
        walls = self.edges[self.edges[:, 4] > z]
        ax, ay = walls[:, 0] - at[0], walls[:, 1] - at[1]
        ex, ey = walls[:, 2] - walls[:, 0], walls[:, 3] - walls[:, 1]
        cross = dx * ey - dy * ex
        with np.errstate(divide="ignore", invalid="ignore"):
            along, share = (ax * ey - ay * ex) / cross, (ax * dy - ay * dx) / cross
        hit = (along >= 0) & (share >= 0) & (share <= 1)
        nearest = float(along[hit].min(initial=most))
        cans = self.discs[self.discs[:, 3] > z]
        cx, cy = cans[:, 0] - at[0], cans[:, 1] - at[1]
        middle = cx * dx + cy * dy
        inside = cans[:, 2] ** 2 - (cx * cx + cy * cy - middle * middle)
        entry = middle - np.sqrt(np.maximum(inside, 0.0))
        return float(entry[(inside > 0) & (entry >= 0)].min(initial=nearest))


def draw_beams(canvas: Canvas, sensor: SensorSpec, pose: Pose, most: float, sight: Sight | None = None) -> None:
    """Faint beams, no longer than `most` [m]; with a sight they end at walls."""
    color = sensor.look.color
    for beam in beams(sensor):
        c, s = math.cos(pose.heading), math.sin(pose.heading)
        eye = pose.x + c * beam.x - s * beam.y, pose.y + s * beam.x + c * beam.y
        middle, reach = pose.heading + beam.heading, min(beam.reach, most)
        count = max(2, 2 * math.ceil(beam.half / FAN_STEP))
        rim: list[Point] = []
        for i in range(count + 1):
            angle = middle + beam.half * (2 * i / count - 1)
            far = reach if sight is None else sight.distance(eye, angle, beam.z, reach)
            rim.append((eye[0] + far * math.cos(angle), eye[1] + far * math.sin(angle)))
        if beam.half > 0:
            canvas.polygon([eye, *rim], tint(color, 0.09))
            if beam.half < math.pi:
                canvas.line([rim[0], eye, rim[-1]], tint(color, 0.30), 1.0)
        if isinstance(sensor, ProximitySpec):
            canvas.line([eye, rim[count // 2]], tint(color, 0.65), 1.3)
        if isinstance(sensor, LaserSpec):
            for point in rim[:: max(1, count // 18)]:
                canvas.line([eye, point], tint(color, 0.20), 0.8)


def draw_robot_body(canvas: Canvas, spec: RobotSpec, pose: Pose, color: str) -> None:
    """The outline, the wheels, and a mark that points ahead."""
    shape = placed(spec.body.shape, *pose)
    width = min(2.0, max(1.0, 0.02 * front(spec.body.shape) * canvas.scale))
    canvas.shape(shape, color, darker(color, 0.45), width)
    if spec.drive.wheel_separation * canvas.scale > 14:
        draw_wheels(canvas, spec, pose)
    tip = front(spec.body.shape)
    mark = ((0.78 * tip, 0.0), (0.22 * tip, 0.30 * tip), (0.34 * tip, 0.0), (0.22 * tip, -0.30 * tip))
    arrow = [_turned(p, pose) for p in mark]
    canvas.polygon(arrow, tint("#ffffff", 0.95))


def draw_wheels(canvas: Canvas, spec: RobotSpec, pose: Pose) -> None:
    """Two wheels and their wheel_separation; the tread is drawn a fifth of the diameter wide."""
    half, radius = spec.drive.wheel_separation / 2, spec.drive.wheel_diameter / 2
    canvas.line([_turned((0, -half), pose), _turned((0, half), pose)], tint("#20242c", 0.45), 1.2)
    for side in (-half, half):
        corners = [(-radius, side - 0.2 * radius), (radius, side - 0.2 * radius)]
        corners += [(radius, side + 0.2 * radius), (-radius, side + 0.2 * radius)]
        canvas.polygon([_turned(p, pose) for p in corners], tint("#20242c", 0.85))


def draw_mounts(canvas: Canvas, sensor: SensorSpec, shape: Shape) -> None:
    """Where a sensor sits on a robot at the origin; bumpers as a part of the outline."""
    color = sensor.look.color
    if color == PLAIN:
        return
    if isinstance(sensor, BumperSpec):
        half = math.radians(sensor.width_deg) / 2
        for _, _, _, heading in sensor.mounts:
            middle = math.radians(heading)
            angles = [middle + half * (0.96 * i / 12 - 0.48) * 2 for i in range(13)]
            canvas.line([boundary(shape, a) for a in angles], tint(color), 4.5)
        return
    if sensor.kind == "ground":
        for x, y, _, _ in sensor.mounts:
            at = canvas.at((x, y))
            canvas.dot(at, 5.0, tint("#ffffff"))
            canvas.dot(at, 3.4, tint(color))
        return
    inner = {"light": 2.0}.get(sensor.kind, 4.0)
    for x, y, _, _ in sensor.mounts:
        if inner > 3:
            canvas.dot(canvas.at((x, y)), 5.2, tint("#ffffff"))
        canvas.dot(canvas.at((x, y)), inner, tint(color))


def front(shape: Shape) -> float:
    """How far the body reaches ahead of its centre [m]."""
    return boundary(shape, 0.0)[0]


def boundary(shape: Shape, angle: float) -> Point:
    """The point of a body's outline in a direction from the origin of its frame."""
    dx, dy = math.cos(angle), math.sin(angle)
    if isinstance(shape, Disc):
        return shape.x + shape.radius * dx, shape.y + shape.radius * dy
    for (x0, y0), (x1, y1) in zip(shape, (*shape[1:], shape[0]), strict=True):
        ex, ey = x1 - x0, y1 - y0
        cross = dx * ey - dy * ex
        if abs(cross) > 1e-12:
            along, share = (x0 * ey - y0 * ex) / cross, (x0 * dy - y0 * dx) / cross
            if along >= 0 and -1e-9 <= share <= 1 + 1e-9:
                return along * dx, along * dy
    return 0.0, 0.0


def draw_lamp(canvas: Canvas, pixel: Point, color: str, size: float) -> None:
    """A small sun."""
    edge = blend(color, "#b07800", 0.6)
    for i in range(8):
        a = math.pi * i / 4
        inner, outer = 1.25 * size, 1.85 * size
        ends = [(pixel[0] + r * math.cos(a), pixel[1] + r * math.sin(a)) for r in (inner, outer)]
        canvas.stroke(ends, tint(edge), 0.22 * size)
    canvas.dot(pixel, size, tint(edge))
    canvas.dot(pixel, 0.78 * size, tint(color))


def draw_sound(canvas: Canvas, pixel: Point, size: float) -> None:
    """Waves around a point."""
    canvas.dot(pixel, 0.4 * size, tint("#5b5f97"))
    for r, alpha in ((0.95, 0.7), (1.45, 0.45), (1.95, 0.25)):
        canvas.ring(pixel, r * size, tint("#5b5f97", alpha), 0.2 * size)


def draw_start(canvas: Canvas, pose: Pose, radius: float, color: str = "#4a5568") -> None:
    """A dashed circle [pixels] with an arrow."""
    x, y = canvas.at((pose.x, pose.y))
    for i in range(12):
        angles = [math.pi * (i + part) / 6 for part in (0.0, 0.3, 0.6)]
        canvas.stroke([(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles], tint(color, 0.8), 1.4)
    c, s = math.cos(pose.heading), -math.sin(pose.heading)
    tip, back = (x + 1.0 * radius * c, y + 1.0 * radius * s), (x - 0.4 * radius * c, y - 0.4 * radius * s)
    canvas.stroke([back, tip], tint(color, 0.8), 1.4)
    wings = [(tip[0] - 0.45 * radius * (c + k * s), tip[1] - 0.45 * radius * (s - k * c)) for k in (0.6, -0.6)]
    canvas.stroke([wings[0], tip, wings[1]], tint(color, 0.8), 1.4)


def _turned(point: Point, pose: Pose) -> Point:
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    return pose.x + c * point[0] - s * point[1], pose.y + s * point[0] + c * point[1]
