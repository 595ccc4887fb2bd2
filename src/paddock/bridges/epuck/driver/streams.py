"""Byte streams to and from a robot, with a deadline for every call."""

from __future__ import annotations

import errno
import os
import re
import socket
import time
from pathlib import Path
from typing import Any, Protocol

from paddock.bridges.epuck.wire.packets import PORT
from paddock.bridges.epuck.wire.sercom import BAUD
from paddock.core.errors import LinkError, Timeout
from paddock.core.packages import install_extra
from paddock.core.reason import explain, explain_os_error

CHUNK = 1 << 16
RELEASE = 1.0  # [s] for an ending program, or for its watchdog, to release a serial device
LOOKS = 0.02  # [s] between two attempts to open a device that is in use
TAKEN = (errno.EAGAIN, errno.EBUSY)
Identity = tuple[object, ...]
PYSERIAL = explain("serial devices need the package pyserial: {install}", install=install_extra("robot"))


class ByteStream(Protocol):
    """An open connection. All failures raise LinkError."""

    name: str

    def send(self, data: bytes, deadline: float) -> None:
        """Send all data. Raise Timeout if that is not done by the deadline (monotonic)."""

    def receive(self, deadline: float) -> bytes:
        """Return at least one byte. Raise Timeout if none arrives by the deadline (monotonic)."""

    def fileno(self) -> int | None:
        """Return the file descriptor, which another process can share; None if there is none."""

    def close(self) -> None: ...


class SerialStream:
    """A serial device: Bluetooth, USB, or a pseudo terminal."""

    def __init__(self, opener: SerialOpener) -> None:
        self.name = opener.device
        self._port = opener.open(RELEASE)
        import serial

        self._error: type[Exception] = serial.SerialException
        self._slow: type[Exception] = serial.SerialTimeoutException

    def send(self, data: bytes, deadline: float) -> None:
        try:
            self._port.write_timeout = max(1e-3, deadline - time.monotonic())
            self._port.write(data)
        except self._slow:
            raise Timeout(explain("{device}: it does not accept any bytes", device=self.name)) from None
        except (OSError, TypeError, self._error) as error:
            raise self._lose(error) from None

    def receive(self, deadline: float) -> bytes:
        try:
            waiting = self._port.in_waiting
            if not waiting:
                self._port.timeout = max(0.0, deadline - time.monotonic())
            data = bytes(self._port.read(max(1, min(waiting, CHUNK))))
            if data and not waiting:
                data += self._port.read(min(self._port.in_waiting, CHUNK))
        except (OSError, TypeError, self._error) as error:
            raise self._lose(error) from None
        if not data:
            raise Timeout(self.name)
        return data

    def _lose(self, error: Exception) -> LinkError:
        return LinkError(explain("{device}: the connection was lost: {why}", device=self.name, why=error))

    def fileno(self) -> int | None:
        return find_descriptor(self._port)

    def close(self) -> None:
        self._port.close()


class SerialOpener:
    """Opens a serial device at a path, and later only the same device again.

    The system gives the path of a lost device to the next one, which may be another robot, or a program's terminal.
    """

    def __init__(self, device: str) -> None:
        self.device = device
        self._identity: Identity | None = None  # None: not known yet, or unknown to the system

    def open(self, release: float = 0.0) -> Any:
        """Open a pyserial port; the arguments and errors are those of `open_serial_port`."""
        self._check()  # before it is opened, because opening changes a terminal's settings
        port = open_serial_port(self.device, release)
        try:
            self._check()  # nobody else gets the path of an open device
        except LinkError:
            port.close()
            raise
        return port

    def _check(self) -> None:
        identity = identify_device(self.device)
        if self._identity is not None and identity not in (self._identity, None):
            raise LinkError(explain("{device}: this path belongs to another device now", device=self.device))
        self._identity = identity or self._identity


def identify_device(device: str) -> Identity | None:
    """Return what distinguishes a device from later ones at its path; None if it is missing or the system cannot tell.

    This is a Bluetooth address, the serial number of a USB device, or else the entry in the file system.
    """
    try:
        from serial.tools import list_ports
    except ImportError:
        return None  # opening it fails and says why
    path = Path(device).resolve()
    if address := read_bluetooth_address(device):
        return (address,)
    for port in list_ports.comports():
        if port.device in (device, str(path)) and port.serial_number:
            return port.vid, port.pid, port.serial_number  # it may be plugged in again
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_rdev, status.st_ino, status.st_ctime_ns


def read_bluetooth_address(device: str) -> str:
    """Return the Bluetooth address of an RFCOMM device, if Linux provides it."""
    try:
        return Path("/sys/class/tty", Path(device).resolve().name, "address").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def find_descriptor(port: Any) -> int | None:
    """Return the file descriptor of a pyserial port; None for a COM port on Windows, which has none."""
    try:
        number: int = port.fileno()
    except (AttributeError, OSError):
        return None
    return number


def open_serial_port(device: str, release: float = 0.0) -> Any:
    """Open a pyserial port with non-blocking reads and writes. Raise a LinkError with the reason if this fails.

    Args:
        device: its path or name.
        release: seconds to wait for another program to release it.
    """
    try:
        import serial
    except ImportError:
        raise LinkError(explain("{device}: {why}", device=device, why=PYSERIAL)) from None
    deadline = time.monotonic() + release
    while True:
        try:
            return serial.Serial(device, BAUD, timeout=0, write_timeout=0, exclusive=True)
        except Exception as error:  # also termios.error, which is no OSError, if the device vanishes meanwhile
            if getattr(error, "errno", None) not in TAKEN or time.monotonic() > deadline:
                why = _why_closed(error)
                raise LinkError(explain("{device}: cannot open it: {why}", device=device, why=why)) from None
        time.sleep(LOOKS)


class SocketStream:
    """A connected socket."""

    def __init__(self, name: str, connected: socket.socket) -> None:
        self.name, self._socket = name, connected

    def send(self, data: bytes, deadline: float) -> None:
        try:
            self._socket.settimeout(max(1e-3, deadline - time.monotonic()))
            self._socket.sendall(data)
        except TimeoutError:
            raise Timeout(f"{self.name}: it does not accept any bytes") from None
        except OSError as error:
            raise LinkError(f"{self.name}: the connection was lost: {error.strerror or error}") from None

    def receive(self, deadline: float) -> bytes:
        try:
            self._socket.settimeout(max(1e-4, deadline - time.monotonic()))
            data = self._socket.recv(CHUNK)
        except TimeoutError:
            raise Timeout(self.name) from None
        except OSError as error:
            raise LinkError(f"{self.name}: the connection was lost: {error.strerror or error}") from None
        if not data:
            raise LinkError(f"{self.name}: the connection was lost: the robot closed it")
        return data

    def fileno(self) -> int | None:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()


def open_tcp(host: str, port: int, timeout: float) -> SocketStream:
    """Open a TCP connection."""
    name = f"{host}:{port}"
    try:
        connected = socket.create_connection((host, port), timeout=timeout)
    except TimeoutError:
        raise Timeout(f"{name}: no connection within {timeout:g} s; is the robot on and in this Wi-Fi?") from None
    except OSError as error:
        raise LinkError(f"{name}: cannot connect: {error.strerror or error}; {_hint(error, port)}") from None
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return SocketStream(name, connected)


def _why_closed(error: Exception) -> str:
    """Return why a serial device cannot be opened, and the fix."""
    number = getattr(error, "errno", None)
    if number in TAKEN or (os.name == "nt" and "PermissionError" in str(error)):
        return explain("it is in use by another program")
    if number == errno.EACCES:
        return explain(
            "permission denied: add yourself to the group dialout (sudo usermod -aG dialout $USER), then log in again"
        )
    why = explain_os_error(error) if isinstance(error, OSError) and number else error.args[-1]
    return explain("{why}; is the robot on and paired?", why=why)


def _hint(error: OSError, port: int) -> str:
    """Return a possible cause for a failed connection to a robot on Wi-Fi."""
    if isinstance(error, socket.gaierror):
        return "is that its IP address, and is the robot on the same network as this computer?"
    if isinstance(error, ConnectionRefusedError):
        return "is this the robot, and does it run its Wi-Fi firmware?" + (
            f" An e-puck2 listens on port {PORT}" if port != PORT else ""
        )
    return "is the robot on, and on the same network as this computer?"


ADDRESS = re.compile(r"[0-9A-F]{2}(:[0-9A-F]{2}){5}", re.IGNORECASE)
CHANNEL, MAX_CHANNELS = 1, 30
PAGING = 6.0  # [s] to find a robot by its address; the radio itself searches for 5.12 s
WITHOUT = (
    "create a serial device for the robot and use that: on Linux `sudo rfcomm bind 0 {address} {channel}`, then "
    "epuck:///dev/rfcomm0; on macOS pair it, then epuck:///dev/cu.e-puck…; on Windows pair it, then epuck://COM5"
)


def open_bluetooth(address: str, channel: int, timeout: float) -> SocketStream:
    """Connect to a robot. Raise a LinkError with the reason and the alternative if this fails."""
    return SocketStream(f"{address} channel {channel}", connect_bluetooth(address, channel, timeout))


def connect_bluetooth(address: str, channel: int, timeout: float) -> socket.socket:
    """Return a socket that is connected to a robot; the errors are those of `open_bluetooth`."""
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
    return connecting


class BluetoothOpener:
    """Opens a Bluetooth address as a port with the methods of pyserial that non-blocking programs need."""

    def __init__(self, device: str) -> None:
        self.device = device

    def open(self) -> BluetoothPort:
        """Connect, or raise a LinkError with the reason."""
        return BluetoothPort(connect_bluetooth(self.device, CHANNEL, PAGING))


class BluetoothPort:
    """A connected Bluetooth socket with non-blocking reads and writes."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        connected.setblocking(False)
        self.fileno, self.write, self.close = connected.fileno, connected.send, connected.close

    def read(self, count: int) -> bytes:
        """Return the available bytes. Raise OSError if the robot has closed the connection."""
        try:
            data = self._socket.recv(count)
        except BlockingIOError:
            return b""
        if not data:
            raise ConnectionResetError(errno.ECONNRESET, "the robot closed it")
        return data


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
