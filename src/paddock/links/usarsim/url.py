"""UsarSimUrl: the parsed URL of a robot in a USARSim server."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from urllib.parse import urlsplit

from paddock.core.errors import LinkError, PaddockError, Timeout
from paddock.core.geometry import Pose
from paddock.core.numeric import HIGHEST_PORT, all_finite
from paddock.links.drive_watchdog import read_silence
from paddock.links.options import read_options
from paddock.links.usarsim.connection import UsarConnection
from paddock.robots import RobotSpec, load_robot
from paddock.usarsim import ROBOT_CLASSES, join_words, robot_of_class
from paddock.usarsim.messages import mirror_pose

PORT = 3000
OPTIONS = ("class", "name", "at", "heading", "start", "type", "dt", "drive", "scan", "camera", "silence")
SETTLING = 1.0  # [s] of server time within which each sensor has reported
REPORTS = {
    "sonar": "Sonar",
    "laser": "RangeScanner",
    "encoders": "Encoder",
    "inertial": "INS",
    "position": "GroundTruth",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class UsarSimUrl:
    """The requested robot and its options."""

    host: str
    port: int
    timeout: float
    name: str
    class_name: str
    spec: RobotSpec
    place: tuple[str, ...]  # segments of INIT
    dt: float
    normalized: bool
    clockwise: bool
    camera: int  # port of the image server; 0: none
    silence: float  # [s] without a call after which the robot is stopped

    def open(self) -> UsarConnection:
        """Connect, create the robot, and wait until its sensors have reported."""
        server = UsarConnection(self.host, self.port, self.timeout)
        try:
            server.send("INIT", f"ClassName USARBot.{self.class_name}", f"Name {self.name}", *self.place)
            self._settle(server)
        except BaseException:
            server.close()
            raise
        return server

    def _settle(self, server: UsarConnection) -> None:
        reports, expected = server.reports, {REPORTS.get(sensor.kind, "STA") for sensor in self.spec.sensors}
        try:
            server.wait(lambda: reports.time > -math.inf, f"report about {self.name}")
        except Timeout as error:
            raise Timeout(f"{error} Or is the class {self.class_name} or the start pose unknown there?") from None
        first = reports.time
        with contextlib.suppress(Timeout):  # with a stopped clock, continue with the reports so far
            server.wait(lambda: expected <= reports.counts.keys() or reports.time - first > SETTLING, "further report")


def parse_usarsim_url(url: str, name: str, timeout: float) -> UsarSimUrl:
    """Parse and check a URL."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", PORT if parts.port is None else parts.port
    except ValueError:
        host, port = "", 0
    if not host or port == 0:
        raise LinkError(f"connect: {url}: expected a host and a port from 1 to {HIGHEST_PORT}, 'usarsim://host:3000'")
    options = read_options(url, parts.query, OPTIONS)
    class_name = options.get("class", "P2DX")
    return UsarSimUrl(
        host=host,
        port=port,
        timeout=timeout,
        name=options.get("name") or name or "R1",
        class_name=class_name,
        spec=_find_spec(url, options.get("type"), class_name),
        place=_read_place(url, options),
        dt=_read_number(url, options, "dt", 0.1, 1e-3, 10.0),
        normalized=_read_choice(url, options, "drive", ("radians", "normalized")) == "normalized",
        clockwise=_read_choice(url, options, "scan", ("counterclockwise", "clockwise")) == "clockwise",
        camera=int(_read_number(url, options, "camera", 0, 1, HIGHEST_PORT)),
        silence=read_silence(url, options),
    )


def _find_spec(url: str, type: str | None, class_name: str) -> RobotSpec:
    try:
        return load_robot(type or robot_of_class(class_name))
    except PaddockError as error:
        hint = "" if type else f"; classes with a spec here are {', '.join(ROBOT_CLASSES)}, others need type=FILE.toml"
        raise LinkError(f"connect: {url}: {error}{hint}") from None


def _read_place(url: str, options: dict[str, str]) -> tuple[str, ...]:
    """Return the segments of INIT for the start pose."""
    if "start" in options and "at" in options:
        raise LinkError(f"connect: {url}: expected either at or start, got both")
    if "heading" in options and "at" not in options:
        raise LinkError(f"connect: {url}: heading: it needs at=x,y, which is missing")
    if "start" in options:
        return (f"Start {options['start']}",)
    if "at" not in options:
        return ()
    try:
        x, y, z, *more = [float(part) for part in f"{options['at']},0".split(",")]
    except ValueError:
        x, y, z, more = math.nan, 0.0, 0.0, []
    heading = _read_number(url, options, "heading", 0.0, -1e6, 1e6)
    if not all_finite(x, y, z) or len(more) > 1:
        raise LinkError(f"connect: {url}: at: expected x,y or x,y,z in metres, got {options['at']!r}")
    pose = mirror_pose(Pose(x, y, heading))
    return join_words("Location", (pose.x, pose.y, z)), join_words("Rotation", (0.0, 0.0, pose.heading))


def _read_number(url: str, options: dict[str, str], key: str, default: float, low: float, high: float) -> float:
    try:
        value = float(options[key]) if key in options else default
    except ValueError:
        value = math.nan
    if key in options and not low <= value <= high:
        raise LinkError(f"connect: {url}: {key}: expected a number from {low:g} to {high:g}, got {options[key]!r}")
    return value


def _read_choice(url: str, options: dict[str, str], key: str, known: tuple[str, ...]) -> str:
    choice = options.get(key, known[0])
    if choice not in known:
        raise LinkError(f"connect: {url}: {key}: expected {' or '.join(known)}, got {choice!r}")
    return choice
