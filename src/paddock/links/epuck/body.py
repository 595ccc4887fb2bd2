"""HardwareBody: a real e-puck. Its numbers become SI units by the tables that give simulated ones their numbers."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import Body, PoseSource
from paddock.arena.devices import Camera, Device
from paddock.core.errors import DeviceRefused, PaddockError
from paddock.core.geometry import Pose
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


class HardwareBody(Body):
    """Asks a port; keeps what it cannot ask for: odometry, lamps, the sound."""

    pose_source: PoseSource = "odometry"
    arena: RealRobot

    def __init__(self, port: Port, name: str, spec: RobotSpec) -> None:
        self.port, self.name, self.spec = port, name, spec
        self._specs = {sensor.name: sensor for sensor in spec.sensors}
        self._step = spec.drive.speed_step
        self._lamps = dict.fromkeys(spec.leds, 0.0)
        self._tone = (0.0, 0.0)
        self._speeds = WheelSpeeds(0.0, 0.0)
        self.latest: dict[str, Readings] = {}  # what a background thread has seen, by device
        self.complaint: PaddockError | None = None  # what it could not see, and why
        self.begin(ORIGIN)

    def begin(self, pose: Pose) -> None:
        """Begin to count the way anew, at a pose."""
        with self.port.turn():
            self._counter = Counter(self._specs["encoders"].wrap)
            self._odometry = Odometry(self.spec.drive.axle, pose=pose)

    def believe(self, pose: Pose) -> None:
        """Take the robot to be somewhere; the travel of its wheels goes on."""
        with self.port.turn():
            self._fetch(())
            self._odometry.pose = pose

    # ---- doing

    def set_wheels(self, left: float, right: float) -> None:
        steps = round(left / self._step), round(right / self._step)
        with self.port.turn():
            self.port.set_speeds(*steps)
            self._speeds = WheelSpeeds(steps[0] * self._step, steps[1] * self._step)

    def set_pan(self, device: Device, angle: float) -> None:
        raise DeviceRefused(f"{device} cannot pivot")

    def set_lamp(self, number: int, brightness: float) -> None:
        name = self.spec.leds[number]
        with self.port.turn():
            self.port.set_lamp(name, brightness)
            self._lamps[name] = brightness

    def set_tone(self, frequency: float, amplitude: float) -> None:
        sound = min(sercom.SOUNDS, key=lambda one: abs(sercom.SOUNDS[one] - frequency)) if amplitude > 0 else 0
        with self.port.turn():
            self.port.play(sound)
            self._tone = (frequency, amplitude)

    def switch(self, device: Device, on: bool) -> None:
        self.port.switch(device.name, on)

    def poll_only(self, device: Device, on: bool) -> None:
        """Nothing to prepare: `Robot.chosen` decides."""

    def place(self, pose: Pose) -> None:
        raise DeviceRefused(
            f"{self.name} is a real robot: carry it there, and tell its odometry so: robot.believe(x, y, heading)"
        )

    # ---- telling

    def sense(self, robot: Robot) -> Observation:
        slots, cameras = robot.chosen.slots, robot.chosen.cameras
        seen = self._known(slots)
        if seen is None:
            seen = self._fetch(slots)[1]
        pictures = {camera.name: self.port.image() for camera in cameras} if cameras else None
        return self._observation(robot, seen, pictures)

    def look(self, robot: Robot) -> Observation:
        """The same afresh and without pictures, for a background thread; others get it from then on."""
        seen = self._fetch(robot.chosen.slots)[1]
        self.latest = seen
        return self._observation(robot, seen, None)

    def _observation(
        self, robot: Robot, seen: dict[str, Readings], pictures: dict[str, NDArray[np.uint8]] | None
    ) -> Observation:
        slots, length, _, _ = robot.chosen
        row: Readings = np.empty(length)
        there = {name: slot for name, slot in slots.items() if name in seen}
        for name, slot in there.items():
            row[slot.first : slot.last] = seen[name]
        return Observation(self.arena.time, row, there, pictures)

    def read(self, device: Device, *, raw: bool) -> Readings:
        if not raw:
            known = self._known((device.name,))
            if known is not None:
                return known[device.name].copy()
        numbers, seen = self._fetch((device.name,))
        return np.array(numbers[device.name], np.float64) if raw else seen[device.name]

    def _known(self, names: Collection[str]) -> dict[str, Readings] | None:
        """What a background thread has seen, if one is at work; if it failed, this is where it is told."""
        complaint, self.complaint = self.complaint, None
        if complaint is not None:
            raise complaint
        if not self.arena.watching:
            return None
        latest = self.latest
        return latest if all(name in latest for name in names) else None

    def _fetch(self, names: Collection[str]) -> tuple[dict[str, Raw], dict[str, Readings]]:
        """Ask the robot: hardware numbers, and the same in SI units. The encoders come along for odometry."""
        with self.port.turn():
            raw = self.port.read({*names, "encoders"})
            seen = {name: self._converted(name, numbers) for name, numbers in raw.items()}
            self._odometry.update(*seen["encoders"].tolist())
        return raw, seen

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
            self._fetch(())
        return self._odometry.pose

    @property
    def contacts(self) -> tuple[float, ...]:
        raise DeviceRefused(f"{self.name}.contacts: a real robot does not know what it touches")

    @property
    def wheel_speeds(self) -> WheelSpeeds:
        return self._speeds

    def pan_angle(self, device: Device) -> float:
        return 0.0

    @property
    def lamps(self) -> tuple[float, ...]:
        return tuple(self._lamps.values())

    @property
    def tone(self) -> tuple[float, float]:
        return self._tone

    def went_out(self) -> None:
        """The robot was restarted: it stands, is dark and silent."""
        self._lamps = dict.fromkeys(self.spec.leds, 0.0)
        self._tone, self._speeds = (0.0, 0.0), WheelSpeeds(0.0, 0.0)
