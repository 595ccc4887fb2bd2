"""Evolution: generation after generation, until there are enough; it can be stopped and go on at any of them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock import __version__
from paddock.core.errors import PaddockError, shown
from paddock.evolve.config import OF_STRATEGIES, Config
from paddock.evolve.judge import JudgeMaker, LocalJudge
from paddock.evolve.strategies import Space, strategy_called
from paddock.evolve.tasks.base import Floats, Task, scale_of
from paddock.evolve.tasks.places import told_with_place
from paddock.evolve.tasks.registry import source_of, task_of
from paddock.policies.networks import Network
from paddock.policies.program import MOST_INSTRUCTIONS, Program

NO_GOOD = -1e9  # what a fitness that is no number is worth
USUAL_LENGTH = 64  # instructions of a program at most, unless its first networks need more than half of them


class FitnessWarning(UserWarning):
    """Some individuals got a fitness that is no number."""


@dataclass(frozen=True)
class Generation:
    """How one generation did."""

    number: int  # from 1
    best: float  # fitness of its best individual
    mean: float  # of all its individuals whose fitness is a number
    champion: float  # of the best individual so far
    solved: float  # share of the champion's worlds in which it did its task
    evaluations: int  # individuals judged so far


class Evolution:
    """A strategy at work on a task."""

    def __init__(self, config: Config, *, task: Task | None = None, judged_by: JudgeMaker = LocalJudge) -> None:
        """Get everything ready for the first generation.

        Args:
            config: what to do.
            task: instead of the config's.
            judged_by: makes the judge from task, policy and seed; the default uses all cores of this machine.
        """
        self.config = config
        kind = strategy_called(config.strategy)
        uses = ("length",) if kind.makes_programs else ("hidden",)
        config.refuse_unused(f"the strategy {config.strategy}", OF_STRATEGIES, uses)
        self.task = task_of(config) if task is None else task
        self._source = source_of(config.task) if task is None else None
        inputs, recurrent = sum(one.values for one in self.task.inputs), self.task.recurrent
        usual = min(MOST_INSTRUCTIONS, max(USUAL_LENGTH, 2 * kind.least_length(inputs, recurrent)))
        length = usual if config.length is None else config.length
        self.policy: Network | Program = self.task.policy(programs=kind.makes_programs, length=length)
        space = Space(scale=scale_of(self.policy), inputs=inputs, length=length, recurrent=recurrent)
        with self._fitting():
            if 8 * space.size * config.population > sys.maxsize:  # bytes; numpy says so in many ways
                raise MemoryError("more than can be addressed")
            self.strategy = kind(space, population=config.population, seed=config.seed)
        self.judge = judged_by(self.task, self.policy, seed=config.seed)
        self.history: list[Generation] = []
        self._champion: Floats | None = None
        self._warned = False

    @property
    def champion(self) -> Network | Program:
        """The best individual so far, ready to drive."""
        if self._champion is None:
            raise PaddockError("there is no champion before the first generation is judged")
        return self.policy.with_weights(self._champion)

    @property
    def done(self) -> bool:
        """Whether there were enough generations."""
        return len(self.history) >= self.config.generations

    @property
    def solved(self) -> bool:
        """Whether the champion did its task in all its worlds."""
        return bool(self.history) and self.history[-1].solved >= 1.0

    def step(self) -> Generation:
        """One generation: ask, judge, tell."""
        with self._fitting(), told_with_place(self.config.task):
            individuals = self.strategy.ask()
            judged = self.judge(individuals)
        known = self._numbers(judged.fitness)
        fitness = np.where(known, judged.fitness, NO_GOOD)
        solved = np.where(known, judged.solved, 0.0)
        best = int(np.lexsort((fitness, solved))[-1])  # who did the task most often, and of these the fittest
        before = self.history[-1] if self.history else None
        better = before is None or (solved[best], fitness[best]) > (before.solved, before.champion)
        champion = individuals[best].copy() if better else self._champion
        self.strategy.tell(fitness, judged.behaviour)
        now = Generation(
            number=len(self.history) + 1,
            best=float(fitness.max()),
            mean=float(fitness[known].mean()),
            champion=float(fitness[best]) if before is None or better else before.champion,
            solved=float(solved[best]) if before is None or better else before.solved,
            evaluations=len(individuals) + (before.evaluations if before else 0),
        )
        # Together, and last: whatever interrupts a generation leaves the champion of those before.
        self.history, self._champion = [*self.history, now], champion
        return now

    def _numbers(self, fitness: Floats) -> NDArray[np.bool_]:
        """Whose fitness is a number; told once if there are others, and refused if there are none."""
        known, generation = np.isfinite(fitness), len(self.history) + 1
        if not known.any():
            raise PaddockError(
                f"{self.task.name}: no fitness of the {len(known)} individuals of generation {generation} is a finite "
                f"number: the first is {fitness[0]}"
            )
        if not known.all() and not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.task.name}: the fitness of {(~known).sum()} of {len(known)} individuals of generation "
                f"{generation} is no finite number: they count as the worst, here and in what follows",
                FitnessWarning,
                stacklevel=3,
            )
        return known

    @contextmanager
    def _fitting(self) -> Iterator[None]:
        """What does not fit in memory is told so."""
        try:
            yield
        except MemoryError as error:
            worlds = len(self.task.worlds)
            raise PaddockError(
                f"population: {self.config.population} individuals in {worlds} world{'s' if worlds > 1 else ''} "
                f"do not fit in memory: take fewer ({error})"
            ) from None

    def run(self, after: Callable[[Generation], None] | None = None, *, until_solved: bool = False) -> None:
        """All generations that are left; `after` each of them, something may be shown or saved."""
        while not (self.done or (until_solved and self.solved)):
            now = self.step()
            if after is not None:
                after(now)

    def state(self) -> dict[str, Any]:
        """All that is needed to go on: arrays, and what JSON can write."""
        rows = [[float(getattr(one, field.name)) for field in fields(Generation)] for one in self.history]
        return {
            "config": self.config.as_table(),
            "conditions": self.conditions(),
            "strategy": self.strategy.state(),
            "history": np.array(rows).reshape(len(rows), len(fields(Generation))),
            "champion": np.empty(0) if self._champion is None else self._champion.copy(),
        }

    def conditions(self) -> dict[str, str | None]:
        """What else decides how it goes: the device, versions, and the source of a user's fitness."""
        package = self.strategy.package
        others = {} if package is None else {f"version of {package}": version(package)}
        own = {"device": self.judge.device, "source of the fitness": self._source, "version of paddock": __version__}
        return {**own, **others}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where an evolution with the same config, in the same conditions, was."""
        for what, now in self.conditions().items():
            if state["conditions"].get(what) != now:
                raise PaddockError(
                    f"resume: the {what} is not what it was when this evolution began, "
                    f"{shown(state['conditions'].get(what))}, but {shown(now)}: the result would be neither's; "
                    "begin anew in another folder"
                )
        self.strategy.restore(state["strategy"])
        self.history = [
            Generation(int(row[0]), float(row[1]), float(row[2]), float(row[3]), float(row[4]), int(row[5]))
            for row in state["history"]
        ]
        self._champion = state["champion"].copy() if len(state["champion"]) else None
