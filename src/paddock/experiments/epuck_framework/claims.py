"""Claims: what must hold of the timing tests and of the line crossing, with the framework's figures beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from paddock.experiments.epuck_framework.crossing import CURVING, IMPROVED, PATROL, STOCK, Run
from paddock.experiments.epuck_framework.measure import IN_TIME, LAPS, ON_LINE, TOUCH
from paddock.experiments.epuck_framework.timing import TESTS, WAYS, Test
from paddock.experiments.rows import Row

Times = Mapping[tuple[str, str], Mapping[str, float]]
"""Medians [ms] by part, for every test (by its name) and way."""
Runs = Mapping[str, Sequence[Run]]
"""Runs of the line crossing by controller."""

FASTER = 50.0  # times, wanted of every row through the server
QUICK = 1.0  # [ms] what took the framework less was no call to the robot, but a look at a value in memory


def rows_of(times: Times, runs: Runs) -> tuple[Row, ...]:
    """All claims."""
    return (*_timing(times), *_patrol(runs[PATROL]), *_curving(runs[CURVING]), *_improved(runs), *_stock(runs[STOCK]))


def _timing(times: Times) -> Iterator[Row]:
    for way in WAYS:
        for test in TESTS:
            for part, paper in test.paper.items():
                yield _time(test, way, part, paper, times[test.name, way][part])


def _time(test: Test, way: str, part: str, paper: float, ours: float) -> Row:
    """A row counts by its loop; looks at memory and, in process, parts of a loop must not be slower than they were."""
    factor = FASTER if part == "loop" or (way == "server" and paper >= QUICK) else 1.0
    wanted = f"<= 1/{factor:g}" if factor > 1 else "<= the paper's"
    return Row(f"{test.name}, {way}", f"{part} [ms]", paper, ours, factor * ours <= paper, wanted)


def _patrol(runs: Sequence[Run]) -> Iterator[Row]:
    measures = [run.measures for run in runs]
    laps = min(min(one.laps) for one in measures)
    yield Row(PATROL, "laps of the slowest robot of all runs", None, laps, laps >= LAPS, f">= {LAPS}")
    yield _slowest(PATROL, runs)
    contact = max(one.contact for one in measures)
    yield Row(PATROL, "longest contact of all runs [s]", None, contact, contact <= TOUCH, f"<= {TOUCH:g}")
    line = 100 * min(min(one.on_line) for one in measures)
    metric = "least time on the line outside of passing manoeuvres [%]"
    yield Row(PATROL, metric, None, line, line >= 100 * ON_LINE, f">= {100 * ON_LINE:g}")
    fine = sum(not one.failures for one in measures)
    yield Row(PATROL, f"runs in which all of this is so, of {len(runs)}", None, fine, fine == len(runs), f"{len(runs)}")


def _curving(runs: Sequence[Run]) -> Iterator[Row]:
    laps = min(min(run.measures.laps) for run in runs)
    yield Row(CURVING, "laps of the slowest robot of all runs", None, laps, laps >= LAPS, f">= {LAPS}")
    yield _slowest(CURVING, runs)


def _improved(runs: Runs) -> Iterator[Row]:
    first = max(_first_meeting(run) for run in runs[IMPROVED])
    metric = "slowest first meeting [s]"
    yield Row(IMPROVED, metric, None, first, first <= IN_TIME, f"<= {IN_TIME:g}")


def _stock(runs: Sequence[Run]) -> Iterator[Row]:
    failed = sum(bool(run.measures.failures) for run in runs)
    yield Row(STOCK, f"runs that fail, of {len(runs)}", None, failed, failed == len(runs), f"{len(runs)}")
    blocked = sum(run.measures.in_each_others_way for run in runs)
    metric = f"runs with robots in parallel, or in each other's way, of {len(runs)}"
    yield Row(STOCK, metric, None, blocked, blocked > len(runs) / 2, "more than half")


def _slowest(controller: str, runs: Sequence[Run]) -> Row:
    slowest = max(run.measures.slowest for run in runs)
    return Row(controller, "slowest meeting of all runs [s]", None, slowest, slowest <= IN_TIME, f"<= {IN_TIME:g}")


def _first_meeting(run: Run) -> float:
    """How long it took [s], or has lasted; for ever if there was none."""
    return (*run.measures.meetings, run.measures.unfinished or math.inf)[0]
