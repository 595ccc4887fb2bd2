"""Link to robots that take orders: `orders://<serial device>`."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from paddock.bridges.epuck.driver.port import Raw
from paddock.bridges.epuck.link.address import read_address
from paddock.bridges.epuck.link.body import EPuckBody, SensorSample
from paddock.bridges.epuck.link.robot import EPuck
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose
from paddock.core.motion import Motion
from paddock.core.observation import Readings
from paddock.experiments.ecoli.waypoint_robots.driving import TRIES, allow_seconds, estimate_seconds
from paddock.experiments.ecoli.waypoint_robots.motion import CONSTANTS
from paddock.experiments.ecoli.waypoint_robots.port import OrdersPort, require_reply
from paddock.experiments.ecoli.waypoint_robots.texts import CM, STOPS_AT, Order
from paddock.simulation.sensors.response import convert_to_si


def connect_orders(url: str, *, name: str = "", timeout: float = 10.0, checked: bool = True) -> OrdersRobot:
    """Connect to a robot that takes orders, or to its emulator.

    Args:
        url: `orders:///dev/rfcomm0` or `orders://10:00:E8:AD:77:BB`. Options after a `?`: `name=` is the name of the
            robot, `dt=` the duration of a tick of `step` [s], `silence=` the time without an answered call after
            which the robot is stopped [s], and `channel=` the channel of a Bluetooth address.
        name: name of the robot, unless the URL contains one.
        timeout: seconds after which a call fails, in addition to the duration of a drive.
        checked: request checked mode; robots that do not support it stay in legacy mode.
    """
    address = read_address(url)
    port = OrdersPort(address.make_opener(), timeout, checked=checked, silence=address.silence)
    try:
        port.identify()
        return OrdersRobot(port, name=address.name or name, dt=address.dt)
    except BaseException:
        port.close()
        raise


class OrdersBody(EPuckBody):
    """Reads and controls a robot that takes orders. Its pose is the robot's own estimate."""

    port: OrdersPort

    def restart_odometry(self, pose: Pose) -> None:
        """Do nothing: the robot computes its own odometry, and its counters do not wrap around."""

    def set_odometry(self, pose: Pose) -> None:
        with self.port.hold():
            self.port.ask(Order("P", (pose.x / CM, pose.y / CM)))
            self.port.ask(Order("A", (pose.heading,)))

    def _to_si(self, name: str, raw: Raw) -> Readings:
        values = convert_to_si(self._specs[name], np.array(raw))
        values[np.isnan(raw)] = np.nan  # sensors that the robot does not report
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
    """A robot that takes orders and drives to points autonomously. In checked mode any controller can drive it."""

    body: OrdersBody
    body_class = OrdersBody
    port: OrdersPort

    @property
    def mode(self) -> str:
        """ "legacy" or "checked"."""
        return "checked" if self.port.checked else "legacy"

    def go_to(self, x: float, y: float, *, avoiding: bool = True) -> bool:
        """Drive to a point [m] and wait for the end of the drive. Return whether the robot has reached it."""
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
        """Turn by an angle [rad] and wait for the end of the turn. Return the estimated heading [rad]."""
        self._check("turn", angle)
        seconds = CONSTANTS.turn_seconds(angle)
        reply = self.port.ask(Order("b", (float(angle),)), seconds, expected=seconds)
        return require_reply(reply, "b", f"{self.name}.turn({angle:g})").numbers[0]

    def forward(self, distance: float) -> float:
        """Drive straight ahead [m] and wait for the end of the drive. Return the moving time [s]."""
        self._check("forward", distance)
        if distance < 0:
            raise PaddockError(
                f"{self.name}.forward({distance!r}): expected metres >= 0: there is no order to drive backwards"
            )
        x, y, heading = self.pose
        seconds = CONSTANTS.drive_seconds(distance)
        end = (x + distance * math.cos(heading)) / CM, (y + distance * math.sin(heading)) / CM
        reply = self.port.ask(Order("c", end), seconds, expected=seconds)
        return require_reply(reply, "c", f"{self.name}.forward({distance:g})").numbers[0]

    def set_threshold(self, threshold: float) -> None:
        """Set the sum of two proximity sensors from which the robot avoids an obstacle."""
        self._check("set_threshold", threshold)
        require_reply(self.port.ask(Order("N", (threshold,))), "N", f"{self.name}.set_threshold({threshold:g})")

    @property
    def moving_time(self) -> float:
        """Moving time since the robot was switched on [s]."""
        return require_reply(self.port.ask(Order("T")), "T", f"{self.name}.moving_time").numbers[0]

    @property
    def detections(self) -> int:
        """Number of obstacle detections while driving; one obstacle may count several times."""
        return int(require_reply(self.port.ask(Order("U")), "U", f"{self.name}.detections").numbers[0])

    def stop(self) -> None:
        """Stop. A robot in legacy mode reads and answers this only after it has reached its target."""
        self.port.ask(Order("S"))
        self.body.mark_reset()

    def _check(self, call: str, *numbers: float) -> None:
        if not all_finite(*numbers):
            raise PaddockError(f"{self.name}.{call}{numbers!r}: expected finite numbers")
