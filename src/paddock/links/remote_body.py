"""RemoteBody: a robot of an arena elsewhere. Commands wait here for the next step; what was seen is kept until then."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import Body
from paddock.arena.devices import Camera, Device
from paddock.arena.robot import Chosen, Robot
from paddock.core.errors import Refused, UnknownName
from paddock.core.geometry import Pose
from paddock.core.motion import Motion
from paddock.core.observation import Command, Observation, Readings, WheelSpeeds
from paddock.protocol import messages as m
from paddock.robots import RobotSpec

if TYPE_CHECKING:
    from paddock.links.remote import RemoteArena

UNKNOWN_SPEEDS = WheelSpeeds(math.nan, math.nan)
FRESH = 0.1  # wall seconds for which the answer to a step is news, while time goes on by itself
Pixels = NDArray[np.uint8]


class RemoteBody(Body):
    """Asks a server."""

    def __init__(self, arena: RemoteArena, name: str, spec: RobotSpec) -> None:
        self.arena, self.name, self.spec = arena, name, spec
        self._seen: m.RobotReadings | None = None  # the last that was told …
        self._tick, self._change = -1, -1  # … and when that was
        self._pictures: dict[str, m.PictureData] = {}  # the last of each camera that is watched
        self._fresh_until = 0.0
        self._asked: set[str] = set()  # of what came with the last step
        self._wheels: tuple[float, float] | None = None  # not sent yet
        self._command = WheelSpeeds(0.0, 0.0)
        self._pans: dict[str, float] = {}
        self._leds: dict[str, float] = {}
        self._tone: tuple[float, float] | None = None
        self.lights = dict.fromkeys(spec.leds, 0.0)
        self.sound = (0.0, 0.0)

    # ---- doing

    def set_wheels(self, left: float, right: float) -> None:
        with self.arena.steering.turn:
            self._wheels = self._command = WheelSpeeds(float(left), float(right))
            self.arena.steering.add(self)

    def set_pan(self, device: Device, angle: float) -> None:
        with self.arena.steering.turn:
            self._pans[device.name] = float(angle)
            self.arena.steering.add(self)

    def set_lamp(self, number: int, brightness: float) -> None:
        name = self.spec.leds[number]
        with self.arena.steering.turn:
            self._leds[name] = self.lights[name] = float(brightness)
            self.arena.changes += 1  # others see it at once
            self.arena.steering.add(self)

    def set_tone(self, frequency: float, amplitude: float) -> None:
        with self.arena.steering.turn:
            self._tone = self.sound = (float(frequency), float(amplitude))
            self.arena.changes += 1  # others hear it at once
            self.arena.steering.add(self)

    def take_command(self) -> Command:
        """What has to be sent, once."""
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
        """From now on a device is part of what is sensed, or no longer so."""
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

    # ---- telling

    def sense(self, robot: Robot) -> Observation:
        chosen = robot.chosen
        cameras = chosen.cameras
        seen, tick = self._look("", chosen.slots, [camera.name for camera in cameras])
        if robot.body is not self:  # it has another body in another world: the answer may be of either
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
        truth = self._look(what)[0].truth
        if truth is None:
            raise Refused(f"{self.name}.{what}: only a supervisor may know where robots really are")
        return truth

    @property
    def wheel_speeds(self) -> WheelSpeeds:
        return WheelSpeeds(*self._look("wheels")[0].wheels)  # type: ignore[arg-type]

    @property
    def command(self) -> WheelSpeeds:
        return UNKNOWN_SPEEDS if self.arena.steering.is_lost(self.name) else self._command

    def motion(self) -> Motion:
        seen = self._look("motion")[0]
        if seen.truth is None:
            raise Refused(f"{self.name}: only a supervisor may know where robots really are")
        pose, speeds = Pose(*seen.truth.pose), WheelSpeeds(*seen.wheels)  # type: ignore[arg-type]
        return Motion(pose, speeds, len(seen.truth.contacts))

    def pan_angle(self, device: Device) -> float:
        return self._look(f"pan of {device.name}")[0].pans[device.name]  # type: ignore[return-value]

    @property
    def lamps(self) -> tuple[float, ...]:
        return tuple(self.lights.values())

    @property
    def tone(self) -> tuple[float, float]:
        return self.sound

    # ---- what is known

    def keep(self, seen: m.RobotReadings, tick: int, *, stepped: bool = False) -> None:
        """Remember what the server told."""
        self._seen, self._tick, self._change = seen, tick, self.arena.changes
        if stepped and not self.arena.held:
            self._asked = set()
            self._fresh_until = time.monotonic() + FRESH

    def keep_picture(self, camera: str, picture: m.PictureData) -> None:
        """Remember the last picture of a camera that is watched, while time goes on by itself."""
        self._pictures = {**self._pictures, camera: picture}

    def forget(self) -> None:
        """What was seen is no longer so."""
        self._seen, self._pictures, self._fresh_until = None, {}, 0.0

    def _look(
        self, what: str, sensors: Collection[str] = (), cameras: Collection[str] = ()
    ) -> tuple[m.RobotReadings, int]:
        """What is seen now and the tick; asked for, if it is not known."""
        seen, tick = self._recall(what), self._tick
        shots = (seen.pictures.keys() | self._pictures.keys()) if seen is not None and cameras else ()
        if seen is not None and all(n in seen.readings for n in sensors) and all(n in shots for n in cameras):
            return seen, tick
        answer = self.arena.ask(m.Sense(id=self.arena.number(), robot=self.name), m.Observed)
        return answer.robots[self.name], answer.tick

    def _recall(self, what: str) -> m.RobotReadings | None:
        """What is known of the present, or at most a period old under a watch.

        While time goes on by itself, what came with a step answers every question once: who asks again wants news.
        """
        arena = self.arena
        arena.raise_trouble()  # who is answered from here would else never hear of it
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
    """The names of the devices that are sensed."""
    return {device.name for device in robot.devices.values() if device.enabled and not device.polled}


def observation_of(
    robot: Robot,
    chosen: Chosen,
    seen: m.RobotReadings,
    time: float,
    pictures: Mapping[str, m.PictureData] | None = None,
) -> Observation:
    """What was seen of the devices that were chosen, as an observation."""
    slots, length, _, cameras = chosen
    readings = seen.readings
    if not slots.keys() <= readings.keys():  # one was switched on a moment ago
        slots = {name: slot for name, slot in slots.items() if name in readings}
    row: Readings = np.empty(length)
    for name, slot in slots.items():
        row[slot.first : slot.last] = readings[name]
    shots = None if pictures is None else {c.name: array_of(pictures[c.name]) for c in cameras if c.name in pictures}
    if robot.lost_devices:
        return ObservationWithoutSome(time, row, slots, shots, lost=robot.lost_devices)
    return Observation(time, row, slots, shots)


class ObservationWithoutSome(Observation):
    """What a robot sees that had further devices, until somebody opened another world."""

    __slots__ = ("_lost",)

    def __init__(self, *parts: Any, lost: Mapping[str, str]) -> None:
        super().__init__(*parts)
        self._lost = lost  # what to expect instead, by device

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except UnknownName:
            if name not in self._lost:
                raise
        raise UnknownName("enabled device", name, self, expected=self._lost[name])


def array_of(picture: m.PictureData) -> Pixels:
    """A raw picture as an array [row, column, rgb]."""
    return np.frombuffer(picture.data, np.uint8).reshape(picture.height, picture.width, 3).copy()
