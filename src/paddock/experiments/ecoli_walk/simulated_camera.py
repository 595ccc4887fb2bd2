"""A camera above a simulated arena as a measurement model: late, noisy, with gaps and mistakes, without pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from paddock.arena import Robot
from paddock.core.geometry import wrap
from paddock.estimate import PoseFix


@dataclass(frozen=True, kw_only=True)
class CameraHabits:
    """How a camera above the arena behaves."""

    latency: float = 0.08  # [s] from exposure to arrival
    period: float = 0.1  # [s] between two pictures
    sigmas: tuple[float, float, float] = (0.001, 0.001, math.radians(1.0))  # [m, m, rad]
    dropped: float = 0.1  # share of pictures without a robot
    outliers: float = 0.05  # share of poses that are far off
    far: float = 0.2  # [m] how far


class SimulatedCamera:
    """Sees a simulated robot from above: late, noisy, with gaps and mistakes. Ask it once per tick."""

    def __init__(self, robot: Robot, habits: CameraHabits, seed: int) -> None:
        self.robot, self.habits, self.seed = robot, habits, seed
        self.outliers = 0
        self._pictures = 0
        self._under_way: list[PoseFix] = []

    def take_fixes(self, time: float) -> Iterable[PoseFix]:
        """The fixes that have come by a time [s]."""
        if time >= self._pictures * self.habits.period - 1e-9:
            self._expose(time)
        ready = [fix for fix in self._under_way if fix.time_of_exposure + self.habits.latency <= time + 1e-9]
        self._under_way = self._under_way[len(ready) :]
        return ready

    def _expose(self, time: float) -> None:
        random = np.random.default_rng([self.seed, self._pictures])  # each picture's own: gaps change no other
        self._pictures += 1
        lost, wrong = random.random(2)
        if lost < self.habits.dropped:
            return
        sigmas = np.array(self.habits.sigmas)
        x, y, heading = np.array(self.robot.pose) + sigmas * random.normal(size=3)
        if wrong < self.habits.outliers:
            self.outliers += 1
            x, y = x + self.habits.far * random.normal(), y + self.habits.far * random.normal()
            heading = random.uniform(-math.pi, math.pi)
        self._under_way.append(PoseFix(time, float(x), float(y), wrap(float(heading)), np.diag(sigmas**2)))
