"""RobotSpec: a robot as data: body, drive, sensors, lamps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from paddock.core.errors import SpecError
from paddock.core.geometry import Disc, Shape, is_convex, signed_area
from paddock.core.spec import Color, Metres, Name, Point, Positive, Spec, Tagged
from paddock.drives import DifferentialDrive
from paddock.sensors.base import SensorSpec
from paddock.sensors.registry import kinds

Sensor = Annotated[SensorSpec, Tagged("kind", "sensor kind", kinds)]
RESERVED = (
    "name",
    "wheels",
    "drive",
    "stop",
    "enable",
    "disable",
    "sense",
    "pose",
    "place",
    "leds",
    "speaker",
    "devices",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Body(Spec):
    """The outline on the floor: a circle around the axle's centre, or a convex polygon."""

    radius: Metres | None = None
    outline: tuple[Point, ...] | None = None  # corners, counter-clockwise, x forward, y left [m]
    height: Metres
    mass: Positive | None = None  # [kg]
    color: Color = "#4c78a8"

    def check(self) -> None:
        if (self.radius is None) == (self.outline is None):
            raise SpecError("expected either a radius or an outline", path="radius")
        if self.outline is not None:
            if len(self.outline) < 3:
                raise SpecError(f"expected at least 3 corners, got {len(self.outline)}", path="outline")
            if signed_area(self.outline) <= 0:
                raise SpecError("expected corners in counter-clockwise order; reverse the list", path="outline")
            if not is_convex(self.outline):
                raise SpecError("expected a convex polygon; drop the corners that point inwards", path="outline")

    @property
    def shape(self) -> Shape:
        """The outline in the robot's frame."""
        if self.outline is not None:
            return self.outline
        assert self.radius is not None
        return Disc(0.0, 0.0, self.radius)


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotSpec(Spec):
    """A kind of robot."""

    name: Name
    title: str = ""
    body: Body
    drive: DifferentialDrive
    sensors: tuple[Sensor, ...] = ()
    leds: tuple[Name, ...] = ()  # names of its lamps
    speaker: bool = False

    def check(self) -> None:
        seen: set[str] = set()
        for i, sensor in enumerate(self.sensors):
            if sensor.name in seen:
                raise SpecError(f"expected different names, got {sensor.name!r} twice", path=f"sensors[{i}].name")
            if sensor.name in RESERVED:
                raise SpecError(
                    f"expected another name: every robot has a {sensor.name!r} already", path=f"sensors[{i}].name"
                )
            if not sensor.name.isidentifier():
                raise SpecError(
                    f"expected a name that Python can write after a dot, got {sensor.name!r}", path=f"sensors[{i}].name"
                )
            seen.add(sensor.name)

    def sensor(self, name: str) -> SensorSpec:
        """The sensor of that name."""
        return next(s for s in self.sensors if s.name == name)
