"""Vector environments with the interface of stable-baselines3."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    from paddock.core.errors import PaddockError
    from paddock.core.packages import install_extra

    raise PaddockError(
        f"paddock.learning.gym.sb3 needs stable-baselines3: install it with: {install_extra('gym', 'learn')}"
    ) from None

from paddock.core.errors import SimulationError
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.registration import make_vector_env
from paddock.learning.gym.vector_env import PaddockVectorEnv


class Sb3VectorEnv(VecEnv):  # type: ignore[misc]
    """A `PaddockVectorEnv` with the VecEnv interface of stable-baselines3: one call steps all worlds."""

    def __init__(self, environment: str | EnvSpec, num_envs: int, *, seed: int = 0, **options: Any) -> None:
        """Create the environments; the options are those of `make_vector_env`."""
        self.env: PaddockVectorEnv = make_vector_env(
            environment, num_envs=num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options
        )
        super().__init__(num_envs, self.env.single_observation_space, self.env.single_action_space)
        self.seed(seed)
        self._steps, self._returns = np.zeros(num_envs, np.int64), np.zeros(num_envs)

    def reset(self) -> Any:
        """Start an episode in all environments; the first episode of the seeds if `seed` was called before."""
        seeds = None if None in self._seeds else self._seeds
        self._reset_seeds()
        self._reset_options()
        self._steps[:], self._returns[:] = 0, 0.0
        return self.env.reset(seed=seeds and seeds[:: self.env.env_spec.robots])[0]

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Step all environments; return observations, rewards, flags of finished episodes, and infos."""
        observations, rewards, terminated, truncated, info = self.env.step(self._actions)
        over = terminated | truncated
        self._steps += 1
        self._returns += rewards
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(over):
            final = info["final_info"]
            infos[i] = {
                "terminal_observation": info["final_obs"][i],
                "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
                "is_success": bool(final["is_success"][i]),
                "ending": str(final["ending"][i]),
                "episode": {"r": float(self._returns[i]), "l": int(self._steps[i]), "t": 0.0},
            }
        self._steps[over], self._returns[over] = 0, 0.0
        return observations, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        """Stop the threads."""
        self.env.close()

    def get_images(self) -> tuple[Any, ...]:
        """Return a picture of each world."""
        return self.env.render() or ()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, which all environments share."""
        return [getattr(self.env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise an error: all environments of a vector have the same attributes."""
        raise SimulationError(
            f"set_attr: {attr_name}: all environments of a vector have the same attributes: create another vector"
        )

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **options: Any) -> list[Any]:
        """Raise an error: a vector has no individual environment objects."""
        raise SimulationError(f"env_method: {method_name}: a vector has no individual environment objects")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each environment."""
        return [False for _ in self._get_indices(indices)]
