"""One environment as Gymnasium knows it: a vector of one, so that it takes the same bits."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium

from paddock.arena import Arena
from paddock.core.errors import SimulationError, UnknownName
from paddock.gym import tables as t
from paddock.gym.render import Renderer, arena_of
from paddock.gym.spaces import action_space, observation_space, shape_observation
from paddock.gym.spec import EnvSpec, check_env_spec
from paddock.gym.stepper import Stepper


class PaddockEnv(gymnasium.Env[Any, Any]):
    """An environment with one robot.

    `info` tells the parts of the reward by name (`rewards`), and at an episode's end `is_success` and `ending`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array", "human"], "render_fps": 10}  # type: ignore[misc]

    def __init__(self, spec: EnvSpec, render_mode: str | None = None) -> None:
        refuse_several(spec)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UnknownName("render mode", str(render_mode), self.metadata["render_modes"])
        self.env_spec, self.render_mode = spec, render_mode
        self.stepper = Stepper(spec, 1, autoreset=t.DISABLED, threads=1)
        self.metadata = {**self.metadata, "render_fps": max(1, round(1.0 / self.stepper.layout.context.seconds))}  # type: ignore[misc]
        self.action_space = action_space(spec)
        self.observation_space = observation_space(spec, self.stepper.layout)
        self._renderer = Renderer(self.stepper)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the next episode, or with a seed the first one of it."""
        first = self._np_random is None
        super().reset(seed=seed)
        self.stepper.begin(int(self.np_random.integers(2**63)) if first and seed is None else seed)
        self._show()
        return self._observation(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step: observation, reward, terminated, truncated, info."""
        if self.stepper.episodes.episode[0, t.OVER]:
            raise SimulationError("step: the episode is over: call reset()")
        self.stepper.step(action)
        answers = self.stepper.answers
        labels = [term.label for term in self.env_spec.rewards]
        info: dict[str, Any] = {"rewards": dict(zip(labels, answers.terms[0, 0].tolist(), strict=True))}
        ended, truncated = int(answers.ended[0]), bool(answers.truncated[0])
        if ended or truncated:
            ending = self.env_spec.endings[ended - 1] if ended else None
            success = ending.success if ending else self.env_spec.endures
            info |= {"is_success": success, "ending": ending.label if ending else "time"}
        self._show()
        return self._observation(), float(answers.rewards[0, 0]), ended > 0, truncated, info

    def _observation(self) -> Any:
        answers = self.stepper.answers
        return shape_observation(self.env_spec, self.stepper.layout, answers.observations[0, 0], answers.pictures[0, 0])

    def arena(self) -> Arena:
        """An arena of its own that goes on where the environment is, for programs that want more than a step."""
        return arena_of(self.stepper, 0)

    def render(self) -> Any:
        """A picture of the world (`rgb_array`); `human` shows the page, which follows by itself."""
        return self._renderer.draw(0) if self.render_mode == "rgb_array" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            self._renderer.show(0)

    def close(self) -> None:
        """End what was started for it."""
        self._renderer.close()
        self.stepper.close()


def refuse_several(spec: EnvSpec) -> None:
    """Gymnasium knows one robot only."""
    check_env_spec(spec)
    if spec.robots != 1:
        raise SimulationError(f"robots: Gymnasium drives 1, got {spec.robots}: use paddock.gym.make_parallel_env")
