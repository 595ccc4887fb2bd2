"""A connection of a USARSim client, and the robot of the world that it drives."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress

from paddock.arena.episode_robot import has_left
from paddock.arena.robot import Robot
from paddock.bridges.common.client_log import get_client_log
from paddock.bridges.common.scene_world import ArenaWorld, GuestBody, stop_guest
from paddock.bridges.usarsim.description import describe_robot
from paddock.bridges.usarsim.sensors import UsarSensors
from paddock.bridges.usarsim.wire import ROBOT_CLASSES, LineSplitter, UsarLine, find_class_robot, parse_line
from paddock.bridges.usarsim.wire import messages as lines
from paddock.bridges.usarsim.wire.text import read_number
from paddock.core.errors import BadMessage, PaddockError, Refused, SimulationError, UnknownName
from paddock.core.geometry import Pose
from paddock.simulation.robots import RobotSpec, load_robot, robot_names

log = get_client_log("usarsim")
DEFAULT_NAME = "R1"


class UsarRobot:
    """The robot of a USARSim client: INIT creates or assigns it, DRIVE moves it, and its sensors send reports."""

    def __init__(
        self,
        live: ArenaWorld,
        send: Callable[[bytes], None],
        taken: Callable[[], set[str]],
        *,
        clockwise: bool = False,
        show: Callable[[str], bool] = lambda name: False,
    ) -> None:
        """
        Args:
            live: the arena of the robot.
            send: sends sensor reports to the client, from any thread.
            taken: returns the names of the robots that other clients drive.
            clockwise: whether its scanner sweeps from left to right.
            show: selects the robot that the image server shows, by name; returns whether that is possible.
        """
        self.live, self.arena, self.send, self.taken, self.splitter = live, live.arena, send, taken, LineSplitter()
        self.clockwise, self.show = clockwise, show
        self.name, self.class_name = "", ""  # as given by the client
        self.robot: Robot | None = None
        self.sensors: UsarSensors | None = None
        self.was_spawned = False  # whether the robot was added for this client
        self.gone = False

    # ---- client side, in the emulators' thread

    @property
    def silent(self) -> bool:
        """Whether the client has not got a robot yet."""
        return self.robot is None

    def welcome(self) -> bytes:
        """Return the first line for a new client."""
        return lines.greeting_line(self.arena.world.name)

    def receive(self, data: bytes) -> bytes:
        """Process lines and return the answers. Log and skip invalid lines and unknown requests."""
        answers = []
        try:
            texts = self.splitter.feed(data)
        except BadMessage as error:
            log.warning("usarsim: %s", error)
            return b""
        for text in texts:
            try:
                line = parse_line(text)
                if line.type == "INIT":  # it may search for a place, which no other thread should wait for
                    self._start(line)
                    continue
                with self.arena.mutex:
                    answers.append(self._execute(line))
            except PaddockError as error:
                log.warning("usarsim: %s", error)
        return b"".join(answers)

    def disconnect(self) -> None:
        """Handle disconnection: remove the robot if it was added for this client, otherwise stop it."""
        self.gone = True
        robot, self.robot = self.robot, None
        if robot is None or has_left(robot):
            return
        if self.was_spawned:
            with suppress(Refused):
                self.live.remove(robot.name)
        else:
            stop_guest(robot)

    def _execute(self, line: UsarLine) -> bytes:
        if line.type == "GETSTARTPOSES":
            return lines.start_poses_line(self._list_starts())
        elif self.robot is None or has_left(self.robot):
            raise PaddockError(f"{line.type}: expected INIT {{ClassName USARBot.P2DX}} {{Name …}} first")
        elif line.type == "DRIVE":
            self._drive(self.robot, line)
        elif line.type == "MISPKG":
            self._turn_head(self.robot, line)
        elif line.type == "SET":
            return self._set(line)
        elif line.type in ("GETGEO", "GETCONF"):
            return describe_robot(self.robot.spec, self.class_name, line)
        return b""

    def _start(self, line: UsarLine) -> None:
        if self.robot is not None and not has_left(self.robot):
            raise PaddockError(f"INIT: this connection drives {self.robot.name} already")
        class_name = line.get("ClassName") or ""
        spec, pose, name = find_class(class_name), self._find_place(line), line.get("Name") or DEFAULT_NAME
        free = self._find_free(spec)
        if free is not None:
            self.robot, self.was_spawned = self.arena.robots.new_handle(free, GuestBody), False
            self._try_place(self.robot, pose)
        else:
            self._spawn(name, spec, pose)
        assert self.robot is not None
        self.name, self.class_name = name, class_name.rpartition(".")[2]
        self.robot.wheels.warns = False  # like USARSim, cap speeds without a warning
        self.sensors = None  # those of an earlier robot
        self.sensors = UsarSensors(self.robot, clockwise=self.clockwise)
        log.info("usarsim: %s drives %s", name, self.robot.name)

    def _find_place(self, line: UsarLine) -> Pose | None:
        """Return the pose requested by INIT; None: anywhere."""
        start = line.get("Start")
        if start is not None:
            starts = self._list_starts()
            if start not in starts:
                raise UnknownName("start pose", start, starts)
            return starts[start]
        location, rotation = line.numbers("Location"), line.numbers("Rotation") or [0.0, 0.0, 0.0]
        if location is None:
            return None
        if len(location) != 3 or len(rotation) != 3:
            raise PaddockError("INIT: expected {Location x,y,z} and {Rotation roll,pitch,yaw}")
        return lines.mirror_pose(Pose(location[0], location[1], rotation[2]))

    def _list_starts(self) -> dict[str, Pose]:
        return {start.name: Pose(*start.at, math.radians(start.heading_deg)) for start in self.arena.world.starts}

    def _find_free(self, spec: RobotSpec) -> str | None:
        with self.arena.mutex:
            taken, there = self.taken(), list(zip(self.arena.numbers, self.arena.built.robots, strict=True))
        own = (name for name, kind in there if kind.name == spec.name and name not in taken)
        return next((name for name in own if not self.arena.find_owner(name)), None)

    def _try_place(self, robot: Robot, pose: Pose | None) -> None:
        if pose is None:
            return
        try:
            robot.set_pose(*pose)
        except PaddockError as error:
            log.warning("usarsim: %s stays where it is: %s", robot.name, error)

    def _spawn(self, name: str, spec: RobotSpec, pose: Pose | None) -> None:
        name = re.sub(r"[^\w-]+", "_", name).strip("_") or DEFAULT_NAME
        heading = 0.0 if pose is None else pose.heading
        try:
            at = None if pose is None else (pose.x, pose.y)
            name = self.live.spawn(spec, name=name, at=at, heading=heading)
        except SimulationError as error:
            if pose is None:
                raise
            log.warning("usarsim: %s; it gets another position", error)
            name = self.live.spawn(spec, name=name, heading=heading)
        self.robot, self.was_spawned = self.arena.robots.new_handle(name, GuestBody), True

    def _drive(self, robot: Robot, line: UsarLine) -> None:
        drive, radius = robot.spec.drive, robot.spec.drive.wheel_diameter / 2
        scale = drive.max_speed / 100 if line.flag("Normalized") else radius
        left, right = line.number("Left"), line.number("Right")
        if left is None and right is None:
            return
        now = robot.body.command  # a client may set only one wheel
        robot.wheels.set(now[0] if left is None else left * scale, now[1] if right is None else right * scale)

    def _turn_head(self, robot: Robot, line: UsarLine) -> None:
        camera = next((device for device in robot.devices.values() if device.spec.kind == "camera"), None)
        if camera is None:
            return
        links = [{key.lower(): value for key, value in group.items()} for group in line.groups("Link")]
        for link in links or [{"link": "1", "value": line.get("Value") or ""}]:
            if link["link"] == "1" and link.get("value"):
                camera.pan(-read_number(link["value"], "MISPKG {Value …}"))

    def _set(self, line: UsarLine) -> bytes:
        kind, name = line.get("Type") or "", line.get("Name") or ""
        done = kind.lower() == "odometry" and (line.get("Opcode") or "").upper() == "RESET"
        if done and self.sensors is not None:
            self.sensors.reset_odometry()
        if kind.lower() == "camera":
            done = self.show(line.get("Robot") or self.name)
        return lines.result_line(self.arena.time, kind, name or kind, done=done)

    # ---- world side, in the thread of the arena's clock

    def tick(self) -> None:
        """Send the sensor reports that are due; call once per tick."""
        robot, sensors = self.robot, self.sensors  # the client may leave meanwhile
        if robot is None or sensors is None or has_left(robot):
            return
        if lines := sensors.report(self.arena.time):
            self.send(lines)


def find_class(name: str) -> RobotSpec:
    """Return the robot of a class such as `USARBot.P2DX`: a class of USARSim, or the name of a shipped robot."""
    robot = find_class_robot(name)
    if robot not in robot_names():
        raise PaddockError(f"INIT: unknown robot class {name!r}; expected one of {', '.join(ROBOT_CLASSES)}")
    return load_robot(robot)
