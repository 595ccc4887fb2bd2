"""The standard firmware of an emulated e-puck: answers bytes with bytes like the real firmware."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from paddock.bridges.epuck.emulator.emulated_robot import EmulatedEPuck
from paddock.bridges.epuck.emulator.help_text import write_help
from paddock.bridges.epuck.wire import packets, sercom
from paddock.bridges.epuck.wire.pixels import encode_pixels
from paddock.bridges.epuck.wire.sercom import CameraSettings, count_bytes, text_answer
from paddock.core.argument_checks import wrap_int16

BATTERY_EMPTY, BATTERY_FULL = 1816, 2242  # ADC counts
MAX_WAITING = 4200  # maximum bytes of an unfinished line
MAX_ANSWER = 1 << 14  # maximum bytes of a chain's answer; further commands of the chain are ignored


class SerialFirmware:
    """A state machine: idle, inside a line of text, or inside a chain of binary commands."""

    def __init__(self, robot: EmulatedEPuck, *, cliff_sensors: bool = False) -> None:
        self.robot = robot
        self._ground = 5 if cliff_sensors else 3
        self._v2 = robot.kind == "e-puck2"
        self._start()

    def _start(self) -> None:
        self._waiting = bytearray()
        self._in_line = self._in_chain = False
        self._answer = bytearray()  # of the chain
        self._speeds = [0, 0]  # as commanded
        self._counters = [0, 0]
        self._led = [0, 0]
        self._sound = [0]
        self._i2c = [0, 0, 0]
        self._camera = CameraSettings()

    def welcome(self) -> bytes:
        """Return the greeting that is sent after switching on."""
        return sercom.WELCOME

    def receive(self, data: bytes) -> bytes:
        """Process bytes of the client and return the answers."""
        self._waiting += data
        out = bytearray()
        more = True
        while more and self._waiting:
            with self.robot.hardware.hold_clock():  # per chain or line, so that much input does not block the clock
                more = self._take(out)
                while more and self._waiting and self._in_chain:
                    more = self._take(out)
        return bytes(out)

    def _take(self, out: bytearray) -> bool:
        """Process the next command or line. Return False if more bytes are needed."""
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
        takes = count_bytes(form.takes) if form is not None else 0
        if len(self._waiting) < 1 + takes:
            return False
        data = bytes(self._waiting[1 : 1 + takes])
        del self._waiting[: 1 + takes]
        if form is not None and len(self._answer) < MAX_ANSWER:
            values = struct.unpack("<" + form.takes, data)
            self._carry_out(number, values, data, out)
        return True

    def _carry_out(self, number: int, values: tuple[int, ...], data: bytes, out: bytearray) -> None:
        robot, letter = self.robot, chr(number)
        numbers: tuple[float, ...] = ()
        form = (sercom.FORMS.get(number) or sercom.FORMS_OF_EPUCK2[number]).answers
        if letter in _BINARY_SENSORS:
            numbers = _BINARY_SENSORS[letter](robot)
        elif letter == "A":
            numbers = packets.to_spherical(*robot.read("accelerometer", 3))
        elif letter == "M":
            numbers, form = (*robot.read("ground", 3), 0, 0)[: self._ground], f"{self._ground}H"
        elif letter == "E":
            numbers = tuple(self._speeds)
        elif letter == "I":
            self._answer += bytes([self._camera.mode & 0xFF, self._camera.width & 0xFF, self._camera.height & 0xFF])
            self._answer += encode_pixels(robot.read_window(self._camera), self._camera.mode)
            return
        elif letter == "U":
            if not self._v2:
                out += bytes(600)  # samples of three silent microphones, sent before the rest of the answer
                self._answer += bytes(1)
            return
        elif letter == "D":
            self._speeds = list(values)
            robot.hardware.set_speeds(*values)
        elif letter == "P":
            robot.set_steps(*values)
        elif letter == "L":
            self._set_led({8: "body", 9: "front"}.get(values[0], f"led{values[0]}"), values[1])
        elif number in sercom.FORMS_OF_EPUCK2:
            numbers = self._carry_out_addition(number, values, data)
        self._answer += struct.pack("<" + form, *numbers) if numbers else b""

    def _carry_out_addition(self, number: int, values: tuple[int, ...], data: bytes) -> tuple[int, ...]:
        robot = self.robot
        if number == sercom.ALL_SENSORS:
            return tuple(robot.read_packet().pack()[: sercom.ALL_SENSORS_BYTES])
        if number == sercom.ALL_ACTUATORS:
            wanted = packets.Actuators.unpack(data)
            if not wanted.settings & packets.SET_STEPS:
                self._speeds = [wanted.left, wanted.right]
            robot.apply_packet(wanted)
        elif number == sercom.COLOURS:
            for i in range(4):
                robot.set_colour(2 * i + 1, values[3 * i : 3 * i + 3])
        elif number == sercom.FOUR_MICROPHONES:
            return robot.read("microphones", 4)
        elif number == sercom.DISTANCE:
            return (robot.distance,)
        else:
            return (0,)  # button not pressed, no memory card, switch accepted
        return ()

    # ---- text

    def _take_line(self, out: bytearray) -> bool:
        while self._waiting and self._waiting[0] in b"\r\n":
            del self._waiting[0]
        ends = [i for i in (self._waiting.find(b"\r", 1), self._waiting.find(b"\n", 1)) if i > 0]
        if not ends:
            del self._waiting[MAX_WAITING:]
            return False
        text = self._waiting[: min(ends)].decode("latin-1")
        del self._waiting[: min(ends) + 1]
        self._in_line = False
        letter = text[0] if text[0] in "bg" else text[0].upper()
        out += self._answer_line(letter, text)
        return True

    def _answer_line(self, letter: str, text: str) -> bytes:
        robot = self.robot
        if letter in _TEXT_SENSORS:
            return text_answer(letter.lower(), *_TEXT_SENSORS[letter](robot))
        if letter in _TEXT_ACTIONS:
            _TEXT_ACTIONS[letter](self, text)
            return text_answer(letter.lower())
        if letter == "b":
            counts = robot.read("battery", 1)[0]
            percent = round(100 * (counts - BATTERY_EMPTY) / (BATTERY_FULL - BATTERY_EMPTY))
            return b"b,%d (%d%%)\r\n" % (counts, min(100, max(0, percent)))
        if letter == "E":
            return text_answer("e", *self._speeds)
        if letter == "G":
            return b"g IR check : 0x0, address : 0x0, data : 0x0\r\n"
        if letter == "H":
            return write_help()
        if letter == "I":
            camera = self._camera
            return text_answer("i", camera.mode, camera.width, camera.height, camera.zoom, camera.bytes)
        if letter == "K":
            robot.calibrate()
            return b"".join(sercom.CALIBRATING)
        if letter == "M":
            return text_answer("m", *(*robot.read("ground", 3), 0, 0)[: self._ground])
        if letter == "R":
            robot.restart()
            self._start()
            return (b"" if self._v2 else text_answer("r")) + sercom.WELCOME
        if letter == "V":
            return sercom.VERSION % 0xFFFF
        if letter == "Y":
            _scan(text, self._i2c)
            return text_answer("y", *self._i2c[:2]) + text_answer("y", 0)
        if letter == "Z":
            return b""  # no device on the bus
        return sercom.NOT_FOUND

    def _set_led(self, name: str, value: int) -> None:
        if value == 2:
            self.robot.toggle_led(name)
        else:
            self.robot.set_led(name, 1.0 if value else 0.0)

    def _set_named_led(self, name: str, text: str) -> None:
        value = [self._led[1]]
        _scan(text, value)
        self._led[1] = value[0]
        self._set_led(name, value[0])

    def _set_ring_led(self, text: str) -> None:
        _scan(text, self._led)
        for number in range(8) if self._led[0] == 8 else [self._led[0]]:
            self._set_led(f"led{number}", self._led[1])

    def _drive(self, text: str) -> None:
        _scan(text, self._speeds)
        self.robot.hardware.set_speeds(*self._speeds)

    def _set_steps(self, text: str) -> None:
        _scan(text, self._counters)
        self.robot.set_steps(*self._counters)

    def _play(self, text: str) -> None:
        _scan(text, self._sound)
        self.robot.play_sound(self._sound[0])

    def _set_camera(self, text: str) -> None:
        now = self._camera
        numbers = [now.mode, now.width, now.height, now.zoom, -1, -1]
        _scan(text, numbers)
        mode, width, height, zoom = (max(1, value) if i else value for i, value in enumerate(numbers[:4]))
        self._camera = CameraSettings(
            mode if mode in (0, 1, 2) else 1, min(width, 640), min(height, 480), min(zoom, 64), *numbers[4:]
        ).possible

    def _stop(self, text: str) -> None:
        self.robot.hardware.set_speeds(0, 0)
        for number in range(8):
            self.robot.set_led(f"led{number}", 0.0)

    def _write_i2c(self, text: str) -> None:
        _scan(text, self._i2c)


_BINARY_SENSORS: dict[str, Callable[[EmulatedEPuck], tuple[int, ...]]] = {
    "a": lambda robot: robot.read("accelerometer", 3),
    "b": lambda robot: robot.read("battery", 1),
    "g": lambda robot: robot.gyroscope,
    "N": lambda robot: robot.proximity,
    "O": lambda robot: robot.read("light", 8),
    "Q": lambda robot: robot.steps,
    "t": lambda robot: robot.read("temperature", 1),
    "u": lambda robot: robot.read("microphones", 3),
}
_TEXT_SENSORS = {letter.upper() if letter in "au" else letter: _BINARY_SENSORS[letter] for letter in "agNOQu"} | {
    "C": lambda robot: robot.read("selector", 1)
}
_TEXT_ACTIONS: dict[str, Callable[[SerialFirmware, str], None]] = {
    "B": lambda self, text: self._set_named_led("body", text),
    "D": SerialFirmware._drive,
    "F": lambda self, text: self._set_named_led("front", text),
    "J": SerialFirmware._set_camera,
    "L": SerialFirmware._set_ring_led,
    "P": SerialFirmware._set_steps,
    "S": SerialFirmware._stop,
    "T": SerialFirmware._play,
    "W": SerialFirmware._write_i2c,
}


def _scan(text: str, into: list[int]) -> None:
    """Parse comma-separated numbers like C's sscanf: stop at the first invalid one and keep the remaining values."""
    rest = text[1:]
    for i in range(len(into)):
        found = re.match(r",[ \t]*([+-]?\d{1,9})", rest)
        if found is None:
            return
        into[i] = wrap_int16(int(found.group(1)))
        rest = rest[found.end() :]
