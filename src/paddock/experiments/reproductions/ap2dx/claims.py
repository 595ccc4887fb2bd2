"""Claims about driving, mapping and exploring. The report of AP2DX contains no figures of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from paddock.experiments.reproductions.ap2dx.survey import Survey
from paddock.experiments.reproductions.rows import Row, at_least, at_most, equals

if TYPE_CHECKING:
    from paddock.experiments.reproductions.ap2dx.reproduce import Ap2dxFindings

MAPPED, F1 = 0.98, 0.95  # at least
POSITION, HEADING = 0.05, 2.0  # [m], [°] at most
SLOWEST = 600.0  # maximum simulated time per 100 m² [s]
LOST = 1.0  # [m] minimum error of dead reckoning


def check_claims(findings: Ap2dxFindings) -> tuple[Row, ...]:
    """Evaluate all claims."""
    return (
        *_surveys(findings.surveys),
        *_ablation(findings.ablation),
        *_handshake(findings),
    )


def _surveys(surveys: Sequence[Survey]) -> Iterator[Row]:
    count, results = len(surveys), [survey.result for survey in surveys]
    row = f"exploration, {count} runs"
    least = min(result.quality.mapped for result in results)
    yield at_least(row, "reachable space mapped, least share", least, MAPPED)
    least = min(result.quality.f1 for result in results)
    yield at_least(row, "F1 of occupied cells, least", least, F1)
    most = max(result.position_error for result in results)
    yield at_most(row, "RMSE of the position, largest [m]", most, POSITION)
    most = math.degrees(max(result.heading_error for result in results))
    yield at_most(row, "RMSE of the heading, largest [°]", most, HEADING)
    touched = sum(survey.contacts > 0 for survey in surveys)
    yield equals(row, "runs with a contact", touched, 0)
    finished = sum(survey.finished for survey in surveys)
    yield equals(row, "runs that finished", finished, count)
    slowest = max(100 * survey.seconds / survey.area for survey in surveys)
    yield at_most(row, "simulated seconds per 100 m², largest", slowest, SLOWEST)
    lost = float(np.median([survey.reckoning_error for survey in surveys]))
    yield Row(row, "error of dead reckoning at the end, median [m]", None, lost, lost >= LOST, f">= {LOST:g}: it fails")


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
    yield Row(row, "states of ours with a contact, or stuck permanently", None, 0 if safe else 1, safe, "0")
    yield Row(
        row, "the original is correct if no message is lost", None, int(original[""].stuck is None),
        original[""].violation is None and original[""].stuck is None, "1",
    )  # fmt: skip
    for lost, ends in (("RESET", "stops permanently"), ("CLEAR", "drives without protection")):
        found = original[lost].stuck is not None
        yield Row(row, f"the original {ends} after a lost {lost}", None, int(found), found, "1")
