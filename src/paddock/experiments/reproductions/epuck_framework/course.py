"""Ground truth of the line-crossing courses: position along the line, dark floor, distance to obstacles.

There are two courses. They have the same line, obstacles and start poses, and differ in the width of the line and the
spacing of the ground sensors:

- `NARROW` is the shipped world with the e-puck: a line of 18 mm, sensors 10 mm apart, 33 mm ahead of the axle.
- `WIDE` is the result of a search for a course on which the published controller works
  (docs/experiments/line-crossing.md). The line is 50 mm wide, the sensors are 30 mm apart and 20 mm ahead. It matches
  V-REP's e-puck, which scans the floor with one camera of 16 pixels and uses pixels 1, 7 and 14, if the field of view
  is as wide as the body. That is assumed.
"""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.floor import curve, draw_floor
from paddock.simulation.worlds.world_spec import WorldSpec

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

WORLD = "line-crossing"
NARROW, WIDE = "narrow line", "wide line"
WIDE_LINE = 0.050  # [m]
PIXELS, LEFT_PIXEL = 16, 1  # of V-REP's floor camera
AHEAD = 0.020  # [m] distance of the wide ground sensors in front of the axle
DARK = 0.5  # the line is darker than this
STEP = 0.005  # [m] between the points that approximate the line


class LineCourse:
    """The line of a world, counter-clockwise, its obstacles, and the robot type of the course."""

    def __init__(self, world: WorldSpec, robot: RobotSpec) -> None:
        self.world, self.robot = world, robot
        self.points = _space_evenly(curve(world.floor.strokes[0]))
        self.length = STEP * len(self.points)
        picture, _ = draw_floor(world)
        self._dark: Flags = picture.mean(axis=2) / 255 < DARK
        self._sensors = np.array([mount[:2] for mount in robot.sensor("ground").mounts])
        assert robot.body.radius is not None
        self.radius = robot.body.radius

    def along(self, places: Floats) -> Floats:
        """Return the arc length [m] of the nearest point on the line, for positions of shape (n, 2)."""
        nearest = np.empty(len(places), np.int64)
        for first in range(0, len(places), 2000):  # in chunks, to limit memory
            part = places[first : first + 2000, None, :] - self.points
            nearest[first : first + 2000] = np.einsum("nki,nki->nk", part, part).argmin(axis=1)
        return np.asarray(STEP * nearest, np.float64)

    def at(self, along: float) -> tuple[float, float, float]:
        """Return the position [m] at an arc length of the line, and the line's direction there [rad]."""
        k = round(along / STEP) % len(self.points)
        (x, y), (u, v) = self.points[k - 1], self.points[(k + 1) % len(self.points)]
        return float(self.points[k, 0]), float(self.points[k, 1]), math.atan2(v - y, u - x)

    def on_line(self, poses: Floats) -> Flags:
        """Return whether at least one ground sensor is above the line, for poses of shape (n, 3)."""
        c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        seen = np.zeros(len(poses), bool)
        scale, (left, _, _, top) = self.world.floor.pixels_per_metre, self.world.bounds
        rows, columns = self._dark.shape
        for ahead, aside in self._sensors:
            x, y = poses[:, 0] + c * ahead - s * aside, poses[:, 1] + s * ahead + c * aside
            column = np.clip(((x - left) * scale).astype(int), 0, columns - 1)
            row = np.clip(((top - y) * scale).astype(int), 0, rows - 1)
            seen |= self._dark[row, column]
        return seen

    def clearance(self, places: Floats) -> Floats:
        """Return the distance of a robot's body from the nearest obstacle [m], for positions of shape (n, 2)."""
        nearest = np.full(len(places), np.inf)
        for cylinder in self.world.cylinders:
            nearest = np.minimum(nearest, np.hypot(*(places - cylinder.at).T) - cylinder.radius)
        for box in self.world.boxes:
            turn = math.radians(box.heading_deg)
            x, y = (places - box.at).T
            u = np.abs(math.cos(turn) * x + math.sin(turn) * y) - box.size[0] / 2
            v = np.abs(math.cos(turn) * y - math.sin(turn) * x) - box.size[1] / 2
            nearest = np.minimum(nearest, np.hypot(np.maximum(u, 0), np.maximum(v, 0)))
        return nearest - self.radius


def _space_evenly(points: list[tuple[float, float]]) -> Floats:
    """Resample a closed curve to points about STEP apart, counter-clockwise."""
    corners = np.array([*points, points[0]])
    pieces = np.hypot(*np.diff(corners, axis=0).T)
    walked = np.concatenate([[0.0], np.cumsum(pieces)])
    at = np.linspace(0.0, walked[-1], round(walked[-1] / STEP), endpoint=False)
    even = np.stack([np.interp(at, walked, corners[:, 0]), np.interp(at, walked, corners[:, 1])], axis=1)
    x, y = even.T
    area = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    return even if area > 0 else even[::-1].copy()


@functools.cache
def load_course(name: str = NARROW) -> LineCourse:
    """Load one of the two courses."""
    world, robot = load_world(WORLD), load_robot("e-puck")
    if name == NARROW:
        return LineCourse(world, robot)
    stroke = replace(world.floor.strokes[0], width=WIDE_LINE)
    return LineCourse(replace(world, floor=replace(world.floor, strokes=(stroke,))), _widen_sensors(robot))


def _widen_sensors(robot: RobotSpec) -> RobotSpec:
    assert robot.body.radius is not None
    aside = 2 * robot.body.radius * (0.5 - (LEFT_PIXEL + 0.5) / PIXELS)
    ground = robot.sensor("ground")
    mounts = tuple((AHEAD, y, *mount[2:]) for mount, y in zip(ground.mounts, (aside, 0.0, -aside), strict=True))
    wide = replace(ground, mounts=mounts)
    return replace(robot, sensors=tuple(wide if sensor is ground else sensor for sensor in robot.sensors))
