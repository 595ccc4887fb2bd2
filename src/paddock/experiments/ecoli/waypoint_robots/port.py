"""OrdersPort: the driver of a robot that takes orders, for robot handles. Every call waits for its answer."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Collection
from contextlib import nullcontext
from typing import NoReturn

from paddock.bridges.common.watchdog import RENEWAL, SILENCE
from paddock.bridges.epuck.driver.port import Port, Raw
from paddock.bridges.epuck.driver.streams import ByteStream
from paddock.core.errors import DeviceRefused, LinkError, Timeout
from paddock.core.geometry import Pose
from paddock.core.reason import explain
from paddock.experiments.ecoli.waypoint_robots.conversation import Conversation, ConversationRunner, T
from paddock.experiments.ecoli.waypoint_robots.host_end import HostEnd, HostTiming
from paddock.experiments.ecoli.waypoint_robots.texts import CM, DRIVING, Order, Reply

POLLING = 2 * RENEWAL  # [s] between two polls during a drive


class OrdersPort(Port):
    """A robot at a serial device. In checked mode it accepts wheel speeds; in legacy mode it only drives to points."""

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
            open_stream: opens the stream within the given number of seconds.
            timeout: maximum duration of a call [s], in addition to a drive.
            checked: request checked mode.
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
        """Start a new session, which ends previous orders and stops the robot."""
        number = int.from_bytes(os.urandom(3), "big")  # below `SESSIONS`
        timing = HostTiming(silence=self.timeout, reopening=2 * self.timeout, polling=POLLING)
        self._end = HostEnd(session=number, checked=self._asks_for_checked, timing=timing)
        self._run_conversation(stream, self._end.connect())

    def ask(self, order: Order, seconds: float = 0.0, *, expected: float = 0.0) -> Reply:
        """Send an order and return its reply. `seconds` is the maximum duration of its drive."""
        drives = order.letter in DRIVING
        stands_then = self.driving(drives, False) if drives or order.letter == "S" else nullcontext()
        with self.hold(seconds + self.timeout), stands_then, self.exchange() as stream:
            return self._run_conversation(stream, self._end.ask(order, seconds, expected=expected))

    def _run_conversation(self, stream: ByteStream, conversation: Conversation[T]) -> T:
        runner = ConversationRunner(self._end, conversation, time.monotonic())
        while not runner.over:
            stream.send(runner.take_output(), self.deadline)
            try:
                data = stream.receive(min(runner.deadline, self.deadline))
            except Timeout:
                if time.monotonic() >= self.deadline:
                    raise Timeout(explain("{device}: no answer in time", device=stream.name)) from None
                runner.wake(time.monotonic())
            else:
                runner.receive(data, time.monotonic())
                self.note_answer()
        assert runner.result is not None
        return runner.result

    # ---- supported functions

    def read_pose(self) -> Pose:
        """Return the pose estimated by the robot [m, rad]."""
        x, y, heading = self.ask(Order("D")).numbers
        return Pose(x * CM, y * CM, heading)

    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        """Return proximity and step counters. In legacy mode, four of eight sensors are reported; others are NaN."""
        if self.checked:
            numbers = self.ask(Order("q")).numbers
            there = {"encoders": numbers[3:5], "proximity": numbers[5:]}
        else:
            p0, p1, p7, p6 = self.ask(Order("X")).numbers if "proximity" in devices else (math.nan,) * 4
            there = {"proximity": (p0, p1, *[math.nan] * 4, p6, p7)}
        return {name: there[name] for name in devices}

    def _set_speeds(self, left: int, right: int) -> None:
        if not self.checked:
            self._refuse("wheel speeds", "; use go_to, turn or forward")
        self.ask(Order("w", (left, right)))

    def version(self) -> str:
        return f"takes orders, {self._end.mode} mode"

    # ---- unsupported functions

    def read_image(self) -> NoReturn:
        self._refuse("pictures")

    def set_led(self, name: str, brightness: float) -> NoReturn:
        self._refuse(f"the LED {name}")

    def play_sound(self, sound: int) -> NoReturn:
        self._refuse("sounds")

    def calibrate(self) -> NoReturn:
        self._refuse("calibration")

    def restart(self) -> NoReturn:
        self._refuse("a restart")

    def switch(self, device: str, on: bool) -> None:
        """Do nothing: all devices are always on."""

    def _refuse(self, what: str, instead: str = "") -> NoReturn:
        raise DeviceRefused(f"this robot takes orders in {self._end.mode} mode, which has none for {what}{instead}")


def require_reply(reply: Reply, kind: str, call: str) -> Reply:
    """Return the reply, or raise a LinkError if it is of another kind."""
    if reply.kind != kind:
        raise LinkError(explain("{call}: the robot answered {reply}", call=call, reply=reply.kind))
    return reply
