"""CudaStepper: environments whose arrays are on the GPU, stepped by one launch for all scenes."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from paddock.arena.batches.cuda.device import Cuda
from paddock.arena.batches.cuda.launch import MAX_BYTES
from paddock.arena.batches.cuda.stubs import without
from paddock.arena.batches.cuda.usage import crowd_size, most_gathered, parts_used, used_devices
from paddock.arena.batches.world_starts import list_seeds
from paddock.core.errors import DeviceRefused, SimulationError
from paddock.core.jit import Kernel
from paddock.learning.gym import env_tables as t
from paddock.learning.gym.arrays import EnvArrays
from paddock.learning.gym.cuda.driver import GOALS_STAY, NO_PLOTS, StepSizes, make_step_driver
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.env_tables import Answers
from paddock.learning.gym.reward_dispatch import get_reward, is_met
from paddock.learning.gym.reward_registry import IS_MET, REWARD_OF

Pairs = tuple[tuple[Any, Any], ...]


class CudaStepper(EnvArrays):
    """Environments on the GPU. Their arrays have `__cuda_array_interface__`; each step overwrites the last results.

    Environment i equals the CPU environment with the same seed. In float64 only fused multiply-adds round differently.
    """

    def __init__(
        self, spec: EnvSpec, count: int, *, seed: int = 0, autoreset: int = t.SAME_STEP, precision: str = "float32"
    ) -> None:
        super().__init__(spec, count, autoreset=autoreset)
        if self.layout.camera is not None:
            raise DeviceRefused(f"{self.layout.camera.name} is a camera: pictures are not computed on the GPU")
        self.cuda = cuda = Cuda(precision)
        self.driver = self._driver()
        pool = self.pool
        alike = {name: cuda.send_shared(getattr(pool, name)) for name in ("stages", "constants")}
        others = {name: cuda.send(getattr(pool, name)) for name in pool._fields[1:] if name not in alike}
        on_card = pool._replace(dt=cast(float, cuda.real(pool.dt)), **alike, **others)
        self._constant = (*on_card, *map(cuda.send, self.layout.plan))
        # Column-major order, so that neighbouring threads read neighbouring numbers.
        self._variable = [cuda.send(np.asfortranarray(part)) for part in (*self.episodes.state, *self.episodes[1:])]
        self.answers = Answers(*(cuda.send(part) for part in self.answers))
        self.actions = cuda.send(self.actions)
        self.terminated = cuda.send(np.zeros(count, bool))
        self._everywhere = cuda.send(np.ones(count, bool))
        self.begin(seed)

    def _driver(self) -> Any:
        spec, plan = self.spec, self.layout.plan
        models = [scene.model for scene in self.scenes]
        used = used_devices(models[0], np.tile(plan.enabled, (spec.robots, 1)))
        swaps = {
            **without(parts_used(self.scenes, used)),
            get_reward: REWARD_OF.make(REWARD_OF.cases(plan.terms[:, t.KIND].tolist())),
            is_met: IS_MET.make(IS_MET.cases(plan.endings[:, t.KIND].tolist())),
            **({} if spec.explores else NO_PLOTS),
            **(GOALS_STAY if spec.goals == "drawn" else {}),
        }
        motion, commands = self.episodes.state.motion, self.episodes.commands
        sizes = StepSizes(
            single=self.cuda.single,
            robots=spec.robots,
            bodies=motion.shape[2],
            kept=motion.shape[1],
            columns=motion.shape[3],
            wanted=commands.shape[2],
            crowd=crowd_size(models),
            most=most_gathered(models, used),
            values=self.layout.values,
        )
        if sizes.thread_bytes > MAX_BYTES:
            raise SimulationError(
                f"{type(spec).__name__}: an environment needs {sizes.thread_bytes // 1024} KiB on the GPU, more than "
                f"the limit of {MAX_BYTES // 1024} KiB per thread: use smaller worlds, fewer robots, or the CPU"
            )
        return _compile(self.cuda.module, sizes, tuple(swaps.items()), tuple(sorted(self.cuda.options.items())))

    def begin(self, seeds: int | Sequence[int] | None = None, chosen: Any = None, stream: Any = 0) -> None:
        """Start the next episode in all or in chosen environments; with seeds (for all), the first episode.

        Args:
            seeds: environment i gets `seeds` + i, or the i-th seed of a sequence.
            chosen: flags on the GPU; None for all.
            stream: a CUDA stream of numba.
        """
        if seeds is not None:
            if chosen is not None:
                raise SimulationError("reset: expected seeds for all environments, or a mask and no seeds")
            self.episodes.episode[:, t.SEED], self.episodes.episode[:, t.EPISODE] = list_seeds(seeds, len(self)), 0
            self._variable[EPISODE_AT].copy_to_device(np.asfortranarray(self.episodes.episode), stream)
        self._launch(self._everywhere if chosen is None else chosen, begin=True, stream=stream)

    def step(self, stream: Any = 0) -> None:
        """Step all environments with the array `actions`; return immediately."""
        self._launch(self._everywhere, begin=False, stream=stream)

    def _launch(self, chosen: Any, *, begin: bool, stream: Any) -> None:
        threads = self.cuda.threads
        self.driver[math.ceil(len(self) / threads), threads, stream](
            *self._constant, *self._variable, *self.answers, self.actions, self.terminated, chosen, begin
        )


EPISODE_AT = 5  # index of `episode` in the variables: clock, motion, commands, robots, sources, episode …


@functools.cache
def _compile(module: Any, sizes: StepSizes, swaps: tuple[tuple[Kernel, Kernel], ...], options: Pairs) -> Any:
    """Compile a driver, which takes many seconds; equal environments share it."""
    return make_step_driver(module, sizes, dict(swaps), **dict(options))
