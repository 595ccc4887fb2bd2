"""WifiPort: the driver for e-puck2s on Wi-Fi. Every command tells the robot everything, and brings its sensors back."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import BadMessage, Timeout
from paddock.links.epuck.port import Port, Raw
from paddock.links.epuck.serial_port import numbers_of
from paddock.links.epuck.wires import Wire
from paddock.protocol import epuck2
from paddock.protocol.epuck2 import Actuators
from paddock.protocol.pixels import picture_of
from paddock.robots import RobotSpec

SETTLED = 0.001  # [s] to see whether an answer is longer than it should be
BITS = {"led0": 0, "led2": 1, "led4": 2, "led6": 3, "body": epuck2.BODY, "front": epuck2.FRONT}


class WifiPort(Port):
    """A robot at a TCP port."""

    kind = "e-puck2"

    def __init__(self, open_wire: Callable[[], Wire], timeout: float) -> None:
        super().__init__(open_wire, timeout)
        self._wanted = Actuators()
        self.hardware()

    def adapted(self, spec: RobotSpec) -> RobotSpec:
        return spec

    def _make_sure(self, wire: Wire) -> None:
        """A connection that is in doubt was closed, so this one is new."""

    def _ask(self, packet: int, wanted: Actuators) -> bytes:
        """Send everything that is wanted; the answer is the packet of that kind."""
        with self.exchange() as wire:
            request = epuck2.WANT_IMAGE if packet == epuck2.IMAGE else epuck2.WANT_SENSORS
            wire.send(epuck2.command(request, wanted))
            return self._answer(wire, packet)

    def _answer(self, wire: Wire, packet: int) -> bytes:
        deadline = time.monotonic() + self.timeout
        wanted = 1 + epuck2.SIZES[packet]
        seen = b""
        while len(seen) < wanted:
            try:
                seen += wire.receive(deadline)
            except Timeout:
                got = f"only {len(seen)} of {wanted} bytes" if seen else "no answer"
                raise Timeout(f"{wire.name}: {got} within {self.timeout:g} s") from None
            if seen[0] != packet:
                raise BadMessage(f"{wire.name}: expected a packet of kind {packet}, got {seen[0]}")
        if len(seen) == wanted:
            try:
                seen += wire.receive(time.monotonic() + SETTLED)
            except Timeout:
                return seen[1:]
        raise BadMessage(f"{wire.name}: expected a packet of {wanted} bytes, got {len(seen)}")

    # ---- telling

    def hardware(self) -> epuck2.Sensors:
        return self._sensors()

    def _sensors(self, *, settings: int = 0, sound: int = 0) -> epuck2.Sensors:
        with self.turn():
            data = self._ask(epuck2.SENSORS, replace(self._wanted, settings=settings, sound=sound))
            try:
                return epuck2.Sensors.unpack(data)
            except BadMessage:
                self.hang_up()
                raise

    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        return numbers_of(self.hardware(), devices)

    def image(self) -> NDArray[np.uint8]:
        return picture_of(self._ask(epuck2.IMAGE, self._wanted), epuck2.WIDTH, epuck2.HEIGHT)

    # ---- doing

    def set_speeds(self, left: int, right: int) -> None:
        with self.turn():
            self._wanted = replace(self._wanted, left=left, right=right)
            self._sensors()

    def set_lamp(self, name: str, brightness: float) -> None:
        with self.turn():
            if name in BITS:
                bit = 1 << BITS[name]
                lamps = self._wanted.lamps | bit if brightness > 0 else self._wanted.lamps & ~bit
                self._wanted = replace(self._wanted, lamps=lamps)
            else:
                ring, colour = name.removeprefix("led").split("_")
                colours = list(self._wanted.colours)
                place = 3 * (int(ring) // 2) + ("red", "green", "blue").index(colour)
                colours[place] = round(brightness * epuck2.FULL_COLOUR)
                self._wanted = replace(self._wanted, colours=tuple(colours))
            self._sensors()

    def play(self, sound: int) -> None:
        self._sensors(sound=1 << (sound - 1) if sound else epuck2.STOP_SOUND)

    def calibrate(self) -> None:
        self._sensors(settings=epuck2.CALIBRATE)

    def switch(self, device: str, on: bool) -> None:
        """All devices are on, always."""

    def restart(self) -> None:
        with self.turn():
            self._wanted = Actuators()
            self._sensors(sound=epuck2.STOP_SOUND)
