"""A whole sweep as one call: list the runs, skip those that are finished, execute the others, save all results."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from paddock.core.argument_checks import check_arguments
from paddock.core.errors import PaddockError
from paddock.core.files import ensure_folder
from paddock.core.jobs import FinishedJobs, JobFailure, JobRunner, Workers
from paddock.core.locks import lock_folder
from paddock.core.provenance import claim_folder
from paddock.core.seeds import MAX_RUNS
from paddock.core.terminal_text import shell_word
from paddock.experiments.sweeps.combination import list_combinations
from paddock.experiments.sweeps.sweep_files import KIND
from paddock.experiments.sweeps.sweep_result import FailedRun, Sweep
from paddock.experiments.sweeps.sweep_spec import SweepSpec, load_sweep
from paddock.experiments.sweeps.sweep_worker import Rows, RunBlock, SweepWorker

FINISHED = "finished.jsonl"
BATCH = 50  # seeds per batch if controllers compile; a killed sweep loses at most one batch per worker

Progress = Callable[[int, int], None]
"""Callback that receives the number of finished runs and the number of all runs."""


@dataclass(frozen=True)
class PlannedRun:
    """One run of a sweep."""

    number: int  # from 1
    combination: int
    seed: int
    key: str  # digest of all its inputs; empty for an invalid combination


def sweep(
    spec: str | Path | Mapping[str, Any] | SweepSpec,
    *,
    out: str | Path | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
    run: int | None = None,
) -> Sweep:
    """Execute all runs of a sweep. The result depends only on the spec, not on workers or interruptions.

    Args:
        spec: the path of a TOML file, or a dict with the same keys.
        out: folder for the tables, charts and report. Runs that are already finished in it are not repeated.
        workers: number of processes; None: one for every core, 1: only this process; or "ray", the cores of a cluster.
        progress: called with the number of finished runs and the number of all runs.
        run: execute only the run with this number, in this process, without writing files; its error is raised.
    """
    if progress is not None:
        check_arguments(progress, "progress", "done", "total")
    plan = SweepPlan(load_sweep(spec))
    if run is not None:
        return plan.run_alone(run)
    folder = None if out is None else claim_folder(ensure_folder(Path(out)), KIND)
    with nullcontext() if folder is None else lock_folder(folder, timeout=0.0):
        finished = FinishedJobs(None if folder is None else folder / FINISHED, f"sweep {plan.spec.name}")
        done = plan.run(finished, workers, progress or (lambda done, of: None))
        if folder is not None:
            done.save(folder)
    return done


class SweepPlan:
    """All runs of a sweep, ordered by combination, then by seed."""

    def __init__(self, spec: SweepSpec) -> None:
        if spec.run_count > MAX_RUNS:
            raise PaddockError(f"{spec.name}: {spec.run_count:,} runs are too many: expected at most {MAX_RUNS:,}")
        self.spec, self.combinations = spec, list_combinations(spec)
        keys = [each.run.digests(spec.seeds) if each.run else [""] * len(spec.seeds) for each in self.combinations]
        self.runs = [
            PlannedRun(i * len(spec.seeds) + j + 1, i, seed, key)
            for i, own in enumerate(keys)
            for j, (seed, key) in enumerate(zip(spec.seeds, own, strict=True))
        ]

    def run(self, finished: FinishedJobs, workers: Workers, progress: Progress) -> Sweep:
        """Execute the unfinished runs, and combine all results."""
        open_runs = [run for run in self.runs if run.key and run.key not in finished]
        failures = {
            run.number: failure
            for run in self.runs
            if (failure := self.combinations[run.combination].failure) is not None
        }
        before = sum(run.key in finished for run in self.runs)
        done = len(self.runs) - len(open_runs)
        progress(done, len(self.runs))
        if open_runs:
            make = partial(SweepWorker, self.combinations)
            with JobRunner[RunBlock, list[Rows]](make, workers, max_jobs=len(open_runs)) as runner:
                blocks = list(self._blocks(open_runs, SweepWorker(self.combinations)))
                for part, results in self._finish(runner, blocks):
                    if isinstance(results, JobFailure):
                        failures |= {run.number: results for run in part}
                    else:
                        finished.add({run.key: rows for run, rows in zip(part, results, strict=True)})
                    done += len(part)
                    progress(done, len(self.runs))
        return self._put_together(finished, failures, len(self.runs) - before)

    def _finish(
        self, runner: JobRunner[RunBlock, list[Rows]], blocks: Sequence[Sequence[PlannedRun]]
    ) -> Iterator[tuple[Sequence[PlannedRun], list[Rows] | JobFailure]]:
        """Yield the results of blocks as they finish; repeat a failed block run by run, so that only some runs fail."""
        again: list[Sequence[PlannedRun]] = []
        for number, answer in runner.stream([_job(block) for block in blocks]):
            if answer.failure is None:
                yield blocks[number], answer.value
            elif len(blocks[number]) == 1:
                yield blocks[number], answer.failure
            else:
                again += [[run] for run in blocks[number]]
        if again:
            yield from self._finish(runner, again)

    def _blocks(self, runs: Sequence[PlannedRun], worker: SweepWorker) -> Iterator[Sequence[PlannedRun]]:
        """Split the runs into blocks for workers: single runs, or many seeds if all controllers compile."""
        for number, group in itertools.groupby(runs, key=lambda run: run.combination):
            own = list(group)
            size = BATCH if len(own) > 1 and _uses_batches(worker, number) else 1
            yield from (own[first : first + size] for first in range(0, len(own), size))

    def run_alone(self, number: int) -> Sweep:
        """Execute one run in this process; its error is raised."""
        if not isinstance(number, int) or not 1 <= number <= len(self.runs):
            raise PaddockError(f"run: expected a number from 1 to {len(self.runs)}, got {number!r}")
        run = self.runs[number - 1]
        failure = self.combinations[run.combination].failure
        if failure is not None:
            raise failure.error
        finished = FinishedJobs(None, "")
        finished.add({run.key: SweepWorker(self.combinations)(_job([run]))[0]})
        self.runs = [run]
        return self._put_together(finished, {}, 1)

    def _put_together(self, finished: Mapping[str, Rows], failures: Mapping[int, JobFailure], fresh: int) -> Sweep:
        place = "run" if self.spec.runs else "world"
        driver = ("scenario", "world", "robot") if self.spec.scenarios else (place, "robot", "controller")
        axes = (*driver, *self.spec.parameters)
        return Sweep(
            spec=self.spec,
            rows=[row for run in self.runs for row in self._rows(run, axes, finished.get(run.key, ()))],
            axes=axes,
            runs=len(self.runs),
            fresh=fresh,
            failures=tuple(self._failed_run(run, failures[run.number]) for run in self.runs if run.number in failures),
        )

    def _rows(
        self, run: PlannedRun, axes: Sequence[str], results: Sequence[Mapping[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """Yield the table rows of a run: the run's number, combination and seed, then the figures of each robot."""
        chosen = self.combinations[run.combination]
        for row in results:
            about = {
                "world": getattr(chosen.run and chosen.run.world, "name", ""),
                "robot": row["robot"],
                **chosen.labels,
            }
            own = {"run": run.number, **{axis: _as_cell(about[axis]) for axis in axes}, "seed": run.seed}
            yield {**own, "name": row["name"], **{name: value for name, value in row.items() if name != "robot"}}

    def _failed_run(self, run: PlannedRun, failure: JobFailure) -> FailedRun:
        return FailedRun(
            run=run.number,
            labels={name: _as_cell(value) for name, value in self.combinations[run.combination].labels.items()},
            seed=run.seed,
            problem=failure.problem,
            trace=failure.trace,
            command=self._command(run),
        )

    def _command(self, run: PlannedRun) -> str:
        if not self.spec.file:
            return f"paddock.sweep(…, run={run.number})"
        return f"paddock study sweep {shell_word(Path(self.spec.folder) / self.spec.file)} --run {run.number}"


def _job(runs: Sequence[PlannedRun]) -> RunBlock:
    return RunBlock(runs[0].combination, tuple(run.seed for run in runs))


def _uses_batches(worker: SweepWorker, number: int) -> bool:
    """Return whether a combination compiles; an error here is raised again when the combination runs."""
    try:
        return worker.uses_batches(number)
    except Exception:
        return False


def _as_cell(value: Any) -> Any:
    """Return a parameter's value as a table cell; lists and tables become text."""
    return value if isinstance(value, (bool, int, float, str)) else repr(value)
