"""Packets of the e-puck2 over Wi-Fi, without I/O.

A command of 21 bytes is answered by a sensor packet, an image, or an empty packet. The serial protocol uses the same
layouts, but sends the sensor packet without its last byte and the command without its first two bytes.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from paddock.core.errors import BadMessage

PORT = 1000
COMMAND, COMMAND_BYTES = 0x80, 21
WANT_IMAGE, WANT_SENSORS = 1, 2  # bits of the request
IMAGE, SENSORS, NOTHING = 1, 2, 3  # first byte of an answer
WIDTH, HEIGHT = 160, 120
SIZES = {IMAGE: WIDTH * HEIGHT * 2, SENSORS: 104, NOTHING: 0}  # number of bytes that follow the first byte
CALIBRATE, AVOID, SET_STEPS = 1, 2, 4  # bits of the settings
BODY, FRONT = 4, 5  # bits of the LEDs; 0 … 3 are LED1, 3, 5, 7
COLOURED = tuple(f"led{ring}_{part}" for ring in (1, 3, 5, 7) for part in ("red", "green", "blue"))
"""LEDs with brightness, in the order of their bytes; all others are on or off."""
FULL_COLOUR = 100
STOP_SOUND = 0x20

_ACTUATORS = struct.Struct("<BhhB12BB")
_SENSORS = struct.Struct("<3h3f3h3fb8H8HH4H2hHB3BB3H3HBB")


@dataclass(frozen=True, slots=True)
class Actuators:
    """All actuator values of a command."""

    settings: int = 0
    left: int = 0  # steps/s; or step counters, if `settings` contains SET_STEPS
    right: int = 0
    leds: int = 0
    colours: tuple[int, ...] = (0,) * 12  # red, green, blue of LED2, 4, 6, 8; 0 … 100
    sound: int = 0

    def pack(self) -> bytes:
        """Pack into 19 bytes."""
        return _ACTUATORS.pack(self.settings, self.left, self.right, self.leds, *self.colours, self.sound)

    @classmethod
    def unpack(cls, data: bytes) -> Actuators:
        settings, left, right, leds, *rest = _ACTUATORS.unpack(data)
        return cls(settings, left, right, leds, tuple(rest[:12]), rest[12])


def replace_colour(colours: tuple[int, ...], led: str, brightness: float) -> tuple[int, ...]:
    """Return the colours with the brightness of one LED replaced."""
    place = COLOURED.index(led)
    return (*colours[:place], round(brightness * FULL_COLOUR), *colours[place + 1 :])


def pack_command(request: int, actuators: Actuators) -> bytes:
    """Return a complete command."""
    return bytes([COMMAND, request]) + actuators.pack()


@dataclass(frozen=True, slots=True)
class Sensors:
    """All raw sensor readings of a packet."""

    accelerometer: tuple[int, ...] = (0, 0, 0)
    acceleration: float = 0.0  # magnitude of the acceleration
    orientation: float = 0.0  # degrees, 0 … 360
    inclination: float = 0.0  # degrees, 0 … 180
    gyroscope: tuple[int, ...] = (0, 0, 0)
    magnetometer: tuple[float, ...] = (0.0, 0.0, 0.0)  # µT
    temperature: int = 0  # °C
    proximity: tuple[int, ...] = (0,) * 8  # 0 free … 4095 near
    light: tuple[int, ...] = (0,) * 8  # 0 bright … 4095 dark
    distance: int = 0  # time of flight [mm]
    microphones: tuple[int, ...] = (0,) * 4
    steps: tuple[int, ...] = (0, 0)
    battery: int = 0
    card: int = 0  # whether a working memory card is inserted
    remote: tuple[int, ...] = (0, 0, 0)  # last command of an infrared remote control: toggle, address, data
    selector: int = 0
    ground: tuple[int, ...] = (0, 0, 0)  # 0 dark … 1023 bright
    ground_light: tuple[int, ...] = (0, 0, 0)
    button: int = 0

    def pack(self) -> bytes:
        """Pack into 104 bytes."""
        return _SENSORS.pack(
            *self.accelerometer, self.acceleration, self.orientation, self.inclination, *self.gyroscope,
            *self.magnetometer, self.temperature, *self.proximity, *self.light, self.distance, *self.microphones,
            *self.steps, self.battery, self.card, *self.remote, self.selector, *self.ground, *self.ground_light,
            self.button, 0,
        )  # fmt: skip

    @classmethod
    def unpack(cls, data: bytes) -> Sensors:
        """Unpack 104 bytes, or 103 without the last. Raise BadMessage for impossible numbers."""
        if len(data) not in (SIZES[SENSORS], SIZES[SENSORS] - 1):
            raise BadMessage(f"sensors: expected {SIZES[SENSORS]} bytes, got {len(data)}")
        v = _SENSORS.unpack(data.ljust(SIZES[SENSORS], b"\0"))
        sensors = cls(
            v[0:3], v[3], v[4], v[5], v[6:9], v[9:12], v[12], v[13:21], v[21:29], v[29], v[30:34], v[34:36],
            v[36], v[37], v[38:41], v[41], v[42:45], v[45:48], v[48],
        )  # fmt: skip
        sensors.check()
        return sensors

    def select(self, devices: Collection[str]) -> dict[str, tuple[float, ...]]:
        """Return the raw readings of devices by name; `compass` gives the magnetic field [µT]."""
        numbers: dict[str, tuple[float, ...]] = {
            "accelerometer": self.accelerometer,
            "battery": (self.battery,),
            "compass": self.magnetometer,
            "encoders": self.steps,
            "ground": self.ground,
            "gyroscope": self.gyroscope,
            "light": self.light,
            "microphones": self.microphones,
            "proximity": self.proximity,
            "selector": (self.selector,),
            "temperature": (self.temperature,),
            "tof": (self.distance,),
        }
        return {name: numbers[name] for name in devices}

    def check(self) -> None:
        """Raise BadMessage for impossible numbers. This replaces a checksum, which the packets do not have."""
        allowed = (
            ("proximity", max(self.proximity), 4095),
            ("light", max(self.light), 4095),
            ("microphones", max(self.microphones), 4095),
            ("battery", self.battery, 4095),
            ("card", self.card, 1),
            ("selector", self.selector, 15),
            ("ground", max(self.ground), 1023),
            ("ground_light", max(self.ground_light), 1023),
            ("button", self.button, 1),
        )
        for name, value, most in allowed:
            if value > most:
                raise BadMessage(f"sensors.{name}: expected at most {most}, got {value}")
        for name, angle in (("orientation", self.orientation), ("inclination", self.inclination)):
            if not 0 <= angle <= 360:
                raise BadMessage(f"sensors.{name}: expected degrees from 0 to 360, got {angle:g}")
        if not all(math.isfinite(value) and abs(value) < 1e5 for value in (self.acceleration, *self.magnetometer)):
            raise BadMessage("sensors: expected finite numbers for acceleration and magnetic field")


FIELD, DOWN = 21.0, 43.0  # [µT] the Earth's magnetic field in central Europe, horizontal and downward


def field_at(heading: float) -> tuple[float, float, float]:
    """Return the magnetic field [µT] along the robot's axes at a heading [rad]; the world's x axis points north."""
    return FIELD * math.cos(heading), -FIELD * math.sin(heading), -DOWN


def heading_from(field: tuple[float, ...]) -> float:
    """Return the heading [rad] of a magnetic field."""
    return math.atan2(-field[1], field[0])


def to_spherical(x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return magnitude, orientation and inclination [degrees] of an acceleration, as the firmware sends them."""
    length = math.sqrt(x * x + y * y + z * z)
    inclination = math.degrees(math.atan2(math.hypot(x, y), z))
    return length, math.degrees(math.atan2(y, x)) % 360.0, inclination


class Packet(NamedTuple):
    """A packet from the robot."""

    kind: int  # IMAGE, SENSORS or NOTHING
    data: bytes


class PacketReader:
    """Splits received bytes into packets. Packets have no end mark and no checksum; the first byte gives the length."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> list[Packet]:
        """Add bytes. Return the packets that they complete."""
        self._waiting += data
        found = []
        while self._waiting:
            size = SIZES.get(self._waiting[0])
            if size is None:
                raise BadMessage(f"expected a packet of kind 1, 2 or 3, got {self._waiting[0]}")
            if len(self._waiting) <= size:
                break
            found.append(Packet(self._waiting[0], bytes(self._waiting[1 : 1 + size])))
            del self._waiting[: 1 + size]
        return found

    @property
    def missing(self) -> int:
        """Number of bytes that are missing from a partly received packet; 0 between two packets."""
        return 1 + SIZES[self._waiting[0]] - len(self._waiting) if self._waiting else 0
