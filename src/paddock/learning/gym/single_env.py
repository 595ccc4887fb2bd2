"""The Gymnasium environment with one robot: a vector of size one, so that results are bit-identical."""

from __future__ import annotations

from typing import Any

import gymnasium

from paddock.core.errors import SimulationError
from paddock.learning.gym import env_tables as t
from paddock.learning.gym.env_spec import EnvSpec, check_env_spec
from paddock.learning.gym.spaces import action_space, observation_space, shape_observation
from paddock.learning.gym.world_env import WorldEnv


class PaddockEnv(WorldEnv, gymnasium.Env[Any, Any]):
    """An environment with one robot.

    `info` contains the reward terms by name (`rewards`), and at an episode's end `is_success` and `ending`.
    """

    def __init__(self, spec: EnvSpec, render_mode: str | None = None) -> None:
        refuse_several(spec)
        super().__init__(spec, render_mode)
        self.action_space = action_space(spec)
        self.observation_space = observation_space(spec, self.stepper.layout)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the next episode, or the first episode of a seed."""
        first = self._np_random is None
        super().reset(seed=seed)
        self.stepper.begin(int(self.np_random.integers(2**63)) if first and seed is None else seed)
        self._show()
        return self._observation(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step; return observation, reward, terminated, truncated, info."""
        if self.stepper.episodes.episode[0, t.OVER]:
            raise SimulationError("step: the episode is over: call reset()")
        self.stepper.step(action)
        answers = self.stepper.answers
        labels = [term.label for term in self.env_spec.rewards]
        info: dict[str, Any] = {"rewards": dict(zip(labels, answers.terms[0, 0].tolist(), strict=True))}
        ended, truncated = int(answers.ended[0]), bool(answers.truncated[0])
        if ended or truncated:
            ending = self.env_spec.endings[ended - 1] if ended else None
            success = ending.success if ending else self.env_spec.timeout_is_success
            info |= {"is_success": success, "ending": ending.label if ending else "time"}
        self._show()
        return self._observation(), float(answers.rewards[0, 0]), ended > 0, truncated, info

    def _observation(self) -> Any:
        answers = self.stepper.answers
        return shape_observation(self.env_spec, self.stepper.layout, answers.observations[0, 0], answers.pictures[0, 0])


def refuse_several(spec: EnvSpec) -> None:
    """Raise an error if an environment has several robots, which Gymnasium does not support."""
    check_env_spec(spec)
    if spec.robots != 1:
        raise SimulationError(
            f"robots: Gymnasium supports 1, got {spec.robots}: use paddock.learning.gym.make_parallel_env, "
            "or make_vector_env, in which each robot is an environment"
        )
