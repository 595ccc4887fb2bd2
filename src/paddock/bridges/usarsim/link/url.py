"""UsarSimUrl: the parsed URL of a robot in a USARSim server."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass

from paddock.bridges.common.robot_url import RobotUrl
from paddock.bridges.usarsim.link.connection import UsarConnection
from paddock.bridges.usarsim.wire import ROBOT_CLASSES, find_class_robot, join_words
from paddock.bridges.usarsim.wire.messages import mirror_pose
from paddock.core.argument_checks import HIGHEST_PORT, all_finite
from paddock.core.errors import PaddockError, Timeout
from paddock.core.geometry import Pose
from paddock.simulation.robots import RobotSpec, load_robot

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
    target = RobotUrl(url, OPTIONS, f"usarsim://host:{PORT}")
    host, port = target.read_host(PORT)
    class_name = target.options.get("class", "P2DX")
    return UsarSimUrl(
        host=host,
        port=port,
        timeout=timeout,
        name=target.options.get("name") or name or "R1",
        class_name=class_name,
        spec=_find_spec(target, target.options.get("type"), class_name),
        place=_read_place(target),
        dt=target.read_number("dt", 0.1, 1e-3, 10.0),
        normalized=target.read_choice("drive", "radians", "normalized") == "normalized",
        clockwise=target.read_choice("scan", "counterclockwise", "clockwise") == "clockwise",
        camera=target.read_whole("camera", 0, 1, HIGHEST_PORT),
        silence=target.read_silence(),
    )


def _find_spec(target: RobotUrl, type: str | None, class_name: str) -> RobotSpec:
    try:
        return load_robot(type or find_class_robot(class_name))
    except PaddockError as error:
        hint = "" if type else f"; classes with a spec here are {', '.join(ROBOT_CLASSES)}, others need type=FILE.toml"
        raise target.refuse(f"{error}{hint}") from None


def _read_place(target: RobotUrl) -> tuple[str, ...]:
    """Return the segments of INIT for the start pose."""
    options = target.options
    if "start" in options and "at" in options:
        raise target.refuse("expected either at or start, got both")
    if "heading" in options and "at" not in options:
        raise target.refuse("heading: it needs at=x,y, which is missing")
    if "start" in options:
        return (f"Start {options['start']}",)
    if "at" not in options:
        return ()
    try:
        x, y, z, *more = [float(part) for part in f"{options['at']},0".split(",")]
    except ValueError:
        x, y, z, more = math.nan, 0.0, 0.0, []
    heading = target.read_number("heading", 0.0, -1e6, 1e6)
    if not all_finite(x, y, z) or len(more) > 1:
        raise target.refuse(f"at: expected x,y or x,y,z in metres, got {options['at']!r}")
    pose = mirror_pose(Pose(x, y, heading))
    return join_words("Location", (pose.x, pose.y, z)), join_words("Rotation", (0.0, 0.0, pose.heading))
