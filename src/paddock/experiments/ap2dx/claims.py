"""Claims: what must hold of driving, mapping and exploring. The report of AP2DX prints no figures of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from paddock.experiments.ap2dx.survey import BEHAVIOURS, Survey, mean_interval
from paddock.experiments.rows import Row

if TYPE_CHECKING:
    from paddock.experiments.ap2dx.reproduce import Ap2dxFindings

MAPPED, F1 = 0.98, 0.95  # at least
POSITION, HEADING = 0.05, math.radians(2)  # [m], [rad] at most
SECONDS_PER_AREA = 600 / 100  # [s/m²] of simulated time at most
ENOUGH, LEAST_RATIO = 0.95, 0.95  # of the reachable space; of the way of others over ours
LOST = 1.0  # [m] dead reckoning is off by at least this


def check_claims(findings: Ap2dxFindings) -> tuple[Row, ...]:
    """All claims."""
    return (
        *_surveys(findings.surveys),
        *_comparisons(findings.surveys, findings.others),
        *_ablation(findings.ablation),
        *_handshake(findings),
    )


def _surveys(surveys: Sequence[Survey]) -> Iterator[Row]:
    count, results = len(surveys), [survey.result for survey in surveys]
    row = f"exploration, {count} runs"
    least = min(result.quality.mapped for result in results)
    yield Row(row, "reachable space mapped, least share", None, least, least >= MAPPED, f">= {MAPPED}")
    least = min(result.quality.f1 for result in results)
    yield Row(row, "F1 of occupied cells, least", None, least, least >= F1, f">= {F1}")
    most = max(result.position_error for result in results)
    yield Row(row, "RMSE of the position, largest [m]", None, most, most <= POSITION, f"<= {POSITION}")
    most = math.degrees(max(result.heading_error for result in results))
    yield Row(row, "RMSE of the heading, largest [°]", None, most, most <= math.degrees(HEADING), "<= 2")
    touched = sum(survey.contacts > 0 for survey in surveys)
    yield Row(row, "runs with a contact", None, touched, touched == 0, "0")
    finished = sum(survey.finished for survey in surveys)
    yield Row(row, "runs that stopped by themselves", None, finished, finished == count, str(count))
    slowest = max(100 * survey.seconds / survey.area for survey in surveys)
    wanted = f"<= {100 * SECONDS_PER_AREA:g}"
    yield Row(row, "simulated seconds per 100 m², largest", None, slowest, slowest <= 100 * SECONDS_PER_AREA, wanted)
    lost = float(np.median([survey.reckoning_error for survey in surveys]))
    yield Row(row, "error of dead reckoning at the end, median [m]", None, lost, lost >= LOST, f">= {LOST:g}: it fails")


def _comparisons(ours: Sequence[Survey], others: Sequence[Survey]) -> Iterator[Row]:
    """Ways until nearly all was mapped, and to the end, over ours in the same world with the same seed."""
    mine = {(survey.job.world.name, survey.job.seed): survey for survey in ours}
    for strategy in dict.fromkeys(survey.job.strategy for survey in others):
        runs = [survey for survey in others if survey.job.strategy == strategy]
        row = f"strategy {strategy}, {len(runs)} runs"
        if strategy in BEHAVIOURS:
            mean, width = mean_interval([survey.coverage[-1, 1] for survey in runs])
            least = float(min(survey.coverage[-1, 1] for survey in ours))
            metric = f"mapped at the end, mean (± {width:.2f})"
            yield Row(row, metric, None, mean, mean < least, f"< {least:.2f}: ours, at the least")
            continue
        pairs = [(survey, mine[survey.job.world.name, survey.job.seed]) for survey in runs]
        # A run that never got so far counts with all of its way, so that the ratio is no larger than it was.
        early = [min(other.path_to(ENOUGH), other.path) / own.path_to(ENOUGH) for other, own in pairs]
        whole = [other.path / own.path for other, own in pairs]
        for ratios, what in ((early, f"path to {ENOUGH:.0%}"), (whole, "whole path")):
            mean, width = mean_interval(ratios)
            metric = f"{what} over ours, mean (± {width:.2f})"
            yield Row(row, metric, None, mean, mean >= LEAST_RATIO, f">= {LEAST_RATIO}: ours is at most 5 % longer")


def _ablation(surveys: Sequence[Survey]) -> Iterator[Row]:
    row = f"methods of mapping on the same {len(surveys)} drives"
    errors = {
        method: float(np.mean([survey.results[method].position_error for survey in surveys]))
        for method in surveys[0].results
    }
    for method, error in errors.items():
        drifts = method in ("odometry", "scan-to-scan")
        wanted = f"> {POSITION}: it drifts" if drifts else f"<= {POSITION}"
        holds = error > POSITION if drifts else error <= POSITION
        yield Row(row, f"{method}: RMSE of the position, mean [m]", None, error, holds, wanted)


def _handshake(findings: Ap2dxFindings) -> Iterator[Row]:
    ours, original = findings.handshake, findings.original
    row = "hand-shake, all states"
    yield Row(row, "states of ours that were visited", None, ours.states, ours.states > 10_000, "all")
    safe = ours.violation is None and ours.stuck is None
    yield Row(row, "states of ours with a contact, or stuck for ever", None, 0 if safe else 1, safe, "0")
    yield Row(
        row, "the original is sound while nothing is lost", None, int(original[""].stuck is None),
        original[""].violation is None and original[""].stuck is None, "1",
    )  # fmt: skip
    for lost, ends in (("RESET", "stands for ever"), ("CLEAR", "drives unprotected")):
        found = original[lost].stuck is not None
        yield Row(row, f"the original {ends} after a lost {lost}", None, int(found), found, "1")
