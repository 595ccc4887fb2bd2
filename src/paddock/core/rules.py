"""Rules: what the annotations of a spec's fields may ask for, with the units and names that all specs share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from paddock.core.registry import Registry

FARTHEST = 1e6  # no place is farther away, no length greater [m]
NUMBERS = 1e9  # no other quantity is greater, or smaller than its inverse


@dataclass(frozen=True)
class Number:
    """The unit of a number and the range it must lie in.

    `least` and `limit` bound the magnitude of what is not 0: beyond them is nothing that exists. Messages name them
    only to those who exceed them.
    """

    unit: str = "a number"
    above: float = -math.inf
    low: float = -math.inf
    high: float = math.inf
    least: float = 0.0
    limit: float = math.inf

    def __str__(self) -> str:
        return self._describe(self.above, self.low, self.high)

    def admits(self, value: float) -> bool:
        return math.isfinite(value) and self._in_range(value) and (value == 0 or self.least <= abs(value) <= self.limit)

    def explain(self, value: float) -> str:
        """What is expected, with the reason why this number is not it."""
        if math.isnan(value) or (math.isinf(value) and self._in_range(value)):
            article = "a " if self.unit.startswith("a ") else ""
            return f"{article}finite {str(self).removeprefix(article)}"
        if not self._in_range(value):
            return str(self)
        high = min(self.high, self.limit)
        if self.low == self.above == -math.inf:
            return self._describe(-math.inf, -self.limit, high)
        if abs(value) < self.least:
            return self._describe(-math.inf, self.least, high) + (" or 0" if self.low == 0 else "")
        return self._describe(self.above, self.low, high)

    def _in_range(self, value: float) -> bool:
        return value > self.above and self.low <= value <= self.high

    def _describe(self, above: float, low: float, high: float) -> str:
        bounds = []
        if above > -math.inf:
            bounds.append(f"> {above:g}")
        if low > -math.inf:
            bounds.append(f">= {low:g}")
        if high < math.inf:
            bounds.append(f"<= {high:g}")
        return " ".join([self.unit, " and ".join(bounds)]).strip()


@dataclass(frozen=True)
class Count:
    """How many entries a list needs: at least so many, or exactly so many."""

    least: int
    of: str
    exactly: bool = False

    def __str__(self) -> str:
        return f"{self.least} {self.of}" if self.exactly else f"at least {self.least} {self.of}"

    def admits(self, count: int) -> bool:
        return count == self.least if self.exactly else count >= self.least


@dataclass(frozen=True)
class Description:
    """What a field wants, in words that are plainer than its type."""

    expected: str

    def __str__(self) -> str:
        return self.expected


@dataclass(frozen=True)
class Text:
    """A string that a test must accept."""

    expected: str
    test: Callable[[str], bool]

    def __str__(self) -> str:
        return self.expected


@dataclass(frozen=True)
class Tagged:
    """A choice between spec classes by the value of one key: `kind = "sonar"`."""

    key: str
    what: str
    classes: Registry[Any]

    def __str__(self) -> str:
        return f"a table with a key {self.key!r}"


def rgb(color: str) -> tuple[int, int, int]:
    """The red, green and blue parts (0 … 255) of `#rrggbb` or of a colour's English name."""
    if len(color) == 7 and color[0] == "#":
        return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
    from PIL import ImageColor

    return ImageColor.getrgb(color)[:3]


def is_color(color: str) -> bool:
    if color.startswith("#"):
        return re.fullmatch("#([0-9a-fA-F]{3}){1,2}", color) is not None
    from PIL import ImageColor

    return color.lower() in ImageColor.colormap


Metres = Annotated[float, Number("metres", above=0, least=1e-6, limit=FARTHEST)]
MetresOrZero = Annotated[float, Number("metres", low=0, limit=FARTHEST)]
Coordinate = Annotated[float, Number("metres", limit=FARTHEST)]
Point = Annotated[tuple[Coordinate, Coordinate], Description("[x, y] in metres")]
Degrees = Annotated[float, Number("degrees", limit=1e6)]
Seconds = Annotated[float, Number("seconds", low=0, limit=60)]
Positive = Annotated[float, Number(above=0, least=1 / NUMBERS, limit=NUMBERS)]
NotNegative = Annotated[float, Number(low=0, limit=NUMBERS)]
Quantity = Annotated[float, Number(limit=NUMBERS)]
Share = Annotated[float, Number(low=0, limit=1)]
Name = Annotated[
    str, Text("a name of letters, digits, '-' and '_'", lambda s: s.replace("-", "").replace("_", "").isalnum())
]
Color = Annotated[str, Text("a colour such as '#3366cc' or 'orange'", is_color)]
