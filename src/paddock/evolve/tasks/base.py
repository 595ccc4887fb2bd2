"""What all tasks share: where robots drive, what they see, and how a drive is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.evolve.options import EvolutionConfig
from paddock.metrics.base import Metric
from paddock.policies.networks import Input, Network
from paddock.policies.policy import Policy
from paddock.policies.program import Program
from paddock.rollouts.rollout import Rollout
from paddock.worlds import WorldSpec

Floats = NDArray[np.float64]
USUAL_OPTIONS = ("world", "trials", "seconds", "hidden", "recurrent")
PLACE = "x at the end / width of the world", "y at the end / height of the world"


@dataclass(frozen=True)
class Evaluation:
    """How well worlds, or individuals, did."""

    fitness: Floats  # more is better
    solved: Floats  # whether the task was done, 0 or 1; of an individual the share of its worlds
    behaviour: Floats  # how it was done: two measures from 0 to 1 for each

    def __post_init__(self) -> None:
        count = len(self.fitness)
        if np.shape(self.fitness) != (count,) or np.shape(self.solved) != (count,) or len(self.behaviour) != count:
            raise PaddockError(
                f"fitness: expected one number for every world, got shapes {np.shape(self.fitness)}, "
                f"{np.shape(self.solved)} and {np.shape(self.behaviour)}"
            )

    def average_by_individual(self, worlds: int) -> Evaluation:
        """The mean over the worlds that each individual drove in, one after the other."""
        return Evaluation(
            self.fitness.reshape(-1, worlds).mean(axis=1),
            self.solved.reshape(-1, worlds).mean(axis=1),
            self.behaviour.reshape(-1, worlds, self.behaviour.shape[1]).mean(axis=1),
        )


@dataclass(frozen=True, kw_only=True)
class EvolutionTask:
    """One robot, in one world or in several, for some time."""

    name: str
    worlds: tuple[WorldSpec, ...]
    seconds: float  # simulated, of one evaluation at most
    inputs: tuple[Input, ...]  # what the robot sees
    speed: float  # of a wheel at most [m/s]
    evaluate: Callable[[Rollout], Evaluation]  # of every world; world w shows scene w % len(worlds)
    metrics: tuple[Metric, ...] = ()
    trace_every: float | None = None  # [s], if `evaluate` wants traces
    hidden: tuple[int, ...] = (4,)  # units of the network's hidden layers
    recurrent: bool = False
    trials: int = 1  # drives in every world, each with other noise
    starts: str | None = None  # "random": every drive begins somewhere else; None: where the worlds say
    behaviours: tuple[str, str] = ("behaviour 1", "behaviour 2")  # what the numbers of an evaluation's behaviour mean
    unseen: Callable[[int], EvolutionTask] | None = None  # the task in so many other worlds, to test a champion

    def network(self) -> Network:
        """The network at the wheels, without weights."""
        return Network(inputs=self.inputs, hidden=self.hidden, recurrent=self.recurrent, speed=self.speed)

    def program(self, length: int) -> Program:
        """The program at the wheels, without instructions."""
        return Program(inputs=self.inputs, length=length, speed=self.speed, recurrent=self.recurrent)

    def policy(self, *, programs: bool, length: int) -> Network | Program:
        """What is evolved."""
        return self.program(length) if programs else self.network()


@dataclass(frozen=True)
class TaskKind:
    """A task of the registry: how it is made from a config, and which options it uses."""

    make: Callable[[EvolutionConfig], EvolutionTask]
    used_options: Callable[[EvolutionConfig], tuple[str, ...]] = lambda config: USUAL_OPTIONS


def compute_weight_scale(policy: Policy) -> Floats:
    """The usual spread of a network's weights: 1 / √(values that a unit adds up)."""
    if not isinstance(policy, Network):
        return np.ones(policy.weights.shape[1])
    parts = []
    for below, units, recurrent in policy.layers:
        rows = 1 + below + (units if recurrent else 0)
        parts.append(np.full(rows * units, 1.0 / np.sqrt(rows)))
    return np.concatenate(parts)
