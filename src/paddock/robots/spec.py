"""RobotSpec: a robot as data: body, drive, sensors, lamps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

from paddock.core import library
from paddock.core.errors import SpecError, UnknownName
from paddock.core.geometry import Disc, Shape, is_convex, signed_area
from paddock.core.spec import Color, Metres, Name, Point, Positive, Spec, Tagged, read_toml_file
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


def with_base(table: Mapping[str, Any], within: tuple[str, ...] = ()) -> dict[str, Any]:
    """A robot's table laid over that of the robot it names as `base`; sensors are matched by name."""
    if "base" not in table:
        return dict(table)
    base = table["base"]
    if not isinstance(base, str):
        raise SpecError(f"expected the name of a robot, or a TOML file, got {base!r}", path="base")
    if base in within:
        raise SpecError(f"{base!r} is based on itself", path="base")
    try:
        path = library.find("paddock.robots", "robot", base)
    except UnknownName as error:
        raise SpecError(str(error), path="base") from None
    ground = with_base(read_toml_file(path), (*within, base))
    changes = {key: value for key, value in table.items() if key != "base"}
    sensors = changes.pop("sensors", [])
    if not isinstance(sensors, (list, tuple)) or not all(isinstance(s, Mapping) and "name" in s for s in sensors):
        raise SpecError("expected a list of tables, each with the name of a sensor", path="sensors")
    for key, value in changes.items():
        mergeable = isinstance(value, Mapping) and isinstance(ground.get(key), Mapping)
        ground[key] = {**ground[key], **value} if mergeable else value
    changed = {sensor["name"]: sensor for sensor in sensors}
    kept = [{**old, **changed.pop(old["name"], {})} for old in ground.get("sensors", [])]
    ground["sensors"] = kept + list(changed.values())
    return ground


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

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """As any spec; with a key `base`, another robot's table is the ground and this one changes it."""
        return super(RobotSpec, cls).from_table(with_base(table))

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
