"""Rules for the annotations of spec fields, with the units and names that all specs share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.registry import Registry

FARTHEST = 1e6  # maximum coordinate and length [m]
NUMBERS = 1e9  # maximum magnitude of other quantities; the minimum is its inverse


@dataclass(frozen=True)
class Number:
    """The unit and the allowed range of a number.

    `least` and `limit` bound the magnitude of non-zero values to what is physically plausible. Messages mention them
    only for values that exceed them.
    """

    unit: str = "a number"
    above: float = -math.inf
    low: float = -math.inf
    high: float = math.inf
    minimum: float = 0.0
    limit: float = math.inf

    def __str__(self) -> str:
        return self._describe(self.above, self.low, self.high)

    def admits(self, value: float) -> bool:
        return (
            math.isfinite(value) and self._in_range(value) and (value == 0 or self.minimum <= abs(value) <= self.limit)
        )

    def explain(self, value: float) -> str:
        """Describe the expected number, including the bound that this value violates."""
        if math.isnan(value) or (math.isinf(value) and self._in_range(value)):
            article = "a " if self.unit.startswith("a ") else ""
            return f"{article}finite {str(self).removeprefix(article)}"
        if not self._in_range(value):
            return str(self)
        high = min(self.high, self.limit)
        if self.low == self.above == -math.inf:
            return self._describe(-math.inf, -self.limit, high)
        if abs(value) < self.minimum:
            return self._describe(-math.inf, self.minimum, high) + (" or 0" if self.low == 0 else "")
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
    """The required number of entries of a list: a minimum, or an exact number."""

    minimum: int
    of: str
    exactly: bool = False

    def __str__(self) -> str:
        return f"{self.minimum} {self.of}" if self.exactly else f"at least {self.minimum} {self.of}"

    def admits(self, count: int) -> bool:
        return count == self.minimum if self.exactly else count >= self.minimum


@dataclass(frozen=True)
class Description:
    """A description of a field that is easier to read than its type."""

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
    """Return red, green and blue (0 … 255) of `#rrggbb` or of a colour's English name."""
    if len(color) == 7 and color[0] == "#":
        return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
    from PIL import ImageColor

    return ImageColor.getrgb(color)[:3]


def is_color(color: str) -> bool:
    if color.startswith("#"):
        return re.fullmatch("#([0-9a-fA-F]{3}){1,2}", color) is not None
    from PIL import ImageColor

    return color.lower() in ImageColor.colormap


Metres = Annotated[float, Number("metres", above=0, minimum=1e-6, limit=FARTHEST)]
MetresOrZero = Annotated[float, Number("metres", low=0, limit=FARTHEST)]
Coordinate = Annotated[float, Number("metres", limit=FARTHEST)]
Point = Annotated[tuple[Coordinate, Coordinate], Description("[x, y] in metres")]
Degrees = Annotated[float, Number("degrees", limit=1e6)]
Seconds = Annotated[float, Number("seconds", low=0, limit=60)]
Positive = Annotated[float, Number(above=0, minimum=1 / NUMBERS, limit=NUMBERS)]
NotNegative = Annotated[float, Number(low=0, limit=NUMBERS)]
Quantity = Annotated[float, Number(limit=NUMBERS)]
Share = Annotated[float, Number(low=0, limit=1)]
AnyPort = Annotated[int, Number("a port", low=0, high=HIGHEST_PORT)]  # 0: any free port
Name = Annotated[
    str, Text("a name of letters, digits, '-' and '_'", lambda s: s.replace("-", "").replace("_", "").isalnum())
]
Color = Annotated[str, Text("a colour such as '#3366cc' or 'orange'", is_color)]
