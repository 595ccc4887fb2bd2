"""Registration of the environments with Gymnasium, as `paddock/GoTo-v0` and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import gymnasium

from paddock.core.registry import Registry
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.single_env import PaddockEnv
from paddock.learning.gym.vector_env import PaddockVectorEnv

ENVIRONMENTS: Registry[type[EnvSpec]] = Registry(
    "environment",
    group="paddock.environments",
    base=EnvSpec,
    builtin={
        "Avoid": "paddock.learning.gym.environments:AvoidEnv",
        "GoTo": "paddock.learning.gym.environments:GoToEnv",
        "Maze": "paddock.learning.gym.environments:MazeEnv",
        "LineFollow": "paddock.learning.gym.environments:LineFollowEnv",
        "WallFollow": "paddock.learning.gym.environments:WallFollowEnv",
        "Explore": "paddock.learning.gym.environments:ExploreEnv",
    },
)
TEAM_ENVIRONMENTS: Registry[type[EnvSpec]] = Registry(
    "environment for several robots",
    group="paddock.team_environments",
    base=EnvSpec,
    builtin={
        "LineCrossing": "paddock.learning.gym.teams:LineCrossingEnv",
        "Pursuit": "paddock.learning.gym.teams:PursuitEnv",
        "Foraging": "paddock.learning.gym.teams:ForagingEnv",
    },
)
OF_VECTORS = ("autoreset_mode", "threads", "copy")


def make_env(environment: str | EnvSpec, *, render_mode: str | None = None, **options: Any) -> PaddockEnv:
    """Create an environment by name or `module:Class`, or of a spec; options are fields of the spec."""
    return PaddockEnv(choose_spec(ENVIRONMENTS, environment, options), render_mode)


def choose_spec(known: Registry[type[EnvSpec]], environment: str | EnvSpec, options: Mapping[str, Any]) -> EnvSpec:
    """Return the spec of an environment with a name, or a given spec, with some fields replaced."""
    if isinstance(environment, EnvSpec):
        own = {field.name: getattr(environment, field.name) for field in fields(environment)}
        return type(environment).from_options(**{**own, **options})
    return known.get(environment).from_options(**options)


def make_vector_env(
    environment: str | EnvSpec, *, num_envs: int = 1, render_mode: str | None = None, **options: Any
) -> PaddockVectorEnv:
    """Create a vector environment by name, or of a spec; options are fields of the spec, or `autoreset_mode`, `threads`
    or `copy`."""
    own = {name: options.pop(name) for name in OF_VECTORS if name in options}
    teams = isinstance(environment, str) and environment in TEAM_ENVIRONMENTS
    spec = choose_spec(TEAM_ENVIRONMENTS if teams else ENVIRONMENTS, environment, options)
    return PaddockVectorEnv(spec, num_envs, render_mode=render_mode, **own)


def make_sb3_env(environment: str | EnvSpec, num_envs: int, *, seed: int = 0, **options: Any) -> Any:
    """Create a vector environment for stable-baselines3; requires `pip install 'paddock-lab[gym,learn]'`.

    Args:
        environment: a name, `module:Class`, or a spec.
        num_envs: number of environments.
        seed: of the first environment.
        options: options of `make_vector_env`.
    """
    from paddock.learning.gym.sb3 import Sb3VectorEnv

    return Sb3VectorEnv(environment, num_envs, seed=seed, **options)


def register_environments() -> None:
    """Register all environments with Gymnasium, once."""
    for name in ENVIRONMENTS:
        known = f"paddock/{name}-v0"
        if known not in gymnasium.registry:
            gymnasium.register(
                known,
                entry_point="paddock.learning.gym.registration:make_env",
                vector_entry_point="paddock.learning.gym.registration:make_vector_env",
                kwargs={"environment": name},
            )
