"""Symbols of pictures: robots, lamps, sounds and start poses."""

from __future__ import annotations

import math
from itertools import pairwise

from paddock.core.geometry import Disc, Point, Pose, Shape, place_shape
from paddock.report.drawing.canvas import Canvas
from paddock.report.drawing.colours import LAMP_EDGE, SOUND, START_POSE, WHEEL, WHITE, blend, darken, tint
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.sensors.appearance import PLAIN
from paddock.simulation.sensors.bumper import BumperSpec
from paddock.simulation.sensors.sensor_spec import SensorSpec


def draw_robot_body(canvas: Canvas, spec: RobotSpec, pose: Pose, color: str) -> None:
    """Draw the outline, the wheels, and a mark that points forward."""
    shape = place_shape(spec.body.shape, *pose)
    width = min(2.0, max(1.0, 0.02 * front(spec.body.shape) * canvas.scale))
    canvas.shape(shape, color, darken(color, 0.45), width)
    if spec.drive.wheel_separation * canvas.scale > 14:
        draw_wheels(canvas, spec, pose)
    tip = front(spec.body.shape)
    mark = ((0.78 * tip, 0.0), (0.22 * tip, 0.30 * tip), (0.34 * tip, 0.0), (0.22 * tip, -0.30 * tip))
    arrow = [_to_world(p, pose) for p in mark]
    canvas.polygon(arrow, tint(WHITE, 0.95))


def draw_wheels(canvas: Canvas, spec: RobotSpec, pose: Pose) -> None:
    """Draw the wheels, and the axles of pairs. The width of a wheel is a fifth of its diameter."""
    wheels, radius = spec.drive.wheels, spec.drive.wheel_diameter / 2
    for left, right in pairwise(wheels):
        if left.x == right.x:
            canvas.line([_to_world((w.x, w.y), pose) for w in (left, right)], tint(WHEEL, 0.45), 1.2)
    for wheel in wheels:
        place = Pose(wheel.x, wheel.y, wheel.heading)
        corners = [(-radius, -0.2 * radius), (radius, -0.2 * radius), (radius, 0.2 * radius), (-radius, 0.2 * radius)]
        canvas.polygon([_to_world(_to_world(p, place), pose) for p in corners], tint(WHEEL, 0.85))


def draw_mounts(canvas: Canvas, sensor: SensorSpec, shape: Shape) -> None:
    """Draw the mounts of a sensor on a robot at the origin; bumpers as a part of the outline."""
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
    inner = 2.0 if sensor.kind == "light" else 4.0
    for x, y, _, _ in sensor.mounts:
        if inner > 3:
            canvas.dot(canvas.at((x, y)), 5.2, tint(WHITE))
        canvas.dot(canvas.at((x, y)), inner, tint(color))


def front(shape: Shape) -> float:
    """Return the distance from the centre of the body to its front [m]."""
    return boundary(shape, 0.0)[0]


def boundary(shape: Shape, angle: float) -> Point:
    """Return the point of a body's outline in a direction from the origin of its frame."""
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
    """Draw a lamp as a small sun."""
    edge = blend(color, LAMP_EDGE, 0.6)
    for i in range(8):
        a = math.pi * i / 4
        inner, outer = 1.25 * size, 1.85 * size
        ends = [(pixel[0] + r * math.cos(a), pixel[1] + r * math.sin(a)) for r in (inner, outer)]
        canvas.stroke(ends, tint(edge), 0.22 * size)
    canvas.dot(pixel, size, tint(edge))
    canvas.dot(pixel, 0.78 * size, tint(color))


def draw_sound(canvas: Canvas, pixel: Point, size: float) -> None:
    """Draw a sound as waves around a point."""
    canvas.dot(pixel, 0.4 * size, tint(SOUND))
    for r, alpha in ((0.95, 0.7), (1.45, 0.45), (1.95, 0.25)):
        canvas.ring(pixel, r * size, tint(SOUND, alpha), 0.2 * size)


def draw_start(canvas: Canvas, pose: Pose, radius: float) -> None:
    """Draw a start pose as a dashed circle with a radius [pixels] and an arrow."""
    x, y = canvas.at((pose.x, pose.y))
    dashes = [[math.pi * (i + part) / 6 for part in (0.0, 0.3, 0.6)] for i in range(12)]
    lines = [[(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles] for angles in dashes]
    c, s = math.cos(pose.heading), -math.sin(pose.heading)
    tip, back = (x + 1.0 * radius * c, y + 1.0 * radius * s), (x - 0.4 * radius * c, y - 0.4 * radius * s)
    wings = [(tip[0] - 0.45 * radius * (c + k * s), tip[1] - 0.45 * radius * (s - k * c)) for k in (0.6, -0.6)]
    lines += [[back, tip], [wings[0], tip, wings[1]]]
    for paint, width in ((tint(WHITE, 0.6), 3.0), (tint(START_POSE, 0.8), 1.4)):  # a light edge, visible on dark floors
        for line in lines:
            canvas.stroke(line, paint, width)


def _to_world(point: Point, pose: Pose) -> Point:
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    return pose.x + c * point[0] - s * point[1], pose.y + s * point[0] + c * point[1]
