"""Stepper: the arrays of many environments, and one call that steps all of them on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena.batches.batch import allocate_workspace
from paddock.arena.batches.threads import count_threads
from paddock.arena.batches.world_starts import list_seeds
from paddock.core.errors import SimulationError, format_value
from paddock.core.jit import progress_while_compiling
from paddock.core.user_code import warn_user
from paddock.learning.gym import env_tables as t
from paddock.learning.gym.arrays import EnvArrays
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.scene_pool import randomise_scene
from paddock.learning.gym.step_plan import kernel_for
from paddock.simulation.worlds.build import BuiltWorld


class Stepper(EnvArrays):
    """Environments that are stepped on the CPU. Each step overwrites the results of the previous one."""

    def __init__(self, spec: EnvSpec, count: int, *, autoreset: int, threads: int | None = None) -> None:
        most = count_threads(threads, "threads")
        super().__init__(spec, count, autoreset=autoreset)
        hands = min(count, most)
        self._hands = [self._scratch() for _ in range(hands)]
        self._shares = [(count * i // hands, count * (i + 1) // hands) for i in range(hands)]
        self._helpers = ThreadPoolExecutor(hands - 1) if hands > 1 else None
        self._warned = False  # of an action that is NaN
        kernel = kernel_for(spec, self.layout, self.scenes[0].model)
        with progress_while_compiling("the step of environments", kernel):
            self._entry = kernel.entry(*self._arguments(0, begin=True))

    def _scratch(self) -> tuple[Any, ...]:
        """Return scratch memory of one thread, large enough for every scene."""
        camera = self.layout.camera
        depth = np.zeros((0, 0) if camera is None else (camera.height, camera.width))
        return allocate_workspace(self.scenes), np.zeros(self.layout.values), depth

    def _arguments(self, hand: int, *, begin: bool) -> tuple[Any, ...]:
        scratch, share = self._hands[hand], self._shares[hand]
        return (self.pool, self.layout.plan, self.episodes, self.answers, self.actions, *scratch, *share, begin)

    def begin(self, seeds: int | Sequence[int | None] | None = None, chosen: NDArray[np.bool_] | None = None) -> None:
        """Start the next episode in all or in chosen environments; with a seed, the first episode of the seed."""
        where = np.ones(len(self), bool) if chosen is None else chosen
        if seeds is not None:
            seeded = where.copy()
            if isinstance(seeds, int | np.integer):
                numbers = list_seeds(seeds, len(self))
            else:
                numbers = list_seeds([seed or 0 for seed in seeds], len(self))
                seeded &= [seed is not None for seed in seeds]
            self.episodes.episode[seeded, t.SEED] = numbers[seeded]
            self.episodes.episode[seeded, t.EPISODE] = 0
        over = self.episodes.episode[:, t.OVER]
        waiting = over.copy()
        over[:] = where
        self._run(begin=True)
        over[~where] = waiting[~where]

    def step(self, actions: Any) -> None:
        """Step all environments."""
        given, shape = self._check_numbers(actions), self.actions.shape
        allowed = [tuple(length for i, length in enumerate(shape) if i == 0 or length > 1), shape]
        if len(self) == 1:
            allowed += [each[1:] for each in allowed]
        if given.shape not in allowed:
            wanted = allowed[2 if len(self) == 1 else 0]
            raise SimulationError(f"step: expected actions of shape {wanted}, got {given.shape}")
        self.actions[...] = given.reshape(shape)
        if not self._warned and np.isnan(self.actions).any():
            self._warned = True
            warn_user("step: an action is NaN, which counts as 0 (this warning is shown once)")
        self._run(begin=False)

    def _check_numbers(self, actions: Any) -> NDArray[Any]:
        """Return actions as an array of real numbers."""
        try:
            given = np.asarray(actions)
        except ValueError:
            given = np.array(None)
        if given.dtype.kind not in "biuf":
            raise SimulationError(f"step: expected actions as numbers, got {format_value(actions)}")
        return given

    def _run(self, *, begin: bool) -> None:
        if self._helpers is None:
            self._entry(*self._arguments(0, begin=begin))
            return
        jobs = [
            self._helpers.submit(self._entry, *self._arguments(hand, begin=begin))
            for hand in range(1, len(self._hands))
        ]
        self._entry(*self._arguments(0, begin=begin))
        for job in jobs:
            job.result()

    def scene(self, world: int) -> BuiltWorld:
        """Return the scene of an environment's current episode, with its errors."""
        number = int(self.episodes.episode[world, t.SCENE])
        return randomise_scene(self.scenes[number], self.episodes.robots[world], self.episodes.sources[world])

    def close(self) -> None:
        """Stop the threads."""
        if self._helpers is not None:
            self._helpers.shutdown()
