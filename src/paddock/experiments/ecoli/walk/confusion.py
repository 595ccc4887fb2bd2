"""ConfusionMatrix: how often each cause of detections was classified as which cause."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paddock.experiments.ecoli.obstacles import CAUSES, Cause
from paddock.report.sheets import Sheet


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """How often each cause was classified as which cause; the last column is `unknown`."""

    counts: tuple[tuple[int, ...], ...]  # by true and classified cause

    @classmethod
    def of(cls, pairs: Sequence[tuple[Cause, Cause | None]]) -> ConfusionMatrix:
        """Create the matrix from pairs of the true and the classified cause."""
        columns = (*CAUSES, None)
        return cls(tuple(tuple(sum(pair == (c, v) for pair in pairs) for v in columns) for c in CAUSES))

    def share_right(self, cause: Cause) -> float:
        """Return the fraction of the detections with a cause that were classified correctly; NaN without detections."""
        row = self.counts[CAUSES.index(cause)]
        return row[CAUSES.index(cause)] / sum(row) if sum(row) else math.nan

    @property
    def sheet(self) -> Sheet:
        """Table with a row for every true cause."""
        heads = ("true cause", *(f"classified: {cause}" for cause in CAUSES), "unknown", "correct")
        rows = [
            (cause, *map(str, row), self._format_share(cause)) for cause, row in zip(CAUSES, self.counts, strict=True)
        ]
        return Sheet(heads, tuple(rows))

    def _format_share(self, cause: Cause) -> str:
        share = self.share_right(cause)
        return "-" if math.isnan(share) else f"{100 * share:.1f} %"
