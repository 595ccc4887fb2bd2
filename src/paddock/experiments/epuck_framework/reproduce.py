"""Run the framework's timing tests and the line crossing with all controllers, and see what holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.experiments import Progress, Row, Sheet
from paddock.experiments.epuck_framework.claims import Runs, Times, rows_of
from paddock.experiments.epuck_framework.crossing import CONTROLLERS, Job, Run, drive
from paddock.experiments.epuck_framework.measure import IN_TIME
from paddock.experiments.epuck_framework.timing import TESTS, WAYS, measure_tests
from paddock.experiments.pool import run_jobs
from paddock.experiments.rows import mean_and_spread, number, quick_look

SEEDS = 20
HEADS = (
    *("row", "runs", "all well", "laps of the slower robot", "meetings", "slowest meeting [s]", "longest contact [s]"),
    *("on the line, outside of passing [%]", "on the line, always [%]", "in parallel [s]", "touching each other [s]"),
)


@dataclass(frozen=True)
class Findings:
    """All that was measured."""

    times: Times
    runs: Runs

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Every claim."""
        return rows_of(self.times, self.runs)

    @property
    def sheet(self) -> Sheet:
        """The line crossing: a column for every controller."""
        rows = tuple(_measured(name, list(runs)) for name, runs in self.runs.items())
        return Sheet(HEADS, rows, "mean ± standard deviation over the runs").transpose()

    @property
    def seeds(self) -> int:
        """How many there were."""
        return max(len(runs) for runs in self.runs.values())

    @property
    def quick_look(self) -> str:
        """That these are too few for the claims, if so."""
        return quick_look(self.seeds, SEEDS)

    def write(self, folder: Path) -> list[Path]:
        """The report: Markdown, HTML and pictures."""
        from paddock.experiments.epuck_framework.report import write_report

        return write_report(self, folder)


def reproduce(*, seeds: int | None = None, workers: int | None = None, progress: Progress | None = None) -> Findings:
    """Timing first, alone; then the runs of the line crossing; see `paddock.experiments.Reproduction`."""
    if seeds is not None and seeds < 1:
        raise PaddockError(f"seeds: expected at least 1, got {seeds}")
    times = measure_tests()  # with all cycles: in fewer, a thread of the user's own might never get to look
    return Findings(times, cross(seeds=seeds, workers=workers, progress=progress))


def cross(
    *, seeds: int | None = None, workers: int | None = None, progress: Progress | None = None, seconds: float = 600.0
) -> Mapping[str, list[Run]]:
    """The line crossing with every controller; the first run of each keeps its trace, for the pictures."""
    jobs = [
        Job(controller=name, seed=seed, seconds=seconds, trace=seed == 0)
        for seed in range(SEEDS if seeds is None else seeds)
        for name in CONTROLLERS
    ]
    drive(Job(controller=jobs[0].controller, seed=0, seconds=0.1))  # what has to be compiled is compiled once
    done = run_jobs(drive, jobs, workers=workers, progress=progress)
    return {name: [run for run in done if run.job.controller == name] for name in CONTROLLERS}


def _measured(name: str, runs: list[Run]) -> tuple[str, ...]:
    measures = [run.measures for run in runs]
    slow = sum(one.slowest > IN_TIME for one in measures)
    return (
        name,
        str(len(runs)),
        str(sum(not one.failures for one in measures)),
        mean_and_spread([min(one.laps) for one in measures], 1),
        mean_and_spread([len(one.meetings) for one in measures], 1),
        f"{max(one.slowest for one in measures):.1f}" + (f" ({slow} runs over {IN_TIME:g})" if slow else ""),
        f"{max(one.contact for one in measures):.2f}",
        mean_and_spread([100 * min(one.on_line) for one in measures], 1),
        mean_and_spread([100 * min(one.on_line_always) for one in measures], 1),
        mean_and_spread([one.parallel for one in measures], 1),
        mean_and_spread([one.pushing for one in measures], 1),
    )


def timing_sheet(times: Times) -> Sheet:
    """Every row of the framework's table beside ours, and how many times as fast."""
    rows = []
    for test in TESTS:
        for part, paper in test.paper.items():
            ours = [times[test.name, way][part] for way in WAYS]
            cells = [text for value in ours for text in (number(value), _times(paper / value))]
            rows.append((test.name, test.what, part, f"{paper:g}", *cells))
    heads = [text for way in WAYS for text in (f"{way} [ms]", "times as fast")]
    return Sheet(("test", "what", "part", "paper [ms]", *heads), tuple(rows))


def _times(factor: float) -> str:
    return f"{factor:.0f}" if factor >= 10 else f"{factor:.1f}"
