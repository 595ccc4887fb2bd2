"""Proximity sensors of a scene: what each detects, in its own frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paddock.coppelia.frames import Vector
from paddock.coppelia.objects import SceneObject
from paddock.coppelia.scene import Scene
from paddock.coppelia.surfaces import Surfaces
from paddock.core.errors import PaddockError
from paddock.core.geometry import placed


class Detection(NamedTuple):
    """What a proximity sensor detects. It looks along its z axis; x is to its left and y up."""

    distance: float  # [m]
    point: Vector
    handle: int  # of the object
    normal: Vector  # of its surface


def detect(scene: Scene, sensor: SceneObject) -> Detection | None:
    """What a proximity sensor detects; None if nothing is in its reach. A robot's ring is read once per request."""
    if sensor.part != "proximity" or sensor.robot is None:
        raise PaddockError(f"{sensor} is no proximity sensor")
    key = ("ring", sensor.robot.name, sensor.device)
    ring = scene.sensed.get(key)
    if ring is None:
        ring = scene.sensed[key] = _detect_ring(scene, sensor)
    found: Detection | None = ring[sensor.channel]
    return found


def _detect_ring(scene: Scene, sensor: SceneObject) -> list[Detection | None]:
    robot = sensor.robot
    assert robot is not None
    values = robot.read(sensor.device)
    ring: list[Detection | None] = [None] * len(values)
    channels = np.flatnonzero(values < sensor.limit)
    if not len(channels):
        return ring
    mounts = np.array(robot.spec.sensor(sensor.device).mounts)[channels]
    x, y, heading = robot.pose
    c, s = np.cos(heading), np.sin(heading)
    origins = np.column_stack((x + c * mounts[:, 0] - s * mounts[:, 1], y + s * mounts[:, 0] + c * mounts[:, 1]))
    angles = heading + np.radians(mounts[:, 3])
    ahead = np.column_stack((np.cos(angles), np.sin(angles)))
    distances = np.maximum(values[channels], 0.0)
    handles, normals = _surfaces_around(scene, sensor).find_nearest(origins + distances[:, None] * ahead, origins)
    along = (normals * ahead).sum(1)
    left = normals[:, 1] * ahead[:, 0] - normals[:, 0] * ahead[:, 1]
    for k, channel in enumerate(channels.tolist()):
        distance = float(distances[k])
        normal = (float(left[k]), 0.0, float(along[k]))
        ring[channel] = Detection(distance, (0.0, 0.0, distance), handles[k], normal)
    return ring


def _surfaces_around(scene: Scene, sensor: SceneObject) -> Surfaces:
    """Of all that stands still, and, where there are several, of the other robots."""
    others = [base for base in scene.list_bases() if base.robot is not sensor.robot]
    still = scene.settings.get("surfaces")
    if still is None or others:
        solids = [(found.handle, shape) for found in scene.walk() if found.part == "solid" for shape in found.pieces]
        moving = [
            (base.handle, placed(shape, *base.robot.pose))
            for base in others
            if base.robot is not None
            for shape in base.pieces
        ]
        if moving:
            return Surfaces([*solids, *moving])
        still = scene.settings["surfaces"] = Surfaces(solids)
    found: Surfaces = still
    return found
