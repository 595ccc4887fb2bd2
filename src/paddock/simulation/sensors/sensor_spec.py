"""Base classes of all sensor kinds: mounts, and the stages between ideal physics and a reading."""

from __future__ import annotations

import keyword
import math
import sys
import unicodedata
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from paddock.core.errors import SpecError, format_value
from paddock.core.spec import (
    Count,
    Degrees,
    Description,
    Metres,
    Name,
    NotNegative,
    Number,
    Positive,
    Quantity,
    Seconds,
    Spec,
)
from paddock.core.user_code import absolute_path, is_users
from paddock.simulation.sensors.appearance import Appearance

A_MOUNT = "[x, y, z, heading in degrees]"
OnRobot = Annotated[float, Number("metres", limit=20)]
Mount = Annotated[tuple[OnRobot, OnRobot, OnRobot, Degrees], Description(A_MOUNT)]
"""Pose on the robot: x forward, y left, z up [m], heading [degrees]."""
Mounts = Annotated[tuple[Mount, ...], Count(1, f"mount {A_MOUNT}")]
OneMount = Annotated[tuple[Mount, ...], Count(1, f"mount {A_MOUNT}", exactly=True)]
A_ROW = "[ideal, hardware] or [ideal, hardware, relative noise]"
Shape = Literal["values", "pose", "truth", "acceleration", "turn_rates", "travel"]
AT_CENTRE: Mounts = ((0.0, 0.0, 0.0, 0.0),)


@dataclass(frozen=True, kw_only=True, slots=True)
class SensorSpec(Spec):
    """Description of a sensor. The stages of a reading, in this order:

    1. ideal physics at the sample's time: a sample every `period`, which is available after `delay`; a gyroscope adds
       its bias;
    2. hardware units: a `response` table of rows [ideal, hardware] or [ideal, hardware, relative noise] with
       linear interpolation, or a `scale` (hardware units per SI unit), or neither;
    3. `noise` (standard deviation) and `noise_relative`, in those units, times the `noise_factors` of the channels;
    4. rounding to multiples of `resolution`, and clipping to the ends of the response; without a response, distances
       and brightnesses are at least 0.

    `raw()` returns the number after stage 4; `read()` converts it back to SI units.
    """

    name: Name
    mounts: Mounts = AT_CENTRE
    period: Seconds = 0.0
    delay: Seconds = 0.0
    response: Annotated[tuple[tuple[Quantity, ...], ...], Description(f"a list of rows {A_ROW}")] = ()
    scale: Positive | None = None
    noise: NotNegative = 0.0
    noise_relative: NotNegative = 0.0
    noise_factors: tuple[NotNegative, ...] = ()  # factor of the noise for each value; empty: equal noise
    resolution: Annotated[float, Number(low=0, minimum=1e-9, limit=1e9)] = 0.0

    look: ClassVar[Appearance] = Appearance()  # how it is shown on the page and in images
    shows: ClassVar[Shape] = "values"  # type of the readings in programs
    first_angle: ClassVar[int | None] = None  # channels from this one on are angles, in (-pi, pi]
    lowest: ClassVar[float] = -math.inf  # noise does not carry a reading below this value
    measure: ClassVar[Any] = None  # a method of a kind in plain Python, which has no kernel: (view) -> ideal values

    def __init_subclass__(cls) -> None:
        """Name a class of a user's file that has no name of its own by its location, so that its TOML can be read."""
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if cls.tag is None and file is not None and is_users(file) and cls.__qualname__.isidentifier():
            cls.tag = "kind", absolute_path(cls)

    def check(self) -> None:
        check_name(self.name)
        if self.noise_factors and len(self.noise_factors) != self.channels:
            got = f"{self.channels} numbers, one for each value, got {len(self.noise_factors)}"
            raise SpecError(f"expected {got}", path="noise_factors")
        if self.response:
            self._check_response()

    def _check_response(self) -> None:
        for i, row in enumerate(self.response):
            if len(row) not in (2, 3):
                raise SpecError(f"expected {A_ROW}, got {format_value(row)}", path=f"response[{i}]")
            if i and row[0] <= self.response[i - 1][0]:
                raise SpecError("expected ideal values that rise from row to row", path=f"response[{i}]")
            if len(row) == 3 and row[2] < 0:
                raise SpecError(f"expected a relative noise >= 0, got {format_value(row[2])}", path=f"response[{i}]")
        if len(self.response) < 2:
            raise SpecError("expected at least 2 rows, got 1", path="response")
        steps = [b[1] - a[1] for a, b in pairwise(self.response)]
        if min(steps) < 0 < max(steps) or not any(steps):
            raise SpecError("expected hardware values that only rise or only fall", path="response")
        if self.scale is not None:
            raise SpecError("expected either a scale or a response table, not both", path="scale")

    @property
    def kind(self) -> str:
        assert self.tag is not None
        return self.tag[1]

    @property
    def channels(self) -> int:
        """Number of values in one reading."""
        return len(self.mounts)

    @property
    def reach(self) -> float:
        """Maximum sensing distance from the robot's centre [m]; 0 if the sensor does not depend on geometry."""
        return 0.0

    @property
    def sees_lights(self) -> bool:
        """Whether lights affect it, at any distance."""
        return False

    @property
    def nothing(self) -> float:
        """The reading if nothing is detected."""
        return 0.0

    @property
    def nothing_raw(self) -> float:
        """The reading in hardware units if nothing is detected."""
        return self.nothing * (self.scale or 1.0)

    @property
    def wrap(self) -> float:
        """Hardware values range from -wrap to wrap - 1; 0 if they have no limit."""
        return 0.0

    @property
    def mixed_share(self) -> float:
        """Fraction of the values at a depth edge that lie between both surfaces."""
        return 0.0

    @property
    def biases(self) -> tuple[float, float]:
        """Standard deviations of the bias, and of its random walk per square root of a second, in SI units."""
        return 0.0, 0.0

    @property
    def opening(self) -> float:
        """Full opening angle of each mount [rad]; 0 for a single ray or no direction."""
        return 0.0

    @property
    def appearance(self) -> Appearance:
        """Appearance of this sensor: that of its kind, with scales adapted to its own parameters."""
        return self.look

    @property
    def full_scale(self) -> float | None:
        """Largest absolute ideal value of its response table; None without a table."""
        return max(abs(row[0]) for row in self.response) if self.response else None

    def parameters(self) -> list[float]:
        """Return the parameters of the kind's kernel, in the order that it defines."""
        return []


@dataclass(frozen=True, kw_only=True, slots=True)
class Pivot(Spec):
    """Limits and rate of the pan angle of a mount that turns."""

    min_deg: Degrees
    max_deg: Degrees
    rate_deg_s: Annotated[float, Number("degrees per second", above=0, minimum=1e-3, limit=1e5)] = 360.0

    def check(self) -> None:
        if self.min_deg > self.max_deg:
            raise SpecError(f"expected at most max_deg = {self.max_deg:g}, got {self.min_deg:g}", path="min_deg")


@dataclass(frozen=True, kw_only=True, slots=True)
class RangeSensorSpec(SensorSpec):
    """A sensor that measures distances [m]."""

    range: Metres
    pivot: Pivot | None = None  # None: fixed
    polled: bool = False  # computed only by read(), never by sense()

    look: ClassVar[Appearance] = Appearance(unit="m", gauge="bars", rays="beams", nearer_is_taller=True, aims=True)
    lowest: ClassVar[float] = 0.0

    @property
    def appearance(self) -> Appearance:
        return replace(self.look, high=self.range)

    @property
    def reach(self) -> float:
        return self.range + max(math.hypot(x, y) for x, y, _, _ in self.mounts)

    @property
    def nothing(self) -> float:
        return self.range

    @property
    def nothing_raw(self) -> float:
        return self.response[-1][1] if self.response else self.nothing * (self.scale or 1.0)


def explain_python_kind(spec: SensorSpec) -> str:
    """Return why compiled runs refuse a sensor, and the fix; empty if its kind has a kernel."""
    if spec.measure is None:
        return ""
    return (
        f"is of the kind {type(spec).__name__} in plain Python, which compiled runs cannot call: write its measure as "
        "a kernel, or use another device"
    )


class View(NamedTuple):
    """State of one robot at the time of a sample, for kernels."""

    robot: int
    motion: Any  # motion of all robots at that time, see engine/state.py, shape (N, ·)
    x: float
    y: float
    heading: float
    c: float  # cosine and sine of the heading
    s: float
    segments: int  # number of gathered segments
    discs: int


# The parameters of every device begin with its pan limits (see engine/step.py), followed by those of its kind.
OWN = 3


def is_pivoting(spec: SensorSpec) -> bool:
    """Whether a sensor can be turned."""
    return isinstance(spec, RangeSensorSpec) and spec.pivot is not None


OF_ROBOTS = (
    "apply",
    "arena",
    "body",
    "calibrate",
    "chosen",
    "contacts",
    "device",
    "devices",
    "disable",
    "drive",
    "enable",
    "leds",
    "lost_devices",
    "move",
    "name",
    "on_sense",
    "set_pose",
    "pose",
    "pose_source",
    "refresh",
    "sense",
    "speaker",
    "spec",
    "steer",
    "stop",
    "take_body",
    "version",
    "watch",
    "watches",
    "wheels",
)
OF_OBSERVATIONS = ("only", "parts", "sensors", "time")


def check_name(name: str) -> None:
    """Refuse names that are not valid identifiers, and existing attributes of robots and observations."""
    for owner, taken in (("robot", OF_ROBOTS), ("observation", OF_OBSERVATIONS)):
        if name in taken:
            raise SpecError(f"expected another name: every {owner} already has an attribute {name!r}", path="name")
    if name.startswith("_"):
        raise SpecError(f"expected a name that begins with a letter, got {name!r}", path="name")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise SpecError(f"expected a Python identifier that is not a keyword, got {name!r}", path="name")
    usual = unicodedata.normalize("NFKC", name)  # Python reads identifiers of programs in this form
    if name != usual:
        raise SpecError(f"expected {usual!r}, which Python reads instead of {name!r}", path="name")
