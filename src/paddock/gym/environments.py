"""The shipped environments. Each is a small class: its worlds, what is observed, rewards and endings."""

from __future__ import annotations

from dataclasses import dataclass

from paddock.gym.endings import GoalReached
from paddock.gym.rewards import ArrivalReward, ContactReward, ProgressReward, TimeReward
from paddock.gym.rooms import make_room
from paddock.gym.spec import EnvSpec
from paddock.gym.terms import Ending, RewardTerm
from paddock.worlds import WorldSpec


@dataclass(frozen=True, kw_only=True)
class GoTo(EnvSpec):
    """Drive to a goal among clutter; goal and clutter are drawn from the seed."""

    observe: tuple[object, ...] = ("proximity", "goal")
    rewards: tuple[RewardTerm, ...] = (
        ProgressReward(weight=0.1),
        ArrivalReward(weight=5.0),
        ContactReward(weight=-0.1),
        TimeReward(weight=-0.01),
    )
    endings: tuple[Ending, ...] = (GoalReached(),)
    time_limit: float = 60.0

    def make_worlds(self) -> list[WorldSpec]:
        robot = self.load_robot()
        return [make_room(self.first_room + i, robot, side=40.0, pieces=(6, 12), gap=4.0) for i in range(self.rooms)]
