"""Robots that take orders: `orders://<serial device>`."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose
from paddock.core.motion import Motion
from paddock.core.numeric import all_finite
from paddock.core.observation import Readings
from paddock.epuck.driver.port import Raw
from paddock.links.epuck.address import read_address
from paddock.links.epuck.body import EPuckBody, SensorSample
from paddock.links.epuck.robot import EPuck
from paddock.orders.driving import TRIES, allow_seconds, estimate_seconds
from paddock.orders.motion import CONSTANTS
from paddock.orders.port import OrdersPort, require_reply
from paddock.orders.texts import CM, STOPS_AT, Order
from paddock.sensors.response import si_of


def connect_orders(url: str, *, name: str = "", timeout: float = 10.0, checked: bool = True) -> OrdersRobot:
    """Reach a robot that takes orders, or the emulator of one.

    Args:
        url: `orders:///dev/rfcomm0` or `orders://10:00:E8:AD:77:BB`; behind a `?`, `name=` says what the robot is
            called, `dt=` how long a tick of `step` is [s], `silence=` after how many seconds without an answered call
            it is stopped, and `channel=` which channel of a Bluetooth address is meant.
        name: what the robot is called, unless the URL says so.
        timeout: seconds after which a call fails, on top of what a drive takes.
        checked: ask for checked mode; robots that do not know it stay in legacy mode.
    """
    address = read_address(url, timeout)
    port = OrdersPort(address.open_line, timeout, checked=checked, silence=address.silence)
    try:
        port.identify()
        return OrdersRobot(port, name=address.name or name, dt=address.dt)
    except BaseException:
        port.close()
        raise


class OrdersBody(EPuckBody):
    """Asks a robot that takes orders. Its pose is what the robot itself takes it to be."""

    port: OrdersPort

    def restart_odometry(self, pose: Pose) -> None:
        """The robot counts by itself, from wherever it was told to be, and its counts do not wrap around."""

    def set_odometry(self, pose: Pose) -> None:
        with self.port.hold():
            self.port.ask(Order("P", (pose.x / CM, pose.y / CM)))
            self.port.ask(Order("A", (pose.heading,)))

    def _to_si(self, name: str, raw: Raw) -> Readings:
        values = si_of(self._specs[name], np.array(raw))
        values[np.isnan(raw)] = np.nan  # of sensors that the robot does not tell about
        return values

    def fetch(self, names: Collection[str]) -> SensorSample:
        with self.port.hold():
            raw = self.port.read(names)
            time = self.arena.time
            self._check_restart()
            values = {name: self._to_si(name, numbers) for name, numbers in raw.items()}
        self._newest = SensorSample(time, raw, values)
        return self._newest

    @property
    def pose(self) -> Pose:
        return self.port.read_pose()

    def motion(self) -> Motion:
        return Motion(self.pose, self.wheel_speeds, math.nan)


class OrdersRobot(EPuck):
    """A robot that takes orders: it drives to points by itself. In checked mode any controller can drive it, too."""

    body: OrdersBody
    body_class = OrdersBody
    port: OrdersPort

    @property
    def mode(self) -> str:
        """ "legacy" or "checked"."""
        return "checked" if self.port.checked else "legacy"

    def go_to(self, x: float, y: float, *, avoiding: bool = True) -> bool:
        """Drive to a point [m], and wait until it has; False if it could not get there."""
        self._check("go_to", x, y)
        target: Point = (float(x), float(y))
        with self.port.hold():
            expected = estimate_seconds(self.pose, target)
        order = Order("O" if avoiding else "G", (target[0] / CM, target[1] / CM))
        reply = self.port.ask(order, allow_seconds(expected, TRIES), expected=expected)
        if reply.kind == STOPS_AT:
            return False
        require_reply(reply, order.letter, f"{self.name}.go_to({x:g}, {y:g})")
        return True

    def turn(self, angle: float) -> float:
        """Turn by an angle [rad], and wait until it has; the heading that it takes itself to have then [rad]."""
        self._check("turn", angle)
        seconds = CONSTANTS.turn_seconds(angle)
        reply = self.port.ask(Order("b", (float(angle),)), seconds, expected=seconds)
        return require_reply(reply, "b", f"{self.name}.turn({angle:g})").numbers[0]

    def forward(self, distance: float) -> float:
        """Drive straight ahead [m], and wait until it has; how long it moved [s]."""
        self._check("forward", distance)
        if distance < 0:
            raise PaddockError(
                f"{self.name}.forward({distance!r}): expected metres >= 0: the language knows no way back"
            )
        x, y, heading = self.pose
        seconds = CONSTANTS.drive_seconds(distance)
        end = (x + distance * math.cos(heading)) / CM, (y + distance * math.sin(heading)) / CM
        reply = self.port.ask(Order("c", end), seconds, expected=seconds)
        return require_reply(reply, "c", f"{self.name}.forward({distance:g})").numbers[0]

    def set_threshold(self, threshold: float) -> None:
        """From which sum of two proximity sensors on it avoids something."""
        self._check("set_threshold", threshold)
        require_reply(self.port.ask(Order("N", (threshold,))), "N", f"{self.name}.set_threshold({threshold:g})")

    @property
    def moving_time(self) -> float:
        """How long it has moved since it was switched on [s]."""
        return require_reply(self.port.ask(Order("T")), "T", f"{self.name}.moving_time").numbers[0]

    @property
    def detections(self) -> int:
        """How often it has seen an obstacle on its way; one may count several times."""
        return int(require_reply(self.port.ask(Order("U")), "U", f"{self.name}.detections").numbers[0])

    def stop(self) -> None:
        """Stand. A robot in legacy mode answers, and reads its line only when it stands anyway."""
        self.port.ask(Order("S"))
        self.body.mark_reset()

    def _check(self, call: str, *numbers: float) -> None:
        if not all_finite(*numbers):
            raise PaddockError(f"{self.name}.{call}{numbers!r}: expected finite numbers")
