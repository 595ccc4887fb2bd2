"""PettingZoo parallel environments: several robots in one world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from paddock.core.errors import SimulationError, format_value
from paddock.learning.gym.env_spec import EnvSpec, check_env_spec
from paddock.learning.gym.registration import TEAM_ENVIRONMENTS, choose_spec
from paddock.learning.gym.spaces import action_space, observation_space, shape_observation
from paddock.learning.gym.world_env import WorldEnv


def make_parallel_env(
    environment: str | EnvSpec, *, render_mode: str | None = None, **options: Any
) -> PaddockParallelEnv:
    """Create an environment with several robots by name or `module:Class`, or of a spec; options are its fields."""
    return PaddockParallelEnv(choose_spec(TEAM_ENVIRONMENTS, environment, options), render_mode)


class PaddockParallelEnv(WorldEnv, ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """Robots that act at the same time. The agents have the names of the robots. An episode ends for all at once."""

    def __init__(self, spec: EnvSpec, render_mode: str | None = None) -> None:
        check_env_spec(spec)
        super().__init__(spec, render_mode)
        self.metadata["name"] = type(spec).__name__
        self.possible_agents = [robot.name for robot in self.stepper.scenes[0].spec.robots]
        self.agents: list[str] = []
        self.action_spaces = {agent: action_space(spec) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: observation_space(spec, self.stepper.layout) for agent in self.possible_agents
        }
        self._begun = False

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start the next episode, or the first episode of a seed."""
        if seed is None and not self._begun:  # draw a seed if none is given
            seed = int(np.random.default_rng().integers(2**63))
        self._begun = True
        self.stepper.begin(seed)
        self.agents = self.possible_agents[:]
        self._show()
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Step all agents; return observations, rewards, terminations, truncations and infos, by agent."""
        if not self.agents:
            raise SimulationError("step: the episode is over: call reset()")
        if not isinstance(actions, Mapping):
            raise SimulationError(f"step: expected a dict of actions by agent, got {format_value(actions)}")
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise SimulationError(
                f"step: expected an action for each of {', '.join(self.agents)}, got none for {missing[0]}"
            )
        self.stepper.step([actions[agent] for agent in self.agents])
        answers, agents = self.stepper.answers, self.agents
        ended, truncated = int(answers.ended[0]), bool(answers.truncated[0])
        rewards = dict(zip(agents, answers.rewards[0].tolist(), strict=True))
        labels = [term.label for term in self.env_spec.rewards]
        infos: dict[str, dict[str, Any]] = {
            agent: {"rewards": dict(zip(labels, terms, strict=True))}
            for agent, terms in zip(agents, answers.terms[0].tolist(), strict=True)
        }
        if ended or truncated:
            ending = self.env_spec.endings[ended - 1].label if ended else "time"
            infos = {agent: {**info, "ending": ending} for agent, info in infos.items()}
            self.agents = []
        self._show()
        observations = self._observations()
        return observations, rewards, dict.fromkeys(agents, ended > 0), dict.fromkeys(agents, truncated), infos

    def _observations(self) -> dict[str, Any]:
        answers = self.stepper.answers
        return {
            agent: shape_observation(self.env_spec, self.stepper.layout, values, picture)
            for agent, values, picture in zip(
                self.possible_agents, answers.observations[0], answers.pictures[0], strict=True
            )
        }

    def state(self) -> NDArray[np.float32]:
        """Return all agents' observations in one row."""
        row: NDArray[np.float32] = self.stepper.answers.observations[0].ravel().copy()
        return row
