"""Laser scanners of a scene, modelled as CoppeliaSim's fastHokuyo: two vision sensors of 120° each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.coppelia.scene.models import SCANNER_OPENING, half_heading
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.core.errors import PaddockError
from paddock.simulation.sensors.laser import LaserSpec

POINTS = 342  # per half
FARTHEST = 5.0  # range of a beam that detects nothing [m]


def scan_half(scene: CoppeliaScene, sensor: SceneObject) -> NDArray[np.float64]:
    """Return x, y, z and distance [m] of the point detected by each beam of a half, in its frame, from right to left.

    Beams outside of the field of view of the robot's scanner detect nothing.
    """
    robot = sensor.robot
    if sensor.part != "laser_half" or robot is None:
        raise PaddockError(f"{sensor} is not a half of a laser scanner")
    spec = robot.spec.sensor(sensor.device)
    assert isinstance(spec, LaserSpec)
    aside = ((np.arange(POINTS) + 0.5) / POINTS - 0.5) * SCANNER_OPENING
    angles = aside + half_heading(sensor.channel)
    beams = np.array(spec.angles)
    step = beams[1] - beams[0]
    nearest = np.rint((angles - beams[0]) / step).astype(int)
    there = (nearest >= 0) & (nearest < len(beams))
    ranges = np.minimum(robot.read(sensor.device), FARTHEST)
    distances = np.where(there, ranges[np.clip(nearest, 0, len(beams) - 1)], FARTHEST)
    return np.column_stack((distances * np.sin(aside), np.zeros(POINTS), distances * np.cos(aside), distances))
