"""Measurement model of an overhead camera without pictures: with latency, noise, gaps and outliers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from paddock.arena import Robot
from paddock.core.geometry import wrap
from paddock.perception.estimation import PoseFix


@dataclass(frozen=True, kw_only=True)
class CameraErrorModel:
    """Parameters of an overhead camera."""

    latency: float = 0.08  # [s] from exposure to arrival
    period: float = 0.1  # [s] between two pictures
    sigmas: tuple[float, float, float] = (0.001, 0.001, math.radians(1.0))  # [m, m, rad]
    dropped: float = 0.1  # fraction of pictures without a robot
    outliers: float = 0.05  # fraction of poses with a large error
    far: float = 0.2  # [m] standard deviation of large errors


class SimulatedCamera:
    """Measures a simulated robot from above, with latency, noise, gaps and outliers. Call it once per tick."""

    def __init__(self, robot: Robot, model: CameraErrorModel, seed: int) -> None:
        self.robot, self.model, self.seed = robot, model, seed
        self.outliers = 0
        self._pictures = 0
        self._under_way: list[PoseFix] = []

    def take_fixes(self, time: float) -> Iterable[PoseFix]:
        """Return the fixes received by a time [s]."""
        if time >= self._pictures * self.model.period - 1e-9:
            self._expose(time)
        ready = [fix for fix in self._under_way if fix.time_of_exposure + self.model.latency <= time + 1e-9]
        self._under_way = self._under_way[len(ready) :]
        return ready

    def _expose(self, time: float) -> None:
        random = np.random.default_rng(
            [self.seed, self._pictures]
        )  # one generator per picture, so that gaps do not affect other pictures
        self._pictures += 1
        lost, wrong = random.random(2)
        if lost < self.model.dropped:
            return
        sigmas = np.array(self.model.sigmas)
        x, y, heading = np.array(self.robot.pose) + sigmas * random.normal(size=3)
        if wrong < self.model.outliers:
            self.outliers += 1
            x, y = x + self.model.far * random.normal(), y + self.model.far * random.normal()
            heading = random.uniform(-math.pi, math.pi)
        self._under_way.append(PoseFix(time, float(x), float(y), wrap(float(heading)), np.diag(sigmas**2)))
