"""Puck: a simulated e-puck as its firmware sees it: whole numbers, steps, counters that wrap around."""

from __future__ import annotations

from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Arena
from paddock.arena.devices import Camera
from paddock.core.errors import SimulationError, UnknownName
from paddock.protocol import epuck2
from paddock.protocol.sercom import ARRAY_HEIGHT, ARRAY_WIDTH, SOUNDS, CameraSettings
from paddock.robots import load_robot
from paddock.sensors.response import raw_of

NEEDED = {"proximity": 8, "light": 8, "ground": 3, "accelerometer": 3, "encoders": 2}  # channels by device
FARTHEST = 2000  # [mm]
LOUD = 0.1  # amplitude of a sound at 1 m (ours)


class Puck:
    """The hardware below a firmware. Every call is for one thread; the arena's lock keeps others out meanwhile."""

    def __init__(self, arena: Arena, name: str, *, kind: str = "") -> None:
        """
        Args:
            arena: where the robot is.
            name: what it is called there.
            kind: "e-puck" or "e-puck2": whose hardware numbers it tells; else its own kind's.
        """
        if name not in arena.numbers:
            raise UnknownName("robot", name, arena.numbers)
        self.arena, self.robot = arena, arena.robots.new_handle(name)
        spec = self.robot.spec
        missing = [
            device
            for device, channels in NEEDED.items()
            if device not in self.robot.devices or self.robot.devices[device].spec.channels != channels
        ]
        if missing:
            raise SimulationError(
                f"robot {name!r} is a {spec.name}, no e-puck: it has no {missing[0]} with {NEEDED[missing[0]]} values"
            )
        self.kind = kind or ("e-puck2" if "tof" in self.robot.devices else "e-puck")
        self._tables = load_robot(self.kind)
        self.robot.enable(*(name for name, device in self.robot.devices.items() if not isinstance(device, Camera)))
        self._step = spec.drive.speed_step or np.pi * spec.drive.wheel_diameter / 1000
        self._before = (0, 0)  # step counters are told from here on
        self._floor: tuple[int, ...] = (0,) * 8  # proximity at the last calibration

    def moment(self) -> AbstractContextManager[object]:
        """No time passes while a `with` block lasts."""
        return self.arena.turn

    # ---- senses

    def numbers(self, device: str, count: int) -> tuple[int, ...]:
        """A device's hardware numbers; zeros if the robot has no such device."""
        handle = self.robot.devices.get(device)
        if handle is None:
            return (0,) * count
        told = self._tables.sensor(device)
        own = handle.spec
        if (own.response, own.scale) == (told.response, told.scale):
            values = handle.raw_values()
        else:
            values = raw_of(told, self.robot.body.read(handle, raw=False))
        return tuple(round(value) for value in values.tolist()[:count]) + (0,) * (count - len(values))

    @property
    def proximity(self) -> tuple[int, ...]:
        """As after the last calibration: what was seen then is subtracted."""
        now = self.numbers("proximity", 8)
        return tuple(max(0, value - floor) for value, floor in zip(now, self._floor, strict=True))

    def calibrate(self) -> None:
        """Take what is seen now for nothing."""
        self._floor = self.numbers("proximity", 8)

    @property
    def steps(self) -> tuple[int, ...]:
        """The step counters, 16 bits."""
        now = self.numbers("encoders", 2)
        return tuple(wrapped(count - before) for count, before in zip(now, self._before, strict=True))

    def set_steps(self, left: int, right: int) -> None:
        """Preset the step counters."""
        now = self.numbers("encoders", 2)
        self._before = now[0] - left, now[1] - right

    @property
    def distance(self) -> int:
        """Time of flight [mm]; as far as can be if the robot has no such sensor."""
        return self.numbers("tof", 1)[0] if "tof" in self.robot.devices else FARTHEST

    @property
    def magnetometer(self) -> tuple[float, float, float]:
        """Field [µT]; none if the robot has no compass."""
        compass = self.robot.devices.get("compass")
        return (0.0, 0.0, 0.0) if compass is None else epuck2.field_of(compass.read())

    def window(self, settings: CameraSettings) -> NDArray[np.uint8]:
        """The picture of a window of the camera's array; black if the robot has no camera."""
        picture = np.zeros((settings.height, settings.width, 3), np.uint8)
        camera = self.robot.devices.get("camera")
        if not isinstance(camera, Camera):
            return picture
        if not camera.enabled:
            camera.enable()
        seen = np.asarray(camera.read())
        height, width, _ = seen.shape
        per_pixel = width / ARRAY_WIDTH  # the simulated picture and the array have the same width of view
        x0, y0 = settings.corner
        x = (x0 + (np.arange(settings.width) + 0.5) * settings.zoom) * per_pixel
        y = (y0 + (np.arange(settings.height) + 0.5) * settings.zoom - ARRAY_HEIGHT / 2) * per_pixel + height / 2
        columns = np.clip(x.astype(int), 0, width - 1)
        rows = np.clip(np.floor(y).astype(int), 0, height - 1)
        picture[:] = seen[rows[:, None], columns[None, :]]
        return picture

    def sensors(self) -> epuck2.Sensors:
        """All senses in one packet."""
        acceleration = self.numbers("accelerometer", 3)
        return epuck2.Sensors(
            acceleration,
            *epuck2.spherical(*acceleration),
            gyroscope=tuple(min(32767, rate) for rate in self.numbers("gyroscope", 3)),
            magnetometer=self.magnetometer,
            temperature=self.numbers("temperature", 1)[0],
            proximity=self.proximity,
            light=self.numbers("light", 8),
            distance=self.distance,
            microphones=self.numbers("microphones", 4),
            steps=self.steps,
            battery=self.numbers("battery", 1)[0],
            selector=self.numbers("selector", 1)[0],
            ground=self.numbers("ground", 3),
        )

    # ---- actions

    def set_speeds(self, left: int, right: int) -> None:
        """Steps per second; what is too fast is capped."""
        self.robot.wheels.set(left * self._step, right * self._step)

    def set_lamp(self, name: str, brightness: float) -> None:
        """A lamp by its name on the e-puck; on an e-puck2 a ring lamp may be three. What is not there stays dark."""
        parts = [lamp for lamp in self.robot.leds.names if lamp == name or lamp.startswith(f"{name}_")]
        for lamp in parts:
            self.robot.leds.set(lamp, min(1.0, max(0.0, brightness)))

    def toggle_lamp(self, name: str) -> None:
        lamps = self.robot.leds.read()
        lit = any(value > 0 for lamp, value in lamps.items() if lamp == name or lamp.startswith(f"{name}_"))
        self.set_lamp(name, 0.0 if lit else 1.0)

    def set_colour(self, number: int, colour: tuple[int, ...]) -> None:
        """The colour of a ring lamp, 0 … 100 each; a lamp without colours takes the brightest of them."""
        shares = [min(1.0, part / epuck2.FULL_COLOUR) for part in colour]
        names = [f"led{number}_{part}" for part in ("red", "green", "blue")]
        if names[0] in self.robot.leds.names:
            for name, share in zip(names, shares, strict=True):
                self.robot.leds.set(name, share)
        else:
            self.set_lamp(f"led{number}", max(shares))

    def play(self, sound: int) -> None:
        """One of the recorded sounds; any other number is silence."""
        if not self.robot.spec.speaker:
            return
        if sound in SOUNDS:
            self.robot.speaker.play(SOUNDS[sound], LOUD)
        else:
            self.robot.speaker.stop()

    def act(self, wanted: epuck2.Actuators) -> None:
        """All actions in one packet."""
        if wanted.settings & epuck2.CALIBRATE:
            self.calibrate()
        if wanted.settings & epuck2.SET_STEPS:
            self.set_steps(wanted.left, wanted.right)
        else:
            self.set_speeds(wanted.left, wanted.right)
        for bit, name in enumerate(("led0", "led2", "led4", "led6", "body", "front")):
            self.set_lamp(name, float(wanted.lamps >> bit & 1))
        for i in range(4):
            self.set_colour(2 * i + 1, wanted.colours[3 * i : 3 * i + 3])
        for bit in range(5):
            if wanted.sound >> bit & 1:
                self.play(bit + 1)
        if wanted.sound & epuck2.STOP_SOUND:
            self.play(0)

    def restart(self) -> None:
        """As after switching on."""
        self.set_speeds(0, 0)
        for name in self.robot.leds.names:
            self.robot.leds.set(name, 0.0)
        self.play(0)
        self.set_steps(0, 0)
        self._floor = (0,) * 8


def wrapped(count: int) -> int:
    """As a signed number of 16 bits."""
    return (count + 32768) % 65536 - 32768
