"""The standard firmware of a simulated e-puck: bytes come in, bytes go out, as the real one answers."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from paddock.bridges.puck import Puck, wrapped
from paddock.protocol import epuck2, sercom
from paddock.protocol.pixels import pixels_of
from paddock.protocol.sercom import CameraSettings, answer_line, size

BATTERY_EMPTY, BATTERY_FULL = 1816, 2242  # converter counts
MOST_WAITING = 4200  # bytes of a line without an end
MOST_ANSWER = 1 << 14  # bytes of a chain's answer; once there are as many, its commands are ignored
HELP = (  # in our words
    ("A", "Accelerometer"),
    ("B,#", "Body lamp: 0 off, 1 on, 2 toggle"),
    ("b", "Battery"),
    ("C", "Position of the selector"),
    ("D,#,#", "Drive: steps per second, left and right"),
    ("E", "Speeds as commanded"),
    ("F,#", "Front lamp: 0 off, 1 on, 2 toggle"),
    ("G", "Infrared remote control"),
    ("g", "Gyroscope"),
    ("H", "This help"),
    ("I", "Settings of the camera"),
    ("J,#,#,#,#,#,#", "Set the camera: mode, width, height, zoom, x, y"),
    ("K", "Calibrate the proximity sensors"),
    ("L,#,#", "Ring lamp 0 to 7, 8 for all: 0 off, 1 on, 2 toggle"),
    ("M", "Ground sensors"),
    ("N", "Proximity sensors"),
    ("O", "Ambient light"),
    ("P,#,#", "Set the step counters"),
    ("Q", "Step counters"),
    ("R", "Restart"),
    ("S", "Stop, lamps off"),
    ("T,#", "Sound 1 to 5, else silence"),
    ("U", "Microphones"),
    ("V", "Version"),
    ("W,#,#,#", "Write to the I2C bus"),
    ("Y,#,#", "Read from the I2C bus"),
)


class SercomFirmware:
    """A state machine: idle, inside a line of text, or inside a chain of binary commands."""

    def __init__(self, puck: Puck, *, cliff_sensors: bool = False) -> None:
        self.puck = puck
        self._ground = 5 if cliff_sensors else 3
        self._v2 = puck.kind == "e-puck2"
        self._start()

    def _start(self) -> None:
        self._waiting = bytearray()
        self._in_line = self._in_chain = False
        self._answer = bytearray()  # of the chain
        self._speeds = [0, 0]  # as commanded
        self._counters = [0, 0]
        self._lamp = [0, 0]
        self._sound = [0]
        self._i2c = [0, 0, 0]
        self._camera = CameraSettings()

    def welcome(self) -> bytes:
        """What it says when it is switched on."""
        return sercom.WELCOME

    def receive(self, data: bytes) -> bytes:
        """Take bytes of the client, and give those of the answers."""
        self._waiting += data
        out = bytearray()
        going = True
        while going and self._waiting:
            with self.puck.moment():  # for a chain or a line, no longer: much input must not hold up the clock
                going = self._take(out)
                while going and self._waiting and self._in_chain:
                    going = self._take(out)
        return bytes(out)

    def _take(self, out: bytearray) -> bool:
        """Do one more thing; False if more bytes are needed for it."""
        if self._in_chain:
            return self._take_command(out)
        if self._in_line:
            return self._take_line(out)
        first = self._waiting[0]
        if first == 0:
            del self._waiting[0]
        self._in_chain, self._in_line = first >= 0x80, 0 < first < 0x80
        return True

    # ---- binary

    def _take_command(self, out: bytearray) -> bool:
        code = self._waiting[0]
        if code == sercom.END_OF_CHAIN:
            del self._waiting[0]
            out += self._answer
            self._answer.clear()
            self._in_chain = False
            return True
        number = 256 - code
        form = sercom.FORMS.get(number) or (sercom.FORMS_OF_EPUCK2.get(number) if self._v2 else None)
        takes = size(form.takes) if form is not None else 0
        if len(self._waiting) < 1 + takes:
            return False
        data = bytes(self._waiting[1 : 1 + takes])
        del self._waiting[: 1 + takes]
        if form is not None and len(self._answer) < MOST_ANSWER:
            values = struct.unpack("<" + form.takes, data)
            self._binary(number, values, data, out)
        return True

    def _binary(self, number: int, values: tuple[int, ...], data: bytes, out: bytearray) -> None:
        puck, letter = self.puck, chr(number)
        told: tuple[float, ...] = ()
        form = (sercom.FORMS.get(number) or sercom.FORMS_OF_EPUCK2[number]).answers
        if letter in _SENSES:
            told = _SENSES[letter](puck)
        elif letter == "A":
            told = epuck2.spherical(*puck.numbers("accelerometer", 3))
        elif letter == "M":
            told, form = (*puck.numbers("ground", 3), 0, 0)[: self._ground], f"{self._ground}H"
        elif letter == "E":
            told = tuple(self._speeds)
        elif letter == "I":
            self._answer += bytes([self._camera.mode & 0xFF, self._camera.width & 0xFF, self._camera.height & 0xFF])
            self._answer += pixels_of(puck.window(self._camera), self._camera.mode)
            return
        elif letter == "U":
            if not self._v2:
                out += bytes(600)  # sent at once, ahead of the rest: the samples of three silent microphones
                self._answer += bytes(1)
            return
        elif letter == "D":
            self._speeds = list(values)
            puck.set_speeds(*values)
        elif letter == "P":
            puck.set_steps(*values)
        elif letter == "L":
            self._set_lamp({8: "body", 9: "front"}.get(values[0], f"led{values[0]}"), values[1])
        elif number in sercom.FORMS_OF_EPUCK2:
            told = self._addition(number, values, data)
        self._answer += struct.pack("<" + form, *told) if told else b""

    def _addition(self, number: int, values: tuple[int, ...], data: bytes) -> tuple[int, ...]:
        puck = self.puck
        if number == sercom.ALL_SENSORS:
            return tuple(puck.sensors().pack()[: sercom.ALL_SENSORS_BYTES])
        if number == sercom.ALL_ACTUATORS:
            wanted = epuck2.Actuators.unpack(data)
            if not wanted.settings & epuck2.SET_STEPS:
                self._speeds = [wanted.left, wanted.right]
            puck.act(wanted)
        elif number == sercom.COLOURS:
            for i in range(4):
                puck.set_colour(2 * i + 1, values[3 * i : 3 * i + 3])
        elif number == sercom.FOUR_MICROPHONES:
            return puck.numbers("microphones", 4)
        elif number == sercom.DISTANCE:
            return (puck.distance,)
        else:
            return (0,)  # button up, no card, switched as wished
        return ()

    # ---- text

    def _take_line(self, out: bytearray) -> bool:
        while self._waiting and self._waiting[0] in b"\r\n":
            del self._waiting[0]
        ends = [i for i in (self._waiting.find(b"\r", 1), self._waiting.find(b"\n", 1)) if i > 0]
        if not ends:
            del self._waiting[MOST_WAITING:]
            return False
        text = self._waiting[: min(ends)].decode("latin-1")
        del self._waiting[: min(ends) + 1]
        self._in_line = False
        letter = text[0] if text[0] in "bg" else text[0].upper()
        out += self._text(letter, text)
        return True

    def _text(self, letter: str, text: str) -> bytes:
        puck = self.puck
        if letter in _LINES:
            return answer_line(letter.lower(), *_LINES[letter](puck))
        if letter in _DEEDS:
            _DEEDS[letter](self, text)
            return answer_line(letter.lower())
        if letter == "b":
            counts = puck.numbers("battery", 1)[0]
            percent = round(100 * (counts - BATTERY_EMPTY) / (BATTERY_FULL - BATTERY_EMPTY))
            return b"b,%d (%d%%)\r\n" % (counts, min(100, max(0, percent)))
        if letter == "E":
            return answer_line("e", *self._speeds)
        if letter == "G":
            return b"g IR check : 0x0, address : 0x0, data : 0x0\r\n"
        if letter == "H":
            return b"\n" + b"".join(f'"{form}"'.ljust(18).encode() + f"{what}\r\n".encode() for form, what in HELP)
        if letter == "I":
            camera = self._camera
            return answer_line("i", camera.mode, camera.width, camera.height, camera.zoom, camera.bytes)
        if letter == "K":
            puck.calibrate()
            return b"".join(sercom.CALIBRATING)
        if letter == "M":
            return answer_line("m", *(*puck.numbers("ground", 3), 0, 0)[: self._ground])
        if letter == "R":
            puck.restart()
            self._start()
            return (b"" if self._v2 else answer_line("r")) + sercom.WELCOME
        if letter == "V":
            return sercom.VERSION % 0xFFFF
        if letter == "Y":
            _scan(text, self._i2c)
            return answer_line("y", *self._i2c[:2]) + answer_line("y", 0)
        if letter == "Z":
            return b""  # nobody on the bus
        return sercom.NOT_FOUND

    def _set_lamp(self, name: str, value: int) -> None:
        if value == 2:
            self.puck.toggle_lamp(name)
        else:
            self.puck.set_lamp(name, 1.0 if value else 0.0)

    def _one_lamp(self, name: str, text: str) -> None:
        value = [self._lamp[1]]
        _scan(text, value)
        self._lamp[1] = value[0]
        self._set_lamp(name, value[0])

    def _ring_lamp(self, text: str) -> None:
        _scan(text, self._lamp)
        for number in range(8) if self._lamp[0] == 8 else [self._lamp[0]]:
            self._set_lamp(f"led{number}", self._lamp[1])

    def _drive(self, text: str) -> None:
        _scan(text, self._speeds)
        self.puck.set_speeds(*self._speeds)

    def _preset(self, text: str) -> None:
        _scan(text, self._counters)
        self.puck.set_steps(*self._counters)

    def _play(self, text: str) -> None:
        _scan(text, self._sound)
        self.puck.play(self._sound[0])

    def _set_camera(self, text: str) -> None:
        now = self._camera
        numbers = [now.mode, now.width, now.height, now.zoom, -1, -1]
        _scan(text, numbers)
        mode, width, height, zoom = (max(1, value) if i else value for i, value in enumerate(numbers[:4]))
        self._camera = CameraSettings(
            mode if mode in (0, 1, 2) else 1, min(width, 640), min(height, 480), min(zoom, 64), *numbers[4:]
        ).possible

    def _stop(self, text: str) -> None:
        self.puck.set_speeds(0, 0)
        for number in range(8):
            self.puck.set_lamp(f"led{number}", 0.0)

    def _write_i2c(self, text: str) -> None:
        _scan(text, self._i2c)


_SENSES: dict[str, Callable[[Puck], tuple[int, ...]]] = {
    "a": lambda puck: puck.numbers("accelerometer", 3),
    "b": lambda puck: puck.numbers("battery", 1),
    "g": lambda puck: tuple(min(32767, rate) for rate in puck.numbers("gyroscope", 3)),
    "N": lambda puck: puck.proximity,
    "O": lambda puck: puck.numbers("light", 8),
    "Q": lambda puck: puck.steps,
    "t": lambda puck: puck.numbers("temperature", 1),
    "u": lambda puck: puck.numbers("microphones", 3),
}
_LINES = {letter.upper() if letter in "au" else letter: _SENSES[letter] for letter in "agNOQu"} | {
    "C": lambda puck: puck.numbers("selector", 1)
}
_DEEDS: dict[str, Callable[[SercomFirmware, str], None]] = {
    "B": lambda self, text: self._one_lamp("body", text),
    "D": SercomFirmware._drive,
    "F": lambda self, text: self._one_lamp("front", text),
    "J": SercomFirmware._set_camera,
    "L": SercomFirmware._ring_lamp,
    "P": SercomFirmware._preset,
    "S": SercomFirmware._stop,
    "T": SercomFirmware._play,
    "W": SercomFirmware._write_i2c,
}


def _scan(text: str, into: list[int]) -> None:
    """Numbers behind commas, like C's sscanf: the first that is none ends it, and those not given stay as they are."""
    rest = text[1:]
    for i in range(len(into)):
        found = re.match(r",[ \t]*([+-]?\d{1,9})", rest)
        if found is None:
            return
        into[i] = wrapped(int(found.group(1)))
        rest = rest[found.end() :]
