"""The shipped environments with several robots in one world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from paddock.learning.gym.endings import FloorCovered, GoalReached
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.environments import Endings, Observed, Rewards, draw_on_line
from paddock.learning.gym.places import FreeSpace
from paddock.learning.gym.rewards import (
    ArrivalReward,
    ContactReward,
    DiscoveryReward,
    LineReward,
    ProgressReward,
    TimeReward,
)
from paddock.simulation.engine.model import Floats
from paddock.simulation.worlds import WorldSpec, load_world


@dataclass(frozen=True, kw_only=True)
class LineCrossingEnv(EnvSpec):
    """Robots follow one line with obstacles on it. They pass each other and the obstacles and return to the line."""

    robots: int = 2
    observe: Observed = ("floor", "ranges", "wheels")
    rewards: Rewards = (LineReward(), ContactReward(weight=-1.0))
    time_limit: float = 60.0
    dt: float = 0.05
    timeout_is_success: ClassVar[bool] = True

    def make_worlds(self) -> list[WorldSpec]:
        return [load_world("line-crossing")]

    def make_starts(self, space: FreeSpace, rng: np.random.Generator) -> Floats:
        """Return poses on the line, apart from each other."""
        return draw_on_line(space, rng, self.places, self.robots)


@dataclass(frozen=True, kw_only=True)
class PursuitEnv(EnvSpec):
    """All robots except the last one pursue the last one until it is caught. Each observes its counterpart as goal."""

    robots: int = 4
    goals: Literal["drawn", "prey", "food"] = "prey"
    observe: Observed = ("ranges", "goal", "wheels")
    rewards: Rewards = (
        ProgressReward(weight=0.1, prey=True),
        ArrivalReward(weight=10.0, prey=True),
        ContactReward(weight=-0.05),
    )
    endings: Endings = (GoalReached(prey=True),)
    time_limit: float = 60.0

    def make_worlds(self) -> list[WorldSpec]:
        return self.make_rooms(side=40.0, pieces=(3, 6))


@dataclass(frozen=True, kw_only=True)
class ForagingEnv(EnvSpec):
    """All robots together find all pieces of food in a room. Each robot observes the nearest piece as goal."""

    robots: int = 4
    goals: Literal["drawn", "prey", "food"] = "food"
    places: int = 16  # pieces of food
    observe: Observed = ("ranges", "goal", "wheels")
    rewards: Rewards = (
        DiscoveryReward(),
        ProgressReward(weight=0.02),
        ContactReward(weight=-0.05),
        TimeReward(weight=-0.01),
    )
    endings: Endings = (FloorCovered(share=1.0),)
    time_limit: float = 120.0

    def make_worlds(self) -> list[WorldSpec]:
        return self.make_rooms(side=40.0, pieces=(3, 6))
