"""The Gymnasium vector environment: one call steps all environments on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from paddock.arena import Arena
from paddock.core.errors import SimulationError, UnknownName
from paddock.learning.gym import env_tables as t
from paddock.learning.gym.env_spec import EnvSpec, check_env_spec
from paddock.learning.gym.render import Renderer, copy_to_arena
from paddock.learning.gym.spaces import action_space, observation_space, shape_observation
from paddock.learning.gym.stepper import Stepper

MODES = {AutoresetMode.NEXT_STEP: t.NEXT_STEP, AutoresetMode.SAME_STEP: t.SAME_STEP, AutoresetMode.DISABLED: t.DISABLED}
Flags = NDArray[np.bool_]


class PaddockVectorEnv(VectorEnv[Any, Any, Any]):
    """Environments with one robot each. Environment i is bit-identical to the single environment with its seed.

    In worlds with N robots, each robot is an environment of the vector, so that all robots learn one policy: robot k of
    world w is number w · N + k. Seeds, pictures and arenas are those of worlds. The robots of a world end together.

    `info` and `final_info` have the format of Gymnasium's own vector environments.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "autoreset_mode": AutoresetMode.NEXT_STEP}  # type: ignore[misc]

    def __init__(
        self,
        spec: EnvSpec,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """Create the environments.

        Args:
            spec: the specification of all environments.
            num_envs: number of environments; a multiple of the number of robots in a world.
            autoreset_mode: when the next episode starts: with the step after the last, in the last step, or never.
            threads: number of threads; None for all cores. Results do not depend on it.
            copy: whether observations are new arrays at each step, or the same arrays, overwritten.
            render_mode: None, or "rgb_array" for pictures.
        """
        check_env_spec(spec)
        if isinstance(num_envs, int) and num_envs % spec.robots:
            raise SimulationError(
                f"num_envs: expected a multiple of the {spec.robots} robots in a world, got {num_envs}"
            )
        if render_mode not in (None, "rgb_array"):
            raise UnknownName("render mode", str(render_mode), ["rgb_array"])
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            raise UnknownName("autoreset mode", str(autoreset_mode), [mode.value for mode in MODES]) from None
        self.env_spec, self.num_envs, self.copy, self.render_mode = spec, num_envs, copy, render_mode
        self.worlds = num_envs // spec.robots if isinstance(num_envs, int) else num_envs
        self.stepper = Stepper(spec, self.worlds, autoreset=MODES[mode], threads=threads)
        self.metadata = {**self.metadata, "autoreset_mode": mode}  # type: ignore[misc]
        self.mode = mode
        self.single_action_space = action_space(spec)
        self.single_observation_space = observation_space(spec, self.stepper.layout)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._renderer = Renderer(self.stepper)
        self._over = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the next episode; with a seed (environment i has `seed` + i) or seeds, the first episode of the seed.

        With `options={"reset_mask": flags}`, only the flagged environments are reset.
        """
        if not isinstance(options, dict | None):
            raise SimulationError(f"reset: options: expected a dict, got {options!r}")
        chosen: Any = None if options is None else options.get("reset_mask")
        if chosen is not None:
            chosen = np.asarray(chosen)
            if chosen.shape != (self.num_envs,) or chosen.dtype != bool:
                raise SimulationError(f"reset: reset_mask: expected {self.num_envs} flags, got {chosen!r}")
            chosen = chosen.reshape(self.worlds, -1).any(axis=1)
        seed = int(seed) if isinstance(seed, np.integer) else seed
        if seed is not None and not isinstance(seed, int):
            if not isinstance(seed, Sequence | np.ndarray):
                raise SimulationError(f"seed: expected a whole number, or {self.worlds} of them, got {seed!r}")
            seed = list(seed)
            if len(seed) != self.worlds:
                raise SimulationError(f"seed: expected a whole number, or {self.worlds} of them, got {len(seed)}")
        first = self._np_random is None
        super().reset(seed=seed if isinstance(seed, int) else None)
        if first and not isinstance(seed, int):  # environments without a seed draw one
            drawn = self.np_random.integers(2**62, size=self.worlds).tolist()
            seed = [mine if mine is not None else other for mine, other in zip(seed or drawn, drawn, strict=True)]
        self.stepper.begin(seed, chosen)
        self._over = np.zeros(self.num_envs, bool) if chosen is None else self._over & ~self._spread(chosen)
        return self._observation(), {}

    def step(self, actions: Any) -> tuple[Any, NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Step all environments; return observations, rewards, terminated, truncated, info."""
        if self._np_random is None:
            raise SimulationError("step: no episode has begun: call reset() first")
        if self.mode is AutoresetMode.DISABLED and self._over.any():
            raise SimulationError(f"step: the episode of environment {self._over.argmax()} is over: reset it first")
        self.stepper.step(self._group(actions))
        answers = self.stepper.answers
        terminated, truncated = self._spread(answers.ended > 0), self._spread(answers.truncated.astype(bool))
        running = ~self._over if self.mode is AutoresetMode.NEXT_STEP else np.ones(self.num_envs, bool)
        self._over = terminated | truncated
        return self._observation(), answers.rewards.flatten(), terminated, truncated, self._info(running)

    def _info(self, running: Flags) -> dict[str, Any]:
        """Return the info of the running environments."""
        info = self._reward_info(running)
        if not self._over.any():
            return info
        if self.mode is AutoresetMode.SAME_STEP:
            final = {**self._reward_info(self._over), **self._ending_info()}
            return {
                **self._reward_info(running & ~self._over),
                "final_obs": self._final_observations(), "_final_obs": self._over.copy(),
                "final_info": final, "_final_info": self._over.copy(),
            }  # fmt: skip
        return {**info, **self._ending_info()}

    def _reward_info(self, running: Flags) -> dict[str, Any]:
        if not running.any():
            return {}
        terms: dict[str, Any] = {}
        for k, term in enumerate(self.env_spec.rewards):
            values = self.stepper.answers.terms[:, :, k].ravel()
            terms |= {term.label: np.where(running, values, 0.0), f"_{term.label}": running.copy()}
        return {"rewards": terms, "_rewards": running.copy()}

    def _ending_info(self) -> dict[str, Any]:
        ended, over = self._spread(self.stepper.answers.ended), self._over
        endings = self.env_spec.endings
        success = np.array([self.env_spec.timeout_is_success, *(ending.success for ending in endings)])
        no_ending: Any = None
        labels = np.array(["time", *(ending.label for ending in endings)], object)
        return {
            "is_success": over & success[ended], "_is_success": over.copy(),
            "ending": np.where(over, labels[ended], no_ending), "_ending": over.copy(),
        }  # fmt: skip

    def _observation(self) -> Any:
        answers = self.stepper.answers
        values, pictures = _flatten(answers.observations), _flatten(answers.pictures)
        return shape_observation(self.env_spec, self.stepper.layout, values, pictures, copy=self.copy)

    def _final_observations(self) -> NDArray[Any]:
        answers, final = self.stepper.answers, np.full(self.num_envs, None, object)
        observations, shots = _flatten(answers.final_observations), _flatten(answers.final_pictures)
        for number in np.flatnonzero(self._over):
            final[number] = shape_observation(self.env_spec, self.stepper.layout, observations[number], shots[number])
        return final

    def _spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Repeat values of the worlds for each of their robots."""
        return np.repeat(values, self.env_spec.robots)

    def _group(self, actions: Any) -> Any:
        """Group the actions of robots by their worlds."""
        if self.env_spec.robots == 1:
            return actions
        given = np.asarray(actions)
        if given.shape[:1] != (self.num_envs,):
            raise SimulationError(f"step: expected {self.num_envs} actions, got an array of shape {given.shape}")
        return given.reshape(self.worlds, self.env_spec.robots, *given.shape[1:])

    def arena(self, number: int) -> Arena:
        """Return a separate arena that continues from the current state of one of the worlds."""
        if not isinstance(number, int | np.integer) or not 0 <= number < self.worlds:
            raise SimulationError(f"arena: expected a whole number from 0 to {self.worlds - 1}, got {number!r}")
        return copy_to_arena(self.stepper, int(number))

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each world, with render_mode="rgb_array"."""
        if self.render_mode is None:
            return None
        return tuple(self._renderer.draw(world) for world in range(self.worlds))

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self.stepper.close()


def _flatten(table: NDArray[Any]) -> NDArray[Any]:
    """Return a view of a table, shape (worlds, robots, …), with one row per robot."""
    return table.reshape(table.shape[0] * table.shape[1], *table.shape[2:])
