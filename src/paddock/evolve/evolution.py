"""Evolution: generation after generation, until there are enough; it can be stopped and resumed at any of them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, format_value
from paddock.core.provenance import versions
from paddock.core.sources import hash_source
from paddock.evolve.evaluators import EvaluatorFactory, LocalEvaluator
from paddock.evolve.options import STRATEGY, EvolutionConfig
from paddock.evolve.strategies import STRATEGIES, SearchSpace
from paddock.evolve.tasks.base import EvolutionTask, Floats, compute_weight_scale
from paddock.evolve.tasks.registry import make_task
from paddock.evolve.tasks.user_errors import reraise_with_location
from paddock.policies.networks import Network
from paddock.policies.program import MOST_INSTRUCTIONS, Program

WORST_FITNESS = -1e9  # stands for a fitness that is NaN or infinite
USUAL_LENGTH = 64  # instructions of a program at most, unless its first networks need more than half of them


class FitnessWarning(UserWarning):
    """Some individuals have a fitness that is NaN or infinite."""


class VersionWarning(UserWarning):
    """An evolution is resumed with other versions than it began with."""


@dataclass(frozen=True)
class Generation:
    """Figures of a generation."""

    number: int  # from 1
    best: float  # fitness of its best individual
    mean: float  # of all its individuals whose fitness is finite
    champion: float  # of the best individual so far
    solved: float  # share of the champion's worlds in which it did its task
    evaluations: int  # individuals evaluated so far


class Evolution:
    """A strategy at work on a task."""

    def __init__(
        self,
        config: EvolutionConfig,
        *,
        task: EvolutionTask | None = None,
        make_evaluator: EvaluatorFactory = LocalEvaluator,
    ) -> None:
        """Prepare the first generation.

        Args:
            config: what to evolve, and how.
            task: instead of the config's.
            make_evaluator: from task, policy and seed; the default uses all cores of this machine.
        """
        self.config = config
        kind = STRATEGIES.get(config.strategy)
        uses = ("length",) if kind.makes_programs else ("hidden",)
        config.refuse_unused(STRATEGY, f"the strategy {config.strategy}", uses)
        self.task = make_task(config) if task is None else task
        self._sources = {
            "source of the fitness": hash_source(config.task) if task is None else None,
            "source of the strategy": hash_source(config.strategy),
        }
        inputs, recurrent = sum(part.values for part in self.task.inputs), self.task.recurrent
        usual = min(MOST_INSTRUCTIONS, max(USUAL_LENGTH, 2 * kind.min_length(inputs, recurrent)))
        length = usual if config.length is None else config.length
        self.policy: Network | Program = self.task.policy(programs=kind.makes_programs, length=length)
        space = SearchSpace(scale=compute_weight_scale(self.policy), inputs=inputs, length=length, recurrent=recurrent)
        with self._explain_memory():
            if 8 * space.size * config.population > sys.maxsize:  # bytes; numpy says so in many ways
                raise MemoryError("more than can be addressed")
            self.strategy = kind(space, population=config.population, seed=config.seed)
        self.evaluator = make_evaluator(self.task, self.policy, seed=config.seed)
        self.history: list[Generation] = []
        self._champion: Floats | None = None
        self._warned = False

    @property
    def champion(self) -> Network | Program:
        """The best individual so far, ready to drive."""
        if self._champion is None:
            raise PaddockError("there is no champion before the first generation is evaluated")
        return self.policy.with_weights(self._champion)

    @property
    def done(self) -> bool:
        """Whether there were enough generations."""
        return len(self.history) >= self.config.generations

    @property
    def solved(self) -> bool:
        """Whether the champion did its task in all its worlds."""
        return bool(self.history) and self.history[-1].solved >= 1.0

    @property
    def solved_in(self) -> int | None:
        """The number of the first generation whose champion did its task in all its worlds."""
        return next((generation.number for generation in self.history if generation.solved >= 1.0), None)

    def step(self) -> Generation:
        """One generation: ask, evaluate, tell."""
        with self._explain_memory(), reraise_with_location(self.config.task):
            individuals = self.strategy.ask()
            evaluation = self.evaluator(individuals)
        finite = self._check_finite(evaluation.fitness)
        fitness = np.where(finite, evaluation.fitness, WORST_FITNESS)
        solved = np.where(finite, evaluation.solved, 0.0)
        best = int(np.lexsort((fitness, solved))[-1])  # who did the task most often, and of these the fittest
        before = self.history[-1] if self.history else None
        better = before is None or (solved[best], fitness[best]) > (before.solved, before.champion)
        champion = individuals[best].copy() if better else self._champion
        self.strategy.tell(fitness, evaluation.behaviour)
        now = Generation(
            number=len(self.history) + 1,
            best=float(fitness.max()),
            mean=float(fitness[finite].mean()),
            champion=float(fitness[best]) if before is None or better else before.champion,
            solved=float(solved[best]) if before is None or better else before.solved,
            evaluations=len(individuals) + (before.evaluations if before else 0),
        )
        # Together, and last: whatever interrupts a generation leaves the champion of those before.
        self.history, self._champion = [*self.history, now], champion
        return now

    def _check_finite(self, fitness: Floats) -> NDArray[np.bool_]:
        """Whose fitness is finite: warns once if some are not, and refuses if none is."""
        finite, generation = np.isfinite(fitness), len(self.history) + 1
        if not finite.any():
            raise PaddockError(
                f"{self.task.name}: no fitness of the {len(finite)} individuals of generation {generation} is a "
                f"finite number: the first is {fitness[0]}"
            )
        if not finite.all() and not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.task.name}: the fitness of {(~finite).sum()} of {len(finite)} individuals of generation "
                f"{generation} is NaN or infinite: they count as the worst, here and in what follows",
                FitnessWarning,
                stacklevel=3,
            )
        return finite

    @contextmanager
    def _explain_memory(self) -> Iterator[None]:
        """Say which option to change when memory runs out."""
        try:
            yield
        except MemoryError as error:
            worlds = len(self.task.worlds)
            raise PaddockError(
                f"population: {self.config.population} individuals in {worlds} world{'s' if worlds > 1 else ''} "
                f"do not fit in memory: take fewer ({error})"
            ) from None

    def run(self, after: Callable[[Generation], None] | None = None, *, until_solved: bool = False) -> None:
        """All generations that are left; `after` is called after each of them."""
        while not (self.done or (until_solved and self.solved)):
            now = self.step()
            if after is not None:
                after(now)

    def state(self) -> dict[str, Any]:
        """All that is needed to resume: arrays, and what JSON can write."""
        names = [field.name for field in fields(Generation)]
        rows = [[float(getattr(generation, name)) for name in names] for generation in self.history]
        return {
            "config": self.config.as_table(),
            "conditions": self.conditions(),
            "versions": self.versions(),
            "strategy": self.strategy.state(),
            "history": np.array(rows).reshape(len(rows), len(names)),
            "champion": np.empty(0) if self._champion is None else self._champion.copy(),
        }

    def conditions(self) -> dict[str, str | None]:
        """What else decides the result: the device, and the source of a user's fitness and strategy."""
        return {"device": self.evaluator.device, **self._sources}

    def versions(self) -> dict[str, str]:
        """Versions of the packages that decide the result."""
        return versions(() if self.strategy.package is None else (self.strategy.package,))

    def restore(self, state: Mapping[str, Any], *, ignore_versions: bool = False) -> None:
        """Take the state of an evolution with the same config, in the same conditions."""
        for what, now in self.conditions().items():
            if state["conditions"].get(what) != now:
                raise PaddockError(
                    f"resume: the {what} is not what it was when this evolution began, "
                    f"{format_value(state['conditions'].get(what))}, but {format_value(now)}: "
                    "the result would be neither's; "
                    "begin anew in another folder"
                )
        self._compare_versions(state["versions"], ignore_versions)
        self.strategy.restore(state["strategy"])
        self.history = [
            Generation(int(row[0]), float(row[1]), float(row[2]), float(row[3]), float(row[4]), int(row[5]))
            for row in state["history"]
        ]
        self._champion = state["champion"].copy() if len(state["champion"]) else None

    def _compare_versions(self, before: Mapping[str, str], ignore: bool) -> None:
        now = self.versions()
        changed = [name for name in now if now[name] != before.get(name)]
        if not changed:
            return
        listed = ", ".join(f"{name} {before.get(name)} (now {now[name]})" for name in changed)
        if not ignore:
            raise PaddockError(
                f"resume: this evolution began with {listed}: the result would not be that of an uninterrupted one; "
                "install these versions, begin anew in another folder, or ignore the versions"
            )
        warnings.warn(
            f"this evolution began with {listed}: its result is not that of an uninterrupted one",
            VersionWarning,
            stacklevel=3,
        )
