"""EPuckBody: a real e-puck. The response tables of the simulated sensors convert its raw readings into SI units."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import PoseSource
from paddock.arena.devices import Camera, Device
from paddock.arena.localisation import make_odometry
from paddock.bridges.epuck.driver.port import Port, Raw
from paddock.bridges.epuck.wire import packets, sercom
from paddock.core.errors import DeviceRefused
from paddock.core.geometry import ORIGIN, Pose
from paddock.core.motion import Motion
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.network.client.single import WatchedBody
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.response import Counter, convert_to_si

if TYPE_CHECKING:
    from paddock.arena.robot import Robot
    from paddock.bridges.epuck.link.robot import EPuck

BATTERY_FINE, BATTERY_LOW = 3.7, 3.4  # [V] for robots that only report whether the battery is low
STANDING, SILENCE = WheelSpeeds(0.0, 0.0), (0.0, 0.0)


class SensorSample(NamedTuple):
    """Readings of one exchange."""

    time: float  # [s] at which it was received, in the robot's time
    raw: dict[str, Raw]  # raw readings by device
    values: dict[str, Readings]  # the same in SI units


class EPuckBody(WatchedBody):
    """Reads and controls a robot through a port. Stores what the port cannot read: odometry, LEDs, sound."""

    pose_source: PoseSource = "odometry"

    def __init__(self, arena: EPuck, port: Port, name: str, spec: RobotSpec) -> None:
        self.arena, self.port, self.name, self.spec = arena, port, name, spec
        self._specs = {sensor.name: sensor for sensor in spec.sensors}
        self._step = spec.drive.speed_step
        self._leds = dict.fromkeys(spec.leds, 0.0)
        self._tone, self._speeds = SILENCE, STANDING
        self._steps: Raw = (0, 0)  # counters when they were last read
        self._steps_in_doubt = False  # whether they may have restarted since
        self._zero_is_next = True  # whether the next reading becomes the zero of the encoders
        self._restarts = port.restarts
        self._newest: SensorSample | None = None
        self._unused: SensorSample | None = None  # read for `motion`, and not yet returned by `sense`
        self.latest: SensorSample | None = None  # last sample of a background thread
        self.pending_error: Exception | None = None  # last error in that thread
        self.restart_odometry(ORIGIN)

    def restart_odometry(self, pose: Pose) -> None:
        """Restart the odometry at a pose and the encoders at 0, from now on and not from the next reading."""
        with self.port.hold():
            self._counter, self._zero_is_next = Counter(self._specs["encoders"].wrap), True
            self._odometry = make_odometry(self.spec, pose)
            self.fetch(())

    def set_odometry(self, pose: Pose) -> None:
        """Set the pose of the odometry. The encoders continue."""
        with self.port.hold():
            self.fetch(())
            self._odometry.pose = pose

    # ---- actuators

    def set_wheels(self, left: float, right: float, third: float = 0.0) -> None:
        steps = round(left / self._step), round(right / self._step)
        with self.port.hold():
            self.port.set_speeds(*steps)
            self._check_restart()
            self._speeds = WheelSpeeds(steps[0] * self._step, steps[1] * self._step)

    def set_pan(self, device: Device, angle: float) -> None:
        raise DeviceRefused(f"{device} cannot pivot")

    def set_led(self, number: int, brightness: float) -> None:
        name = self.spec.leds[number]
        with self.port.hold():
            self.port.set_led(name, brightness)
            full = packets.FULL_COLOUR if name in packets.COLOURED else None  # other LEDs are only on or off
            self._leds[name] = float(brightness > 0) if full is None else round(brightness * full) / full

    def set_tone(self, frequency: float, amplitude: float) -> None:
        nearest = min(sercom.SOUNDS, key=lambda sound: abs(sercom.SOUNDS[sound] - frequency))
        self.play_sound(nearest if amplitude > 0 else 0, amplitude)

    def play_sound(self, sound: int, amplitude: float) -> None:
        """Play a recorded sound; 0 for silence. The amplitude is not sent to the robot, but `tone` returns it."""
        with self.port.hold():
            self.port.play_sound(sound)
            self._check_restart()
            self._tone = (sercom.SOUNDS[sound], amplitude) if sound else SILENCE

    def switch(self, device: Device, on: bool) -> None:
        self.port.switch(device.name, on)

    def poll_only(self, device: Device, on: bool) -> None:
        """Do nothing: `Robot.chosen` decides."""

    def set_pose(self, pose: Pose) -> None:
        raise DeviceRefused(
            f"{self.name} is a real robot: carry it there, and set its odometry with robot.set_odometry(x, y, heading)"
        )

    # ---- sensors and state

    def in_background(self) -> AbstractContextManager[object]:
        return self.port.in_background()

    def sense(self, robot: Robot) -> Observation:
        slots, cameras = robot.chosen.slots, robot.chosen.cameras
        seen = self._take_latest(slots) or self._take_unused(slots)
        with self.port.hold() if seen is None or cameras else contextlib.nullcontext():  # one call, one timeout
            if seen is None:
                seen = self.fetch(slots)
            pictures = {camera.name: self.port.read_image() for camera in cameras} if cameras else None
        return _build_observation(robot, seen, pictures)

    def look(self, robot: Robot) -> Observation:
        """Read the sensors without pictures, for a background thread. Store the sample for later reads."""
        with self.port.hold():
            try:
                self.latest = seen = self.fetch(robot.chosen.slots)
            except Exception:
                self.latest = None  # the previous sample is outdated
                raise
        return _build_observation(robot, seen, None)

    def read(self, device: Device, *, raw: bool) -> Readings:
        seen = None if raw else self._take_latest((device.name,))
        if seen is None:
            seen = self.fetch((device.name,))
        return np.array(seen.raw[device.name], np.float64) if raw else seen.values[device.name].copy()

    def known_raw(self, device: Device) -> Readings | None:
        seen = self._newest
        return np.array(seen.raw[device.name], np.float64) if seen is not None and device.name in seen.raw else None

    def _take_latest(self, names: Collection[str]) -> SensorSample | None:
        """Return the last sample of a background thread, or None. Raise its error if it failed."""
        self.raise_pending_error()
        latest = self.latest if self.arena.watching else None
        return latest if latest is not None and all(name in latest.values for name in names) else None

    def _take_unused(self, names: Collection[str]) -> SensorSample | None:
        unused, self._unused = self._unused, None
        there = self._is_of_this_tick(unused) and unused is not None and all(name in unused.values for name in names)
        return unused if there else None

    def _is_of_this_tick(self, sample: SensorSample | None) -> bool:
        return sample is not None and self.arena.time - sample.time < 0.999 * self.arena.dt

    def fetch(self, names: Collection[str]) -> SensorSample:
        """Read devices from the robot, always including the encoders for the odometry."""
        with self.port.hold():
            raw = self.port.read({*names, "encoders"})
            time = self.arena.time
            self._check_restart()
            self._check_counters(raw["encoders"])
            values = {name: self._to_si(name, numbers) for name, numbers in raw.items()}
            self._odometry.update(*values["encoders"].tolist())
        self._newest = SensorSample(time, raw, values)
        return self._newest

    def _check_restart(self) -> None:
        """Update the state after a restart or a reconnection: the robot is stopped, its counters may have restarted."""
        if self.port.restarts != self._restarts:
            self._restarts, self._steps_in_doubt = self.port.restarts, True
            self._tone, self._speeds = SILENCE, STANDING

    def _check_counters(self, steps: Raw) -> None:
        """Detect restarted step counters, which are near 0, and keep the travel counted before."""
        now = np.array(steps, np.float64)
        if self._zero_is_next:
            self._counter.restart(now)
        elif self._steps_in_doubt:
            half = self._specs["encoders"].wrap
            moved = (now - self._steps + half) % (2 * half) - half
            if abs(now).sum() < abs(moved).sum():
                self._counter.restart(now)
        self._steps, self._steps_in_doubt, self._zero_is_next = steps, False, False

    def _to_si(self, name: str, raw: Raw) -> Readings:
        spec = self._specs[name]
        if name == "compass":
            return convert_to_si(spec, np.array([packets.heading_from(raw)]))
        if name == "battery" and raw[0] <= 1:
            return np.array([BATTERY_FINE if raw[0] else BATTERY_LOW])
        numbers = np.array(raw[: spec.channels], np.float64)
        return convert_to_si(spec, self._counter.unwrapped(numbers) if name == "encoders" else numbers)

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        return self.port.read_image()

    @property
    def connected(self) -> bool:
        return self.port.connected

    @property
    def pose(self) -> Pose:
        if self._take_latest(("encoders",)) is None:
            self.fetch(())
        return self._odometry.pose

    @property
    def contacts(self) -> tuple[float, ...]:
        raise DeviceRefused(f"{self.name}.contacts: a real robot does not measure contacts")

    def motion(self) -> Motion:
        """Return the motion by odometry, with unknown contacts. The next `sense` of this tick reuses the sample."""
        if self._take_latest(("encoders",)) is None and not self._is_of_this_tick(self._newest):
            self._unused = self.fetch(self.arena.chosen.slots)
        return Motion(self._odometry.pose, self._speeds, math.nan)

    def pan_angle(self, device: Device) -> float:
        return 0.0

    @property
    def leds(self) -> tuple[float, ...]:
        return tuple(self._leds.values())

    @property
    def tone(self) -> tuple[float, float]:
        return self._tone

    def mark_reset(self) -> None:
        """Record that the robot was reset: it is stopped, its LEDs are off and it plays no sound."""
        self._leds = dict.fromkeys(self.spec.leds, 0.0)
        self._tone, self._speeds = SILENCE, STANDING
        self.forget_samples()

    def forget_samples(self) -> None:
        """Discard all samples."""
        self.latest = self._newest = self._unused = None


def _build_observation(robot: Robot, seen: SensorSample, pictures: dict[str, NDArray[np.uint8]] | None) -> Observation:
    slots, length, _, _ = robot.chosen
    row: Readings = np.empty(length)
    there = {name: slot for name, slot in slots.items() if name in seen.values}
    for name, slot in there.items():
        row[slot.first : slot.last] = seen.values[name]
    return Observation(seen.time, row, there, pictures)
