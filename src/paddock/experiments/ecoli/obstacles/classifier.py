"""ObstacleClassifier: the cause of a detection, from all available sources of evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paddock.core.errors import PaddockError
from paddock.experiments.ecoli.obstacles.detection import CAUSES, Cause, CauseScores, Detection
from paddock.experiments.ecoli.obstacles.evidence import EvidenceSource

CLEAR = 0.1  # minimum score difference between the two best causes; below it the cause is unknown


@dataclass(frozen=True, kw_only=True, slots=True)
class Classification:
    """The most probable cause of a detection."""

    cause: Cause | None  # None: two causes fit equally well
    scores: CauseScores  # sums over all sources

    @property
    def probabilities(self) -> dict[Cause, float]:
        """Probability of each cause, assuming equal prior probabilities."""
        weights = [math.exp(score - max(self.scores)) for score in self.scores]
        return {cause: weight / sum(weights) for cause, weight in zip(CAUSES, weights, strict=True)}


class ObstacleClassifier:
    """Adds up the scores of several sources of evidence. Sources whose input is missing are left out.

    A single source separates only some causes. A map, for example, separates walls from other causes. The cause may
    then be None.
    """

    def __init__(self, *sources: EvidenceSource) -> None:
        if not sources:
            raise PaddockError("ObstacleClassifier: expected at least one source of evidence, such as WallMap(walls=…)")
        self.sources: Sequence[EvidenceSource] = sources

    def classify(self, detection: Detection) -> Classification:
        """Return the most probable cause of a detection."""
        found = [scores for source in self.sources if (scores := source.score(detection)) is not None]
        total = CauseScores(*(sum(column) for column in zip(*found, strict=True))) if found else CauseScores()
        ranked = sorted(zip(total, CAUSES, strict=True), reverse=True)
        clear = ranked[0][0] - ranked[1][0] >= CLEAR
        return Classification(cause=ranked[0][1] if clear else None, scores=total)
