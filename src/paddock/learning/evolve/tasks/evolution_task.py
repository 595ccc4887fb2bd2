"""Base classes of tasks: worlds, inputs of the controller, and the evaluation of a drive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena.batches.batch import Batch
from paddock.arena.batches.batch_result import BatchResult
from paddock.arena.metrics.metric import Metric
from paddock.arena.run_spec import RunSpec, make_batch
from paddock.control.policies.networks import Network
from paddock.control.policies.policy import Input, Policy
from paddock.control.policies.program import Program
from paddock.core.errors import PaddockError, format_value
from paddock.core.observation import as_floats
from paddock.learning.evolve.options import EvolutionConfig
from paddock.simulation.worlds import WorldSpec

Floats = NDArray[np.float64]
USUAL_OPTIONS = ("world", "trials", "seconds", "hidden", "recurrent")
PLACE = "x at the end / width of the world", "y at the end / height of the world"


@dataclass(frozen=True)
class Evaluation:
    """Fitness, success and behaviour of worlds or individuals."""

    fitness: Floats  # more is better
    solved: Floats  # whether the task was solved, 0 or 1; for individuals, the share of their worlds
    behaviour: Floats  # two behaviour measures for each, from 0 to 1

    def __post_init__(self) -> None:
        for name in ("fitness", "solved", "behaviour"):
            object.__setattr__(self, name, as_floats(f"Evaluation: {name}", getattr(self, name)))
        shapes = self.fitness.shape, self.solved.shape, self.behaviour.shape
        if self.fitness.ndim != 1 or shapes[1] != shapes[0] or self.behaviour.ndim != 2 or shapes[2][:1] != shapes[0]:
            raise PaddockError(
                "fitness: expected one number for every world, and two of behaviour, "
                f"got shapes {shapes[0]}, {shapes[1]} and {shapes[2]}"
            )

    def average_by_individual(self, worlds: int) -> Evaluation:
        """Return the means over the worlds of each individual; these are consecutive."""
        return Evaluation(
            self.fitness.reshape(-1, worlds).mean(axis=1),
            self.solved.reshape(-1, worlds).mean(axis=1),
            self.behaviour.reshape(-1, worlds, self.behaviour.shape[1]).mean(axis=1),
        )


@dataclass(frozen=True, kw_only=True)
class EvolutionTask:
    """A task for one robot: the runs that it drives, and their evaluation."""

    name: str
    runs: tuple[RunSpec, ...]  # one in each world, with the same metrics and the same time limit
    inputs: tuple[Input, ...]  # inputs of the controller
    speed: float  # maximum wheel speed [m/s]
    evaluate: Callable[[BatchResult], Evaluation]  # evaluates every world; world w has scene w % len(worlds)
    trace_every: float | None = None  # period of traces [s], if `evaluate` needs them
    hidden: tuple[int, ...] = (4,)  # units of the network's hidden layers
    recurrent: bool = False
    trials: int = 1  # drives in every world, each with different noise, and with other starts if they are randomised
    behaviours: tuple[str, str] = ("behaviour 1", "behaviour 2")  # names of the behaviour measures
    unseen: Callable[[int], EvolutionTask] | None = None  # returns the task in n other worlds, to test a champion

    def __post_init__(self) -> None:
        for name, kind in (("runs", RunSpec), ("inputs", Input)):
            listed = getattr(self, name)
            if not isinstance(listed, tuple | list) or not all(isinstance(each, kind) for each in listed) or not listed:
                expected = f"a tuple of at least one {kind.__name__}"
                raise PaddockError(f"EvolutionTask: {name}: expected {expected}, got {format_value(listed)}")
        if not isinstance(self.trials, int) or self.trials < 1:
            raise PaddockError(f"EvolutionTask: trials: expected a whole number >= 1, got {format_value(self.trials)}")

    @cached_property
    def worlds(self) -> tuple[WorldSpec, ...]:
        """The world of each run, with the starts of its own seed."""
        return tuple(run.make_world() for run in self.runs)

    @property
    def seconds(self) -> float:
        """Time limit of a drive in simulated seconds."""
        return self.runs[0].seconds

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        """Metrics of each drive."""
        return self.runs[0].make_metrics()

    def make_batch(self, drives: int, *, seed: int, individuals: int = 1, **options: Any) -> Batch:
        """Return a batch in which every individual drives all runs in turn, with the same noise and starts as others.

        Drive d of an individual has the noise of `seed` + d; starts change with each round through the runs.
        """
        count = len(self.runs)
        runs = [self.runs[d % count].with_seed(self.runs[d % count].seed + seed + d // count) for d in range(drives)]
        return make_batch(runs, seeds=range(seed, seed + drives), copies=individuals, **options)

    def network(self) -> Network:
        """Return the network that drives the wheels, without weights."""
        return Network(inputs=self.inputs, hidden=self.hidden, recurrent=self.recurrent, speed=self.speed)

    def program(self, length: int) -> Program:
        """Return the program that drives the wheels, without instructions."""
        return Program(inputs=self.inputs, length=length, speed=self.speed, recurrent=self.recurrent)


@dataclass(frozen=True)
class TaskKind:
    """A task of the registry: its factory, and the options that it uses."""

    make: Callable[[EvolutionConfig], EvolutionTask]
    used_options: Callable[[EvolutionConfig], tuple[str, ...]] = lambda config: USUAL_OPTIONS


def compute_weight_scale(policy: Policy) -> Floats:
    """Return the usual standard deviation of a network's weights: 1 / √(number of values that a unit sums)."""
    if not isinstance(policy, Network):
        return np.ones(policy.weights.shape[1])
    parts = []
    for below, units, recurrent in policy.layers:
        rows = 1 + below + (units if recurrent else 0)
        parts.append(np.full(rows * units, 1.0 / np.sqrt(rows)))
    return np.concatenate(parts)
