"""Checks: what a run must show, and the points for it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from paddock.core.errors import SpecError
from paddock.core.spec import Number, Quantity, Spec

Points = Annotated[float, Number("points", above=0, high=1000)]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExerciseCheck(Spec):
    """A figure of a run, the range it must lie in, and the points for it.

    `name` is what students read: "stays on the line". `measure` is a figure of the exercise's metrics or its referee.
    """

    name: str
    measure: str
    at_least: Quantity | None = None
    at_most: Quantity | None = None
    points: Points = 1.0
    robot: str | None = None  # whose figure; None: every robot must meet the check
    over: Literal["each", "all", "mean"] = "each"
    # each: a seed that meets it earns its share of the points; all: every seed must; mean: the mean of all seeds must
    requires: str | None = None  # another check, without which this one earns nothing: who stands touches nothing

    def check(self) -> None:
        if self.at_least is None and self.at_most is None:
            raise SpecError("missing: at_least or at_most, or both", path="at_least")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise SpecError(f"expected at least at_least = {self.at_least:g}, got {self.at_most:g}", path="at_most")

    @property
    def wanted(self) -> str:
        """What is asked for, in short."""
        if self.at_least is None:
            wanted = f"≤ {self.at_most:g}"
        else:
            wanted = f"≥ {self.at_least:g}" if self.at_most is None else f"{self.at_least:g} … {self.at_most:g}"
        return wanted if self.requires is None else f"{wanted}, if {self.requires}"

    def admits(self, figure: float) -> bool:
        """Whether a figure meets it; NaN never does."""
        low = -math.inf if self.at_least is None else self.at_least
        high = math.inf if self.at_most is None else self.at_most
        return low <= figure <= high

    def find_worst(self, figures: list[float]) -> float:
        """Of several robots' figures the one that meets it least; NaN where there is none, or one of them is NaN."""
        if not figures or any(math.isnan(figure) for figure in figures):
            return math.nan
        return max(figures, key=self._miss)

    def _miss(self, figure: float) -> float:
        """By how much a figure misses the range; less than 0 inside of it."""
        below = -math.inf if self.at_least is None else self.at_least - figure
        above = -math.inf if self.at_most is None else figure - self.at_most
        return max(below, above)
