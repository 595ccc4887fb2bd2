"""SerialPort: the driver for the SerCom protocol of e-pucks and e-puck2s.

Binary answers have no frame. Therefore every exchange ends with a text command whose answer, a line, marks the end of
the binary answer. An additional or missing byte is detected immediately.
"""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.common.watchdog import SILENCE
from paddock.bridges.epuck.driver.port import LONGEST, Port, Raw
from paddock.bridges.epuck.driver.streams import ByteStream
from paddock.bridges.epuck.wire import packets, sercom
from paddock.bridges.epuck.wire.pixels import decode_pixels
from paddock.bridges.epuck.wire.sercom import MARK, MARKED, count_bytes, pack_chain, pack_command, text_command
from paddock.core.errors import BadMessage, DeviceRefused, LinkError, Timeout

LETTERS = {
    "accelerometer": "a",
    "battery": "b",
    "encoders": "Q",
    "ground": "M",
    "light": "O",
    "microphones": "u",
    "proximity": "N",
    "temperature": "t",
}
MAX_VALUES = {"proximity": 4095, "light": 4095, "ground": 4095, "microphones": 4095, "battery": 4095, "selector": 15}
LONGEST_COMMAND = 40  # maximum number of bytes that the firmware may still expect
RESTART = 10.0  # [s], more than a restart takes
TRIES = 6  # number of letters of a challenge
AGAIN = 3.0  # [s] without an answer after which the challenge is sent again
DARK = (0,) * len(packets.COLOURED)


class SerialPort(Port):
    """A robot at a serial device."""

    camera = sercom.CameraSettings()
    stop_bytes = bytes(LONGEST_COMMAND) + b"\r" + text_command("D", 0, 0)
    _reopens = False

    def __init__(self, open_stream: Callable[[float], ByteStream], timeout: float, *, silence: float = SILENCE) -> None:
        super().__init__(open_stream, timeout, silence=silence)
        self._colours = DARK
        self._leds: dict[str, bytes] = {}  # last command of each LED, to restore it after a restart
        self._switches: dict[str, bytes] = {}  # last command of each switch, likewise
        self._restored = 0  # number of the last restart after which both were restored
        self._camera_set_at = 0  # number of the restart after which the camera was set
        self._forms: dict[str, str] = {}

    def identify(self) -> None:
        length = self._length(pack_command(sercom.ALL_SENSORS), "all sensors")
        if length not in (0, sercom.ALL_SENSORS_BYTES):
            raise BadMessage(f"all sensors: expected {sercom.ALL_SENSORS_BYTES} bytes, got {length}")
        self.kind = "e-puck2" if length else "e-puck"
        if self.kind == "e-puck":
            self._measure_answers()
            self.devices = {*self._forms, "selector", "camera"}

    def _measure_answers(self) -> None:
        """Measure the length of each answer. Some firmwares add cliff sensors, old ones have fewer commands."""
        for device, letter in LETTERS.items():
            expected = sercom.FORMS[ord(letter)].answers
            length = self._length(pack_command(letter), device)
            if device == "ground" and length in (6, 10):
                self._forms[device] = f"{length // 2}H"
            elif length == count_bytes(expected):
                self._forms[device] = expected
            elif length != 0:
                raise BadMessage(f"{device}: expected {count_bytes(expected)} bytes, got {length}")

    # ---- exchanges

    def _synchronise(self, stream: ByteStream) -> None:
        """Repeat until it succeeds or the deadline has passed, because a watchdog may have sent bytes in between."""
        while True:
            try:
                return self._agree(stream, min(self.deadline, time.monotonic() + AGAIN))
            except Timeout:
                if time.monotonic() >= self.deadline:
                    raise

    def _agree(self, stream: ByteStream, deadline: float) -> None:
        """Send enough zeros to complete any command, then a random challenge, and wait for the right answers."""
        word = "".join(random.choices("CEQ", k=TRIES))
        stream.send(bytes(LONGEST_COMMAND) + b"\r" + b"".join(text_command(letter) for letter in word), self.deadline)
        answers = "".join(rf"{letter.lower()}(?:,-?\d{{1,6}}){{1,2}}\r\n" for letter in word)
        expected = re.compile(answers.encode() + rb"\Z")
        self._collect(stream, lambda seen: expected.search(seen) is not None, "its first command", deadline)
        if self._restored != self.restarts:
            self._restore(stream, deadline)

    def _restore(self, stream: ByteStream, deadline: float) -> None:
        """Stop a robot that was restarted or reconnected, and restore its LEDs and switches."""
        restarts = self.restarts
        stream.send(
            pack_chain(pack_command("D", 0, 0), *self._leds.values(), *self._switches.values()) + MARK, self.deadline
        )
        seen = self._collect(stream, lambda so_far: MARKED.search(so_far) is not None, "restored settings", deadline)
        if not seen.endswith(b"e,0,0\r\n"):
            raise BadMessage(f"{stream.name}: the robot was sent a stop, but answered {seen[-20:]!r}")
        self._restored, self._drives = restarts, False

    def _collect(
        self, stream: ByteStream, complete: Callable[[bytes], bool], what: str, deadline: float | None = None
    ) -> bytes:
        seen = b""
        began = time.monotonic()
        try:
            while not complete(seen):
                try:
                    seen += stream.receive(self.deadline if deadline is None else deadline)
                except Timeout:
                    got = f"only {len(seen)} bytes of an answer" if seen else "no answer"
                    raise Timeout(f"{stream.name}: {got} to {what} within {time.monotonic() - began:.1f} s") from None
                if len(seen) > 1 << 16:
                    raise BadMessage(f"{stream.name}: {what}: the robot does not stop sending")
            return seen
        finally:
            self.restarts += sercom.WELCOME[-20:] in seen

    def _ask(
        self,
        commands: Sequence[bytes],
        length: int,
        lines: Sequence[tuple[bytes, str]] = (),
        *,
        what: str = "a command",
    ) -> tuple[bytes, re.Match[bytes]]:
        """Send a chain, text commands and the mark. Check the length of the binary answer and the lines after it.

        Args:
            commands: commands of the chain.
            length: number of bytes of its answer.
            lines: text commands, and patterns of their answers.
            what: description of the request, for error messages.
        """
        request = (pack_chain(*commands) if commands else b"") + b"".join(text for text, _ in lines) + MARK
        tail = re.compile("".join(pattern for _, pattern in lines).encode() + rb"e,(-?\d{1,6}),(-?\d{1,6})\r\n\Z")
        with self.exchange() as stream:
            stream.send(request, self.deadline)
            seen = self._collect(stream, lambda so_far: MARKED.search(so_far) is not None, what)
            found = tail.match(seen, length) if len(seen) > length else None
            if found is None:
                if b"z,Command not found" in seen:
                    raise BadMessage(f"{stream.name}: the robot does not support {what}")
                if sercom.WELCOME[:20] in seen:
                    raise LinkError(f"{stream.name}: the robot was restarted")
                raise BadMessage(
                    f"{stream.name}: {what}: expected {length} bytes and {1 + len(lines)} lines, got {seen[-60:]!r}"
                )
        return seen[:length], found

    def _length(self, request: bytes, what: str) -> int:
        """Measure the length of an answer twice, because a lost byte would misidentify the robot permanently."""
        once, twice = len(self._ask_any_length(request, what)), len(self._ask_any_length(request, what))
        if once != twice:
            raise BadMessage(f"{what}: answered with {once} bytes, and then with {twice}")
        return once

    def _ask_any_length(self, request: bytes, what: str) -> bytes:
        """Return the answer to a command; empty if the firmware does not support it."""
        with self.exchange() as stream:
            stream.send(pack_chain(request) + MARK, self.deadline)
            seen = self._collect(stream, lambda so_far: MARKED.search(so_far) is not None, f"the request for {what}")
            found = MARKED.search(seen)
            assert found is not None
        return seen[: found.start()]

    # ---- sensors

    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        if self.kind == "e-puck2":
            return self.read_packet().select(devices)
        binary = sorted(name for name in devices if name != "selector")
        for name in binary:
            if name not in self._forms:
                raise DeviceRefused(f"the firmware of this robot does not report {name}")
        # A lost digit is not detected, so the only number that arrives as text is requested twice.
        selector = (text_command("C") * 2, r"c,(?P<once>\d{1,2})\r\nc,(?P<twice>\d{1,2})\r\n")
        lines = [selector] if "selector" in devices else []
        forms = [self._forms[name] for name in binary]
        what = f"the request for {', '.join(sorted(devices))}"
        commands = [pack_command(LETTERS[name]) for name in binary]
        data, found = self._ask(commands, sum(map(count_bytes, forms)), lines, what=what)
        numbers: dict[str, Raw] = {}
        start = 0
        for name, form in zip(binary, forms, strict=True):
            numbers[name] = sercom.unpack_numbers(form, data[start : start + count_bytes(form)])
            start += count_bytes(form)
        if "ground" in numbers:
            numbers["ground"] = numbers["ground"][:3]
        if lines:
            if found["once"] != found["twice"]:
                raise self._report_bad_answer(
                    f"selector: {found['once']!r} and {found['twice']!r} in two successive answers"
                )
            numbers["selector"] = (int(found["once"]),)
        for name, values in numbers.items():
            if max(values) > MAX_VALUES.get(name, math.inf):
                raise self._report_bad_answer(f"{name}: expected at most {MAX_VALUES[name]}, got {max(values):g}")
        return numbers

    def _report_bad_answer(self, problem: str) -> BadMessage:
        self._in_doubt = True
        return BadMessage(problem)

    def read_packet(self) -> packets.Sensors:
        if self.kind != "e-puck2":
            return super().read_packet()
        data, _ = self._ask(
            [pack_command(sercom.ALL_SENSORS)], sercom.ALL_SENSORS_BYTES, what="the request for all sensors"
        )
        try:
            return packets.Sensors.unpack(data)
        except BadMessage:
            self._in_doubt = True
            raise

    def read_image(self) -> NDArray[np.uint8]:
        with self.hold():
            if self._camera_set_at != self.restarts:
                settings = (self.camera.mode, self.camera.width, self.camera.height, self.camera.zoom)
                expected = ",".join(map(str, (*settings, self.camera.bytes)))
                answers = [(text_command("J", *settings), r"j\r\n"), (text_command("I"), rf"i,{expected}\r\n")]
                self._ask([], 0, answers, what="the camera's settings")
                self._camera_set_at = self.restarts
            data, _ = self._ask([pack_command("I")], 3 + self.camera.bytes, what="the request for an image")
            if tuple(data[:3]) != (self.camera.mode, self.camera.width, self.camera.height):
                self._camera_set_at = 0
                wanted = f"{self.camera.width} × {self.camera.height}"
                raise self._report_bad_answer(f"image: expected one of {wanted} pixels, got {tuple(data[:3])}")
        return decode_pixels(data[3:], self.camera.width, self.camera.height)

    def version(self) -> str:
        """Request the version twice, because a lost letter is not detected."""
        once = r"v,[^\r\n]*\r\n(?:[^,\r\n]{2,}\r\n)?"
        lines = [(text_command("V") * 2, rf"(?P<once>{once})(?P<twice>{once})")]
        _, found = self._ask([], 0, lines, what="the request for its version")
        if found["once"] != found["twice"]:
            raise self._report_bad_answer(
                f"version: {found['once']!r} and {found['twice']!r} in two successive answers"
            )
        return ", ".join(found["once"].decode("latin-1").removeprefix("v,").splitlines())

    # ---- actuators

    def _set_speeds(self, left: int, right: int) -> None:
        _, found = self._ask([pack_command("D", left, right)], 0, what="new speeds")
        if [int(found[i]) % 65536 for i in (1, 2)] != [left % 65536, right % 65536]:
            raise self._report_bad_answer(
                f"speeds: sent {left}, {right}, but the robot confirmed {found[0].decode().strip()}"
            )

    def set_led(self, name: str, brightness: float) -> None:
        with self.hold():
            if name in packets.COLOURED:
                colours = packets.replace_colour(self._colours, name, brightness)
                self._set_leds("colours", pack_command(sercom.COLOURS, *colours))
                self._colours = colours
            else:
                number = {"body": 8, "front": 9}.get(name) or int(name.removeprefix("led"))
                self._set_leds(name, pack_command("L", number, int(brightness > 0)))

    def _set_leds(self, which: str, request: bytes) -> None:
        self._ask([request], 0, what=f"a command for {which}")
        self._leds[which] = request

    def play_sound(self, sound: int) -> None:
        self._ask([], 0, [(text_command("T", sound), r"t\r\n")], what="a sound")

    def calibrate(self) -> None:
        lines = "".join(re.escape(text.decode()) for text in sercom.CALIBRATING)
        with self.hold(LONGEST):
            self._ask([], 0, [(text_command("K"), lines)], what="calibration")

    def restart(self) -> None:
        with self.hold(RESTART):
            with self.exchange() as stream:
                stream.send(text_command("R"), self.deadline)
                ended = sercom.WELCOME[-20:]
                self._collect(stream, lambda seen: ended in seen, "a restart")
            self._in_doubt = True
            self._leds, self._colours = {}, DARK
            self.read({"encoders"})

    def switch(self, device: str, on: bool) -> None:
        code = {"compass": sercom.MAGNETOMETER_ON, "tof": sercom.DISTANCE_ON}.get(device)
        if code is None or self.kind != "e-puck2":
            return
        with self.hold():
            answer = self._ask_any_length(pack_command(code, on), device)
            if answer not in (b"", b"\0"):  # older firmwares do not answer: the device is always on
                raise DeviceRefused(
                    f"{device}: the robot does not switch it {'on' if on else 'off'}, but answers {answer!r}"
                )
            self._switches[device] = pack_command(code, on)
