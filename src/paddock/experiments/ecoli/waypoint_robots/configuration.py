"""HostConfig: the configuration of the host program and its robots, as a TOML file with lengths in centimetres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import unquote, urlsplit

from paddock.bridges.epuck.driver.streams import ADDRESS
from paddock.core.errors import SpecError, UnknownName
from paddock.core.files import write_text
from paddock.core.geometry import Pose
from paddock.core.packages import import_package
from paddock.core.spec import Color, Count, Degrees, Description, Number, Spec, Text, refuse_duplicates, spec_from_table
from paddock.core.toml import read_toml_file
from paddock.experiments.ecoli.waypoint_robots.texts import CM, FARTHEST

SCHEME = "orders://"
Centimetres = Annotated[float, Number("centimetres", limit=FARTHEST)]
Position = Annotated[tuple[Centimetres, Centimetres], Description("[x, y] in centimetres")]
FriendlyName = Annotated[
    str,
    Text(
        "a robot's name such as 'e-puck_2479', without ';' and spaces around it",
        lambda name: bool(name) and name == name.strip() and name.isprintable() and ";" not in name and name[0] != "#",
    ),
]
SerialAddress = Annotated[
    str,
    Text(
        "a serial device such as '/dev/rfcomm0' or 'COM5', or a Bluetooth address such as '10:00:E8:AD:77:BB'",
        lambda text: (
            bool(text.removeprefix(SCHEME))
            and ("://" not in text or text.startswith(SCHEME))
            and not urlsplit(text).query
        ),
    ),
]
LanguageName = Annotated[
    str,
    Text(
        "'auto', 'en', 'es', 'de', or a file such as 'ca.po'",
        lambda name: name in ("auto", "en", "es", "de") or name.endswith(".po"),
    ),
]
CameraAddress = Annotated[
    str,
    Text(
        "an address such as 'http://192.168.1.30/snapshot.jpg', or an empty text",
        lambda text: not text or text.startswith(("http://", "https://")),
    ),
]


@dataclass(frozen=True, kw_only=True, slots=True)
class OrderRobotSpec(Spec):
    """A robot that takes orders."""

    name: FriendlyName
    device: SerialAddress
    at_cm: Position = (0.0, 0.0)  # start position
    heading_deg: Degrees = 0.0
    near: Annotated[int, Number("a whole number", low=0, high=100_000)] = 600  # proximity threshold for avoidance
    light: Annotated[float, Number("echo per W/m²", low=0)] = 0.0  # its sensitivity to ambient light; 0: unknown
    color: Color = "#3d6fb4"
    calibrated: str = ""  # when `near` was measured
    lamp: str = ""  # … and the lighting conditions

    @property
    def path(self) -> str:
        """Path or name of the serial device, or the Bluetooth address in capitals."""
        parts = urlsplit(self.device)
        path = unquote(parts.netloc + parts.path) if self.device.startswith(SCHEME) else self.device
        return path.upper() if ADDRESS.fullmatch(path) else path

    @property
    def pose(self) -> Pose:
        """Start pose [m, rad]."""
        return Pose(self.at_cm[0] * CM, self.at_cm[1] * CM, math.radians(self.heading_deg))


@dataclass(frozen=True, kw_only=True, slots=True)
class HostConfig(Spec):
    """The configuration of the host program."""

    robots: Annotated[tuple[OrderRobotSpec, ...], Count(1, "robots, written [[robots]]")]
    mode: Literal["auto", "legacy", "checked"] = "auto"  # checked: robots that do not support it are rejected
    language: LanguageName = "auto"
    waypoints: str = ""  # file that the menu offers
    world: str = ""  # name or file of a world with the walls of the floor, to classify detections
    camera: CameraAddress = ""  # URL of the stream of an overhead camera …
    camera_lens: str = ""  # … the file of its lens, as written by `paddock camera lens` …
    camera_site: str = ""  # … and the file of the markers on floor and robots
    timeout_s: Annotated[float, Number("seconds", low=2, high=3600)] = 30.0  # without an answer, until a robot is lost

    def check(self) -> None:
        refuse_duplicates([robot.name for robot in self.robots], "robots[{}].name")
        seen: dict[str, str] = {}
        for i, robot in enumerate(self.robots):
            if robot.path in seen:
                raise SpecError(f"{robot.path} is already the device of {seen[robot.path]}", path=f"robots[{i}].device")
            seen[robot.path] = robot.name

    def robot(self, name: str) -> OrderRobotSpec:
        """Return the robot with a name."""
        for robot in self.robots:
            if robot.name == name:
                return robot
        raise UnknownName("robot", name, [robot.name for robot in self.robots])


def load_host_config(path: str | Path) -> HostConfig:
    """Load the configuration from a file."""
    return spec_from_table(HostConfig, read_toml_file(Path(path)), file=str(path))


def store_calibration(path: str | Path, name: str, **values: float | str) -> None:
    """Write keys of a robot, such as `near`, into a configuration file. The rest, including comments, is unchanged."""
    tomlkit = import_package("tomlkit", f"{path}: writing it", extra="robot")
    path = Path(path)
    number = [robot.name for robot in load_host_config(path).robots].index(name)
    document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
    document["robots"][number].update(values)
    write_text(path, tomlkit.dumps(document))
