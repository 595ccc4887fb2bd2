"""Connections to Bluetooth addresses over the system's RFCOMM sockets, without a serial device."""

from __future__ import annotations

import errno
import re
import socket

from paddock.bridges.epuck.driver.streams import SocketStream
from paddock.core.errors import LinkError, Timeout

ADDRESS = re.compile(r"[0-9A-F]{2}(:[0-9A-F]{2}){5}", re.IGNORECASE)
CHANNEL, MAX_CHANNELS = 1, 30
WITHOUT = (
    "create a serial device for the robot and use that: on Linux `sudo rfcomm bind 0 {address} {channel}`, then "
    "epuck:///dev/rfcomm0; on macOS pair it, then epuck:///dev/cu.e-puck…; on Windows pair it, then epuck://COM5"
)


def open_bluetooth(address: str, channel: int, timeout: float) -> SocketStream:
    """Connect to a robot. Raise a LinkError with the reason and the alternative if this fails."""
    name = f"{address} channel {channel}"
    instead = WITHOUT.format(address=address, channel=channel)
    if not hasattr(socket, "AF_BLUETOOTH"):
        raise LinkError(f"{name}: this Python has no Bluetooth sockets; {instead}")
    try:
        connecting = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_STREAM, socket.BTPROTO_RFCOMM)
    except OSError as error:
        raise LinkError(f"{name}: this system has no Bluetooth sockets: {error.strerror}; {instead}") from None
    try:
        connecting.settimeout(timeout)
        connecting.connect((address, channel))
    except TimeoutError:
        connecting.close()
        raise Timeout(f"{name}: no connection within {timeout:g} s; is the robot on, near and paired?") from None
    except OSError as error:
        connecting.close()
        raise LinkError(f"{name}: cannot connect: {error.strerror or error}; {_advise(error)}") from None
    return SocketStream(name, connecting)


def _advise(error: OSError) -> str:
    """Return a possible cause of the error."""
    match error.errno:
        case errno.ECONNREFUSED:
            return "is its selector at 3? An e-puck2 may use another channel: ?channel=2"
        case errno.EHOSTDOWN | errno.EHOSTUNREACH:
            return "is the robot on, near, and is that its address? `bluetoothctl scan on` lists the robots in range"
        case errno.EACCES | errno.EPERM:
            return "pair it first: bluetoothctl, then pair ADDRESS"
        case errno.EBUSY:
            return "it is in use by another program or by `rfcomm bind`"
        case errno.ENODEV | errno.EADDRNOTAVAIL | errno.ENETDOWN | errno.ENETUNREACH:
            return "does this computer have Bluetooth, and is it switched on (`bluetoothctl power on`)?"
    return "is the robot on, near and paired?"
