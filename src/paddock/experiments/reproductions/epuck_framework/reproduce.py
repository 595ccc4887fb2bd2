"""Run the framework's timing tests and the line crossing with all controllers, and evaluate the claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from paddock.core.jobs import FinishedJobs, Workers, run_jobs
from paddock.experiments.reproductions import Outcome, Progress, Row, Table, check_seeds
from paddock.experiments.reproductions.epuck_framework.claims import Runs, Times, check_claims
from paddock.experiments.reproductions.epuck_framework.crossing import SETUPS, CrossingJob, CrossingRun, drive_crossing
from paddock.experiments.reproductions.epuck_framework.crossing_results import IN_TIME
from paddock.experiments.reproductions.epuck_framework.timing import TESTS, WAYS, measure_tests
from paddock.experiments.reproductions.rows import mean_and_spread, number

SEEDS = 20


@dataclass(frozen=True)
class FrameworkFindings(Outcome):
    """Measured times and runs."""

    required_seeds = SEEDS

    times: Times
    runs: Runs

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Every claim."""
        return check_claims(self.times, self.runs)

    @property
    def table(self) -> Table:
        """Results of the line crossing, with a column for every setup."""
        rows = (_describe_runs(name, list(runs)) for name, runs in self.runs.items())
        return Table.of(rows, "mean ± standard deviation over the runs").transpose()

    @property
    def seeds(self) -> int:
        """Number of seeds."""
        return max(len(runs) for runs in self.runs.values())


def reproduce(
    *,
    seeds: int | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
    finished: FinishedJobs | None = None,
) -> FrameworkFindings:
    """Measure the timing tests first, alone, then run the line crossing; see `reproductions.Reproduction`."""
    check_seeds(seeds)
    times = measure_tests()  # with all cycles: with fewer, a thread of the user might never read
    return FrameworkFindings(times, cross(seeds=seeds, workers=workers, progress=progress, finished=finished))


def cross(
    *,
    seeds: int | None = None,
    workers: Workers = None,
    progress: Progress | None = None,
    finished: FinishedJobs | None = None,
    seconds: float = 600.0,
) -> Mapping[str, list[CrossingRun]]:
    """Run the line crossing in every setup; the first run of each setup keeps its traces for the pictures."""
    jobs = [
        CrossingJob(setup=name, seed=seed, seconds=seconds, keep_traces=seed == 0)
        for seed in range(SEEDS if seeds is None else seeds)
        for name in SETUPS
    ]
    drive_crossing(
        CrossingJob(setup=jobs[0].setup, seed=0, seconds=0.1)
    )  # compile the kernels once, before the worker processes start
    done = run_jobs(drive_crossing, jobs, workers=workers, progress=progress, finished=finished)
    return {name: [run for run in done if run.job.setup == name] for name in SETUPS}


def _describe_runs(name: str, runs: list[CrossingRun]) -> dict[str, str]:
    results = [run.results for run in runs]
    slow = sum(found.slowest > IN_TIME for found in results)
    slowest = f"{max(found.slowest for found in results):.1f}" + (f" ({slow} runs over {IN_TIME:g})" if slow else "")
    return {
        "row": name,
        "runs": str(len(runs)),
        "passed": str(sum(not found.failures for found in results)),
        "laps of the slower robot": mean_and_spread([min(found.laps) for found in results], 1),
        "meetings": mean_and_spread([len(found.meetings) for found in results], 1),
        "slowest meeting [s]": slowest,
        "longest contact [s]": f"{max(found.contact for found in results):.2f}",
        "on the line, outside of passing [%]": mean_and_spread([100 * min(found.on_line) for found in results], 1),
        "on the line, always [%]": mean_and_spread([100 * min(found.on_line_always) for found in results], 1),
        "in parallel [s]": mean_and_spread([found.parallel for found in results], 1),
        "touching each other [s]": mean_and_spread([found.pushing for found in results], 1),
    }


def tabulate_timing(times: Times) -> Table:
    """Return every row of the framework's table next to ours, with the speed-up."""
    rows = []
    for test in TESTS:
        for part, paper in test.paper.items():
            ours = [times[test.name, way][part] for way in WAYS]
            cells = [text for value in ours for text in (number(value), _format_factor(paper / value))]
            rows.append((test.name, test.what, part, f"{paper:g}", *cells))
    heads = [text for way in WAYS for text in (f"{way} [ms]", "speed-up")]
    return Table(("test", "content", "part", "paper [ms]", *heads), tuple(rows))


def _format_factor(factor: float) -> str:
    return f"{factor:.0f}" if factor >= 10 else f"{factor:.1f}"
