"""WifiPort: the driver for e-puck2s on Wi-Fi. Every command tells the robot everything, and brings its sensors back."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import BadMessage, Timeout
from paddock.core.line_guard import SILENCE
from paddock.epuck import packets
from paddock.epuck.driver.port import Port, Raw
from paddock.epuck.driver.streams import ByteStream
from paddock.epuck.packet_reader import Packet, PacketReader
from paddock.epuck.packets import Actuators
from paddock.epuck.pixels import decode_pixels
from paddock.epuck.wheel_check import WheelCheck

BITS = {"led0": 0, "led2": 1, "led4": 2, "led6": 3, "body": packets.BODY, "front": packets.FRONT}
LEARNING = 0.5  # [s] in which a robot has to acknowledge its first command, or it is taken not to do so until it does
LOOK = 0.03  # [s] between two looks at the step counters of a robot that is to stand


class WifiPort(Port):
    """A robot at a TCP port. It may also say things unasked: what counts is the newest after a question."""

    kind = "e-puck2"
    stop_bytes = 2 * packets.pack_command(0, Actuators())  # the first may be taken for the rest of another command

    def __init__(self, open_stream: Callable[[float], ByteStream], timeout: float, *, silence: float = SILENCE) -> None:
        super().__init__(open_stream, timeout, silence=silence)
        self._wanted = Actuators()
        self._acknowledges: bool | None = None  # whether it says that nothing was asked for; None: not known yet
        self._reader, self._wheels = PacketReader(), WheelCheck()

    def identify(self) -> None:
        try:
            self.read_packet()
        except BadMessage as error:
            raise BadMessage(f"{error}: this is no e-puck2") from None

    def _synchronise(self, stream: ByteStream) -> None:
        """A connection that is in doubt was closed, so this one is new."""
        self._reader = PacketReader()
        self._wheels.restart()

    def hang_up(self) -> None:
        """The robot is to stand when it is found again, for nobody told it to drive since; its lamps are lit again."""
        super().hang_up()
        self._wanted = replace(self._wanted, left=0, right=0)

    def _ask(self, kind: int, **changes: Any) -> bytes:
        """Send everything that is wanted, with these changes; the newest packet of that kind that comes then.

        It is sent twice: the first time nothing is asked for, which the robot acknowledges with a packet that it never
        sends unasked. What comes before that is older than the command. Changes are kept once the robot has answered:
        a command that failed is not carried out by the next one.
        """
        with self.exchange() as stream:
            self._discard(stream)
            wanted = replace(self._wanted, **changes)
            kept = replace(wanted, settings=0, sound=0)
            request = packets.WANT_IMAGE if kind == packets.IMAGE else packets.WANT_SENSORS
            stream.send(packets.pack_command(0, wanted) + packets.pack_command(request, kept), self.deadline)
            self._wheels.begin(wanted.left, wanted.right, time.monotonic())
            answer = self._await(stream, kind)
            self._wanted = kept
            return answer

    def _discard(self, stream: ByteStream) -> None:
        """Read what has come since the last question."""
        while time.monotonic() < self.deadline:
            try:
                self._read(stream, 0.0)
            except Timeout:
                return
        raise Timeout(f"{stream.name}: the robot does not stop talking")

    def _await(self, stream: ByteStream, kind: int) -> bytes:
        """The newest packet of a kind. It is believed where all that has come ends with a whole packet."""
        began, found, acknowledged = time.monotonic(), b"", self._acknowledges is False
        while not (acknowledged and found and not self._reader.missing):
            limit = min(self.deadline, began + LEARNING if self._acknowledges is None else math.inf)
            try:
                if time.monotonic() >= limit:
                    raise Timeout(stream.name)
                for packet in self._read(stream, limit):
                    if packet.kind == packets.NOTHING:
                        acknowledged, found = True, b""
                    elif packet.kind == kind:
                        found = packet.data
            except Timeout:
                if self._acknowledges is None and time.monotonic() < self.deadline:
                    acknowledged = True  # so it never will, it seems
                    self._acknowledges = False
                    continue
                missing = self._reader.missing
                got = f"{missing} bytes of an answer are missing" if missing else "no answer"
                raise Timeout(f"{stream.name}: {got} after {time.monotonic() - began:.1f} s") from None
        return found

    def _read(self, stream: ByteStream, deadline: float) -> list[Packet]:
        try:
            found = self._reader.feed(stream.receive(deadline))
        except BadMessage as error:
            raise BadMessage(f"{stream.name}: {error}") from None
        if any(packet.kind == packets.NOTHING for packet in found):
            self._acknowledges = True
        return found

    # ---- telling

    def read_packet(self) -> packets.Sensors:
        return self._sensors()

    def _sensors(self, **changes: Any) -> packets.Sensors:
        with self.hold():
            data = self._ask(packets.SENSORS, **changes)
            try:
                seen = packets.Sensors.unpack(data)
                self._wheels.check(seen.steps, time.monotonic())
                return seen
            except BadMessage:
                self.hang_up()
                raise

    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        return self.read_packet().select(devices)

    def read_image(self) -> NDArray[np.uint8]:
        return decode_pixels(self._ask(packets.IMAGE), packets.WIDTH, packets.HEIGHT)

    # ---- doing

    def _set_speeds(self, left: int, right: int) -> None:
        self._sensors(left=left, right=right)

    def make_sure_it_stands(self) -> None:
        """Look at its step counters until they stay as they are; every look tells it to stand once more."""
        if not self._wheels.has_driven:
            return
        with self.hold():
            before: tuple[int, ...] | None = None
            while True:
                try:
                    now = self.read_packet().steps
                except BadMessage:  # they do not
                    if time.monotonic() > self.deadline:
                        raise
                    continue
                if now == before:
                    return
                before = now
                time.sleep(LOOK)

    def set_lamp(self, name: str, brightness: float) -> None:
        with self.hold():
            if name in BITS:
                bit = 1 << BITS[name]
                self._sensors(lamps=self._wanted.lamps | bit if brightness > 0 else self._wanted.lamps & ~bit)
            else:
                self._sensors(colours=packets.replace_colour(self._wanted.colours, name, brightness))

    def play_sound(self, sound: int) -> None:
        self._sensors(sound=1 << (sound - 1) if sound else packets.STOP_SOUND)

    def calibrate(self) -> None:
        self._sensors(settings=packets.CALIBRATE)

    def switch(self, device: str, on: bool) -> None:
        """All devices are on, always."""

    def restart(self) -> None:
        self._sensors(**{field.name: field.default for field in fields(Actuators)} | {"sound": packets.STOP_SOUND})
