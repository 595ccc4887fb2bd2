"""Evaluators: evaluate individuals on the cores of this machine, on its GPU, or on a cluster."""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol

import numpy as np

from paddock.arena.batches.batch import Batch
from paddock.control.policies.networks import Network
from paddock.control.policies.program import Program
from paddock.core.errors import PaddockError, format_value
from paddock.core.jobs import JobRunner, Workers
from paddock.learning.evolve.tasks.evolution_task import Evaluation, EvolutionTask, Floats


class Evaluator(Protocol):
    """Evaluates individuals by simulation."""

    device: str  # cpu or cuda; they round differently

    def __call__(self, individuals: Floats) -> Evaluation:
        """Evaluate individuals; the result of an individual depends only on its own numbers."""

    def compile(self) -> None:
        """Compile the kernels before the first evaluation."""


class EvaluatorFactory(Protocol):
    """Creates an evaluator for a task."""

    def __call__(self, task: EvolutionTask, policy: Network | Program, *, seed: int) -> Evaluator:
        """Return the evaluator; the seed determines the noise."""


class LocalEvaluator:
    """Evaluates all individuals at once, on the threads of this process or on its GPU."""

    def __init__(
        self,
        task: EvolutionTask,
        policy: Network | Program,
        *,
        seed: int = 0,
        threads: int | None = None,
        device: str = "cpu",
        precision: str = "float64",
        repeats: int | None = None,
    ) -> None:
        """Build the worlds.

        Args:
            task: the task to evaluate.
            policy: the policy that receives the individuals as weights.
            seed: seed of the noise in the first world; the others follow. All individuals get the same noise.
            threads: None for all cores. Results do not depend on it.
            device: cpu or cuda.
            precision: float64, or float32 on cuda.
            repeats: drives of each individual in every world, each with different noise; None: the task's trials.
        """
        self.task, self.policy, self.seed, self.device = task, policy, seed, device
        self.options: dict[str, Any] = {
            "threads": threads, "device": device, "precision": precision,
        }  # fmt: skip
        self.drives = (repeats or task.trials) * len(task.runs)  # drives of each individual
        self._batch: Batch | None = None

    def __call__(self, individuals: Floats) -> Evaluation:
        """Simulate all worlds of all individuals, and return their evaluation."""
        if self._batch is None or len(self._batch) != self.drives * len(individuals):
            self._batch = self.task.make_batch(
                self.drives, seed=self.seed, individuals=len(individuals), **self.options
            )
        else:
            self._batch.reset()
        batch_result = self._batch.run(
            self.task.seconds,
            self.policy.with_weights(individuals),
            metrics=self.task.metrics,
            every=self.task.trace_every,
            readings=False,
        )
        evaluation = self.task.evaluate(batch_result)
        if not isinstance(evaluation, Evaluation) or len(evaluation.fitness) != len(batch_result.ticks):
            got = (
                f"one of {len(evaluation.fitness)}" if isinstance(evaluation, Evaluation) else format_value(evaluation)
            )
            expected = f"an Evaluation of {len(batch_result.ticks)} worlds"
            raise PaddockError(f"{self.task.name}: evaluate: expected {expected}, got {got}")
        return evaluation.average_by_individual(self.drives)

    def compile(self) -> None:
        """Compile the kernels by running one tick."""
        batch = self.task.make_batch(len(self.task.runs), seed=0, **self.options)
        batch.run(batch.dt, self.policy, metrics=self.task.metrics)


class SharedEvaluator:
    """Distributes individuals over workers, each with its own evaluator; results equal those of a single evaluator."""

    device = "cpu"

    def __init__(
        self, task: EvolutionTask, policy: Network | Program, *, seed: int = 0, workers: Workers = None
    ) -> None:
        make = partial(LocalEvaluator, task, policy, seed=seed, threads=1)
        self.runner: JobRunner[Floats, Evaluation] = JobRunner(make, workers)

    def __call__(self, individuals: Floats) -> Evaluation:
        """Distribute the individuals, and concatenate the results in order."""
        shares = np.array_split(individuals, min(len(self.runner.workers), len(individuals)))
        parts = self.runner.run(shares)
        return Evaluation(
            np.concatenate([part.fitness for part in parts]),
            np.concatenate([part.solved for part in parts]),
            np.concatenate([part.behaviour for part in parts]),
        )

    def compile(self) -> None:
        """Do nothing; every worker compiles when it receives its first individuals."""
