"""Signals set by scripts of stock models: the points of a laser scanner, and the time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.coppelia.scene.laser import scan_half
from paddock.bridges.coppelia.scene.models import half_heading
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.bridges.coppelia.scene.signals import Signal
from paddock.simulation.sensors.laser import LaserSpec

POINTS, RANGES, ANGLES, TIME = "measuredDataAtThisTime", "hokuyo_range_data", "hokuyo_angle_data", "CurrentTime"


class StockSignals:
    """The signals of the first laser scanner, in its frame, and `CurrentTime` [s].

    `measuredDataAtThisTime`: x, y, z [m] of all detected points. `hokuyo_range_data` and `hokuyo_angle_data`: distance
    [m] and direction [rad] of every beam of the `fastHokuyo`, from right to left.
    """

    def __init__(self, scene: CoppeliaScene) -> None:
        self.scene = scene

    def read(self, name: str) -> Signal | None:
        """Return the scan as float32 numbers, or the simulated time."""
        if name == TIME:
            return self.scene.live.time
        halves = self._find_scanner() if name in (POINTS, RANGES, ANGLES) else []
        if not halves:
            return None
        numbers = read_points(halves[0]) if name == POINTS else self._read_beams(halves)[:, int(name == ANGLES)]
        return numbers.astype("<f4").tobytes()

    def execute(self, name: str, value: Signal) -> None:
        """Do nothing: these signals are not commands."""

    def _find_scanner(self) -> list[SceneObject]:
        """Return both halves of the first laser scanner; nothing if there is none."""
        halves = (part for base in self.scene.list_bases() for part in base.tree if part.part == "laser_half")
        return [half for _, half in zip(range(2), halves, strict=False)]

    def _read_beams(self, halves: list[SceneObject]) -> NDArray[np.float64]:
        """Return distance [m] and direction [rad] of each beam, shape (beam, 2)."""
        scans = [(half, scan_half(self.scene, half)) for half in halves]
        return np.concatenate(
            [
                np.column_stack((scan[:, 3], half_heading(half.channel) + np.arctan2(scan[:, 0], scan[:, 2])))
                for half, scan in scans
            ]
        )


def read_points(half: SceneObject) -> NDArray[np.float64]:
    """Return x, y, z [m] of all points that the scanner of a half detects."""
    assert half.robot is not None
    spec = half.robot.spec.sensor(half.device)
    assert isinstance(spec, LaserSpec)
    ranges, angles = half.robot.read(spec.name), np.array(spec.angles)
    points = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(len(angles)))) * ranges[:, None]
    return points[ranges < spec.range]
