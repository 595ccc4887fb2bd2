"""Signals set by scripts of stock models: the points of a laser scanner, and the time."""

from __future__ import annotations

import numpy as np

from paddock.coppelia.scene import CoppeliaScene
from paddock.coppelia.signals import Signal
from paddock.sensors.laser import LaserSpec

SCAN, TIME = "measuredDataAtThisTime", "CurrentTime"


class StockSignals:
    """`measuredDataAtThisTime`: x, y, z [m] of the first laser scanner's points, in its frame; `CurrentTime` [s]."""

    def __init__(self, scene: CoppeliaScene) -> None:
        self.scene = scene

    def read(self, name: str) -> Signal | None:
        """Return the scan as float32 numbers, or the simulated time."""
        if name == TIME:
            return self.scene.live.time
        return self._scan() if name == SCAN else None

    def execute(self, name: str, value: Signal) -> None:
        """Do nothing: these signals are not commands."""

    def _scan(self) -> bytes | None:
        for base in self.scene.list_bases():
            robot = base.robot
            lasers = [] if robot is None else [spec for spec in robot.spec.sensors if isinstance(spec, LaserSpec)]
            if robot is not None and lasers:
                ranges, angles = robot.read(lasers[0].name), np.array(lasers[0].angles)
                seen = ranges < lasers[0].range
                points = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(len(angles)))) * ranges[:, None]
                return points[seen].astype("<f4").tobytes()
        return None
