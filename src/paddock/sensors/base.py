"""What all sensor kinds share: where they sit, and the stages between ideal physics and a reading."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

from paddock.core.errors import SpecError
from paddock.core.spec import Count, Degrees, Name, NotNegative, Number, Positive, Seconds, Spec

Mount = tuple[float, float, float, float]
"""Place on the robot: x forward, y left, z up [m], heading [degrees]."""
Mounts = Annotated[tuple[Mount, ...], Count(1, "mounts [x, y, z, heading in degrees]")]
AT_CENTRE: Mounts = ((0.0, 0.0, 0.0, 0.0),)


@dataclass(frozen=True, kw_only=True, slots=True)
class SensorSpec(Spec):
    """A device that measures. The stages of a reading, in this order:

    1. ideal physics at the sample's time: every `period`, and `delay` old when it arrives;
    2. hardware units: a `response` table of rows [ideal, hardware] or [ideal, hardware, relative noise],
       linear in between, or a `scale` (hardware units per SI unit), or neither;
    3. `noise` (standard deviation) and `noise_relative`, in those units;
    4. rounding to multiples of `resolution`, and to the ends of the response.

    `raw()` gives the number after stage 4; `read()` turns it back into SI units.
    """

    name: Name
    mounts: Mounts = AT_CENTRE
    period: Seconds = 0.0
    delay: Seconds = 0.0
    response: tuple[tuple[float, ...], ...] = ()
    scale: Positive | None = None
    noise: NotNegative = 0.0
    noise_relative: NotNegative = 0.0
    resolution: NotNegative = 0.0

    unit: ClassVar[str] = ""
    first_angle: ClassVar[int | None] = None  # channels from this one on are angles, in (-pi, pi]

    def check(self) -> None:
        for i, row in enumerate(self.response):
            if len(row) not in (2, 3):
                raise SpecError(
                    f"expected [ideal, hardware] or [ideal, hardware, relative noise], got {list(row)}",
                    path=f"response[{i}]",
                )
            if i and row[0] <= self.response[i - 1][0]:
                raise SpecError("expected ideal values that rise from row to row", path=f"response[{i}]")
        steps = [b[1] - a[1] for a, b in zip(self.response, self.response[1:], strict=False)]
        if any(s > 0 for s in steps) and any(s < 0 for s in steps):
            raise SpecError("expected hardware values that only rise or only fall", path="response")
        if self.response and self.scale is not None:
            raise SpecError("expected either a scale or a response table, not both", path="scale")

    @property
    def kind(self) -> str:
        assert self.tag is not None
        return self.tag[1]

    @property
    def channels(self) -> int:
        """How many numbers one reading has."""
        return len(self.mounts)

    @property
    def reach(self) -> float:
        """How far from the robot's centre it may see [m]; 0 when it sees no geometry."""
        return 0.0

    @property
    def sees_lights(self) -> bool:
        """Whether lamps matter to it, wherever they stand."""
        return False

    @property
    def nothing(self) -> float:
        """What it reads when there is nothing to see."""
        return 0.0

    @property
    def nothing_raw(self) -> float:
        """The same in hardware units."""
        return self.nothing * (self.scale or 1.0)

    @property
    def wrap(self) -> float:
        """Hardware numbers run from -wrap to wrap - 1; 0 when they have no limit."""
        return 0.0

    def parameters(self) -> list[float]:
        """The numbers that the kind's kernel wants, in its own order."""
        return []


@dataclass(frozen=True, kw_only=True, slots=True)
class Pivot(Spec):
    """A mount that turns: the pan angle's limits and speed."""

    min_deg: Degrees
    max_deg: Degrees
    rate_deg_s: Annotated[float, Number("degrees per second", above=0)] = 360.0

    def check(self) -> None:
        if self.min_deg > self.max_deg:
            raise SpecError(f"expected at most max_deg = {self.max_deg:g}, got {self.min_deg:g}", path="min_deg")


@dataclass(frozen=True, kw_only=True, slots=True)
class RangeSensorSpec(SensorSpec):
    """A sensor that measures distances [m]."""

    range: Annotated[float, Number("metres", above=0)]
    pivot: Pivot | None = None  # None: fixed
    polled: bool = False  # computed only when asked by read(), never by sense()

    unit: ClassVar[str] = "m"

    @property
    def reach(self) -> float:
        return self.range + max(math.hypot(x, y) for x, y, _, _ in self.mounts)

    @property
    def nothing(self) -> float:
        return self.range


class View(NamedTuple):
    """One robot at the moment of a sample, inside kernels."""

    robot: int
    motion: Any  # of all robots then, see engine/state.py, shape (N, ·)
    x: float
    y: float
    heading: float
    c: float  # cosine and sine of the heading
    s: float
    segments: int  # how many were gathered around it
    discs: int


# Every device's parameters begin with its pan limits (see engine/step.py); the kind's own follow.
OWN = 3
