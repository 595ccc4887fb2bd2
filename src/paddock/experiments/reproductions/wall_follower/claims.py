"""Claims about the loops, with the study's numbers next to ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from paddock.experiments.reproductions.rows import Row, at_least, at_most, equals
from paddock.experiments.reproductions.wall_follower.loop import (
    CLOCK,
    CURVED,
    CYCLES,
    ELSEWHERE,
    FAST,
    OTHERS,
    ROUGH,
    SLOW,
    STUDY,
    Loop,
    Trial,
)

Loops = Mapping[str, Sequence[Loop]]
"""The loops of every trial, by its row."""

SLOW_SPEED, SLOW_ERROR = 0.15, 0.6  # [m/s], [cm] required of the slow follower
FAST_TIME, FAST_SPEED, FAST_ERROR = 110.0, 0.80, 1.3  # [s], [m/s], [cm] required of the fast follower
CLEARLY, ALIKE = 1.25, (0.8, 1.25)  # ratios of errors


def check_claims(loops: Loops) -> tuple[Row, ...]:
    """Evaluate all claims: by the mean over the seeds for the study's followers, by the worst loop for ours."""
    return (
        *(*_table(loops), *_order(loops), *_curved_walls(loops)),
        *(*_slow(loops), *_fast(loops), *_elsewhere(loops), *_others(loops)),
    )


def mean_error(loops: Sequence[Loop]) -> float:
    """Return the mean error of all loops [cm]."""
    return 100 * float(np.mean([loop.error for loop in loops]))


def _table(loops: Loops) -> Iterator[Row]:
    for trial in STUDY:
        paper, ours = trial.published, loops[trial.row]
        assert paper is not None
        time = float(np.mean([loop.time for loop in ours])) / CLOCK
        distance = float(np.mean([loop.distance for loop in ours]))
        error = mean_error(ours)
        yield Row(trial.row, "simulated time / 3 [s]", paper.time, time, _near(time, paper.time, 0.20), "± 20 %")
        yield Row(trial.row, "distance [m]", paper.distance, distance, _near(distance, paper.distance, 0.05), "± 5 %")
        right = paper.error / 1.5 <= error <= paper.error * 1.5
        yield Row(trial.row, "mean error [cm]", paper.error, error, right, "factor 1.5")
        total = error / 100 * CYCLES * time
        right = paper.error_sum / 1.5 <= total <= paper.error_sum * 1.5
        yield Row(trial.row, "sum of errors [m], 208 cycles/s", paper.error_sum, total, right, "factor 1.5")
        yield _clean(trial, ours)


def _order(loops: Loops) -> Iterator[Row]:
    paper = {trial.row: trial.published.error for trial in STUDY if trial.published}
    ours = {row: mean_error(loops[row]) for row in paper}
    metric = "error of min / error of multi"
    fast = ours["min fast"] / ours["multi fast"]
    published = paper["min fast"] / paper["multi fast"]
    yield Row("fast", metric, published, fast, fast >= CLEARLY, f"multi clearly better: >= {CLEARLY:g}")
    slow = ours["min slow"] / ours["multi slow"]
    published = paper["min slow"] / paper["multi slow"]
    low, high = ALIKE
    yield Row("slow", metric, published, slow, low <= slow <= high, f"similar: {low:g} … {high:g}")


def _curved_walls(loops: Loops) -> Iterator[Row]:
    """Evaluate the study's followers along curved walls, for which nothing was published."""
    low, high = ALIKE
    for trial in CURVED:
        yield _clean(trial, loops[trial.row])
    for pace in ("slow", "fast"):
        ratio = mean_error(loops[f"min {pace}, curved"]) / mean_error(loops[f"multi {pace}, curved"])
        row, wanted = f"{pace}, curved", f"similar: {low:g} … {high:g}"
        yield Row(row, "error of min / error of multi", None, ratio, low <= ratio <= high, wanted)


def _slow(loops: Loops) -> Iterator[Row]:
    ours = loops[SLOW.row]
    paper = STUDY[1].published
    assert paper is not None
    speed = float(np.mean([loop.speed for loop in ours]))
    published = paper.distance / (CLOCK * paper.time)
    yield Row(SLOW.row, "true speed [m/s]", published, speed, _near(speed, SLOW_SPEED, 0.02), f"{SLOW_SPEED:g}")
    yield _worst_error(SLOW, ours, SLOW_ERROR, paper.error)
    yield _clean(SLOW, ours)


def _fast(loops: Loops) -> Iterator[Row]:
    ours = loops[FAST.row]
    paper = STUDY[3].published
    assert paper is not None
    time, speed = max(loop.time for loop in ours), min(loop.speed for loop in ours)
    seconds = CLOCK * paper.time
    yield at_most(FAST.row, "simulated time of the worst loop [s]", time, FAST_TIME, seconds)
    yield at_least(FAST.row, "true speed of the worst loop [m/s]", speed, FAST_SPEED, paper.distance / seconds)
    yield _worst_error(FAST, ours, FAST_ERROR, paper.error)
    yield _clean(FAST, ours)


def _elsewhere(loops: Loops) -> Iterator[Row]:
    for trial in ELSEWHERE:
        yield _worst_error(trial, loops[trial.row], FAST_ERROR if trial.follower == FAST.follower else SLOW_ERROR)
        yield _clean(trial, loops[trial.row])


def _others(loops: Loops) -> Iterator[Row]:
    for trial in (ROUGH, *OTHERS):
        yield _clean(trial, loops[trial.row])


def _worst_error(trial: Trial, loops: Sequence[Loop], limit: float, paper: float | None = None) -> Row:
    worst = 100 * max(loop.error for loop in loops)
    return at_most(trial.row, "mean error of the worst loop [cm]", worst, limit, paper)


def _clean(trial: Trial, loops: Sequence[Loop]) -> Row:
    clean = sum(loop.clean for loop in loops)
    return equals(trial.row, f"loops closed without contact, of {len(loops)}", clean, len(loops))


def _near(ours: float, paper: float, part: float) -> bool:
    return abs(ours - paper) <= part * paper
