"""MPPI: random plans around the last one, tried out on the map; the next is their mean, weighted by cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paddock.core.geometry import Pose
from paddock.core.numeric import check_seed
from paddock.core.rng import chain_key
from paddock.mapping.frame import Points
from paddock.navigation.costmap import CostMap
from paddock.navigation.drive_limits import Twist
from paddock.navigation.followers.base import Follower
from paddock.navigation.followers.dynamic_window import POINTS_AHEAD, drive_numbers, spacing_of
from paddock.navigation.grid_search import Floats
from paddock.navigation.kernels.rollouts import improve_plan


@dataclass(kw_only=True)
class MPPI(Follower):
    """Model predictive path integral control (Williams and others 2017). The same seed gives the same drive."""

    plans: int = 200
    steps: int = 15  # of a plan
    step: float = 0.1  # how long each lasts [s]; also how often it must be asked
    spread: float = 0.15  # of the noise on forward speeds [m/s]
    turn_spread: float = 0.5  # and on turn rates [rad/s]
    temperature: float = 0.05  # the smaller, the more the best plan counts
    off_path: float = 0.8  # what each costs: a body's radius beside the path,
    remaining: float = 0.5  # as much of the path that remains,
    heading: float = 0.35  # a radian off its direction,
    clearance: float = 1.0  # and being as much nearer to obstacles than
    comfort: float = 1.0  # this [circumscribed radii of the body]

    def __post_init__(self) -> None:
        check_seed(self.seed)
        self._draws, self._costs = np.empty((self.plans, self.steps, 2)), np.empty(self.plans)
        self.reset()

    def reset(self) -> None:
        self._decisions = 0  # so far: with the seed it decides what is drawn, so that no path has another's noise
        super().reset()

    def begin_path(self) -> None:
        self._plan = np.zeros((self.steps, 2))

    def weights(self, size: float) -> Floats:
        """As kernels take them, for a body of that radius [m]."""
        per_metre = [self.off_path / size, self.remaining / size, self.heading, self.clearance / size]
        return np.array([*per_metre, self.comfort * size, 0.0])

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
