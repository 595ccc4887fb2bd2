"""Draw one robot from above, with its wheels, its sensors and a table of the sensors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from paddock.core.geometry import ORIGIN, Disc, Point, Pose, bounding_radius, compute_bounds
from paddock.report.drawing.canvas import Canvas, Rect, check_picture_size, round_length
from paddock.report.drawing.colours import FAINT, INK, WHITE, blend, darken, tint
from paddock.report.drawing.symbols import draw_mounts, draw_wheels, front
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.sensors.appearance import PLAIN
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec, is_pivoting
from paddock.simulation.worlds.solids import Solid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image


FAN_STEP = math.radians(2)
WIDEST, NARROWEST = 2.6, 1.45  # visible area around the robot, in bounding radii
COLUMNS = (("name", 0.09), ("kind", 0.32), ("measures", 0.54), ("range", 0.85))  # and their positions


class Beam(NamedTuple):
    """Position and direction of one mount of a sensor, in the robot frame [m, rad]."""

    x: float
    y: float
    z: float
    heading: float
    half: float  # half of its opening
    reach: float


def beams(sensor: SensorSpec) -> Iterator[Beam]:
    """Iterate over the beams of a range sensor; other sensors have none."""
    if isinstance(sensor, RangeSensorSpec):
        for x, y, z, heading in sensor.mounts:
            yield Beam(x, y, z, math.radians(heading), sensor.opening / 2, sensor.range)


class LineOfSight:
    """Distances to the nearest solid object in a world."""

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

    def distance(self, at: Point, angle: float, z: float, longest: float) -> float:
        """Return the distance [m] to the nearest object taller than z, at most `longest`."""
        dx, dy = math.cos(angle), math.sin(angle)
        walls = self.edges[self.edges[:, 4] > z]
        ax, ay = walls[:, 0] - at[0], walls[:, 1] - at[1]
        ex, ey = walls[:, 2] - walls[:, 0], walls[:, 3] - walls[:, 1]
        cross = dx * ey - dy * ex
        with np.errstate(divide="ignore", invalid="ignore"):
            along, share = (ax * ey - ay * ex) / cross, (ax * dy - ay * dx) / cross
        hit = (along >= 0) & (share >= 0) & (share <= 1)
        nearest = float(along[hit].min(initial=longest))
        cans = self.discs[self.discs[:, 3] > z]
        cx, cy = cans[:, 0] - at[0], cans[:, 1] - at[1]
        middle = cx * dx + cy * dy
        inside = cans[:, 2] ** 2 - (cx * cx + cy * cy - middle * middle)
        entry = middle - np.sqrt(np.maximum(inside, 0.0))
        return float(entry[(inside > 0) & (entry >= 0)].min(initial=nearest))


def draw_beams(canvas: Canvas, sensor: SensorSpec, pose: Pose, longest: float, sight: LineOfSight) -> None:
    """Draw faint beams, no longer than `longest` [m], which end at walls."""
    color, rays = sensor.look.color, sensor.look.rays
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    for beam in beams(sensor):
        eye = pose.x + c * beam.x - s * beam.y, pose.y + s * beam.x + c * beam.y
        rim = list(_rim(eye, pose.heading + beam.heading, beam, longest, sight))
        if beam.half > 0:
            canvas.polygon([eye, *rim], tint(color, 0.09))
            if beam.half < math.pi:
                canvas.line([rim[0], eye, rim[-1]], tint(color, 0.30), 1.0)
        if rays == "beams":
            canvas.line([eye, rim[len(rim) // 2]], tint(color, 0.65), 1.3)
        if rays == "scan":
            for point in rim[:: max(1, len(rim) // 18)]:
                canvas.line([eye, point], tint(color, 0.20), 0.8)


def _rim(eye: Point, middle: float, beam: Beam, longest: float, sight: LineOfSight) -> Iterator[Point]:
    """Iterate over the end points of a beam, from its right edge to its left."""
    count = max(2, 2 * math.ceil(beam.half / FAN_STEP))
    for i in range(count + 1):
        angle = middle + beam.half * (2 * i / count - 1)
        far = sight.distance(eye, angle, beam.z, min(beam.reach, longest))
        yield eye[0] + far * math.cos(angle), eye[1] + far * math.sin(angle)


def draw_robot(spec: RobotSpec, *, size: int = 800) -> Image:
    """Draw a robot from above, `size` pixels wide, with x (forward) to the right and y (left) up."""
    return _draw(spec, Canvas, size).to_image()


def plot_robot(spec: RobotSpec, *, size: int = 800) -> Axes:
    """Draw the picture of `draw_robot` as matplotlib axes, which can be saved as SVG and PDF."""
    from paddock.report.drawing.vector_canvas import VectorCanvas

    return _draw(spec, VectorCanvas, size).axes


C = TypeVar("C", bound=Canvas)


def _draw(spec: RobotSpec, kind: type[C], size: int) -> C:
    """Draw a robot on a canvas of a kind."""
    check_picture_size(size)
    zoom = size / 800
    radius = bounding_radius(spec.body.shape)
    farthest = max((math.hypot(b.x, b.y) + b.reach for s in spec.sensors for b in beams(s)), default=0.0)
    shown = min(max(farthest, NARROWEST * radius), WIDEST * radius)  # visible distance to every side [m]
    top, high = 84 * zoom, 0.66 * size
    rows = len(spec.sensors)
    canvas = kind(size, round(top + high + (rows + 1) * 25 * zoom + 84 * zoom))
    canvas.view(0.0, 0.0, size / 2, top + high / 2, high / 2 / shown)
    view: Rect = (20 * zoom, top, size - 20 * zoom, top + high)

    _draw_title(canvas, spec, zoom)
    sight = LineOfSight([_ring(shown)])
    for sensor in spec.sensors:
        draw_beams(canvas, sensor, ORIGIN, math.inf, sight)
    _draw_body(canvas, spec, zoom)
    for sensor in spec.sensors:
        draw_mounts(canvas, sensor, spec.body.shape)
    for sensor in spec.sensors:
        _number(canvas, sensor, spec, view, zoom)
    below = top + high + 22 * zoom
    length = round_length(0.2 * size / canvas.scale)
    canvas.scale_bar((size - 30 * zoom, below), length, f"{length * 100:g} cm", zoom)
    if farthest > shown * (1 + 1e-9):
        note = f"beams are drawn up to {_length(shown)} from the centre"
        canvas.text((30 * zoom, below), note, 13 * zoom, color=FAINT)
    _draw_table(canvas, spec, below + 32 * zoom, zoom)
    return canvas


def _draw_title(canvas: Canvas, spec: RobotSpec, zoom: float) -> None:
    room = canvas.width - 60 * zoom
    title = spec.title or spec.name
    canvas.text((30 * zoom, 30 * zoom), title, canvas.fitting(title, 26 * zoom, room))
    shape = spec.body.shape
    left, bottom, right, top = compute_bounds(shape)
    outline = f"{right - left:.3g} × {top - bottom:.3g} m"
    if isinstance(shape, Disc):
        outline = f"radius {_length(shape.radius)}"
    about = (
        f"{spec.name} · {outline} · {_length(spec.body.height)} high · "
        f"wheel separation {_length(spec.drive.wheel_separation)} · "
        f"wheels {_length(spec.drive.wheel_diameter)} · up to {spec.drive.max_speed:.3g} m/s"
    )
    canvas.text((30 * zoom, 58 * zoom), about, canvas.fitting(about, 14 * zoom, room), color=FAINT)


def _draw_body(canvas: Canvas, spec: RobotSpec, zoom: float) -> None:
    shape, color = spec.body.shape, spec.body.color
    canvas.shape(shape, blend(color, WHITE, 0.55), darken(color, 0.25), 2.2 * zoom)
    draw_wheels(canvas, spec, ORIGIN)
    ahead = front(shape)
    canvas.line([(0.0, 0.0), (0.62 * ahead, 0.0)], tint(INK, 0.85), 2.0 * zoom)
    tip, wing = 0.72 * ahead, 0.09 * ahead
    canvas.polygon([(tip, 0.0), (tip - 2 * wing, wing), (tip - 2 * wing, -wing)], tint(INK, 0.85))
    canvas.dot(canvas.at((0.0, 0.0)), 3.0 * zoom, tint(INK))


def _number(canvas: Canvas, sensor: SensorSpec, spec: RobotSpec, view: Rect, zoom: float) -> None:
    """Write the number of each beam next to it, outside of the body, if there are several."""
    found = list(beams(sensor))
    if len(found) < 2:
        return
    color = darken(sensor.look.color, 0.25)
    for i, beam in enumerate(found):
        width, height = canvas.measure(str(i), 13 * zoom)
        start = 14 * zoom / canvas.scale
        for step in range(24):
            far = start + step * 5 * zoom / canvas.scale
            point: Point = (beam.x + far * math.cos(beam.heading), beam.y + far * math.sin(beam.heading))
            x, y = canvas.at(point)
            around = (x - width, y - height / 2, x + width, y + height / 2)
            if canvas.is_free(around, view) and not _inside(spec, point):
                canvas.text((x, y), str(i), 13 * zoom, color=color, anchor="middle", halo=True)
                break


def _inside(spec: RobotSpec, point: Point) -> bool:
    """Whether a point lies inside the body or close to it."""
    shape = spec.body.shape
    if isinstance(shape, Disc):
        return math.dist(point, (shape.x, shape.y)) < shape.radius * 1.15
    point = point[0] / 1.15, point[1] / 1.15
    sides = zip(shape, (*shape[1:], shape[0]), strict=True)
    return all((b[0] - a[0]) * (point[1] - a[1]) > (b[1] - a[1]) * (point[0] - a[0]) for a, b in sides)


def _draw_table(canvas: Canvas, spec: RobotSpec, top: float, zoom: float) -> None:
    starts = [share * canvas.width for _, share in COLUMNS]
    ends = [*starts[1:], canvas.width - 20 * zoom]
    for (name, _), x in zip(COLUMNS, starts, strict=True):
        canvas.text((x, top), name, 13 * zoom, color=FAINT)
    canvas.stroke([(30 * zoom, top + 12 * zoom), (canvas.width - 30 * zoom, top + 12 * zoom)], tint(FAINT, 0.4), 1.0)
    for i, sensor in enumerate(spec.sensors):
        y = top + (i + 1) * 25 * zoom
        pixel = (48 * zoom, y)
        if sensor.look.color != PLAIN:
            canvas.dot(pixel, 6 * zoom, tint(sensor.look.color))
        else:
            canvas.ring(pixel, 6 * zoom, tint(PLAIN), 1.5 * zoom)
        reach = _length(sensor.range) if isinstance(sensor, RangeSensorSpec) else "-"
        texts = (sensor.name, sensor.kind, _count(sensor), reach)
        for text, x, end in zip(texts, starts, ends, strict=True):
            canvas.text((x, y), text, canvas.fitting(text, 15 * zoom, end - x - 8 * zoom))


def _count(sensor: SensorSpec) -> str:
    if isinstance(sensor, CameraSpec):
        return f"{sensor.width} × {sensor.height} pixels, {sensor.fov_deg:g}°"
    if isinstance(sensor, LaserSpec):
        return f"{sensor.beams} beams, {sensor.fov_deg:g}°"
    pivot = ", pivoting" if is_pivoting(sensor) else ""
    return f"{sensor.channels} {'value' if sensor.channels == 1 else 'values'}{pivot}"


def _length(metres: float) -> str:
    return f"{metres * 100:.3g} cm" if metres < 0.5 else f"{metres:.3g} m"


def _ring(radius: float) -> Solid:
    """Return a circle around the robot, at which beams end."""
    points = [(radius * math.cos(math.pi * i / 90), radius * math.sin(math.pi * i / 90)) for i in range(180)]
    edges = tuple(zip(points, (*points[1:], points[0]), strict=True))
    return Solid(Disc(0.0, 0.0, 1e-9), edges, math.inf, INK, "view")
