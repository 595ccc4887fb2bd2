"""RemoteBody: a robot of a remote arena. It queues commands, and keeps readings for the tick to which they belong."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import Body, RemovedBody
from paddock.arena.devices import Camera, Device
from paddock.arena.robot import Robot, SensedDevices
from paddock.core.errors import LinkError, Refused, UnknownName
from paddock.core.geometry import Pose
from paddock.core.motion import Motion
from paddock.core.observation import Command, Observation, Readings, WheelSpeeds
from paddock.core.user_code import received_data
from paddock.network.protocol import messages as m
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.foreign import drop_foreign

if TYPE_CHECKING:
    from paddock.network.client.remote import RemoteArena


UNKNOWN_SPEEDS = WheelSpeeds(math.nan, math.nan)
FRESH = 0.1  # wall seconds for which a tick lasts after a step, while time is free-running
Pixels = NDArray[np.uint8]


@dataclass(slots=True)
class TickReadings:
    """The readings of a robot at a tick. They are valid as long as that tick lasts for this program.

    In lock-step, a tick lasts until time advances, or a robot changes what others see. While time is free-running, the
    tick of a step lasts for a moment: each quantity can be read once, because a second read asks for a newer one.
    """

    readings: m.RobotReadings
    tick: int
    changes: int  # of the arena without a tick, when they were received
    ends: float = 0.0  # when the tick of a step is over (monotonic) …
    taken: set[str] | None = None  # … and the quantities that were read, while time is free-running

    def take(self, quantity: str, changes: int) -> bool:
        """Whether a quantity may be read while time is free-running."""
        if self.taken is None or quantity in self.taken or self.changes != changes or time.monotonic() > self.ends:
            return False
        self.taken.add(quantity)
        return True


class RemoteBody(Body):
    """Reads and controls a robot through a server."""

    def __init__(self, arena: RemoteArena, name: str, spec: RobotSpec) -> None:
        self.arena, self.name, self.spec = arena, name, spec
        self._kept: TickReadings | None = None  # the last readings from the server
        self._pictures: dict[str, m.PictureData] = {}  # last picture of each watched camera
        self._wheels: tuple[float, float] | None = None  # not sent yet
        self._command, self._third = WheelSpeeds(0.0, 0.0), 0.0
        self._pans: dict[str, float] = {}
        self._leds: dict[str, float] = {}
        self._tone: tuple[float, float] | None = None
        self.lights = dict.fromkeys(spec.leds, 0.0)
        self.sound = (0.0, 0.0)

    # ---- actuators

    def set_wheels(self, left: float, right: float, third: float = 0.0) -> None:
        with self.arena.steering.mutex:
            self._wheels = self._command = WheelSpeeds(float(left), float(right))
            self._third = float(third)
            self.arena.steering.add(self)

    def set_pan(self, device: Device, angle: float) -> None:
        with self.arena.steering.mutex:
            self._pans[device.name] = float(angle)
            self.arena.steering.add(self)

    def set_led(self, number: int, brightness: float) -> None:
        name = self.spec.leds[number]
        with self.arena.steering.mutex:
            self._leds[name] = self.lights[name] = float(brightness)
            self.arena.changes += 1  # other robots see it immediately
            self.arena.steering.add(self)

    def set_tone(self, frequency: float, amplitude: float) -> None:
        with self.arena.steering.mutex:
            self._tone = self.sound = (float(frequency), float(amplitude))
            self.arena.changes += 1  # other robots hear it immediately
            self.arena.steering.add(self)

    def take_command(self) -> Command:
        """Remove and return the command that has to be sent."""
        third = self._third if self._wheels is not None else 0.0
        command = Command(self._wheels, self._pans, self._leds, self._tone, third)
        self._wheels, self._pans, self._leds, self._tone = None, {}, {}, None
        return command

    def switch(self, device: Device, on: bool) -> None:
        self._ask(m.Enable(id=self.arena.number(), robot=self.name, devices=(device.name,), on=on))
        self._choose(device, on and not device.polled)

    def poll_only(self, device: Device, on: bool) -> None:
        self._ask(m.PollOnly(id=self.arena.number(), robot=self.name, device=device.name, on=on))
        self._choose(device, device.enabled and not on)

    def _choose(self, device: Device, on: bool) -> None:
        """Add a device to the sensed devices, or remove it."""
        self.forget()
        robot = device.robot
        chosen = list_sensed_devices(robot) - {device.name} | ({device.name} if on else set())
        self.arena.watch(robot, chosen)

    def set_pose(self, pose: Pose) -> None:
        self._ask(m.SetPose(id=self.arena.number(), robot=self.name, x=pose.x, y=pose.y, heading=pose.heading))
        self.arena.forget()
        self.arena.note_event("teleport", self.name, f"moved by hand to ({pose.x:.3f}, {pose.y:.3f})")

    def _ask(self, request: m.Request) -> None:
        self.arena.ask(request, m.Done)

    # ---- sensors and state

    def sense(self, robot: Robot) -> Observation:
        chosen = robot.chosen
        cameras = chosen.cameras
        kept = self._get("", chosen.slots, [camera.name for camera in cameras])
        if robot.body is not self:  # another world was opened: the answer may belong to either body
            return robot.body.sense(robot)
        pictures = {**self._pictures, **kept.readings.pictures} if cameras else None
        return make_observation(robot, chosen, kept.readings, kept.tick * self.arena.dt, pictures)

    def read(self, device: Device, *, raw: bool) -> Readings:
        kept = None if raw else self._recall(device.name)
        if kept is not None and device.name in kept.readings.readings:
            return kept.readings.readings[device.name].copy()
        values = self._read(device, raw=raw).values
        assert values is not None
        return values.copy()

    def picture(self, camera: Camera) -> Pixels:
        kept = self._recall(camera.name)
        picture = kept.readings.pictures.get(camera.name) if kept is not None else None
        picture = picture or self._pictures.get(camera.name) or self._read(camera).picture
        assert picture is not None
        return decode_picture(picture)

    def depth(self, camera: Camera) -> NDArray[np.float64]:
        values = self._read(camera, raw=True).values
        if camera.robot.body is not self:
            return camera.robot.body.depth(camera)
        assert values is not None
        return values.reshape(camera.height, camera.width).copy()

    def _read(self, device: Device, *, raw: bool = False) -> m.Reading:
        return self.arena.ask(m.Read(id=self.arena.number(), robot=self.name, device=device.name, raw=raw), m.Reading)

    @property
    def pose(self) -> Pose:
        return Pose(*self._truth("pose").pose)  # type: ignore[arg-type]

    @property
    def contacts(self) -> tuple[float, ...]:
        return self._truth("contacts").contacts  # type: ignore[return-value]

    def _truth(self, what: str) -> m.Truth:
        truth = self._get(what).readings.truth
        if truth is None:
            raise Refused(f"{self.name}.{what}: only a supervisor may read the true poses of robots")
        return truth

    @property
    def wheel_speeds(self) -> WheelSpeeds:
        return WheelSpeeds(*self._get("wheels").readings.wheels)  # type: ignore[arg-type]

    @property
    def command(self) -> WheelSpeeds:
        return UNKNOWN_SPEEDS if self.arena.steering.is_lost(self.name) else self._command

    def motion(self) -> Motion:
        seen = self._get("motion").readings
        if seen.truth is None:
            raise Refused(f"{self.name}: only a supervisor may read the true poses of robots")
        pose, speeds = Pose(*seen.truth.pose), WheelSpeeds(*seen.wheels)  # type: ignore[arg-type]
        return Motion(pose, speeds, len(seen.truth.contacts))

    def pan_angle(self, device: Device) -> float:
        return self._get(f"pan of {device.name}").readings.pans[device.name]  # type: ignore[return-value]

    @property
    def leds(self) -> tuple[float, ...]:
        return tuple(self.lights.values())

    @property
    def tone(self) -> tuple[float, float]:
        return self.sound

    # ---- cached readings

    def keep(self, readings: m.RobotReadings, tick: int, *, stepped: bool = False) -> None:
        """Keep readings from the server."""
        before, kept = self._kept, TickReadings(readings, tick, self.arena.changes)
        if not self.arena.held:
            if stepped:
                kept.ends, kept.taken = time.monotonic() + FRESH, set()
            elif before is not None:  # a newer answer does not prolong the tick
                kept.ends, kept.taken = before.ends, before.taken
        self._kept = kept

    def keep_picture(self, camera: str, picture: m.PictureData) -> None:
        """Store the last picture of a watched camera, while time is free-running."""
        self._pictures = {**self._pictures, camera: picture}

    def forget(self) -> None:
        """Discard all cached readings."""
        self._kept, self._pictures = None, {}

    def _get(self, quantity: str, sensors: Collection[str] = (), cameras: Collection[str] = ()) -> TickReadings:
        """Return readings of the current tick: those that were kept, or new ones from the server."""
        kept = self._recall(quantity)
        if kept is not None:
            seen = kept.readings
            shots = seen.pictures.keys() | self._pictures.keys() if cameras else ()
            if all(name in seen.readings for name in sensors) and all(name in shots for name in cameras):
                return kept
        answer = self.arena.ask(m.Sense(id=self.arena.number(), robot=self.name), m.Observed)
        return TickReadings(answer.robots[self.name], answer.tick, self.arena.changes)

    def _recall(self, quantity: str) -> TickReadings | None:
        """Return the kept readings if they are valid; under a watch, they are at most one period old."""
        arena = self.arena
        arena.raise_trouble()  # kept readings would otherwise never raise it
        arena.dialogue.catch_up()
        kept = self._kept
        if kept is None:
            return None
        if arena.held:
            return kept if kept.tick == arena.tick and kept.changes == arena.changes else None
        return kept if arena.watcher.watches(self.name) or kept.take(quantity, arena.changes) else None


def list_sensed_devices(robot: Robot) -> set[str]:
    """Return the names of the devices that `sense` reads."""
    return {device.name for device in robot.devices.values() if device.enabled and not device.polled}


def make_observation(
    robot: Robot,
    chosen: SensedDevices,
    seen: m.RobotReadings,
    time: float,
    pictures: Mapping[str, m.PictureData] | None = None,
) -> Observation:
    """Return the readings of the chosen devices as an observation."""
    slots, length, _, cameras = chosen
    readings = seen.readings
    if not slots.keys() <= readings.keys():  # a device was enabled after the readings were taken
        slots = {name: slot for name, slot in slots.items() if name in readings}
    row: Readings = np.empty(length)
    for name, slot in slots.items():
        row[slot.first : slot.last] = readings[name]
    shots = (
        None if pictures is None else {c.name: decode_picture(pictures[c.name]) for c in cameras if c.name in pictures}
    )
    if robot.lost_devices:
        return ObservationOfLostDevices(time, row, slots, shots, lost=robot.lost_devices)
    return Observation(time, row, slots, shots)


class ObservationOfLostDevices(Observation):
    """Observation of a robot that had further devices until another world was opened."""

    __slots__ = ("_lost",)

    def __init__(self, *parts: Any, lost: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(*parts)
        self._lost = lost  # text of the error message, by device

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except UnknownName:
            if name not in self._lost:
                raise
        raise UnknownName("enabled device", name, self, expected=self._lost[name])


def decode_picture(picture: m.PictureData) -> Pixels:
    """Return a raw picture as an array [row, column, rgb]."""
    return np.frombuffer(picture.data, np.uint8).reshape(picture.height, picture.width, 3).copy()


class RobotTable(NamedTuple):
    """Last list of robots from the server; replaced as a whole, so that other threads never see a part of it."""

    infos: dict[str, m.RobotInfo]
    kinds: list[tuple[dict[str, Any], RobotSpec]]


class RemoteRobots(Mapping[str, Robot]):
    """The robots of a remote arena by name. A handle is created at its first use."""

    def __init__(self, arena: RemoteArena) -> None:
        self._arena = arena
        self._lock = threading.Lock()  # protects the handles
        self._handles: dict[str, Robot] = {}
        self._table = RobotTable({}, [])
        self.known = False
        self.new_world = ""  # name of the exercise or world opened since the connection; empty if none

    def update(self, news: m.RobotList) -> list[str]:
        """Update the robots and their drivers. Return the names of the robots that left."""
        known = self._table.kinds
        kinds = [(table, next((spec for old, spec in known if old == table), None)) for table in news.kinds]
        with received_data("a server"):
            read = [(table, spec or RobotSpec.from_table(drop_foreign(table))) for table, spec in kinds]
        with self._lock:
            self._table = RobotTable({info.name: info for info in news.robots}, read)
            if self.known:  # not after a reconnect: there may be another robot of that name
                self._move()
            left = [handle for handle in self._handles.values() if not self._is_current(handle)]
            for handle in left:
                handle.body = cast(Body, RemovedBody(handle.body))
                del self._handles[handle.name]
        self.known = True
        return [handle.name for handle in left]

    def _move(self) -> None:
        """Attach handles to the robots of the same name, even if their type or devices differ."""
        infos, kinds = self._table
        opened = f"all that {self.new_world!r} allows, which the lecturer opened while this program ran"
        why = opened if self.new_world else ""
        for handle in self._handles.values():
            if handle.name in infos and not self._is_current(handle):
                cast(RemoteBody, handle.body).forget()
                handle.take_body(RemoteBody(self._arena, handle.name, kinds[infos[handle.name].kind][1]), why)

    def _is_current(self, handle: Robot) -> bool:
        infos, kinds = self._table
        info = infos.get(handle.name)
        return info is not None and kinds[info.kind][1] is handle.spec

    def info(self, name: str) -> m.RobotInfo:
        """Return the type, colour and driver of a robot."""
        return self._find(name)[0]

    def _find(self, name: str) -> tuple[m.RobotInfo, RobotSpec]:
        self._catch_up()
        infos, kinds = self._table
        if not isinstance(name, str) or name not in infos:
            raise UnknownName("robot", name, infos)
        return infos[name], kinds[infos[name].kind][1]

    def has(self, name: str) -> bool:
        """Whether a robot is in the last list from the server."""
        return name in self._table.infos

    def owner(self, name: str) -> str:
        """Return the driver of a robot in the last list from the server; empty if there is none."""
        info = self._table.infos.get(name)
        return info.owner if info is not None else ""

    def handle(self, name: str) -> Robot | None:
        """Return the handle of a robot, or None if it was not created."""
        return self._handles.get(name)

    @property
    def handles(self) -> list[Robot]:
        """All created handles."""
        return list(self._handles.values())

    def body(self, name: str) -> RemoteBody | None:
        """Return the body of a robot's handle, or None if there is no handle."""
        handle = self._handles.get(name)
        return cast(RemoteBody, handle.body) if handle is not None else None

    @property
    def bodies(self) -> list[RemoteBody]:
        """The bodies of all handles."""
        return [cast(RemoteBody, handle.body) for handle in self.handles]

    def __getitem__(self, name: str) -> Robot:
        handle = self._handles.get(name) if isinstance(name, str) else None
        if handle is None:
            _, spec = self._find(name)
            with self._lock:
                handle = self._handles.get(name) or Robot(self._arena, RemoteBody(self._arena, name, spec))
                self._handles[name] = handle
        return handle

    def _catch_up(self) -> None:
        with contextlib.suppress(LinkError):  # without a connection, use the last list
            self._arena.dialogue.catch_up()

    def __iter__(self) -> Iterator[str]:
        self._catch_up()
        return iter(self._table.infos)

    def __len__(self) -> int:
        self._catch_up()
        return len(self._table.infos)

    def __repr__(self) -> str:
        more = ", …" if len(self) > 12 else ""
        return f"<Robots {', '.join(islice(self, 12))}{more}>"
