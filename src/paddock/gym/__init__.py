"""Gymnasium and vector environments on the engine of rollouts. Importing this registers `paddock/GoTo-v0` and so on."""

from __future__ import annotations

try:
    import gymnasium
except ImportError:
    from paddock.core.errors import PaddockError

    raise PaddockError("paddock.gym needs Gymnasium: install it with: pip install 'paddock[gym]'") from None

from paddock.gym.environments import AvoidEnv, ExploreEnv, GoToEnv, LineFollowEnv, MazeEnv, WallFollowEnv
from paddock.gym.registration import make_env, make_vector_env, register_environments
from paddock.gym.single import PaddockEnv
from paddock.gym.spec import EnvSpec, Randomisation
from paddock.gym.vector import PaddockVectorEnv

__all__ = [
    "EnvSpec",
    "GoToEnv",
    "PaddockEnv",
    "PaddockVectorEnv",
    "Randomisation",
    "make_env",
    "make_vector_env",
    "register_environments",
]

register_environments()
