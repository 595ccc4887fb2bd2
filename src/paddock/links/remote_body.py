"""RemoteBody: a robot of an arena elsewhere. Commands wait here for the next step; what was seen is kept until then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import Body
from paddock.arena.devices import Camera, Device
from paddock.arena.robot import Robot
from paddock.core.errors import Refused, SimulationError
from paddock.core.geometry import Pose
from paddock.core.observation import Command, Observation, Readings, WheelSpeeds
from paddock.protocol import messages as m
from paddock.robots import RobotSpec

if TYPE_CHECKING:
    from paddock.links.remote import RemoteArena


class RemoteBody(Body):
    """Asks a server."""

    def __init__(self, arena: RemoteArena, name: str, spec: RobotSpec) -> None:
        self.arena, self.name, self.spec = arena, name, spec
        self.seen: m.Seen | None = None  # the last that was told
        self.tick = -1  # when that was
        self.fresh = False  # whether it came with a step and was not looked at yet
        self.gone = False
        self._wheels: tuple[float, float] | None = None
        self._pans: dict[str, float] = {}
        self._leds: dict[str, float] = {}
        self._tone: tuple[float, float] | None = None
        self._lamps = dict.fromkeys(spec.leds, 0.0)
        self._sound = (0.0, 0.0)

    # ---- doing

    def set_wheels(self, left: float, right: float) -> None:
        self._wheels = (left, right)
        self._given()

    def set_pan(self, device: Device, angle: float) -> None:
        self._pans[device.name] = angle
        self._given()

    def set_lamp(self, number: int, brightness: float) -> None:
        name = self.spec.leds[number]
        self._leds[name] = self._lamps[name] = brightness
        self._given()

    def set_tone(self, frequency: float, amplitude: float) -> None:
        self._tone = self._sound = (frequency, amplitude)
        self._given()

    def _given(self) -> None:
        self._check_there()
        self.arena.commanded(self)

    def take_command(self) -> Command | None:
        """What has to be sent, once."""
        if self._wheels is None and self._tone is None and not self._pans and not self._leds:
            return None
        command = Command(wheels=self._wheels, pans=self._pans, leds=self._leds, tone=self._tone)
        self._wheels, self._pans, self._leds, self._tone = None, {}, {}, None
        return command

    def switch(self, device: Device, on: bool) -> None:
        self._check_there()
        self.arena.ask(m.Enable(id=0, robot=self.name, devices=(device.name,), on=on))
        self.seen = None

    def poll_only(self, device: Device, on: bool) -> None:
        self._check_there()
        self.arena.ask(m.PollOnly(id=0, robot=self.name, device=device.name, on=on))
        self.seen = None

    def place(self, pose: Pose) -> None:
        self._check_there()
        self.arena.ask(m.Place(id=0, robot=self.name, x=pose.x, y=pose.y, heading=pose.heading))
        self.arena.forget()

    # ---- telling

    def sense(self, robot: Robot) -> Observation:
        self._check_there()
        slots, length, _, cameras = robot.chosen
        seen = self._last_seen(consume=True)
        row: Readings = np.empty(length)
        for name, slot in slots.items():
            row[slot.first : slot.last] = seen.readings[name]
        pictures = {camera.name: array_of(seen.pictures[camera.name]) for camera in cameras} if cameras else None
        return Observation(self.tick * self.arena.dt, row, slots, pictures)

    def read(self, device: Device, *, raw: bool) -> Readings:
        self._check_there()
        known = self._known()
        if known is not None and not raw and device.name in known.readings:
            return known.readings[device.name]
        answer = self.arena.ask(m.Read(id=0, robot=self.name, device=device.name, raw=raw), m.Reading)
        assert answer.values is not None
        return answer.values

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        self._check_there()
        known = self._known()
        if known is not None and camera.name in known.pictures:
            return array_of(known.pictures[camera.name])
        answer = self.arena.ask(m.Read(id=0, robot=self.name, device=camera.name), m.Reading)
        assert answer.picture is not None
        return array_of(answer.picture)

    def depth(self, camera: Camera) -> NDArray[np.float64]:
        self._check_there()
        answer = self.arena.ask(m.Read(id=0, robot=self.name, device=camera.name, raw=True), m.Reading)
        assert answer.values is not None
        return answer.values.reshape(camera.height, camera.width)

    @property
    def pose(self) -> Pose:
        return Pose(*self._truth("pose").pose)

    @property
    def contacts(self) -> tuple[float, ...]:
        return self._truth("contacts").contacts

    def _truth(self, what: str) -> m.Truth:
        truth = self._last_seen().truth
        if truth is None:
            raise Refused(f"{self.name}.{what}: only a supervisor may know where robots really are")
        return truth

    @property
    def wheel_speeds(self) -> WheelSpeeds:
        return WheelSpeeds(*self._last_seen().wheels)

    def pan_angle(self, device: Device) -> float:
        return self._last_seen().pans[device.name]

    @property
    def lamps(self) -> tuple[float, ...]:
        return tuple(self._lamps.values())

    @property
    def tone(self) -> tuple[float, float]:
        return self._sound

    def keep(self, seen: m.Seen, tick: int, *, fresh: bool) -> None:
        """Remember what the server told."""
        self.seen, self.tick, self.fresh = seen, tick, fresh

    def _known(self) -> m.Seen | None:
        """What is known of the present: in the lock time stands still, and under a watch the last news count."""
        if self.seen is not None and (self.arena.watching(self.name) or self.arena.stands_still(self.tick)):
            return self.seen
        return None

    def _last_seen(self, *, consume: bool = False) -> m.Seen:
        """What is seen now; asked for if it is not known."""
        self._check_there()
        seen = self._known() or (self.seen if self.fresh else None)
        if seen is None:
            command = self.arena.take_commands()
            answer = self.arena.ask(m.Sense(id=0, robot=self.name, commands=command), m.Observed)
            seen = answer.robots[self.name]
            self.keep(seen, answer.tick, fresh=False)
        elif consume:
            self.fresh = False
        return seen

    def _check_there(self) -> None:
        if self.gone:
            raise SimulationError(f"robot {self.name!r} has left the arena")


def array_of(picture: m.Picture) -> NDArray[np.uint8]:
    """A raw picture as an array [row, column, rgb]."""
    return np.frombuffer(picture.data, np.uint8).reshape(picture.height, picture.width, 3).copy()
