"""Laser scanners of a scene, as CoppeliaSim has them (fastHokuyo): two vision sensors, each for a third of a turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paddock.coppelia.models import SCANNER_OPENING, half_heading
from paddock.coppelia.objects import SceneObject
from paddock.coppelia.scene import CoppeliaScene
from paddock.core.errors import PaddockError
from paddock.sensors.laser import LaserSpec

POINTS = 342  # of each half
FARTHEST = 5.0  # what a beam tells that meets nothing [m]


def scan_half(scene: CoppeliaScene, sensor: SceneObject) -> NDArray[np.float64]:
    """x, y, z and distance [m] of what each beam of a half meets, in its own frame, from right to left.

    Beams that the robot's scanner has not got meet nothing.
    """
    robot = sensor.robot
    if sensor.part != "laser_half" or robot is None:
        raise PaddockError(f"{sensor} is no half of a laser scanner")
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
