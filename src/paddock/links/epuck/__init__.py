"""Real e-pucks: `epuck://<serial device>` and `epuck2://<host>`."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from paddock.core.errors import LinkError, suggestion
from paddock.core.numeric import all_finite
from paddock.epuck import packets
from paddock.epuck.driver.port import Port
from paddock.epuck.driver.serial_port import SerialPort
from paddock.epuck.driver.streams import SerialStream, TcpStream
from paddock.epuck.driver.wifi_port import WifiPort
from paddock.links.epuck.robot import EPuck

OPTIONS = ("name", "dt", "type")
DT = 0.05  # [s] about what Bluetooth can do


def connect_epuck(url: str, *, name: str = "", timeout: float = 10.0) -> EPuck:
    """Reach a real e-puck, or the emulator of one.

    Args:
        url: `epuck:///dev/rfcomm0`, `epuck://COM5`, `epuck2://192.168.1.20` or `epuck2://host:port`; behind a `?`,
            `name=` says what the robot is called, `dt=` how long a tick of `step` is [s], and `type=` which TOML file
            describes this very robot, such as one that `paddock calibrate` wrote.
        name: what the robot is called, unless the URL says so.
        timeout: seconds after which a call fails; while connecting, each question to the robot has as many.
    """
    address = read_address(url, timeout)
    parts = address.parts
    port: Port
    if parts.scheme == "epuck":
        device = address.device
        port = SerialPort(lambda left: SerialStream(device), timeout)
    else:
        try:
            host, number = parts.hostname or "", packets.PORT if parts.port is None else parts.port
        except ValueError:
            host, number = parts.hostname or "", 0
        if not host:
            raise LinkError(f"connect: {url}: expected a host, such as 'epuck2://192.168.1.20'")
        if number == 0:
            given = parts.netloc.rpartition(":")[2]
            raise LinkError(f"connect: {url}: expected a port from 1 to 65535, got {given}")
        port = WifiPort(lambda left: TcpStream(host, number, left), timeout)
    try:
        port.identify()
        return EPuck(port, name=address.name or name, dt=address.dt, type=address.type)
    except BaseException:
        port.close()
        raise


class RobotAddress(NamedTuple):
    """The parts of a robot's URL."""

    url: str
    parts: SplitResult
    name: str
    dt: float  # [s]
    type: str | None  # a file that describes this very robot

    @property
    def device(self) -> str:
        """The serial device."""
        device, scheme = unquote(self.parts.netloc + self.parts.path), self.parts.scheme
        if not device:
            raise LinkError(f"connect: {self.url}: expected a serial device, such as '{scheme}:///dev/rfcomm0'")
        if device.startswith("dev/"):
            raise LinkError(f"connect: {self.url}: a slash is missing: did you mean '{scheme}:///{device}'?")
        return device


def read_address(url: str, timeout: float) -> RobotAddress:
    """The parts of a robot's URL, checked like the timeout that comes with it."""
    if not (all_finite(timeout) and timeout > 0):
        raise LinkError(f"connect: timeout: expected seconds > 0, got {timeout!r}")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise LinkError(f"connect: {url}: expected an address such as 'epuck2://192.168.1.20'") from None
    options = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    for key in options:
        if key not in OPTIONS:
            raise LinkError(f"connect: {url}: no option called {key!r}{suggestion(key, OPTIONS)}")
    try:
        dt = float(options.get("dt", DT))
    except ValueError:
        dt = 0.0
    if not (all_finite(dt) and 0 < dt <= 1):
        raise LinkError(f"connect: {url}: dt: expected seconds > 0 and <= 1, got {options['dt']!r}")
    return RobotAddress(url, parts, options.get("name", ""), dt, options.get("type"))
