"""A whole evolution as one call: prepare, evolve, save the results, test the champion, summarise."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from paddock.core.argument_checks import check_arguments
from paddock.core.errors import PaddockError, UnknownName
from paddock.learning.evolve.evaluators import EvaluatorFactory, LocalEvaluator, SharedEvaluator
from paddock.learning.evolve.evolution import Evolution, Generation, find_strategy
from paddock.learning.evolve.folder import SUMMARY, EvolutionFolder
from paddock.learning.evolve.options import EvolutionConfig, Execution
from paddock.learning.evolve.tasks.user_errors import reraise_with_location
from paddock.learning.evolve.tasks.user_fitness import reports_solved

WORKERS = ("local", "ray")

Watch = Callable[[Evolution, Generation], None]


@dataclass(frozen=True)
class Study:
    """Result of an evolution."""

    evolution: Evolution
    interrupted: bool
    summary: Mapping[str, Any]
    generations: int  # since it was started or resumed
    files: Sequence[Path] = ()  # result files in its folder


def evolve(
    config: EvolutionConfig,
    *,
    out: str | Path | None = None,
    execution: Execution = Execution(),
    watch: Watch | None = None,
) -> Study:
    """Run an evolution; Ctrl-C ends it early and keeps the best individual.

    Args:
        config: task, strategy and their options.
        out: folder for the results; None: no files are written.
        execution: device, workers, end condition, and the test of the champion.
        watch: called after each generation.
    """
    find_strategy(config)  # fail early if the strategy is unknown
    folder = None if out is None else EvolutionFolder(Path(out))
    if folder is not None:
        folder.refuse_second()
    evolution = Evolution(config, make_evaluator=choose_evaluator(config, execution))
    refuse_unsolvable(evolution, execution)
    spent = {"compile_s": measure_compile_time(evolution)}
    if folder is not None:
        folder.create(evolution)
    return EvolutionSession(evolution, folder, spent, execution=execution, watch=watch).run()


def resume(
    out: str | Path,
    *,
    generations: int | None = None,
    expected: Mapping[str, Any] | None = None,
    execution: Execution = Execution(),
    watch: Watch | None = None,
) -> Study:
    """Resume the evolution in a folder after its end, an interruption or a kill.

    Args:
        out: folder of the evolution.
        generations: total number of generations; None: the number that it was started with.
        expected: options that it must have been started with.
        execution: as in `evolve`. With `until_solved`, an evolution that is already solved is not continued.
        watch: called after each generation.
    """
    folder = EvolutionFolder(Path(out))
    config = folder.load_config(expected or {}, generations)
    evolution = Evolution(config, make_evaluator=choose_evaluator(config, execution))
    refuse_unsolvable(evolution, execution)
    spent = folder.restore(evolution, ignore_versions=execution.ignore_versions)
    if not evolution.done:
        spent["compile_s"] = spent.get("compile_s", 0.0) + measure_compile_time(evolution)
    return EvolutionSession(evolution, folder, spent, execution=execution, watch=watch).run()


def measure_compile_time(evolution: Evolution) -> float:
    """Compile the kernels of the evaluation, and return the time it took [s]."""
    started = time.perf_counter()
    evolution.evaluator.compile()
    return time.perf_counter() - started


def refuse_unsolvable(evolution: Evolution, execution: Execution) -> None:
    """Raise an error if `until_solved` is set for a task that does not report whether it is solved."""
    if execution.until_solved and not reports_solved(evolution.task):
        raise PaddockError(
            f"until_solved: {evolution.task.name} returns a fitness, but not whether the task is solved: "
            "leave until_solved out, or return an EvolutionTask whose evaluation has solved"
        )


class EvolutionSession:
    """Runs the generations from the start, or from a checkpoint, until the end or an interruption."""

    def __init__(
        self,
        evolution: Evolution,
        folder: EvolutionFolder | None,
        spent: Mapping[str, float],
        *,
        execution: Execution,
        watch: Watch | None,
    ) -> None:
        if watch is not None:
            check_arguments(watch, "watch", "evolution", "generation")
        self.evolution, self.folder, self.before = evolution, folder, spent
        self.execution, self.watch = execution, watch
        self.wall, self.busy = time.perf_counter(), time.process_time()

    @property
    def spent(self) -> dict[str, float]:
        """Time spent so far, in this session and in previous ones [s]."""
        now = {"wall_s": time.perf_counter() - self.wall, "compile_s": 0.0, "cpu_s": time.process_time() - self.busy}
        return {name: self.before.get(name, 0.0) + value for name, value in now.items()}

    def run(self) -> Study:
        """Run the remaining generations, then the test; write the results after each."""
        evolution, folder = self.evolution, self.folder
        interrupted, first = False, len(evolution.history)
        files: Sequence[Path] = ()
        try:
            evolution.run(self._after, until_solved=self.execution.until_solved)
        except KeyboardInterrupt:
            interrupted = True
        generations = len(evolution.history) - first
        spent = self.spent
        summary = {**summarize(evolution), **{name: round(value, 3) for name, value in spent.items()}}
        if folder is not None:
            summary |= {} if generations else folder.read_test()
            files = folder.finish(evolution, summary, spent)
        if self.execution.test and evolution.history and not interrupted:
            try:
                summary |= try_champion(evolution, self.execution)
            except KeyboardInterrupt:
                interrupted = True
            if folder is not None:
                folder.write_json(SUMMARY, summary)
        return Study(evolution, interrupted, summary, generations, files)

    def _after(self, now: Generation) -> None:
        if self.folder is not None:
            self.folder.save_generation(self.evolution, self.spent)
        if self.watch is not None:
            self.watch(self.evolution, now)


def summarize(evolution: Evolution) -> dict[str, Any]:
    """Return the results of an evolution, without the times. Solutions are None if the task does not report them."""
    config, history = evolution.config, evolution.history
    last = history[-1] if history else None
    reports = reports_solved(evolution.task)
    return {
        "task": config.task,
        "strategy": config.strategy,
        "seed": config.seed,
        "population": config.population,
        "generations": len(history),
        "worlds": len(evolution.task.worlds),
        "seconds": evolution.task.seconds,
        "solved": evolution.solved if reports else None,
        "solved_share": (last.solved if last else 0.0) if reports else None,
        "solved_in_generation": evolution.solved_in,
        "best_fitness": last.champion if last else None,
        "mean_fitness": last.mean if last else None,
        "evaluations": last.evaluations if last else 0,
    }


def try_champion(evolution: Evolution, execution: Execution) -> dict[str, Any]:
    """Test the champion in unseen worlds if the task has some, else with unseen noise."""
    task, champion, config, count = evolution.task, evolution.champion, evolution.config, execution.test
    seed = config.seed + len(task.worlds) * task.trials  # seed of the first noise that was not used in training
    with reraise_with_location(config.task):
        other, repeats = (task, count) if task.unseen is None else (task.unseen(count), 1)
        evaluator = LocalEvaluator(
            other,
            champion,
            seed=seed,
            repeats=repeats,
            precision=config.precision,
            threads=execution.threads,
            device=execution.device,
        )
        evaluation = evaluator(champion.weights)
    return {
        "test_drives": evaluator.drives,
        "test_solved": float(evaluation.solved[0]) if reports_solved(task) else None,
        "test_fitness": float(evaluation.fitness[0]),
    }


def choose_evaluator(config: EvolutionConfig, execution: Execution) -> EvaluatorFactory:
    """Return the factory of evaluators for the cores of this machine, its GPU, or a cluster."""
    workers, threads, device = execution.workers, execution.threads, execution.device
    if workers not in WORKERS:
        raise UnknownName("kind of workers", workers, WORKERS)
    if workers == "local":
        if device != "cpu" and threads is not None:
            raise PaddockError(f"threads: only used on the CPU, but the device is {device}: leave one of them out")
        return partial(LocalEvaluator, threads=threads, device=device, precision=config.precision)
    if device != "cpu" or config.precision != "float64" or threads is not None:
        raise PaddockError(
            "workers: with ray every worker is one core: leave device, precision and threads out; "
            "set the number of cores with `ray start`"
        )
    return partial(SharedEvaluator, workers="ray")
