"""Bluetooth addresses: a robot is connected by the system's RFCOMM sockets, without a serial device."""

from __future__ import annotations

import errno
import re
import socket

from paddock.core.errors import LinkError, Timeout
from paddock.epuck.driver.streams import SocketStream

ADDRESS = re.compile(r"[0-9A-F]{2}(:[0-9A-F]{2}){5}", re.IGNORECASE)
CHANNEL, MOST_CHANNELS = 1, 30
WITHOUT = (
    "have the system make a serial device of the robot, and take that: Linux `sudo rfcomm bind 0 {address} {channel}`, "
    "then epuck:///dev/rfcomm0; macOS pair it, then epuck:///dev/cu.e-puck…; Windows pair it, then epuck://COM5"
)


def open_bluetooth(address: str, channel: int, timeout: float) -> SocketStream:
    """Connect to a robot; a LinkError says why that cannot be done, and what to do instead."""
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
    """What may be the matter."""
    match error.errno:
        case errno.ECONNREFUSED:
            return "is its selector at 3? An e-puck2 may have its line at ?channel=2"
        case errno.EHOSTDOWN | errno.EHOSTUNREACH:
            return "is the robot on, near, and is that its address? `bluetoothctl scan on` lists those that are there"
        case errno.EACCES | errno.EPERM:
            return "pair it first: bluetoothctl, then pair ADDRESS"
        case errno.EBUSY:
            return "another program, or an `rfcomm bind`, has it"
        case errno.ENODEV | errno.EADDRNOTAVAIL | errno.ENETDOWN | errno.ENETUNREACH:
            return "has this computer Bluetooth, and is it switched on (`bluetoothctl power on`)?"
    return "is the robot on, near and paired?"
