"""MPPI: random plans around the last one, evaluated on the map; the next plan is their mean, weighted by cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.drive_limits import Twist
from paddock.control.navigation.followers.path_follower import (
    POINTS_AHEAD,
    PredictingFollower,
    drive_numbers,
    spacing_of,
)
from paddock.control.navigation.kernels.rollouts import improve_plan
from paddock.core.argument_checks import check_seed
from paddock.core.geometry import Pose
from paddock.core.rng import chain_key
from paddock.perception.mapping.frame import Points


@dataclass(kw_only=True)
class MPPI(PredictingFollower):
    """Model predictive path integral control (Williams and others 2017). The same seed gives the same drive."""

    plans: int = 200  # number of random plans
    steps: int = 15  # of a plan
    step: float = 0.1  # duration of a step [s]; also the required period of decisions
    spread: float = 0.15  # standard deviation of the noise on forward speeds [m/s]
    turn_spread: float = 0.5  # standard deviation of the noise on turn rates [rad/s]
    temperature: float = 0.05  # a lower value gives more weight to the best plans

    def __post_init__(self) -> None:
        check_seed(self.seed)
        self._draws, self._costs = np.empty((self.plans, self.steps, 2)), np.empty(self.plans)
        self.reset()

    def reset(self) -> None:
        self._decisions = 0  # with the seed, this number determines the noise, so that each decision has its own
        super().reset()

    def begin_path(self) -> None:
        self._plan = np.zeros((self.steps, 2))

    def decide(self, pose: Pose, now: Twist, path: Points, local: CostMap) -> Twist:
        near = path[:POINTS_AHEAD]
        self._plan[:-1] = self._plan[1:].copy()
        self._decisions += 1
        weights = self.weights(local.footprint.circumscribed)
        most, spread = [self.limits.speed, self.limits.turn_rate], [self.spread, self.turn_spread]
        place = (*local.tables, np.array(pose), np.array(now))
        task = drive_numbers(self.limits), np.array(most), np.array(spread), self.step, near, spacing_of(near), weights
        key = np.uint64(chain_key(np.uint64(self.seed), self._decisions))
        improve_plan(place, task, self._plan, key, self.temperature, self._draws, self._costs)
        return Twist(*self._plan[0].tolist())
