"""Path lengths of other strategies relative to ours, in the same world with the same seed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from paddock.experiments.reproductions.ap2dx.survey import Survey, show_mean
from paddock.report.sheets import Sheet

ENOUGH = 0.95  # of the reachable space
PATH_LENGTHS = (
    "The table shows path lengths relative to ours in the same world with the same seed, for runs that reached this "
    "coverage: the mean and its 95 % confidence interval."
)


def compare_paths(ours: Sequence[Survey], others: Sequence[Survey]) -> Sheet:
    """Tabulate the relative path lengths of each other strategy, to 95 % and to full coverage."""
    rows = []
    for strategy, runs in group_by_strategy(others).items():
        ratios = find_ratios(ours, runs)
        rows.append((strategy, *(f"{show_mean(each, 2)} (n = {len(each)})" if each else "never" for each in ratios)))
    return Sheet(("strategy", "path to 95 % over ours", "whole path over ours"), tuple(rows))


def name_shortest(ours: Sequence[Survey], others: Sequence[Survey]) -> str:
    """Name the strategies with the shortest mean paths, of those whose runs all reached the coverage."""
    early, whole = {ours[0].job.strategy: 1.0}, {ours[0].job.strategy: 1.0}
    for strategy, runs in group_by_strategy(others).items():
        for means, ratios in zip((early, whole), find_ratios(ours, runs), strict=True):
            if len(ratios) == len(runs):
                means[strategy] = float(np.mean(ratios))
    first, last = (min(means, key=means.__getitem__) for means in (early, whole))
    return f"Of the strategies whose runs all succeeded, {first} has the shortest path to 95 %, {last} to the end."


def group_by_strategy(surveys: Sequence[Survey]) -> dict[str, list[Survey]]:
    """Return the runs of each strategy."""
    groups: dict[str, list[Survey]] = {}
    for survey in surveys:
        groups.setdefault(survey.job.strategy, []).append(survey)
    return groups


def find_ratios(ours: Sequence[Survey], runs: Sequence[Survey]) -> tuple[list[float], list[float]]:
    """Return path lengths relative to ours, to 95 % and to the end, where both reached this coverage."""
    mine = {(survey.job.world.name, survey.job.seed): survey for survey in ours}
    pairs = [(run, mine[run.job.world.name, run.job.seed]) for run in runs]
    early = [(run.path_to(ENOUGH), own.path_to(ENOUGH)) for run, own in pairs]
    return (
        [way / our_way for way, our_way in early if math.isfinite(way) and math.isfinite(our_way)],
        [run.path / own.path for run, own in pairs if run.finished and own.finished],
    )
