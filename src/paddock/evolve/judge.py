"""Judges: from individuals to how well they did, on the cores of this machine or on its GPU."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from paddock.arena.batch import Batch
from paddock.control.networks import Network
from paddock.control.program import Program
from paddock.evolve.tasks.base import Floats, Judgement, Task
from paddock.worlds.build import build


class Judge(Protocol):
    """Lets individuals drive."""

    def __call__(self, individuals: Floats) -> Judgement:
        """How well each did; what one gets depends on nothing but its own numbers."""

    def get_ready(self) -> None:
        """Compile what has to be compiled."""


class JudgeMaker(Protocol):
    """Makes a judge for a task."""

    def __call__(self, task: Task, policy: Network | Program, *, seed: int) -> Judge:
        """The judge; the seed decides the noise."""


class LocalJudge:
    """All individuals at once, on the threads of this process or on its GPU."""

    def __init__(
        self,
        task: Task,
        policy: Network | Program,
        *,
        seed: int = 0,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        """Build the worlds.

        Args:
            task: what to do.
            policy: what the individuals' numbers are put into.
            seed: of the noise in the first world; the others follow. All individuals meet the same noise.
            threads: None for all cores. Results do not depend on it.
            device: cpu or cuda.
        """
        self.task, self.policy, self.seed = task, policy, seed
        self.options: dict[str, Any] = {"threads": threads, "device": device}
        self.scenes = [build(world) for world in task.worlds]
        self._batch: Batch | None = None

    def __call__(self, individuals: Floats) -> Judgement:
        """Run all worlds of all individuals."""
        count = len(self.scenes)
        if self._batch is None or len(self._batch) != count * len(individuals):
            seeds = (self.seed + np.tile(np.arange(count), len(individuals))).tolist()
            self._batch = Batch(self.scenes, count * len(individuals), seed=seeds, **self.options)
        else:
            self._batch.reset()
        return self._drive(self._batch, individuals).by_individual(count)

    def with_other_noise(self, individual: Floats, repeats: int) -> Judgement:
        """One individual in the first world, so many times, each with noise of its own."""
        batch = Batch(self.scenes[:1], repeats, seed=self.seed, **self.options)
        return self._drive(batch, individual[None])

    def get_ready(self) -> None:
        """Compile what has to be compiled."""
        batch = Batch(self.scenes, len(self.scenes), seed=[0] * len(self.scenes), **self.options)
        batch.run(batch.dt, self.policy, measures=self.task.measures)

    def _drive(self, batch: Batch, individuals: Floats) -> Judgement:
        drive = batch.run(
            self.task.seconds,
            self.policy.with_weights(individuals),
            measures=self.task.measures,
            trace_every=self.task.trace_every,
        )
        return self.task.judge(drive)
