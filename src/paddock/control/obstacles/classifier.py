"""ObstacleClassifier: what a detection was, by all means that are at hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paddock.control.obstacles.detection import CAUSES, Cause, CauseScores, Detection
from paddock.control.obstacles.means import Means
from paddock.core.errors import PaddockError

CLEAR = 0.1  # a cause must fit better than the next one by this much, else nobody knows


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What a detection most probably was."""

    cause: Cause | None  # None: two causes fit equally well
    scores: CauseScores  # sums over all means

    @property
    def probabilities(self) -> dict[Cause, float]:
        """Of each cause, if all were equally frequent."""
        weights = [math.exp(score - max(self.scores)) for score in self.scores]
        return {cause: weight / sum(weights) for cause, weight in zip(CAUSES, weights, strict=True)}


class ObstacleClassifier:
    """Adds up what each means has to say; means that lack something are left out.

    A map alone tells walls from all else, and so on: then the verdict may be that nobody knows.
    """

    def __init__(self, *means: Means) -> None:
        if not means:
            raise PaddockError("ObstacleClassifier: expected at least one means, such as WallMap(walls=…)")
        self.means: Sequence[Means] = means

    def classify(self, detection: Detection) -> Verdict:
        """What was it?"""
        found = [scores for means in self.means if (scores := means.score(detection)) is not None]
        total = CauseScores(*(sum(column) for column in zip(*found, strict=True))) if found else CauseScores()
        ranked = sorted(zip(total, CAUSES, strict=True), reverse=True)
        clear = ranked[0][0] - ranked[1][0] >= CLEAR
        return Verdict(cause=ranked[0][1] if clear else None, scores=total)
