"""EmulatedEPuck: the state shared by all firmwares: calibration, step counters, camera windows, packets."""

from __future__ import annotations

import numpy as np

from paddock.bridges.epuck.emulator.hardware import EPuckHardware
from paddock.bridges.epuck.wire import packets
from paddock.bridges.epuck.wire.pixels import Pixels
from paddock.bridges.epuck.wire.sercom import ARRAY_HEIGHT, ARRAY_WIDTH, SOUNDS, CameraSettings
from paddock.core.argument_checks import wrap_int16

FARTHEST = 2000  # [mm], range of the time-of-flight sensor
LOUD = 0.1  # amplitude of a sound at 1 m (our choice)
UNCALIBRATED = (0,) * 8


class EmulatedEPuck:
    """The robot below both protocols. Not thread-safe."""

    def __init__(self, hardware: EPuckHardware) -> None:
        self.hardware, self.kind = hardware, hardware.kind
        self._steps_at_zero = (0, 0)  # the hardware's counts at which the step counters are 0
        self._calibration: tuple[int, ...] = UNCALIBRATED  # proximity readings without an obstacle

    # ---- sensors

    def read(self, device: str, count: int) -> tuple[int, ...]:
        """Return the first `count` raw readings of a device; zeros if the robot has no such device."""
        numbers = self.hardware.read(device)[:count]
        return numbers + (0,) * (count - len(numbers))

    @property
    def proximity(self) -> tuple[int, ...]:
        """Proximity readings minus those of the last calibration."""
        return tuple(
            max(0, value - floor) for value, floor in zip(self.read("proximity", 8), self._calibration, strict=True)
        )

    def calibrate(self) -> None:
        """Use the current proximity readings as the zero."""
        self._calibration = self.read("proximity", 8)

    @property
    def steps(self) -> tuple[int, ...]:
        """The step counters, 16 bits."""
        return tuple(
            wrap_int16(count - zero) for count, zero in zip(self.read("encoders", 2), self._steps_at_zero, strict=True)
        )

    def set_steps(self, left: int, right: int) -> None:
        """Preset the step counters."""
        counts = self.read("encoders", 2)
        self._steps_at_zero = counts[0] - left, counts[1] - right

    @property
    def distance(self) -> int:
        """Time-of-flight distance [mm]; the maximum if the robot has no such sensor."""
        return (*self.hardware.read("tof"), FARTHEST)[0]

    @property
    def gyroscope(self) -> tuple[int, ...]:
        """Turn rates, 16 bits."""
        return tuple(min(32767, rate) for rate in self.read("gyroscope", 3))

    def read_window(self, settings: CameraSettings) -> Pixels:
        """Return the picture of a window of the camera's array; black if the robot has no camera."""
        seen = self.hardware.read_picture()
        if seen is None:
            return np.zeros((settings.height, settings.width, 3), np.uint8)
        height, width, _ = seen.shape
        per_pixel = width / ARRAY_WIDTH  # the picture and the array have the same horizontal field of view
        x0, y0 = settings.corner
        x = (x0 + (np.arange(settings.width) + 0.5) * settings.zoom) * per_pixel
        y = (y0 + (np.arange(settings.height) + 0.5) * settings.zoom - ARRAY_HEIGHT / 2) * per_pixel + height / 2
        columns = np.clip(x.astype(int), 0, width - 1)
        rows = np.clip(np.floor(y).astype(int), 0, height - 1)
        return np.asarray(seen[rows[:, None], columns[None, :]])

    def read_packet(self) -> packets.Sensors:
        """Return a packet of all sensors."""
        acceleration, heading = self.read("accelerometer", 3), self.hardware.read_heading()
        return packets.Sensors(
            acceleration,
            *packets.to_spherical(*acceleration),
            gyroscope=self.gyroscope,
            magnetometer=(0.0, 0.0, 0.0) if heading is None else packets.field_at(heading),
            temperature=self.read("temperature", 1)[0],
            proximity=self.proximity,
            light=self.read("light", 8),
            distance=self.distance,
            microphones=self.read("microphones", 4),
            steps=self.steps,
            battery=self.read("battery", 1)[0],
            selector=self.read("selector", 1)[0],
            ground=self.read("ground", 3),
        )

    # ---- actuators

    def set_led(self, name: str, brightness: float) -> None:
        """Set an LED by its e-puck name; a ring LED of an e-puck2 may have three parts. Ignore missing LEDs."""
        for led in self._parts(name):
            self.hardware.set_led(led, min(1.0, max(0.0, brightness)))

    def toggle_led(self, name: str) -> None:
        """Switch an LED on if it is off, and off if it is on."""
        brightness = self.hardware.read_leds()
        self.set_led(name, 0.0 if any(brightness[led] > 0 for led in self._parts(name)) else 1.0)

    def _parts(self, name: str) -> list[str]:
        return [led for led in self.hardware.read_leds() if led == name or led.startswith(f"{name}_")]

    def set_colour(self, number: int, colour: tuple[int, ...]) -> None:
        """Set the colour of a ring LED, 0 … 100 each. An LED without colours uses the brightest part."""
        shares = [min(1.0, part / packets.FULL_COLOUR) for part in colour]
        names = [f"led{number}_{part}" for part in ("red", "green", "blue")]
        if names[0] in self.hardware.read_leds():
            for name, share in zip(names, shares, strict=True):
                self.hardware.set_led(name, share)
        else:
            self.set_led(f"led{number}", max(shares))

    def play_sound(self, sound: int) -> None:
        """Play a recorded sound; any other number is silence."""
        self.hardware.play_tone(SOUNDS.get(sound, 0.0), LOUD if sound in SOUNDS else 0.0)

    def apply_packet(self, actuators: packets.Actuators) -> None:
        """Set all actuators from a packet."""
        if actuators.settings & packets.CALIBRATE:
            self.calibrate()
        if actuators.settings & packets.SET_STEPS:
            self.set_steps(actuators.left, actuators.right)
        else:
            self.hardware.set_speeds(actuators.left, actuators.right)
        for bit, name in enumerate(("led0", "led2", "led4", "led6", "body", "front")):
            self.set_led(name, float(actuators.leds >> bit & 1))
        for i in range(4):
            self.set_colour(2 * i + 1, actuators.colours[3 * i : 3 * i + 3])
        for bit in range(5):
            if actuators.sound >> bit & 1:
                self.play_sound(bit + 1)
        if actuators.sound & packets.STOP_SOUND:
            self.play_sound(0)

    def restart(self) -> None:
        """Reset the robot to its state after switching on."""
        self.hardware.set_speeds(0, 0)
        for name in self.hardware.read_leds():
            self.hardware.set_led(name, 0.0)
        self.play_sound(0)
        self.set_steps(0, 0)
        self._calibration = UNCALIBRATED
