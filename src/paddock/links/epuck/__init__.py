"""Real e-pucks: `epuck://<serial device>`, `epuck://<Bluetooth address>` and `epuck2://<host>`."""

from __future__ import annotations

from paddock.core.errors import LinkError
from paddock.epuck import packets
from paddock.epuck.driver.port import Port
from paddock.epuck.driver.serial_port import SerialPort
from paddock.epuck.driver.streams import open_tcp
from paddock.epuck.driver.wifi_port import WifiPort
from paddock.links.epuck.address import RobotAddress, read_address
from paddock.links.epuck.robot import EPuck


def connect_epuck(url: str, *, name: str = "", timeout: float = 10.0) -> EPuck:
    """Reach a real e-puck, or the emulator of one.

    Args:
        url: `epuck:///dev/rfcomm0`, `epuck://COM5`, `epuck://10:00:E8:AD:77:BB`, `epuck2://192.168.1.20` or
            `epuck2://host:port`; behind a `?`, `name=` says what the robot is called, `dt=` how long a tick of `step`
            is [s], `type=` which TOML file describes this very robot, such as one that `paddock calibrate` wrote,
            `silence=` after how many seconds without an answered call it is stopped, and `channel=` which channel of
            a Bluetooth address is meant.
        name: what the robot is called, unless the URL says so.
        timeout: seconds after which a call fails; while connecting, each question to the robot has as many.
    """
    address = read_address(url, timeout)
    port = _open_port(address, timeout)
    try:
        port.identify()
        return EPuck(port, name=address.name or name, dt=address.dt, type=address.type)
    except BaseException:
        port.close()
        raise


def _open_port(address: RobotAddress, timeout: float) -> Port:
    url, parts = address.url, address.parts
    if parts.scheme == "epuck":
        return SerialPort(address.open_line, timeout, silence=address.silence)
    try:
        host, number = parts.hostname or "", packets.PORT if parts.port is None else parts.port
    except ValueError:
        host, number = parts.hostname or "", 0
    if not host:
        raise LinkError(f"connect: {url}: expected a host, such as 'epuck2://192.168.1.20'")
    if number == 0:
        given = parts.netloc.rpartition(":")[2]
        raise LinkError(f"connect: {url}: expected a port from 1 to 65535, got {given}")
    return WifiPort(lambda left: open_tcp(host, number, left), timeout, silence=address.silence)
