"""Beams of sensors: the direction of each mount, the distance to the first obstacle, and drawing of faint beams."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import Disc, Point, Pose
from paddock.report.drawing.canvas import Canvas
from paddock.report.drawing.colours import tint
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec
from paddock.simulation.worlds.solids import Solid

FAN_STEP = math.radians(2)


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

    def distance(self, at: Point, angle: float, z: float, most: float) -> float:
        """Return the distance [m] to the nearest object taller than z, at most `most`."""
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


def draw_beams(canvas: Canvas, sensor: SensorSpec, pose: Pose, most: float, sight: LineOfSight) -> None:
    """Draw faint beams, no longer than `most` [m], which end at walls."""
    color, rays = sensor.look.color, sensor.look.rays
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    for beam in beams(sensor):
        eye = pose.x + c * beam.x - s * beam.y, pose.y + s * beam.x + c * beam.y
        rim = list(_rim(eye, pose.heading + beam.heading, beam, most, sight))
        if beam.half > 0:
            canvas.polygon([eye, *rim], tint(color, 0.09))
            if beam.half < math.pi:
                canvas.line([rim[0], eye, rim[-1]], tint(color, 0.30), 1.0)
        if rays == "beams":
            canvas.line([eye, rim[len(rim) // 2]], tint(color, 0.65), 1.3)
        if rays == "scan":
            for point in rim[:: max(1, len(rim) // 18)]:
                canvas.line([eye, point], tint(color, 0.20), 0.8)


def _rim(eye: Point, middle: float, beam: Beam, most: float, sight: LineOfSight) -> Iterator[Point]:
    """Iterate over the end points of a beam, from its right edge to its left."""
    count = max(2, 2 * math.ceil(beam.half / FAN_STEP))
    for i in range(count + 1):
        angle = middle + beam.half * (2 * i / count - 1)
        far = sight.distance(eye, angle, beam.z, min(beam.reach, most))
        yield eye[0] + far * math.cos(angle), eye[1] + far * math.sin(angle)
