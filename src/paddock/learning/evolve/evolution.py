"""Evolution: runs a strategy on a task, generation by generation; it can be stopped and resumed after each."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.control.policies.networks import Network
from paddock.control.policies.program import MAX_INSTRUCTIONS, Program
from paddock.core.errors import PaddockError, PaddockWarning, format_value
from paddock.core.provenance import versions
from paddock.core.user_code import hash_source, refuse_abstract
from paddock.learning.evolve.evaluators import EvaluatorFactory, LocalEvaluator
from paddock.learning.evolve.options import STRATEGY, EvolutionConfig
from paddock.learning.evolve.strategies import STRATEGIES, SearchSpace, Strategy
from paddock.learning.evolve.tasks.evolution_task import EvolutionTask, Floats, compute_weight_scale
from paddock.learning.evolve.tasks.evolution_task_registry import make_task
from paddock.learning.evolve.tasks.user_errors import reraise_with_location

WORST_FITNESS = -1e9  # replaces a fitness that is NaN or infinite
USUAL_LENGTH = 64  # default limit of instructions, unless the initial programs need more than half of them


class FitnessWarning(PaddockWarning):
    """Some individuals have a fitness that is NaN or infinite."""


class VersionWarning(PaddockWarning):
    """An evolution is resumed with versions other than those that it was started with."""


@dataclass(frozen=True)
class Generation:
    """Figures of a generation."""

    number: int  # from 1
    best: float  # fitness of its best individual
    mean: float  # mean fitness of its individuals, without NaN and infinity
    champion: float  # fitness of the best individual so far
    solved: float  # share of its worlds in which the champion solved the task
    evaluations: int  # individuals evaluated so far


def find_strategy(config: EvolutionConfig) -> type[Strategy]:
    """Return the strategy of a config; raise an error if there is none."""
    if not isinstance(config, EvolutionConfig):
        raise PaddockError(f"expected EvolutionConfig(task=…), got {format_value(config)}")
    kind = STRATEGIES.get(config.strategy)
    refuse_abstract(kind, "ask(self), and learn(self, fitness, behaviour)")
    return kind


class Evolution:
    """A run of a strategy on a task."""

    def __init__(
        self,
        config: EvolutionConfig,
        *,
        task: EvolutionTask | None = None,
        make_evaluator: EvaluatorFactory = LocalEvaluator,
    ) -> None:
        """Prepare the first generation.

        Args:
            config: task, strategy and their options.
            task: replaces the task of the config.
            make_evaluator: creates the evaluator from task, policy and seed; by default on all cores of this machine.
        """
        self.config = config
        kind = find_strategy(config)
        uses = ("length",) if kind.makes_programs else ("hidden",)
        config.refuse_unused(STRATEGY, f"the strategy {config.strategy}", uses)
        self.task = make_task(config) if task is None else task
        self._sources = {
            "source of the fitness": hash_source(config.task) if task is None else None,
            "source of the strategy": hash_source(config.strategy),
        }
        inputs, recurrent = sum(part.values for part in self.task.inputs), self.task.recurrent
        usual = min(MAX_INSTRUCTIONS, max(USUAL_LENGTH, 2 * kind.min_length(inputs, recurrent)))
        length = usual if config.length is None else config.length
        self.policy: Network | Program = self.task.program(length) if kind.makes_programs else self.task.network()
        space = SearchSpace(scale=compute_weight_scale(self.policy), inputs=inputs, length=length, recurrent=recurrent)
        with self._explain_memory():
            if 8 * space.size * config.population > sys.maxsize:  # bytes; numpy raises various errors
                raise MemoryError("more than the address space")
            self.strategy = kind(space, population=config.population, seed=config.seed)
        self.evaluator = make_evaluator(self.task, self.policy, seed=config.seed)
        self.history: list[Generation] = []
        self._champion: Floats | None = None
        self._warned = False

    @property
    def champion(self) -> Network | Program:
        """Best individual so far, as a policy."""
        if self._champion is None:
            raise PaddockError("there is no champion before the first generation is evaluated")
        return self.policy.with_weights(self._champion)

    @property
    def done(self) -> bool:
        """Whether all generations have been evaluated."""
        return len(self.history) >= self.config.generations

    @property
    def solved(self) -> bool:
        """Whether the champion solved the task in all its worlds."""
        return bool(self.history) and self.history[-1].solved >= 1.0

    @property
    def solved_in(self) -> int | None:
        """Number of the first generation whose champion solved the task in all its worlds, or None."""
        return next((generation.number for generation in self.history if generation.solved >= 1.0), None)

    def step(self) -> Generation:
        """Run one generation: ask, evaluate, tell."""
        own_code = self.config.task, self.config.strategy
        with self._explain_memory(), reraise_with_location(*own_code):
            individuals = self._check_individuals(self.strategy.ask())
            evaluation = self.evaluator(individuals)
        finite = self._check_finite(evaluation.fitness)
        fitness = np.where(finite, evaluation.fitness, WORST_FITNESS)
        solved = np.where(finite, evaluation.solved, 0.0)
        best = int(np.lexsort((fitness, solved))[-1])  # most worlds solved, then highest fitness
        before = self.history[-1] if self.history else None
        better = before is None or (solved[best], fitness[best]) > (before.solved, before.champion)
        champion = individuals[best].copy() if better else self._champion
        with reraise_with_location(*own_code):
            self.strategy.tell(fitness, evaluation.behaviour)
        now = Generation(
            number=len(self.history) + 1,
            best=float(fitness.max()),
            mean=float(fitness[finite].mean()),
            champion=float(fitness[best]) if before is None or better else before.champion,
            solved=float(solved[best]) if before is None or better else before.solved,
            evaluations=len(individuals) + (before.evaluations if before else 0),
        )
        # Set both last and together: an interrupted generation keeps the champion of the previous ones.
        self.history, self._champion = [*self.history, now], champion
        return now

    def _check_individuals(self, asked: Any) -> Floats:
        """Return the individuals of a strategy as a table of numbers."""
        try:
            individuals = np.asarray(asked, np.float64)
        except (TypeError, ValueError):
            individuals = np.empty(0)
        if individuals.ndim != 2 or individuals.shape[1] != self.policy.size or not len(individuals):
            shape = f"({self.strategy.batch_size}, {self.policy.size})"
            got = individuals.shape if individuals.ndim and individuals.size else format_value(asked)
            raise PaddockError(f"{self.config.strategy}: ask: expected numbers of shape {shape}, got {got}")
        return individuals

    def _check_finite(self, fitness: Floats) -> NDArray[np.bool_]:
        """Return which fitness values are finite; warn once if some are not, and raise if none is."""
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
                f"{generation} is NaN or infinite: they count as the worst, here and in later generations",
                FitnessWarning,
                stacklevel=3,
            )
        return finite

    @contextmanager
    def _explain_memory(self) -> Iterator[None]:
        """Convert a MemoryError into an error that names the option to change."""
        try:
            yield
        except MemoryError as error:
            worlds = len(self.task.worlds)
            raise PaddockError(
                f"population: {self.config.population} individuals in {worlds} world{'s' if worlds > 1 else ''} "
                f"do not fit in memory: use fewer ({error})"
            ) from None

    def run(self, after: Callable[[Generation], None] | None = None, *, until_solved: bool = False) -> None:
        """Run the remaining generations; `after` is called after each of them."""
        while not (self.done or (until_solved and self.solved)):
            now = self.step()
            if after is not None:
                after(now)

    def state(self) -> dict[str, Any]:
        """Return the complete state for resuming, as arrays and JSON values."""
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
        """Return further inputs that determine the result: the device, and the source of user fitness and strategy."""
        return {"device": self.evaluator.device, **self._sources}

    def versions(self) -> dict[str, str]:
        """Return the versions of the packages that determine the result."""
        return versions(() if self.strategy.package is None else (self.strategy.package,))

    def restore(self, state: Mapping[str, Any], *, ignore_versions: bool = False) -> None:
        """Restore the state of an evolution with the same config, under the same conditions."""
        for what, now in self.conditions().items():
            if state["conditions"].get(what) != now:
                raise PaddockError(
                    f"resume: the {what} has changed since this evolution began, "
                    f"from {format_value(state['conditions'].get(what))} to {format_value(now)}: "
                    "the result would match neither; "
                    "start again in another folder"
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
                f"resume: this evolution began with {listed}: the result would differ from an uninterrupted run; "
                "install these versions, start again in another folder, or ignore the versions"
            )
        warnings.warn(
            f"this evolution began with {listed}: its result differs from that of an uninterrupted run",
            VersionWarning,
            stacklevel=3,
        )
