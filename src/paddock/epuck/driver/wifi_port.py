"""WifiPort: the driver for e-puck2s on Wi-Fi. Every command tells the robot everything, and brings its sensors back."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import BadMessage, Timeout
from paddock.epuck import packets
from paddock.epuck.driver.port import Port, Raw
from paddock.epuck.driver.streams import ByteStream
from paddock.epuck.packets import Actuators
from paddock.epuck.pixels import decode_pixels

BITS = {"led0": 0, "led2": 1, "led4": 2, "led6": 3, "body": packets.BODY, "front": packets.FRONT}


class WifiPort(Port):
    """A robot at a TCP port."""

    kind = "e-puck2"

    def __init__(self, open_stream: Callable[[float], ByteStream], timeout: float) -> None:
        super().__init__(open_stream, timeout)
        self._wanted = Actuators()

    def identify(self) -> None:
        try:
            self.read_packet()
        except BadMessage as error:
            raise BadMessage(f"{error}: this is no e-puck2") from None

    def _synchronise(self, stream: ByteStream) -> None:
        """A connection that is in doubt was closed, so this one is new."""

    def hang_up(self) -> None:
        """The robot is to stand when it is found again, for nobody told it to drive since; its lamps are lit again."""
        super().hang_up()
        self._wanted = replace(self._wanted, left=0, right=0)

    def _ask(self, packet: int, **changes: Any) -> bytes:
        """Send everything that is wanted, with these changes; the answer is the packet of that kind.

        Changes are kept once the robot has answered: a command that failed is not carried out by the next one.
        """
        with self.exchange() as stream:
            self._expect_silence(stream)
            wanted = replace(self._wanted, **changes)
            request = packets.WANT_IMAGE if packet == packets.IMAGE else packets.WANT_SENSORS
            stream.send(packets.pack_command(request, wanted), self.deadline)
            answer = self._answer(stream, packet)
            self._wanted = replace(wanted, settings=0, sound=0)
            return answer

    def _answer(self, stream: ByteStream, packet: int) -> bytes:
        wanted, began = 1 + packets.SIZES[packet], time.monotonic()
        seen = b""
        while len(seen) < wanted:
            try:
                seen += stream.receive(self.deadline)
            except Timeout:
                got = f"only {len(seen)} of {wanted} bytes" if seen else "no answer"
                raise Timeout(f"{stream.name}: {got} within {time.monotonic() - began:.1f} s") from None
            if seen[0] != packet:
                raise BadMessage(f"{stream.name}: expected a packet of kind {packet}, got {seen[0]}")
        if len(seen) == wanted:
            return seen[1:]
        raise BadMessage(f"{stream.name}: expected a packet of {wanted} bytes, got {len(seen)}")

    def _expect_silence(self, stream: ByteStream) -> None:
        """A packet that nobody asked for would be taken for the answer to what is asked now."""
        try:
            old = stream.receive(0.0)
        except Timeout:
            return
        raise BadMessage(f"{stream.name}: {len(old)} bytes came that nobody asked for")

    # ---- telling

    def read_packet(self) -> packets.Sensors:
        return self._sensors()

    def _sensors(self, **changes: Any) -> packets.Sensors:
        with self.hold():
            data = self._ask(packets.SENSORS, **changes)
            try:
                return packets.Sensors.unpack(data)
            except BadMessage:
                self.hang_up()
                raise

    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        return self.read_packet().select(devices)

    def read_image(self) -> NDArray[np.uint8]:
        return decode_pixels(self._ask(packets.IMAGE), packets.WIDTH, packets.HEIGHT)

    # ---- doing

    def set_speeds(self, left: int, right: int) -> None:
        self._sensors(left=left, right=right)

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
