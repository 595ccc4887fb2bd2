"""A whole evolution as one call: get ready, evolve, keep the results, test the champion, sum up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from paddock.core.errors import PaddockError, UnknownName
from paddock.evolve.config import Config
from paddock.evolve.evolution import Evolution, Generation
from paddock.evolve.judge import JudgeMaker, LocalJudge
from paddock.evolve.results import Folder
from paddock.evolve.tasks.base import Task

WORKERS = ("local", "ray")
UNSEEN = 1_000_000  # seed of the first maze, and of the noise, that no evolution has seen

Watch = Callable[[Evolution, Generation], None]


@dataclass(frozen=True)
class Study:
    """What came of an evolution."""

    evolution: Evolution
    interrupted: bool
    summary: Mapping[str, Any]


def evolve(
    config: Config,
    *,
    out: Path | None = None,
    resume: Mapping[str, Any] | None = None,
    test: int = 0,
    threads: int | None = None,
    device: str = "cpu",
    workers: str = "local",
    watch: Watch | None = None,
) -> Study:
    """Evolve, and keep the best even if Ctrl-C ends it early.

    Args:
        config: what to do.
        out: folder for the results; None: nothing is written.
        resume: go on with the evolution in the folder; these settings must be the same, generations may be more.
        test: let the champion drive in so many worlds that it has never seen.
        threads: None for all cores; changes how long it takes, and nothing else.
        device: cpu or cuda.
        workers: local, or ray for a cluster.
        watch: told after each generation.
    """
    folder = None if out is None else Folder(out)
    if resume is not None:
        if folder is None:
            raise PaddockError("resume: expected the folder of an evolution, --out DIR")
        config = folder.resumed_config(resume)
    evolution = Evolution(config, judged_by=judge_maker(workers, threads=threads, device=device))
    if folder is not None:
        if resume is not None:
            folder.resume(evolution)
        folder.begin(evolution, resume=resume is not None)
    started = time.perf_counter()
    evolution.judge.get_ready()
    compiled = time.perf_counter()
    busy, interrupted = time.process_time(), False

    def after(now: Generation) -> None:
        if folder is not None:
            folder.keep(evolution)
        if watch is not None:
            watch(evolution, now)

    try:
        evolution.run(after)
    except KeyboardInterrupt:
        interrupted = True
    ended, busy = time.perf_counter(), time.process_time() - busy
    times = {"wall_s": ended - compiled, "compile_s": compiled - started, "cpu_s": busy}
    summary = {**summary_of(evolution), **{name: round(value, 3) for name, value in times.items()}}
    if test and evolution.history and not interrupted:
        summary |= try_champion(evolution, test, threads=threads)
    if folder is not None:
        folder.finish(evolution, summary)
    return Study(evolution, interrupted, summary)


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
        "solved": bool(last and last.solved >= 1.0),
        "solved_share": last.solved if last else 0.0,
        "solved_in_generation": first,
        "best_fitness": last.champion if last else None,
        "mean_fitness": last.mean if last else None,
        "evaluations": last.evaluations if last else 0,
    }


def try_champion(evolution: Evolution, count: int, *, threads: int | None = None) -> dict[str, Any]:
    """How the champion does in worlds that it has never seen: other mazes, or other noise."""
    task, seed = unseen(evolution.config, evolution.task, count)
    champion = evolution.champion
    judge = LocalJudge(task, champion, seed=seed, threads=threads)
    repeats = 1 if len(task.worlds) == count else count
    judged = judge(champion.weights) if repeats == 1 else judge.with_other_noise(champion.weights[0], repeats)
    return {
        "test_worlds": count,
        "test_solved": float(judged.solved.mean()),
        "test_fitness": float(judged.fitness.mean()),
    }


def unseen(config: Config, task: Task, count: int) -> tuple[Task, int]:
    """The task in other worlds, and the seed of the noise there."""
    if config.task == "maze":
        from paddock.evolve.tasks.maze import maze_task

        other = maze_task(
            mazes=count,
            size=config.size,
            kind=config.kind,
            first=UNSEEN,
            seconds=config.seconds,
            hidden=task.hidden,
            recurrent=task.recurrent,
            beams=task.inputs[0].values,
        )
        return other, UNSEEN
    return replace(task, worlds=task.worlds[:1]), UNSEEN


def judge_maker(workers: str, *, threads: int | None, device: str) -> JudgeMaker:
    """Who lets the individuals drive."""
    if workers == "local":
        return partial(LocalJudge, threads=threads, device=device)
    if workers == "ray":
        from paddock.evolve.cluster import RayJudge

        return RayJudge
    raise UnknownName("kind of workers", workers, WORKERS)
