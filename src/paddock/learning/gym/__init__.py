"""Gymnasium, vector and PettingZoo environments with one compiled step. The import registers `paddock/GoTo-v0` etc."""

from __future__ import annotations

from paddock.core.errors import PaddockError
from paddock.core.packages import install_extra

try:
    from paddock.learning.gym.endings import ContactMade, FloorCovered, GoalReached, LineLost
    from paddock.learning.gym.env_spec import EnvSpec
    from paddock.learning.gym.environments import AvoidEnv, ExploreEnv, GoToEnv, LineFollowEnv, MazeEnv, WallFollowEnv
    from paddock.learning.gym.export import export_network
    from paddock.learning.gym.parallel import PaddockParallelEnv, make_parallel_env
    from paddock.learning.gym.places import FreeSpace
    from paddock.learning.gym.registration import (
        ENVIRONMENTS,
        TEAM_ENVIRONMENTS,
        make_env,
        make_sb3_env,
        make_vector_env,
        register_environments,
    )
    from paddock.learning.gym.reward_registry import ENDINGS, REWARDS
    from paddock.learning.gym.rewards import (
        ArrivalReward,
        AvoidanceReward,
        ContactReward,
        DiscoveryReward,
        LineReward,
        ProgressReward,
        TimeReward,
        WallReward,
    )
    from paddock.learning.gym.single_env import PaddockEnv
    from paddock.learning.gym.teams import ForagingEnv, LineCrossingEnv, PursuitEnv
    from paddock.learning.gym.terms import Ending, RewardTerm, TermContext
    from paddock.learning.gym.vector_env import PaddockVectorEnv
    from paddock.simulation.worlds.randomise import Randomise
    from paddock.simulation.worlds.rooms import make_room, make_track
except ModuleNotFoundError as error:
    if error.name not in ("gymnasium", "pettingzoo"):
        raise
    raise PaddockError(f"paddock.learning.gym needs the package {error.name}: {install_extra('gym')}") from None

__all__ = [
    "ENDINGS",
    "ENVIRONMENTS",
    "REWARDS",
    "TEAM_ENVIRONMENTS",
    "ArrivalReward",
    "AvoidEnv",
    "AvoidanceReward",
    "ContactMade",
    "ContactReward",
    "DiscoveryReward",
    "Ending",
    "EnvSpec",
    "ExploreEnv",
    "FloorCovered",
    "ForagingEnv",
    "FreeSpace",
    "GoToEnv",
    "GoalReached",
    "LineCrossingEnv",
    "LineFollowEnv",
    "LineLost",
    "LineReward",
    "MazeEnv",
    "PaddockEnv",
    "PaddockParallelEnv",
    "PaddockVectorEnv",
    "ProgressReward",
    "PursuitEnv",
    "Randomise",
    "RewardTerm",
    "TermContext",
    "TimeReward",
    "WallFollowEnv",
    "WallReward",
    "export_network",
    "make_env",
    "make_parallel_env",
    "make_room",
    "make_sb3_env",
    "make_track",
    "make_vector_env",
    "register_environments",
]

register_environments()
