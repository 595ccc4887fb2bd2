"""WifiPort: the driver for e-puck2s on Wi-Fi. Every command sets all actuators and returns all sensors."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.common.watchdog import SILENCE
from paddock.bridges.epuck.driver.port import Port, Raw
from paddock.bridges.epuck.driver.streams import ByteStream
from paddock.bridges.epuck.wire import packets
from paddock.bridges.epuck.wire.packets import Actuators, Packet, PacketReader
from paddock.bridges.epuck.wire.pixels import decode_pixels
from paddock.bridges.epuck.wire.wheel_check import WheelCheck
from paddock.core.errors import BadMessage, Timeout

BITS = {"led0": 0, "led2": 1, "led4": 2, "led6": 3, "body": packets.BODY, "front": packets.FRONT}
LEARNING = 0.5  # [s] to wait for the first acknowledgement; without one, none is expected until one arrives
LOOK = 0.03  # [s] between two reads of the step counters while the robot stops


class WifiPort(Port):
    """A robot at a TCP port. It may also send unrequested packets; the newest packet after a request is used."""

    kind = "e-puck2"
    stop_bytes = 2 * packets.pack_command(0, Actuators())  # the first may be taken for the rest of another command

    def __init__(self, open_stream: Callable[[float], ByteStream], timeout: float, *, silence: float = SILENCE) -> None:
        super().__init__(open_stream, timeout, silence=silence)
        self._wanted = Actuators()
        self._acknowledges: bool | None = None  # whether it acknowledges empty requests; None: not known yet
        self._reader, self._wheels = PacketReader(), WheelCheck()

    def identify(self) -> None:
        try:
            self.read_packet()
        except BadMessage as error:
            raise BadMessage(f"{error}: this is not an e-puck2") from None

    def _synchronise(self, stream: ByteStream) -> None:
        """Reset the reader. The connection is always new, because a failed one was closed."""
        self._reader = PacketReader()
        self._wheels.restart()

    def disconnect(self) -> None:
        """Close the stream and set the wheel speeds to 0, so that a reconnected robot is stopped. Keep the LEDs."""
        super().disconnect()
        self._wanted = replace(self._wanted, left=0, right=0)

    def _ask(self, kind: int, **changes: Any) -> bytes:
        """Send all actuator values with these changes. Return the newest packet of this kind that follows.

        The command is sent twice. The first one contains no request and is acknowledged with a packet that the robot
        never sends unrequested. Packets before the acknowledgement are older than the command. Changes are stored
        after the answer, so that the next command does not carry out a failed one.
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
        """Discard all packets received since the last request."""
        while time.monotonic() < self.deadline:
            try:
                self._read(stream, 0.0)
            except Timeout:
                return
        raise Timeout(f"{stream.name}: the robot does not stop sending")

    def _await(self, stream: ByteStream, kind: int) -> bytes:
        """Return the newest packet of a kind. It is accepted if the received data end with a complete packet."""
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
                    acknowledged = True  # this robot does not send acknowledgements
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

    # ---- sensors

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
                self.disconnect()
                raise

    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        return self.read_packet().select(devices)

    def read_image(self) -> NDArray[np.uint8]:
        return decode_pixels(self._ask(packets.IMAGE), packets.WIDTH, packets.HEIGHT)

    # ---- actuators

    def _set_speeds(self, left: int, right: int) -> None:
        self._sensors(left=left, right=right)

    def verify_stopped(self) -> None:
        """Read the step counters until they no longer change. Every read also sends another stop."""
        if not self._wheels.has_driven:
            return
        with self.hold():
            before: tuple[int, ...] | None = None
            while True:
                try:
                    now = self.read_packet().steps
                except BadMessage:  # they still change
                    if time.monotonic() > self.deadline:
                        raise
                    continue
                if now == before:
                    return
                before = now
                time.sleep(LOOK)

    def set_led(self, name: str, brightness: float) -> None:
        with self.hold():
            if name in BITS:
                bit = 1 << BITS[name]
                self._sensors(leds=self._wanted.leds | bit if brightness > 0 else self._wanted.leds & ~bit)
            else:
                self._sensors(colours=packets.replace_colour(self._wanted.colours, name, brightness))

    def play_sound(self, sound: int) -> None:
        self._sensors(sound=1 << (sound - 1) if sound else packets.STOP_SOUND)

    def calibrate(self) -> None:
        self._sensors(settings=packets.CALIBRATE)

    def switch(self, device: str, on: bool) -> None:
        """Do nothing: all devices are always on."""

    def restart(self) -> None:
        self._sensors(**{field.name: field.default for field in fields(Actuators)} | {"sound": packets.STOP_SOUND})
