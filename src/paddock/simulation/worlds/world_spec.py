"""WorldSpec: description of a world: walls, obstacles, things, floor, lights, sounds, fields and robots."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from paddock.core.display import display_html
from paddock.core.errors import SpecError, format_value, suggestion
from paddock.core.geometry import Pose
from paddock.core.spec import (
    Color,
    Coordinate,
    Count,
    Degrees,
    Description,
    Metres,
    MetresOrZero,
    Name,
    NotNegative,
    Number,
    Point,
    Quantity,
    Share,
    Spec,
    Text,
    refuse_duplicates,
)
from paddock.core.user_code import refuse_received
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.worlds.thing_spec import ThingSpec

Factor = Annotated[float, Number("a relative error", above=-0.5, high=0.5)]
PixelsPerMetre = Annotated[float, Number("pixels per metre", above=0, high=10000, minimum=1e-6)]
Bounds = Annotated[
    tuple[Coordinate, Coordinate, Coordinate, Coordinate], Description("[left, bottom, right, top] in metres")
]
AnyName = Annotated[str, Text("1 to 200 characters", lambda text: 0 < len(text) <= 200)]
WALL_COLOR, OBSTACLE_COLOR = "#8a94a6", "#d28b46"
SMALLEST = 1e-6  # minimum side of a world [m]
GOALS = ("exit", "goal")  # starts with these names are goals


@dataclass(frozen=True, kw_only=True, slots=True)
class Wall(Spec):
    """A wall along a polyline. Its thickness may be 0."""

    points: Annotated[tuple[Point, ...], Count(2, "points")]
    closed: bool = False
    thickness: MetresOrZero = 0.01
    height: Metres = 0.1
    color: Color = WALL_COLOR

    def check(self) -> None:
        for i, (a, b) in enumerate(zip(self.points, self.points[1:], strict=False)):
            if a == b:
                raise SpecError("expected a point that differs from the previous one", path=f"points[{i + 1}]")
        corners = len(self.points) - (self.points[0] == self.points[-1])
        if self.closed and corners < 3:
            raise SpecError(f"expected at least 3 points to close a wall, got {corners}", path="closed")


@dataclass(frozen=True, kw_only=True, slots=True)
class Box(Spec):
    """A rectangular obstacle."""

    at: Point
    size: tuple[Metres, Metres]
    heading_deg: Degrees = 0.0
    height: Metres = 0.1
    color: Color = OBSTACLE_COLOR


@dataclass(frozen=True, kw_only=True, slots=True)
class Cylinder(Spec):
    """A round obstacle."""

    at: Point
    radius: Metres
    height: Metres = 0.1
    color: Color = OBSTACLE_COLOR


@dataclass(frozen=True, kw_only=True, slots=True)
class Arc(Spec):
    """A curved wall along a circle, counter-clockwise from `from_deg` to `to_deg`."""

    at: Point
    radius: Metres
    from_deg: Degrees = 0.0
    to_deg: Degrees = 360.0
    thickness: Metres = 0.01
    height: Metres = 0.1
    color: Color = WALL_COLOR

    def check(self) -> None:
        if not self.from_deg < self.to_deg <= self.from_deg + 360:
            raise SpecError(
                f"expected more than from_deg = {self.from_deg:g} and at most a full turn, got {self.to_deg:g}",
                path="to_deg",
            )
        if self.thickness >= 2 * self.radius:
            raise SpecError(
                f"expected metres < {2 * self.radius:g}, twice the radius, got {self.thickness:g}", path="thickness"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class Stroke(Spec):
    """A line on the floor; `smooth` draws a curve through the points, `filled` fills the enclosed area."""

    points: Annotated[tuple[Point, ...], Count(2, "points")]
    width: Annotated[float, Number("metres", above=0, limit=100)] = 0.02
    closed: bool = False
    smooth: bool = False
    filled: bool = False
    color: Color = "#101010"


def check_image(name: str | None) -> None:
    """Refuse the path of an image in a received world; the name of one that came with the world is allowed."""
    if name is not None and (name.startswith(".") or Path(name).name != name or "\\" in name):
        refuse_received(name, "image")


@dataclass(frozen=True, kw_only=True, slots=True)
class Floor(Spec):
    """The floor: a plain colour, an image at `pixels_per_metre`, and strokes on top."""

    color: Color = "#f4f4f2"
    strokes: tuple[Stroke, ...] = ()
    image: str | None = None  # path of an image, relative to the world's file
    image_at: Point | None = None  # lower left corner of the image; None: that of the world
    pixels_per_metre: PixelsPerMetre = 500.0

    def check(self) -> None:
        check_image(self.image)


@dataclass(frozen=True, kw_only=True, slots=True)
class Light(Spec):
    """A light source."""

    at: Point
    height: MetresOrZero = 0.5
    intensity: NotNegative = 1.0  # [W/m²] at 1 m
    color: Color = "#fff2cc"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sound(Spec):
    """A continuous sound source."""

    at: Point
    height: MetresOrZero = 0.1
    amplitude: NotNegative = 1.0  # at 1 m
    frequency: Annotated[float, Number("hertz", above=0, minimum=1e-3, limit=1e6)] = 440.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Field(Spec):
    """A scalar field over the floor, such as a chemical concentration, with the maximum `peak`."""

    name: Name
    shape: Literal["radial", "gaussian", "image"]
    at: Point | None = None  # centre; for an image, its lower left corner
    peak: Quantity = 1.0
    radius: Metres | None = None  # radial: distance at which it reaches 0; gaussian: one standard deviation
    image: str | None = None
    pixels_per_metre: PixelsPerMetre = 100.0
    color: Color = "#39a275"

    def check(self) -> None:
        check_image(self.image)
        if self.shape == "image":
            if self.image is None:
                raise SpecError("missing: an image field needs the file name of a picture", path="image")
        else:
            if self.at is None:
                raise SpecError(f"missing: a {self.shape} field needs its centre [x, y]", path="at")
            if self.radius is None:
                raise SpecError(f"missing: a {self.shape} field needs metres > 0", path="radius")


@dataclass(frozen=True, kw_only=True, slots=True)
class Start(Spec):
    """A named pose to start from."""

    name: Name
    at: Point
    heading_deg: Degrees = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Alias(Spec):
    """An additional name of an object, for programs that were written for another scene."""

    name: AnyName
    object: AnyName  # name in CoppeliaSim: a path or a legacy name


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotPlacement(Spec):
    """A robot in the world. Its start position is `at`, or that of a named `start`."""

    name: Name
    type: Annotated[str | RobotSpec, Description("the name of a robot, a robot's TOML file, or a table")]
    at: Point | None = None
    heading_deg: Degrees | None = None  # None: 0, or the heading of the start
    start: str | None = None
    color: Color | None = None
    noise: bool = True  # whether sensors and wheels are noisy
    noise_factor: Annotated[float, Number("a factor", low=0, high=1000)] = 1.0  # of that noise
    wheel_diameter_error: tuple[Factor, Factor] = (0.0, 0.0)  # left, right; relative to the data sheet
    wheel_separation_error: Factor = 0.0
    slip_noise: Share | None = None  # None: that of the robot's type

    def check(self) -> None:
        if (self.at is None) == (self.start is None):
            got = "neither" if self.at is None else "both"
            raise SpecError(f"expected either a position 'at' or the name of a 'start', got {got}", path="at")

    @classmethod
    def from_pose(cls, name: str, kind: str | RobotSpec, pose: Pose, color: str | None = None) -> Self:
        """Return a robot at a pose."""
        heading = math.degrees(pose.heading)
        return cls(name=name, type=kind, at=(pose.x, pose.y), heading_deg=heading, color=color)


@dataclass(frozen=True, kw_only=True, slots=True)
class Border(Spec):
    """The walls around the bounds; their inner faces are on the bounds."""

    height: Metres = 0.1
    thickness: Metres = 0.02
    color: Color = WALL_COLOR


@dataclass(frozen=True, kw_only=True, slots=True)
class MazeGrid(Spec):
    """Marks a world as a maze, whose cells have equal sizes and fill the bounds."""

    columns: Annotated[int, Number("columns", low=1, high=200)]
    rows: Annotated[int, Number("rows", low=1, high=200)]


@dataclass(frozen=True, kw_only=True)  # without slots, for `derived`
class WorldSpec(Spec):
    """Description of a world: lengths in metres, x to the right, y up, angles in degrees counter-clockwise."""

    name: Name
    title: str = ""
    bounds: Bounds
    dt: Annotated[float, Number("seconds", above=0, high=1, minimum=1e-4)] = 0.02  # length of a tick
    border: Border = Border()
    open: bool = False  # true: no border, robots may leave the bounds
    walls: tuple[Wall, ...] = ()
    boxes: tuple[Box, ...] = ()
    cylinders: tuple[Cylinder, ...] = ()
    arcs: tuple[Arc, ...] = ()
    things: tuple[ThingSpec, ...] = ()
    floor: Floor = Floor()
    lights: tuple[Light, ...] = ()
    sounds: tuple[Sound, ...] = ()
    fields: tuple[Field, ...] = ()
    starts: tuple[Start, ...] = ()
    robots: tuple[RobotPlacement, ...] = ()
    aliases: tuple[Alias, ...] = ()
    maze: MazeGrid | None = None
    folder: str = field(default="", compare=False, repr=False)  # base folder of relative file names
    file: str = field(default="", compare=False, repr=False)  # file name in error messages

    keys_of_files: ClassVar[tuple[str, ...]] = ("include",)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Build a spec from a table; `include` is only allowed in files, which `load_world` reads."""
        if "include" in table:
            raise SpecError("expected no includes here: only a file can include other files", path="include")
        return super().from_table(table)

    def check(self) -> None:
        x0, y0, x1, y1 = self.bounds
        if not (x0 < x1 and y0 < y1):
            raise SpecError(
                "expected [left, bottom, right, top] with left < right and bottom < top, "
                f"got {format_value(self.bounds)}",
                path="bounds",
            )
        if min(x1 - x0, y1 - y0) < SMALLEST:
            raise SpecError(
                f"expected sides of at least {SMALLEST:g} m, got {format_value(self.bounds)}", path="bounds"
            )
        refuse_duplicates([robot.name for robot in self.robots], "robots[{}].name")
        refuse_duplicates([thing.name for thing in self.things], "things[{}].name")
        refuse_duplicates([start.name for start in self.starts], "starts[{}].name")
        refuse_duplicates([field.name for field in self.fields], "fields[{}].name")
        refuse_duplicates([alias.name for alias in self.aliases], "aliases[{}].name")
        starts = [start.name for start in self.starts]
        for i, robot in enumerate(self.robots):
            if robot.start is not None and robot.start not in starts:
                known = suggestion(robot.start, starts)
                raise SpecError(f"no start called {robot.start!r}{known}", path=f"robots[{i}].start")

    def _repr_html_(self) -> str | None:
        return display_html("world", self)

    def resolve_path(self, file_name: str) -> Path:
        """Return the path of a file that the world names, relative to the world's own file."""
        return Path(self.folder) / file_name

    @cached_property
    def derived(self) -> dict[str, Any]:
        """What was computed from the obstacles, such as the solids; the world with other robots has it, too."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "derived"}

    def with_robots(self, *robots: RobotPlacement) -> WorldSpec:
        """Return the same world with other robots."""
        other = replace(self, robots=robots)
        vars(other)["derived"] = self.derived
        return other
