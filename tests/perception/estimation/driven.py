"""A robot for estimator tests, with wheel noise and sensors that match their noise models."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from paddock.core.geometry import Pose, wrap
from paddock.perception.estimation import PoseFix
from paddock.perception.estimation.odometry import Floats, roll

SEPARATION = 0.053
DT = 0.02
START = Pose(0.5, 0.5, 0.3)
FIX_SIGMAS = np.array([0.001, 0.001, math.radians(1.0)])


class DrivenRobot:
    """Drives curves; `wheel` is the variance of a wheel's travel per travel, as in MotionNoise."""

    def __init__(self, seed: int, pose: Pose = START, wheel: float = 2e-6, count: float = 0.0) -> None:
        self.random = np.random.default_rng(seed)
        self.pose, self.wheel, self.count = pose, wheel, count
        self.travel = np.zeros(2)
        self.time, self.tick = 0.0, 0
        self.rate = 0.0
        self.poses = [pose]

    def step(self, left: float, right: float) -> None:
        """Roll the wheels [m] with noise."""
        slipped = [t + math.sqrt(self.wheel * abs(t)) * self.random.normal() for t in (left, right)]
        self.travel += (left, right)
        before = self.pose.heading
        self.pose = roll(self.pose, slipped[0], slipped[1], SEPARATION)
        self.rate = wrap(self.pose.heading - before) / DT
        self.tick += 1
        self.time = self.tick * DT
        self.poses.append(self.pose)

    def curve(self) -> None:
        """Make one step of a winding path at 0.1 m/s."""
        bend = 0.3 * math.sin(self.time)
        self.step(0.1 * DT * (1 - bend), 0.1 * DT * (1 + bend))

    def observe(self, **more: Any) -> Any:
        """Return encoders, gyroscope, compass and further readings."""
        travel = self.travel if not self.count else np.round(self.travel / self.count) * self.count
        return SimpleNamespace(
            encoders=travel.copy(),
            gyroscope=np.array([0.0, 0.0, self.rate + 0.01 * self.random.normal()]),
            compass=wrap(self.pose.heading + 0.05 * self.random.normal()),
            **more,
        )

    def fix(self, ago: int = 0, sigmas: Floats = FIX_SIGMAS) -> PoseFix:
        """Return a camera fix from some ticks ago."""
        x, y, heading = np.array(self.poses[-1 - ago]) + sigmas * self.random.normal(size=3)
        return PoseFix((self.tick - ago) * DT, float(x), float(y), wrap(float(heading)), np.diag(sigmas**2))
