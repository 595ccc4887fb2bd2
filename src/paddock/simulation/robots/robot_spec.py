"""RobotSpec: description of a robot type: body, drive, sensors, LEDs; the library of shipped robots."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from paddock.core.display import display_html
from paddock.core.errors import PaddockError, SpecError, UnknownName, format_value, suggestion
from paddock.core.geometry import Disc, Shape, bounding_radius, crosses_itself, inner_radius, is_convex, on_one_line
from paddock.core.registry import find_spec_file, is_shipped_file, list_spec_names
from paddock.core.spec import Color, Name, Number, Point, Spec, Tagged, convert, hints, plain, refuse_duplicates
from paddock.core.toml import TomlName, read_toml_file
from paddock.core.user_code import code_beside
from paddock.simulation.robots.drives import DRIVES, Drive, Length
from paddock.simulation.sensors.sensor_registry import SENSORS
from paddock.simulation.sensors.sensor_spec import SensorSpec

PACKAGE = "paddock.simulation.robots"  # its folder `library` has the shipped robots
Sensor = Annotated[SensorSpec, Tagged("kind", "sensor kind", SENSORS)]
EITHER_OR = (("radius", "outline"), ("scale", "response"))
SAME = 1e-9  # corners closer than this count as equal [m]
GRAVITY = 9.81  # [m/s²]
MAX_CORNERS = 64  # maximum number of corners of an outline
THINNEST, WIDEST = 0.001, 20.0  # minimum width of an outline, maximum distance of a corner from the axle's centre [m]
OUTSIDE = 5.0  # maximum wheel separation and diameter, relative to the diameter of the body


@dataclass(frozen=True, kw_only=True, slots=True)
class BodySpec(Spec):
    """Body of a robot. Its outline is a circle around the axle's centre, or a convex polygon."""

    radius: Length | None = None
    outline: tuple[Point, ...] | None = None  # corners, counter-clockwise, x forward, y left [m]
    height: Length
    mass: Annotated[float, Number("kilograms", above=0, minimum=1e-6, limit=1e6)] | None = None  # only for URDF
    color: Color = "#4c78a8"

    def check(self) -> None:
        if (self.radius is None) == (self.outline is None):
            got = "neither" if self.radius is None else "both"
            raise SpecError(f"expected either a radius or an outline, got {got}", path="radius")
        if self.outline is not None:
            check_outline(self.outline)

    @property
    def shape(self) -> Shape:
        """The outline in the robot's frame."""
        if self.outline is not None:
            return self.outline
        assert self.radius is not None
        return Disc(0.0, 0.0, self.radius)


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotSpec(Spec):
    """Description of a robot type."""

    name: Name
    title: str = ""
    body: BodySpec
    drive: Annotated[Drive, Tagged("kind", "drive", DRIVES, default="differential")]
    sensors: tuple[Sensor, ...] = ()
    leds: tuple[Name, ...] = ()  # names of its LEDs
    speaker: bool = False

    keys_of_files: ClassVar[tuple[str, ...]] = ("base",)

    @classmethod
    def from_table(cls, table: Mapping[str, Any], *, folder: str | Path | None = None) -> Self:
        """Build a spec from a table; with a key `base`, the table overrides that of another robot.

        Args:
            table: the table, as in a file.
            folder: folder of files that the table names, whose code may run; None: it may name no code.
        """
        if folder is None:
            return super(RobotSpec, cls).from_table(with_base(table))
        with code_beside(Path(folder).resolve()):
            return super(RobotSpec, cls).from_table(with_base(table, relative_to=folder))

    def check(self) -> None:
        refuse_duplicates([sensor.name for sensor in self.sensors], "sensors[{}].name")
        refuse_duplicates(self.leds, "leds[{}]")
        _check_wheels(self.drive, self.body.shape)

    def _repr_html_(self) -> str | None:
        return display_html("robot_spec", self)

    @property
    def pushing_force(self) -> float:
        """Largest force with which it pushes [N]; infinite if neither its mass nor the force of its motors is known."""
        traction = math.inf if self.body.mass is None else self.drive.grip * self.body.mass * GRAVITY
        return min(traction, math.inf if self.drive.max_force is None else self.drive.max_force)

    def sensor(self, name: str) -> SensorSpec:
        """Return the sensor of a name."""
        for sensor in self.sensors:
            if sensor.name == name:
                return sensor
        raise UnknownName(f"sensor of {self.name}", name, [sensor.name for sensor in self.sensors])


def robot_names() -> list[str]:
    """Return the names of the shipped robots."""
    return list_spec_names(PACKAGE)


def load_robot(name_or_path: str | Path) -> RobotSpec:
    """Load a shipped robot by name, or a robot from a TOML file."""
    return read_robot(find_robot(name_or_path))


def find_robot(name_or_path: str | Path, *, relative_to: str | Path | None = None) -> Path:
    """Return the file of a shipped or user-defined robot; relative paths are resolved in the folder `relative_to`."""
    return find_spec_file(PACKAGE, "robot", name_or_path, relative_to=relative_to)


def read_robot(path: Path, within: tuple[Path, ...] = ()) -> RobotSpec:
    """Read a robot from its file; `within` are the files that are based on this one. Shipped files are read once."""
    return _read_shipped(path) if is_shipped_file(path, PACKAGE) else _read_file(path, within)


@functools.cache
def _read_shipped(path: Path) -> RobotSpec:
    return _read_file(path, ())


def _read_file(path: Path, within: tuple[Path, ...]) -> RobotSpec:
    table = read_toml_file(path)
    try:
        with code_beside(path.parent):
            return RobotSpec.from_table(with_base(table, relative_to=path.parent, within=(*within, path.resolve())))
    except SpecError as error:
        raise error.within(file=TomlName(path)) from None


def with_base(
    table: Mapping[str, Any], *, relative_to: str | Path = "", within: tuple[Path, ...] = ()
) -> dict[str, Any]:
    """Merge a robot's table into that of its `base` robot; sensors are matched by name."""
    if "base" not in table:
        return dict(table)
    base = table["base"]
    if not isinstance(base, str):
        raise SpecError(f"expected the name of a robot, or a TOML file, got {format_value(base)}", path="base")
    try:
        path = find_robot(base, relative_to=relative_to)
    except PaddockError as error:
        raise SpecError(str(error), path="base") from None
    if path.resolve() in within:
        raise SpecError(f"{base!r} is based on itself", path="base")
    robot = read_robot(path, within)
    ground = robot.to_table()
    for key, value in table.items():
        if key == "sensors" and isinstance(value, (list, tuple)):
            ground[key] = _change_sensors(robot, value)
        elif isinstance(value, Mapping) and isinstance(ground.get(key), Mapping):
            changed = "kind" in value and value["kind"] != ground[key].get("kind", "differential")
            ground[key] = dict(value) if changed else _overlay(ground[key], value)
        elif key != "base":
            ground[key] = value
    return ground


def _change_sensors(base: RobotSpec, changes: Sequence[Any]) -> list[dict[str, Any]]:
    """Merge changed and new sensors into those of the base; errors refer to the index in the variant's own file."""
    sensors = {sensor.name: sensor.to_table() for sensor in base.sensors}
    names: list[str] = []
    for i, given in enumerate(changes):
        change = plain(given)
        if not isinstance(change, Mapping) or "name" not in change:
            raise SpecError("expected a table with the name of a sensor", path=f"sensors[{i}]")
        name = convert(change["name"], Name, f"sensors[{i}].name")
        old = sensors.get(name)
        if old is None and "kind" not in change:
            known = suggestion(name, sensors)
            raise SpecError(
                f"{base.name!r} has no sensor called {name!r}{known}; a new one needs a kind",
                path=f"sensors[{i}].name",
            )
        changed = old is not None and change.get("kind", old["kind"]) == old["kind"]
        sensors[name] = _overlay(sensors[name], change) if changed else dict(change)
        convert(sensors[name], Sensor, f"sensors[{i}]")
        names.append(name)
    refuse_duplicates(names, "sensors[{}].name")
    return list(sensors.values())


def _overlay(ground: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a change into a table; of two mutually exclusive keys, that of the change remains."""
    kept = dict(ground)
    for key, other in EITHER_OR:
        if key in change or other in change:
            kept.pop(key, None)
            kept.pop(other, None)
    return {**kept, **change}


def check_outline(outline: tuple[Point, ...]) -> None:
    """Refuse an outline that is not a convex polygon, counter-clockwise, of a sensible size."""
    if len(outline) < 3:
        raise SpecError(f"expected at least 3 corners, got {len(outline)}", path="outline")
    if len(outline) > MAX_CORNERS:
        raise SpecError(f"expected at most {MAX_CORNERS} corners, got {len(outline)}", path="outline")
    for i, (before, corner) in enumerate(pairwise(outline)):
        if math.dist(before, corner) < SAME:
            raise SpecError("expected a corner that differs from the previous one", path=f"outline[{i + 1}]")
    if math.dist(outline[0], outline[-1]) < SAME:
        raise SpecError(
            "expected a corner that differs from the first: outlines are closed automatically",
            path=f"outline[{len(outline) - 1}]",
        )
    if on_one_line(outline):
        raise SpecError("expected corners that enclose an area; these are on one line", path="outline")
    if is_convex(outline[::-1]):
        raise SpecError("expected corners in counter-clockwise order; reverse the list", path="outline")
    if not is_convex(outline):
        fix = "its sides cross" if crosses_itself(outline) else "remove the corners that point inwards"
        raise SpecError(f"expected a convex polygon; {fix}", path="outline")
    if 2 * inner_radius(outline) < THINNEST:
        width = format_value(2 * inner_radius(outline))
        raise SpecError(f"expected a body at least {THINNEST:g} m wide, got {width}: are these metres?", path="outline")
    if bounding_radius(outline) > WIDEST:
        far = format_value(bounding_radius(outline))
        raise SpecError(
            f"expected corners within {WIDEST:g} m of the axle's centre, got {far}: are these metres?", path="outline"
        )


def _check_wheels(drive: Drive, body: Shape) -> None:
    """Refuse wheels that are far too large for the body, as those of another unit would be."""
    most = OUTSIDE * 2 * bounding_radius(body)
    for path, wheels in (("drive", drive), ("drive.measured", drive.measured)):
        for name in () if wheels is None else hints(type(wheels)):
            value = getattr(wheels, name)
            if name.endswith(("separation", "diameter", "track", "wheelbase", "distance")) and value > most:
                raise SpecError(
                    f"expected at most {OUTSIDE:g} times the diameter of the body, {format_value(most)} m, got "
                    f"{format_value(value)}: are these metres?",
                    path=f"{path}.{name}",
                )
