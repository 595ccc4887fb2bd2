"""WifiPort: the driver for e-puck2s on Wi-Fi. Every command tells the robot everything, and brings its sensors back."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import fields, replace
from typing import Any

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

BITS = {"led0": 0, "led2": 1, "led4": 2, "led6": 3, "body": epuck2.BODY, "front": epuck2.FRONT}


class WifiPort(Port):
    """A robot at a TCP port."""

    kind = "e-puck2"

    def __init__(self, open_wire: Callable[[float], Wire], timeout: float) -> None:
        super().__init__(open_wire, timeout)
        self._wanted = Actuators()

    def meet(self) -> None:
        try:
            self.hardware()
        except BadMessage as error:
            raise BadMessage(f"{error}: this is no e-puck2") from None

    def adapted(self, spec: RobotSpec) -> RobotSpec:
        return spec

    def _make_sure(self, wire: Wire) -> None:
        """A connection that is in doubt was closed, so this one is new."""

    def hang_up(self) -> None:
        """The robot is to stand when it is found again, for nobody told it to drive since; its lamps are lit again."""
        super().hang_up()
        self._wanted = replace(self._wanted, left=0, right=0)

    def _ask(self, packet: int, **changes: Any) -> bytes:
        """Send everything that is wanted, with these changes; the answer is the packet of that kind.

        Changes are kept once the robot has answered: a command that failed is not carried out by the next one.
        """
        with self.exchange() as wire:
            self._expect_silence(wire)
            wanted = replace(self._wanted, **changes)
            request = epuck2.WANT_IMAGE if packet == epuck2.IMAGE else epuck2.WANT_SENSORS
            wire.send(epuck2.command(request, wanted), self.deadline)
            answer = self._answer(wire, packet)
            self._wanted = replace(wanted, settings=0, sound=0)
            return answer

    def _answer(self, wire: Wire, packet: int) -> bytes:
        wanted, began = 1 + epuck2.SIZES[packet], time.monotonic()
        seen = b""
        while len(seen) < wanted:
            try:
                seen += wire.receive(self.deadline)
            except Timeout:
                got = f"only {len(seen)} of {wanted} bytes" if seen else "no answer"
                raise Timeout(f"{wire.name}: {got} within {time.monotonic() - began:.1f} s") from None
            if seen[0] != packet:
                raise BadMessage(f"{wire.name}: expected a packet of kind {packet}, got {seen[0]}")
        if len(seen) == wanted:
            return seen[1:]
        raise BadMessage(f"{wire.name}: expected a packet of {wanted} bytes, got {len(seen)}")

    def _expect_silence(self, wire: Wire) -> None:
        """A packet that nobody asked for would be taken for the answer to what is asked now."""
        try:
            old = wire.receive(0.0)
        except Timeout:
            return
        raise BadMessage(f"{wire.name}: {len(old)} bytes came that nobody asked for")

    # ---- telling

    def hardware(self) -> epuck2.Sensors:
        return self._sensors()

    def _sensors(self, **changes: Any) -> epuck2.Sensors:
        with self.turn():
            data = self._ask(epuck2.SENSORS, **changes)
            try:
                return epuck2.Sensors.unpack(data)
            except BadMessage:
                self.hang_up()
                raise

    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        return numbers_of(self.hardware(), devices)

    def image(self) -> NDArray[np.uint8]:
        return picture_of(self._ask(epuck2.IMAGE), epuck2.WIDTH, epuck2.HEIGHT)

    # ---- doing

    def set_speeds(self, left: int, right: int) -> None:
        self._sensors(left=left, right=right)

    def set_lamp(self, name: str, brightness: float) -> None:
        with self.turn():
            if name in BITS:
                bit = 1 << BITS[name]
                self._sensors(lamps=self._wanted.lamps | bit if brightness > 0 else self._wanted.lamps & ~bit)
            else:
                self._sensors(colours=epuck2.with_colour(self._wanted.colours, name, brightness))

    def play(self, sound: int) -> None:
        self._sensors(sound=1 << (sound - 1) if sound else epuck2.STOP_SOUND)

    def calibrate(self) -> None:
        self._sensors(settings=epuck2.CALIBRATE)

    def switch(self, device: str, on: bool) -> None:
        """All devices are on, always."""

    def restart(self) -> None:
        self._sensors(**{field.name: field.default for field in fields(Actuators)} | {"sound": epuck2.STOP_SOUND})
