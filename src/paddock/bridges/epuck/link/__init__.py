"""Link to real e-pucks: `epuck://<serial device>`, `epuck://<Bluetooth address>` and `epuck2://<host>`."""

from __future__ import annotations

from paddock.bridges.epuck.driver.port import Port
from paddock.bridges.epuck.driver.serial_port import SerialPort
from paddock.bridges.epuck.driver.streams import open_tcp
from paddock.bridges.epuck.driver.wifi_port import WifiPort
from paddock.bridges.epuck.link.address import RobotAddress, read_address
from paddock.bridges.epuck.link.robot import EPuck
from paddock.bridges.epuck.wire import packets

__all__ = ["EPuck", "connect_epuck"]


def connect_epuck(url: str, *, name: str = "", timeout: float = 10.0) -> EPuck:
    """Connect to a real e-puck, or to its emulator.

    Args:
        url: `epuck:///dev/rfcomm0`, `epuck://COM5`, `epuck://10:00:E8:AD:77:BB`, `epuck2://192.168.1.20` or
            `epuck2://host:port`. Options after a `?`: `name=` is the name of the robot, `dt=` the duration of a tick
            of `step` [s], `type=` the TOML file of this individual robot, as `paddock robot calibrate` writes it,
            `silence=` the time without an answered call after which the robot is stopped [s], and `channel=` the
            channel of a Bluetooth address.
        name: name of the robot, unless the URL contains one.
        timeout: seconds after which a call fails; while connecting, the timeout of each request to the robot.
    """
    address = read_address(url)
    port = _open_port(address, timeout)
    try:
        port.identify()
        return EPuck(port, name=address.name or name, dt=address.dt, type=address.type)
    except BaseException:
        port.close()
        raise


def _open_port(address: RobotAddress, timeout: float) -> Port:
    if address.target.parts.scheme == "epuck":
        return SerialPort(address.make_opener(), timeout, silence=address.silence)
    host, number = address.target.read_host(packets.PORT)
    return WifiPort(lambda left: open_tcp(host, number, left), timeout, silence=address.silence)
