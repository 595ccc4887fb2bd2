"""Robot: the handle to one robot of an arena."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.arena.devices import Camera, Device, Leds, Speaker, device_for
from paddock.core.errors import PaddockError, SimulationError, UnknownName, nearest
from paddock.core.geometry import Pose, wrap
from paddock.core.numeric import all_finite
from paddock.core.observation import Command, Observation, Slot, WheelSpeeds
from paddock.engine.state import (
    ACCELERATION,
    BEARINGS,
    BELIEF_HEADING,
    BELIEF_X,
    CONTACTS,
    FORWARD,
    HEADING,
    LEFT_SPEED,
    RIGHT_SPEED,
    WANT_LEFT,
    WANT_RIGHT,
    X,
)

if TYPE_CHECKING:
    from paddock.arena.arena import Arena


class Wheels:
    """The two wheels; speeds are at the rim and capped at the data sheet's maximum."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.max_speed = robot.spec.drive.max_speed
        self._wanted = robot.arena.commands[0, robot.index, WANT_LEFT : WANT_RIGHT + 1]

    def set(self, left: float, right: float) -> None:
        """Set both speeds [m/s]; they stay until set again."""
        most = self.max_speed
        try:
            if -most <= left <= most and -most <= right <= most:
                self._wanted[0] = left
                self._wanted[1] = right
                return
        except (TypeError, ValueError):
            pass  # no numbers: refused below
        if not all_finite(left, right):
            raise PaddockError(f"{self.robot.name}.wheels.set({left!r}, {right!r}): expected two finite speeds in m/s")
        self._wanted[0] = min(most, max(-most, left))
        self._wanted[1] = min(most, max(-most, right))

    @property
    def speeds(self) -> WheelSpeeds:
        """How fast the wheels turn now [m/s]."""
        return WheelSpeeds(*self.robot.arena.motion[self.robot.index, LEFT_SPEED : RIGHT_SPEED + 1].tolist())


class Robot:
    """A robot: `robot.wheels`, `robot.leds`, and every sensor of its spec by name."""

    def __init__(self, arena: Arena, index: int) -> None:
        self.arena, self.index = arena, index
        self.name = arena.world.robots[index].name
        self.spec = arena.built.robots[index]
        self.wheels = Wheels(self)
        self.leds = Leds(self, self.spec.leds)
        if self.spec.speaker:
            self.speaker = Speaker(self)
        self.devices: dict[str, Device] = {
            spec.name: device_for(self, spec, number) for number, spec in enumerate(self.spec.sensors)
        }
        self.__dict__.update(self.devices)
        self.refresh()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "devices" not in self.__dict__:
            raise AttributeError(name)
        public = [attribute for attribute in dir(self) if not attribute.startswith("_")]
        meant = nearest(name, public)
        raise UnknownName(f"device of {self.name}", name, [meant] if meant else self.devices)

    def __repr__(self) -> str:
        return f"<Robot {self.name} ({self.spec.name})>"

    def drive(self, forward: float, turn: float) -> None:
        """Drive at a forward speed [m/s] and a turn rate [rad/s]; both shrink together if a wheel is too slow."""
        if not all_finite(forward, turn):
            raise PaddockError(
                f"{self.name}.drive({forward!r}, {turn!r}): expected a finite speed in m/s and turn rate in rad/s"
            )
        half = turn * self.spec.drive.axle / 2
        left, right = forward - half, forward + half
        fastest = max(abs(left), abs(right))
        if fastest > self.wheels.max_speed:
            shrink = self.wheels.max_speed / fastest
            left, right = left * shrink, right * shrink
        self.wheels.set(left, right)

    def stop(self) -> None:
        """Stop both wheels."""
        self.wheels.set(0.0, 0.0)

    def apply(self, command: Any) -> None:
        """Carry out what a controller answered: wheel speeds, a Command, or None for no change."""
        if command is None:
            return
        try:
            wheels = self._apply_to_devices(command) if isinstance(command, Command) else command
            if wheels is None:
                return
            left, right = (speed + 0.0 for speed in wheels)  # any kind of number, but no texts
        except PaddockError:
            raise
        except (AttributeError, TypeError, ValueError):
            raise PaddockError(
                f"the controller of {self.name!r} answered {command!r}: "
                "expected (left, right) in m/s, a Command, or None"
            ) from None
        self.wheels.set(left, right)

    def _apply_to_devices(self, command: Command) -> tuple[float, float] | None:
        """Set pivots, lamps and speaker; what is left are the wheels."""
        for name, angle in command.pans.items():
            self.device(name).pan(angle)
        for name, brightness in command.leds.items():
            self.leds.set(name, brightness)
        if command.tone is not None:
            self.speaker.play(*command.tone) if command.tone[1] > 0 else self.speaker.stop()
        return command.wheels

    def device(self, name: str) -> Device:
        """The sensor of that name."""
        device = self.devices.get(name) if isinstance(name, str) else None
        if device is None:
            raise UnknownName(f"device of {self.name}", name, self.devices)
        return device

    def enable(self, *names: str) -> None:
        """Switch devices on: those named, or all."""
        for device in [self.device(name) for name in names] or self.devices.values():
            device.enable()

    def disable(self, *names: str) -> None:
        """Switch devices off: those named, or all."""
        for device in [self.device(name) for name in names] or self.devices.values():
            device.disable()

    def refresh(self) -> None:
        """Work out anew what `sense` has to read, after a device was switched."""
        active = [
            device for device in self.__dict__.get("devices", {}).values() if device.enabled and not device.polled
        ]
        self._slots: dict[str, Slot] = {d.name: d.slot for d in active if not isinstance(d, Camera)}
        self._cameras = [d for d in active if isinstance(d, Camera)]
        self._length = max((slot.last for slot in self._slots.values()), default=0)
        self.active = np.zeros(self.arena.enabled.shape[1], np.uint8)
        for device in active:
            self.active[device.number] = 1

    def sense(self) -> Observation:
        """Read every enabled device at once (pollable ones only when asked themselves)."""
        readings = np.empty(self._length)
        if self._slots:
            self.arena.read(self.index, self.active, readings)
        pictures = {camera.name: camera.read() for camera in self._cameras} if self._cameras else None
        return Observation(self.arena.time, readings, self._slots, pictures)

    @property
    def pose(self) -> Pose:
        """Where it really is: x, y [m], heading [rad]."""
        return Pose(*self.arena.motion[self.index, X : HEADING + 1].tolist())

    @property
    def contacts(self) -> tuple[float, ...]:
        """Bearings on the body [rad] of what it touched in the last tick."""
        row = self.arena.motion[self.index]
        return tuple(row[BEARINGS : BEARINGS + int(row[CONTACTS])].tolist())

    def place(self, x: float, y: float, heading: float = 0.0) -> None:
        """Put the robot somewhere else (a supervisor's hand); refused where there is no room."""
        if not all_finite(x, y, heading):
            raise SimulationError(
                f"robot {self.name!r} cannot be put to ({x!r}, {y!r}, {heading!r}): expected finite numbers"
            )
        problem = self.arena.room(without=self.index).problem(self.spec, Pose(x, y, heading))
        if problem:
            raise SimulationError(f"robot {self.name!r} cannot be put to ({x:g}, {y:g}): it {problem}")
        past = self.arena.state.motion[0, :, self.index]
        for columns in (slice(X, HEADING + 1), slice(BELIEF_X, BELIEF_HEADING + 1)):
            past[:, columns] = x, y, wrap(heading)
        past[:, FORWARD : ACCELERATION + 1] = 0.0
        past[:, [LEFT_SPEED, RIGHT_SPEED, CONTACTS]] = 0.0
        self.arena.index()
