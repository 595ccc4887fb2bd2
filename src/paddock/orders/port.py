"""OrdersPort: the driver of a robot that takes orders, for handles. Every call waits for its answer."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Collection
from contextlib import nullcontext
from typing import NoReturn

from paddock.core.errors import DeviceRefused, LinkError, Timeout
from paddock.core.geometry import Pose
from paddock.core.line_guard import RENEWAL, SILENCE
from paddock.core.reason import explain
from paddock.epuck.driver.port import Port, Raw
from paddock.epuck.driver.streams import ByteStream
from paddock.orders.host_end import HostEnd, HostTiming
from paddock.orders.talk import Conversation, T, Talk
from paddock.orders.texts import CM, DRIVING, Order, Reply

POLLING = 2 * RENEWAL  # [s] between two questions whether a drive is still under way


class OrdersPort(Port):
    """A robot at a serial device. One that knows checked mode can be steered like any; others drive to points only."""

    kind = "e-puck"

    def __init__(
        self,
        open_stream: Callable[[float], ByteStream],
        timeout: float,
        *,
        checked: bool = True,
        silence: float = SILENCE,
    ) -> None:
        """
        Args:
            open_stream: opens the stream, within the seconds that it is given.
            timeout: seconds that a call may take, on top of a drive.
            checked: ask for checked mode.
            silence: seconds without an answered call after which a robot in checked mode is stopped.
        """
        super().__init__(open_stream, timeout, silence=silence)
        self._asks_for_checked = checked
        self._end = HostEnd()

    @property
    def checked(self) -> bool:
        """Whether the robot is in checked mode."""
        return self._end.mode == "checked"

    @property
    def stop_bytes(self) -> bytes:  # type: ignore[override]
        return self._end.stop_bytes

    def identify(self) -> None:
        with self.exchange():
            self.devices = ("proximity", "encoders") if self.checked else ("proximity",)

    def _synchronise(self, stream: ByteStream) -> None:
        """Begin a new session: what was ordered before is over, and the robot stands."""
        number = int.from_bytes(os.urandom(3), "big")  # below `SESSIONS`
        timing = HostTiming(silence=self.timeout, reopening=2 * self.timeout, polling=POLLING)
        self._end = HostEnd(session=number, checked=self._asks_for_checked, timing=timing)
        self._hold_talk(stream, self._end.connect())

    def ask(self, order: Order, seconds: float = 0.0, *, expected: float = 0.0) -> Reply:
        """Have an order carried out; `seconds` is how long the robot may drive for it."""
        drives = order.letter in DRIVING
        stands_then = self.driving(drives, False) if drives or order.letter == "S" else nullcontext()
        with self.hold(seconds + self.timeout), stands_then, self.exchange() as stream:
            return self._hold_talk(stream, self._end.ask(order, seconds, expected=expected))

    def _hold_talk(self, stream: ByteStream, conversation: Conversation[T]) -> T:
        talk = Talk(self._end, conversation, time.monotonic())
        while not talk.over:
            stream.send(talk.take_output(), self.deadline)
            try:
                data = stream.receive(min(talk.deadline, self.deadline))
            except Timeout:
                if time.monotonic() >= self.deadline:
                    raise Timeout(explain("{device}: no answer in time", device=stream.name)) from None
                talk.wake(time.monotonic())
            else:
                talk.receive(data, time.monotonic())
                self.note_answer()
        assert talk.result is not None
        return talk.result

    # ---- what the language can do

    def read_pose(self) -> Pose:
        """Where the robot takes itself to be [m, rad]."""
        x, y, heading = self.ask(Order("D")).numbers
        return Pose(x * CM, y * CM, heading)

    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        """Proximity and step counters. Robots without checked mode tell four of eight sensors, the others are NaN."""
        if self.checked:
            numbers = self.ask(Order("q")).numbers
            there = {"encoders": numbers[3:5], "proximity": numbers[5:]}
        else:
            p0, p1, p7, p6 = self.ask(Order("X")).numbers if "proximity" in devices else (math.nan,) * 4
            there = {"proximity": (p0, p1, *[math.nan] * 4, p6, p7)}
        return {name: there[name] for name in devices}

    def _set_speeds(self, left: int, right: int) -> None:
        if not self.checked:
            self._refuse("wheel speeds", "; have it drive with go_to, turn or forward")
        self.ask(Order("w", (left, right)))

    def version(self) -> str:
        return f"takes orders, {self._end.mode} mode"

    # ---- what it cannot

    def read_image(self) -> NoReturn:
        self._refuse("pictures")

    def set_lamp(self, name: str, brightness: float) -> NoReturn:
        self._refuse(f"the lamp {name}")

    def play_sound(self, sound: int) -> NoReturn:
        self._refuse("sounds")

    def calibrate(self) -> NoReturn:
        self._refuse("calibration")

    def restart(self) -> NoReturn:
        self._refuse("a restart")

    def switch(self, device: str, on: bool) -> None:
        """All devices are on, always."""

    def _refuse(self, what: str, instead: str = "") -> NoReturn:
        raise DeviceRefused(f"this robot takes orders in {self._end.mode} mode, which has none for {what}{instead}")


def require_reply(reply: Reply, kind: str, call: str) -> Reply:
    """A reply of that kind, or a LinkError."""
    if reply.kind != kind:
        raise LinkError(explain("{call}: the robot answered {reply}", call=call, reply=reply.kind))
    return reply
