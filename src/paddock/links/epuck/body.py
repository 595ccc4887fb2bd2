"""HardwareBody: a real e-puck. Its numbers become SI units by the tables that give simulated ones their numbers."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import Body, PoseSource
from paddock.arena.devices import Camera, Device
from paddock.core.errors import DeviceRefused
from paddock.core.geometry import Pose
from paddock.core.motion import Motion
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.estimate.odometry import ORIGIN, Odometry
from paddock.links.epuck.port import Port, Raw
from paddock.protocol import epuck2, sercom
from paddock.robots import RobotSpec
from paddock.sensors.response import Counter, si_of

if TYPE_CHECKING:
    from paddock.arena.robot import Robot
    from paddock.links.epuck.robot import RealRobot

BATTERY_FINE, BATTERY_LOW = 3.7, 3.4  # [V] of robots that know no more than that
STANDING, SILENCE = WheelSpeeds(0.0, 0.0), (0.0, 0.0)


class Look(NamedTuple):
    """What was read in one exchange."""

    time: float  # [s] of the robot, when it had come
    raw: dict[str, Raw]  # hardware numbers by device
    values: dict[str, Readings]  # the same in SI units


class HardwareBody(Body):
    """Asks a port; keeps what it cannot ask for: odometry, lamps, the sound."""

    pose_source: PoseSource = "odometry"

    def __init__(self, arena: RealRobot, port: Port, name: str, spec: RobotSpec) -> None:
        self.arena, self.port, self.name, self.spec = arena, port, name, spec
        self._specs = {sensor.name: sensor for sensor in spec.sensors}
        self._step = spec.drive.speed_step
        self._lamps = dict.fromkeys(spec.leds, 0.0)
        self._tone, self._speeds = SILENCE, STANDING
        self._steps: Raw = (0, 0)  # counters when they were last read
        self._steps_in_doubt = False  # whether they may have begun anew since
        self._begins = True  # whether what they say next is 0
        self._restarts = port.restarts
        self.latest: Look | None = None  # of a background thread
        self.complaint: Exception | None = None  # what went wrong there
        self.begin(ORIGIN)

    def begin(self, pose: Pose) -> None:
        """Begin to count the way anew, at a pose and from 0: from now on, not from the first reading on."""
        with self.port.turn():
            self._counter, self._begins = Counter(self._specs["encoders"].wrap), True
            self._odometry = Odometry(self.spec.drive.wheel_separation, pose=pose)
            self.fetch(())

    def believe(self, pose: Pose) -> None:
        """Take the robot to be somewhere; the travel of its wheels goes on."""
        with self.port.turn():
            self.fetch(())
            self._odometry.pose = pose

    # ---- doing

    def set_wheels(self, left: float, right: float) -> None:
        steps = round(left / self._step), round(right / self._step)
        with self.port.turn():
            self.port.set_speeds(*steps)
            self._heed_restart()
            self._speeds = WheelSpeeds(steps[0] * self._step, steps[1] * self._step)

    def set_pan(self, device: Device, angle: float) -> None:
        raise DeviceRefused(f"{device} cannot pivot")

    def set_lamp(self, number: int, brightness: float) -> None:
        name = self.spec.leds[number]
        with self.port.turn():
            self.port.set_lamp(name, brightness)
            full = epuck2.FULL_COLOUR if name in epuck2.COLOURED else None  # else it is on or off
            self._lamps[name] = float(brightness > 0) if full is None else round(brightness * full) / full

    def set_tone(self, frequency: float, amplitude: float) -> None:
        nearest = min(sercom.SOUNDS, key=lambda sound: abs(sercom.SOUNDS[sound] - frequency))
        self.play(nearest if amplitude > 0 else 0, amplitude)

    def play(self, sound: int, amplitude: float) -> None:
        """A recorded sound, 0 for silence; the amplitude is not the robot's business, but is told."""
        with self.port.turn():
            self.port.play(sound)
            self._heed_restart()
            self._tone = (sercom.SOUNDS[sound], amplitude) if sound else SILENCE

    def switch(self, device: Device, on: bool) -> None:
        self.port.switch(device.name, on)

    def poll_only(self, device: Device, on: bool) -> None:
        """Nothing to prepare: `Robot.chosen` decides."""

    def set_pose(self, pose: Pose) -> None:
        raise DeviceRefused(
            f"{self.name} is a real robot: carry it there, and tell its odometry so: robot.believe(x, y, heading)"
        )

    # ---- telling

    def sense(self, robot: Robot) -> Observation:
        slots, cameras = robot.chosen.slots, robot.chosen.cameras
        seen = self._known(slots)
        with self.port.turn() if seen is None or cameras else contextlib.nullcontext():  # one call, one timeout
            if seen is None:
                seen = self.fetch(slots)
            pictures = {camera.name: self.port.image() for camera in cameras} if cameras else None
        return _observation(robot, seen, pictures)

    def look(self, robot: Robot) -> Observation:
        """The same afresh and without pictures, for a background thread; others get it from then on."""
        with self.port.turn():
            try:
                self.latest = seen = self.fetch(robot.chosen.slots)
            except Exception:
                self.latest = None  # what was seen before is not how things are
                raise
        return _observation(robot, seen, None)

    def read(self, device: Device, *, raw: bool) -> Readings:
        seen = None if raw else self._known((device.name,))
        if seen is None:
            seen = self.fetch((device.name,))
        return np.array(seen.raw[device.name], np.float64) if raw else seen.values[device.name].copy()

    def _known(self, names: Collection[str]) -> Look | None:
        """What a background thread has seen, if one is at work; if it failed, this is where it is told."""
        complaint, self.complaint = self.complaint, None
        if complaint is not None:
            raise complaint
        latest = self.latest if self.arena.watching else None
        return latest if latest is not None and all(name in latest.values for name in names) else None

    def fetch(self, names: Collection[str]) -> Look:
        """Ask the robot. The encoders come along for odometry."""
        with self.port.turn():
            raw = self.port.read({*names, "encoders"})
            time = self.arena.time
            self._heed_restart()
            self._check_counters(raw["encoders"])
            values = {name: self._converted(name, numbers) for name, numbers in raw.items()}
            self._odometry.update(*values["encoders"].tolist())
        return Look(time, raw, values)

    def _heed_restart(self) -> None:
        """A robot that was restarted, or away, stands; its counters may have begun anew."""
        if self.port.restarts != self._restarts:
            self._restarts, self._steps_in_doubt = self.port.restarts, True
            self._tone, self._speeds = SILENCE, STANDING

    def _check_counters(self, steps: Raw) -> None:
        """After a restart they are near 0, and what was counted before stays; else they have gone on."""
        now = np.array(steps, np.float64)
        if self._begins:
            self._counter.restart(now)
        elif self._steps_in_doubt:
            half = self._specs["encoders"].wrap
            moved = (now - self._steps + half) % (2 * half) - half
            if abs(now).sum() < abs(moved).sum():
                self._counter.restart(now)
        self._steps, self._steps_in_doubt, self._begins = steps, False, False

    def _converted(self, name: str, raw: Raw) -> Readings:
        spec = self._specs[name]
        if name == "compass":
            return si_of(spec, np.array([epuck2.heading_of(raw)]))
        if name == "battery" and raw[0] <= 1:
            return np.array([BATTERY_FINE if raw[0] else BATTERY_LOW])
        numbers = np.array(raw[: spec.channels], np.float64)
        return si_of(spec, self._counter.unwrapped(numbers) if name == "encoders" else numbers)

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        return self.port.image()

    @property
    def pose(self) -> Pose:
        if self._known(("encoders",)) is None:
            self.fetch(())
        return self._odometry.pose

    @property
    def contacts(self) -> tuple[float, ...]:
        raise DeviceRefused(f"{self.name}.contacts: a real robot does not know what it touches")

    @property
    def wheel_speeds(self) -> WheelSpeeds:
        return self._speeds

    @property
    def command(self) -> WheelSpeeds:
        return self._speeds

    def motion(self) -> Motion:
        return Motion(self.pose, self._speeds, math.nan)

    def pan_angle(self, device: Device) -> float:
        return 0.0

    @property
    def lamps(self) -> tuple[float, ...]:
        return tuple(self._lamps.values())

    @property
    def tone(self) -> tuple[float, float]:
        return self._tone

    def went_out(self) -> None:
        """The robot was reset: it stands, is dark and silent."""
        self._lamps = dict.fromkeys(self.spec.leds, 0.0)
        self._tone, self._speeds = SILENCE, STANDING


def _observation(robot: Robot, seen: Look, pictures: dict[str, NDArray[np.uint8]] | None) -> Observation:
    slots, length, _, _ = robot.chosen
    row: Readings = np.empty(length)
    there = {name: slot for name, slot in slots.items() if name in seen.values}
    for name, slot in there.items():
        row[slot.first : slot.last] = seen.values[name]
    return Observation(seen.time, row, there, pictures)
