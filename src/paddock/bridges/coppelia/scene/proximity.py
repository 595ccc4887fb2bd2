"""Proximity sensors of a scene: the detected surfaces, in the frame of each sensor."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.coppelia.scene.frames import Vector
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.bridges.coppelia.scene.surfaces import Surfaces
from paddock.core.errors import PaddockError
from paddock.core.geometry import place_shape


class DetectedSurface(NamedTuple):
    """A surface detected by a proximity sensor, in its frame: z forward, x left, y up."""

    distance: float  # [m]
    point: Vector
    handle: int  # of the object
    normal: Vector  # of its surface


def detect(scene: CoppeliaScene, sensor: SceneObject) -> DetectedSurface | None:
    """Return the surface that a proximity sensor detects; None if there is none. Read each ring once per request."""
    if sensor.part != "proximity" or sensor.robot is None:
        raise PaddockError(f"{sensor} is not a proximity sensor")
    key = ("ring", sensor.robot.name, sensor.device)
    ring = scene.sensed.get(key)
    if ring is None:
        ring = scene.sensed[key] = _detect_ring(scene, sensor)
    found: DetectedSurface | None = ring[sensor.channel]
    return found


def _detect_ring(scene: CoppeliaScene, sensor: SceneObject) -> list[DetectedSurface | None]:
    robot = sensor.robot
    assert robot is not None
    values = robot.read(sensor.device)
    ring: list[DetectedSurface | None] = [None] * len(values)
    channels = np.flatnonzero(values < sensor.limit)
    if not len(channels):
        return ring
    mounts = _list_mounts(scene, sensor)[channels]
    x, y, heading = robot.pose
    c, s = math.cos(heading), math.sin(heading)
    origins = np.column_stack((x + c * mounts[:, 0] - s * mounts[:, 1], y + s * mounts[:, 0] + c * mounts[:, 1]))
    ahead = np.column_stack((c * mounts[:, 2] - s * mounts[:, 3], s * mounts[:, 2] + c * mounts[:, 3]))
    distances = np.maximum(values[channels], 0.0)
    handles, normals = _surfaces_around(scene, sensor).find_nearest(origins + distances[:, None] * ahead, origins)
    along = (normals * ahead).sum(1)
    left = normals[:, 1] * ahead[:, 0] - normals[:, 0] * ahead[:, 1]
    for k, channel in enumerate(channels.tolist()):
        distance = float(distances[k])
        normal = (float(left[k]), 0.0, float(along[k]))
        ring[channel] = DetectedSurface(distance, (0.0, 0.0, distance), handles[k], normal)
    return ring


def _list_mounts(scene: CoppeliaScene, sensor: SceneObject) -> NDArray[np.float64]:
    """Return x, y [m] and the direction (unit vector) of each sensor of a ring, in the robot's frame."""
    assert sensor.robot is not None
    key = ("mounts", sensor.robot.name, sensor.device)
    if key not in scene.settings:
        rows = [
            (x, y, math.cos(math.radians(heading)), math.sin(math.radians(heading)))
            for x, y, _, heading in sensor.robot.spec.sensor(sensor.device).mounts
        ]
        scene.settings[key] = np.array(rows)
    return np.asarray(scene.settings[key])


def _surfaces_around(scene: CoppeliaScene, sensor: SceneObject) -> Surfaces:
    """Return the surfaces of all static obstacles, and of other robots nearby."""
    robot = sensor.robot
    assert robot is not None
    x, y, _ = robot.pose
    moving = []
    for base in scene.list_bases():
        if base.robot is not None and base.robot is not robot:
            there = base.robot.pose
            if math.hypot(there.x - x, there.y - y) < sensor.limit + base.radius + scene.find_base(robot).radius:
                moving += [(base.handle, place_shape(shape, *there)) for shape in base.pieces]
    if moving:
        return Surfaces([*scene.still_shapes, *moving])
    still = scene.settings.get("surfaces")
    if still is None:
        still = scene.settings["surfaces"] = Surfaces(scene.still_shapes)
    found: Surfaces = still
    return found
