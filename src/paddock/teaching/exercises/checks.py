"""Checks: requirements that a run must meet, and the points for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from paddock.core.errors import SpecError
from paddock.core.spec import Number, Quantity, Spec

Points = Annotated[float, Number("points", above=0, high=1000)]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExerciseCheck(Spec):
    """A figure of a run, its required range, and the points for it.

    Students read the `name`, such as "stays on the line". `measure` is a figure of a metric or of the referee.
    """

    name: str
    measure: str
    at_least: Quantity | None = None
    at_most: Quantity | None = None
    points: Points = 1.0
    robot: str | None = None  # robot whose figure is checked; None: every robot must meet the check
    over: Literal["each", "all", "mean"] = "each"
    # each: a seed that meets the check earns its share of the points
    # all: every seed must meet the check; mean: the mean of all seeds must meet it
    requires: str | None = None  # another check that must also be met: a stationary robot touches nothing, for example

    def check(self) -> None:
        if self.at_least is None and self.at_most is None:
            raise SpecError("missing: at_least or at_most, or both", path="at_least")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise SpecError(f"expected at least at_least = {self.at_least:g}, got {self.at_most:g}", path="at_most")

    @property
    def required_range(self) -> str:
        """The required range as a short text."""
        if self.at_least is None:
            text = f"≤ {self.at_most:g}"
        else:
            text = f"≥ {self.at_least:g}" if self.at_most is None else f"{self.at_least:g} … {self.at_most:g}"
        return text if self.requires is None else f"{text}, if {self.requires}"

    def admits(self, figure: float) -> bool:
        """Return whether a figure is in the required range; False for NaN."""
        low = -math.inf if self.at_least is None else self.at_least
        high = math.inf if self.at_most is None else self.at_most
        return low <= figure <= high

    def find_worst(self, results: list[float]) -> float:
        """Return the figure that meets the check least; NaN if there is none or one of them is NaN."""
        if not results or any(math.isnan(figure) for figure in results):
            return math.nan
        return max(results, key=self._miss)

    def _miss(self, figure: float) -> float:
        """Return the distance of a figure from the required range; negative inside it."""
        below = -math.inf if self.at_least is None else self.at_least - figure
        above = -math.inf if self.at_most is None else figure - self.at_most
        return max(below, above)
