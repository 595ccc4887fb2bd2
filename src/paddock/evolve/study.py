"""A whole evolution as one call: get ready, evolve, keep the results, test the champion, sum up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from paddock.core.errors import PaddockError, UnknownName
from paddock.evolve.config import Config
from paddock.evolve.evolution import Evolution, Generation
from paddock.evolve.judge import JudgeMaker, LocalJudge
from paddock.evolve.results import SUMMARY, Folder
from paddock.evolve.strategies import strategy_called
from paddock.evolve.tasks.own import OwnJudge
from paddock.evolve.tasks.places import told_with_place

WORKERS = ("local", "ray")

Watch = Callable[[Evolution, Generation], None]


@dataclass(frozen=True)
class Study:
    """What came of an evolution."""

    evolution: Evolution
    interrupted: bool
    summary: Mapping[str, Any]
    generations: int  # of this stint
    written: Sequence[Path] = ()  # the files in its folder that people look at


def evolve(
    config: Config,
    *,
    out: Path | None = None,
    test: int = 0,
    threads: int | None = None,
    device: str = "cpu",
    workers: str = "local",
    until_solved: bool = False,
    watch: Watch | None = None,
) -> Study:
    """Evolve, and keep the best even if Ctrl-C ends it early.

    Args:
        config: what to do.
        out: folder for the results; None: nothing is written.
        test: let the champion drive in so many worlds, or so often with other noise, as it has never seen.
        threads: None for all cores; changes how long it takes, and nothing else.
        device: cpu or cuda.
        workers: local, or ray for a cluster; the test is always done here.
        until_solved: stop as soon as the champion has solved all its worlds.
        watch: told after each generation.
    """
    strategy_called(config.strategy)  # before anything is looked at or built
    folder = None if out is None else Folder(out)
    if folder is not None:
        folder.refuse_second()
    judged_by = judge_maker(workers, threads=threads, device=device, precision=config.precision)
    evolution = Evolution(config, judged_by=judged_by)
    refuse_unsolvable(evolution, until_solved)
    spent = {"compile_s": compile_time(evolution)}
    if folder is not None:
        folder.begin(evolution)
    stint = Stint(evolution, folder, spent, until_solved=until_solved, watch=watch)
    return stint.study(test, threads=threads, device=device)


def go_on(
    out: Path,
    *,
    generations: int | None = None,
    expected: Mapping[str, Any] | None = None,
    test: int = 0,
    threads: int | None = None,
    device: str = "cpu",
    workers: str = "local",
    until_solved: bool = False,
    watch: Watch | None = None,
) -> Study:
    """Go on with the evolution in a folder where it ended, or was interrupted or killed.

    Args:
        out: its folder.
        generations: how many there are to be in all; None: as many as it was begun with.
        expected: settings that it must have been begun with.
        test: as in `evolve`, and so are the others.
        threads: None for all cores.
        device: cpu or cuda.
        workers: local or ray.
        until_solved: as in `evolve`: an evolution that is solved already stays as it is.
        watch: told after each generation.
    """
    folder = Folder(out)
    config = folder.resumed_config(expected or {}, generations)
    judged_by = judge_maker(workers, threads=threads, device=device, precision=config.precision)
    evolution = Evolution(config, judged_by=judged_by)
    refuse_unsolvable(evolution, until_solved)
    spent = folder.resume(evolution)
    if not evolution.done:
        spent["compile_s"] = spent.get("compile_s", 0.0) + compile_time(evolution)
    stint = Stint(evolution, folder, spent, until_solved=until_solved, watch=watch)
    return stint.study(test, threads=threads, device=device)


def compile_time(evolution: Evolution) -> float:
    """Compile what has to be compiled, and tell how long it took [s]."""
    started = time.perf_counter()
    evolution.judge.get_ready()
    return time.perf_counter() - started


def refuse_unsolvable(evolution: Evolution, until_solved: bool) -> None:
    """Whoever waits for a solution needs a task that knows one."""
    if until_solved and isinstance(evolution.task.judge, OwnJudge):
        raise PaddockError(
            f"--until-solved: {evolution.task.name} tells a fitness, but not when the task is solved: "
            "leave --until-solved out, or return a Task whose judge knows"
        )


class Stint:
    """The generations from a beginning, or from where an evolution was, until it ends or is interrupted."""

    def __init__(
        self,
        evolution: Evolution,
        folder: Folder | None,
        spent: Mapping[str, float],
        *,
        until_solved: bool,
        watch: Watch | None,
    ) -> None:
        self.evolution, self.folder, self.before = evolution, folder, spent
        self.until_solved, self.watch = until_solved, watch
        self.wall, self.busy = time.perf_counter(), time.process_time()

    @property
    def spent(self) -> dict[str, float]:
        """Time until now, in this stint and in those before [s]."""
        now = {"wall_s": time.perf_counter() - self.wall, "compile_s": 0.0, "cpu_s": time.process_time() - self.busy}
        return {name: self.before.get(name, 0.0) + value for name, value in now.items()}

    def study(self, test: int, **means: Any) -> Study:
        """All generations that are left, then the test; results are kept after both."""
        evolution, folder = self.evolution, self.folder
        interrupted, first = False, len(evolution.history)
        written: Sequence[Path] = ()
        try:
            evolution.run(self._after, until_solved=self.until_solved)
        except KeyboardInterrupt:
            interrupted = True
        generations = len(evolution.history) - first
        summary = {**summary_of(evolution), **{name: round(value, 3) for name, value in self.spent.items()}}
        if folder is not None:
            summary |= {} if generations else folder.tested()
            written = folder.finish(evolution, summary)
        if test and evolution.history and not interrupted:
            try:
                summary |= try_champion(evolution, test, **means)
            except KeyboardInterrupt:
                interrupted = True
            if folder is not None:
                folder.write_json(SUMMARY, summary)
        return Study(evolution, interrupted, summary, generations, written)

    def _after(self, now: Generation) -> None:
        if self.folder is not None:
            self.folder.keep(self.evolution, self.spent)
        if self.watch is not None:
            self.watch(self.evolution, now)


def summary_of(evolution: Evolution) -> dict[str, Any]:
    """What came of it, but for how long it took."""
    config, history = evolution.config, evolution.history
    last = history[-1] if history else None
    first = next((one.number for one in history if one.solved >= 1.0), None)
    return {
        "task": config.task,
        "strategy": config.strategy,
        "seed": config.seed,
        "population": config.population,
        "generations": len(history),
        "worlds": len(evolution.task.worlds),
        "seconds": evolution.task.seconds,
        "solved": evolution.solved,
        "solved_share": last.solved if last else 0.0,
        "solved_in_generation": first,
        "best_fitness": last.champion if last else None,
        "mean_fitness": last.mean if last else None,
        "evaluations": last.evaluations if last else 0,
    }


def try_champion(evolution: Evolution, count: int, **means: Any) -> dict[str, Any]:
    """How the champion does where it has never been: in other worlds if its task has some, else with other noise."""
    task, champion = evolution.task, evolution.champion
    seed = evolution.config.seed + len(task.worlds) * task.trials  # of the first noise that no individual has met
    precision = evolution.config.precision
    with told_with_place(evolution.config.task):
        other, repeats = (task, count) if task.unseen is None else (task.unseen(count), 1)
        judge = LocalJudge(other, champion, seed=seed, repeats=repeats, precision=precision, **means)
        judged = judge(champion.weights)
    return {
        "test_drives": judge.drives,
        "test_solved": float(judged.solved[0]),
        "test_fitness": float(judged.fitness[0]),
    }


def judge_maker(workers: str, *, threads: int | None, device: str, precision: str = "float64") -> JudgeMaker:
    """Who lets the individuals drive."""
    if workers not in WORKERS:
        raise UnknownName("kind of workers", workers, WORKERS)
    if workers == "local":
        if device != "cpu" and threads is not None:
            raise PaddockError(
                f"--threads: they are the processor's, and {device} does the work: leave one of them out"
            )
        return partial(LocalJudge, threads=threads, device=device, precision=precision)
    if device != "cpu" or precision != "float64" or threads is not None:
        raise PaddockError(
            "--workers ray: every worker is one core: leave --device, --precision and --threads out; "
            "`ray start` says how many cores there are"
        )
    from paddock.evolve.cluster import RayJudge

    return RayJudge
