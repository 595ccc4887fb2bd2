"""Base classes of tasks: worlds, inputs of the controller, and the evaluation of a drive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddock.arena.batches.rollout import Rollout
from paddock.arena.metrics.metric import Metric
from paddock.control.policies.inputs import Input
from paddock.control.policies.networks import Network
from paddock.control.policies.policy import Policy
from paddock.control.policies.program import Program
from paddock.core.errors import PaddockError, format_value
from paddock.core.named_arrays import as_floats
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
    """A task for one robot, in one or several worlds, with a time limit and an evaluation."""

    name: str
    worlds: tuple[WorldSpec, ...]
    seconds: float  # time limit of one drive in simulated seconds
    inputs: tuple[Input, ...]  # inputs of the controller
    speed: float  # maximum wheel speed [m/s]
    evaluate: Callable[[Rollout], Evaluation]  # evaluates every world; world w has scene w % len(worlds)
    metrics: tuple[Metric, ...] = ()
    trace_every: float | None = None  # period of traces [s], if `evaluate` needs them
    hidden: tuple[int, ...] = (4,)  # units of the network's hidden layers
    recurrent: bool = False
    trials: int = 1  # drives in every world, each with different noise
    starts: str | None = None  # "anywhere": every drive starts at another pose; None: start poses of the worlds
    behaviours: tuple[str, str] = ("behaviour 1", "behaviour 2")  # names of the behaviour measures
    unseen: Callable[[int], EvolutionTask] | None = None  # returns the task in n other worlds, to test a champion

    def __post_init__(self) -> None:
        for name, kind in (("worlds", WorldSpec), ("inputs", Input)):
            listed = getattr(self, name)
            if not isinstance(listed, tuple | list) or not all(isinstance(each, kind) for each in listed) or not listed:
                expected = f"a tuple of at least one {kind.__name__}"
                raise PaddockError(f"EvolutionTask: {name}: expected {expected}, got {format_value(listed)}")
        if not isinstance(self.trials, int) or self.trials < 1:
            raise PaddockError(f"EvolutionTask: trials: expected a whole number >= 1, got {format_value(self.trials)}")

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
