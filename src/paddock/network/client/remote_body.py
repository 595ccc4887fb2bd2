"""RemoteBody: a robot of a remote arena. It queues commands and caches readings until the next step."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import Body
from paddock.arena.devices import Camera, Device
from paddock.arena.robot import Robot, SensedDevices
from paddock.core.errors import Refused, UnknownName
from paddock.core.geometry import Pose
from paddock.core.motion import Motion
from paddock.core.observation import Command, Observation, Readings, WheelSpeeds
from paddock.network.protocol import messages as m
from paddock.simulation.robots import RobotSpec

if TYPE_CHECKING:
    from paddock.network.client.remote import RemoteArena

UNKNOWN_SPEEDS = WheelSpeeds(math.nan, math.nan)
FRESH = 0.1  # wall seconds for which the answer to a step is current, while time is free-running
Pixels = NDArray[np.uint8]


class RemoteBody(Body):
    """Reads and controls a robot through a server."""

    def __init__(self, arena: RemoteArena, name: str, spec: RobotSpec) -> None:
        self.arena, self.name, self.spec = arena, name, spec
        self._seen: m.RobotReadings | None = None  # the last readings from the server …
        self._tick, self._change = -1, -1  # … and when they were received
        self._pictures: dict[str, m.PictureData] = {}  # last picture of each watched camera
        self._fresh_until = 0.0
        self._asked: set[str] = set()  # quantities already returned from the answer to the last step
        self._wheels: tuple[float, float] | None = None  # not sent yet
        self._command = WheelSpeeds(0.0, 0.0)
        self._pans: dict[str, float] = {}
        self._leds: dict[str, float] = {}
        self._tone: tuple[float, float] | None = None
        self.lights = dict.fromkeys(spec.leds, 0.0)
        self.sound = (0.0, 0.0)

    # ---- actuators

    def set_wheels(self, left: float, right: float) -> None:
        with self.arena.steering.turn:
            self._wheels = self._command = WheelSpeeds(float(left), float(right))
            self.arena.steering.add(self)

    def set_pan(self, device: Device, angle: float) -> None:
        with self.arena.steering.turn:
            self._pans[device.name] = float(angle)
            self.arena.steering.add(self)

    def set_led(self, number: int, brightness: float) -> None:
        name = self.spec.leds[number]
        with self.arena.steering.turn:
            self._leds[name] = self.lights[name] = float(brightness)
            self.arena.changes += 1  # other robots see it immediately
            self.arena.steering.add(self)

    def set_tone(self, frequency: float, amplitude: float) -> None:
        with self.arena.steering.turn:
            self._tone = self.sound = (float(frequency), float(amplitude))
            self.arena.changes += 1  # other robots hear it immediately
            self.arena.steering.add(self)

    def take_command(self) -> Command:
        """Remove and return the command that has to be sent."""
        command = Command(wheels=self._wheels, pans=self._pans, leds=self._leds, tone=self._tone)
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
        chosen = sensed_devices_of(robot) - {device.name} | ({device.name} if on else set())
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
        seen, tick = self._get_readings("", chosen.slots, [camera.name for camera in cameras])
        if robot.body is not self:  # another world was opened: the answer may belong to either body
            return robot.body.sense(robot)
        pictures = {**self._pictures, **seen.pictures} if cameras else None
        return observation_of(robot, chosen, seen, tick * self.arena.dt, pictures)

    def read(self, device: Device, *, raw: bool) -> Readings:
        seen = None if raw else self._recall(device.name)
        if seen is not None and device.name in seen.readings:
            return seen.readings[device.name].copy()
        values = self._read(device, raw=raw).values
        assert values is not None
        return values.copy()

    def picture(self, camera: Camera) -> Pixels:
        seen = self._recall(camera.name)
        picture = seen.pictures.get(camera.name) if seen is not None else None
        picture = picture or self._pictures.get(camera.name) or self._read(camera).picture
        assert picture is not None
        return array_of(picture)

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
        truth = self._get_readings(what)[0].truth
        if truth is None:
            raise Refused(f"{self.name}.{what}: only a supervisor may read the true poses of robots")
        return truth

    @property
    def wheel_speeds(self) -> WheelSpeeds:
        return WheelSpeeds(*self._get_readings("wheels")[0].wheels)  # type: ignore[arg-type]

    @property
    def command(self) -> WheelSpeeds:
        return UNKNOWN_SPEEDS if self.arena.steering.is_lost(self.name) else self._command

    def motion(self) -> Motion:
        seen = self._get_readings("motion")[0]
        if seen.truth is None:
            raise Refused(f"{self.name}: only a supervisor may read the true poses of robots")
        pose, speeds = Pose(*seen.truth.pose), WheelSpeeds(*seen.wheels)  # type: ignore[arg-type]
        return Motion(pose, speeds, len(seen.truth.contacts))

    def pan_angle(self, device: Device) -> float:
        return self._get_readings(f"pan of {device.name}")[0].pans[device.name]  # type: ignore[return-value]

    @property
    def leds(self) -> tuple[float, ...]:
        return tuple(self.lights.values())

    @property
    def tone(self) -> tuple[float, float]:
        return self.sound

    # ---- cached readings

    def keep(self, seen: m.RobotReadings, tick: int, *, stepped: bool = False) -> None:
        """Store readings from the server."""
        self._seen, self._tick, self._change = seen, tick, self.arena.changes
        if stepped and not self.arena.held:
            self._asked = set()
            self._fresh_until = time.monotonic() + FRESH

    def keep_picture(self, camera: str, picture: m.PictureData) -> None:
        """Store the last picture of a watched camera, while time is free-running."""
        self._pictures = {**self._pictures, camera: picture}

    def forget(self) -> None:
        """Discard all cached readings."""
        self._seen, self._pictures, self._fresh_until = None, {}, 0.0

    def _get_readings(
        self, what: str, sensors: Collection[str] = (), cameras: Collection[str] = ()
    ) -> tuple[m.RobotReadings, int]:
        """Return the current readings and their tick, from the cache or from the server."""
        seen, tick = self._recall(what), self._tick
        shots = (seen.pictures.keys() | self._pictures.keys()) if seen is not None and cameras else ()
        if seen is not None and all(n in seen.readings for n in sensors) and all(n in shots for n in cameras):
            return seen, tick
        answer = self.arena.ask(m.Sense(id=self.arena.number(), robot=self.name), m.Observed)
        return answer.robots[self.name], answer.tick

    def _recall(self, what: str) -> m.RobotReadings | None:
        """Return the cached readings if they are current, or at most one period old under a watch; else None.

        While time is free-running, the answer to a step is used once for every quantity. The second read is sent to
        the server.
        """
        arena = self.arena
        arena.raise_trouble()  # answers from the cache would otherwise never raise it
        arena.dialogue.catch_up()
        seen = self._seen
        if arena.held:
            return seen if self._tick == arena.tick and self._change == arena.changes else None
        if arena.watcher.watches(self.name):
            return seen
        if what in self._asked or self._change != arena.changes or time.monotonic() > self._fresh_until:
            return None
        self._asked.add(what)
        return seen


def sensed_devices_of(robot: Robot) -> set[str]:
    """Return the names of the devices that `sense` reads."""
    return {device.name for device in robot.devices.values() if device.enabled and not device.polled}


def observation_of(
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
    shots = None if pictures is None else {c.name: array_of(pictures[c.name]) for c in cameras if c.name in pictures}
    if robot.lost_devices:
        return ObservationWithoutSome(time, row, slots, shots, lost=robot.lost_devices)
    return Observation(time, row, slots, shots)


class ObservationWithoutSome(Observation):
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


def array_of(picture: m.PictureData) -> Pixels:
    """Return a raw picture as an array [row, column, rgb]."""
    return np.frombuffer(picture.data, np.uint8).reshape(picture.height, picture.width, 3).copy()
