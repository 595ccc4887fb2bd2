"""RobotAddress: the parsed URL of a real robot, which opens the connection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

from paddock.bridges.common.robot_url import RobotUrl
from paddock.bridges.epuck.driver.streams import (
    ADDRESS,
    CHANNEL,
    MAX_CHANNELS,
    ByteStream,
    SerialOpener,
    SerialStream,
    open_bluetooth,
)

OPTIONS = ("name", "dt", "type", "silence", "channel")
DT = 0.05  # [s], about the round-trip time of Bluetooth


class RobotAddress(NamedTuple):
    """The parts of a robot's URL."""

    target: RobotUrl
    name: str
    dt: float  # [s]
    type: str | None  # TOML file of this individual robot
    silence: float  # [s] without an answered call after which it is stopped
    channel: int  # of a Bluetooth address

    @property
    def device(self) -> str:
        """The serial device, or the Bluetooth address."""
        device, scheme = find_device(self.target), self.target.parts.scheme
        if not device:
            raise self.target.refuse(f"expected a serial device, such as '{scheme}:///dev/rfcomm0'")
        if device.startswith("dev/"):
            raise self.target.refuse(f"a slash is missing: did you mean '{scheme}:///{device}'?")
        return device

    def make_opener(self) -> Callable[[float], ByteStream]:
        """Return a function that opens the serial device, or connects to the Bluetooth address, within some seconds."""
        device = self.device
        if ADDRESS.fullmatch(device):
            return partial(open_bluetooth, device, self.channel)
        opener = SerialOpener(device)
        return lambda timeout: SerialStream(opener)


def find_device(target: RobotUrl) -> str:
    """Return the part of a URL that is a device if the robot is not on Wi-Fi."""
    return unquote(target.parts.netloc + target.parts.path)


def read_address(url: str) -> RobotAddress:
    """Parse and check a robot's URL."""
    target = RobotUrl(url, OPTIONS, "epuck2://192.168.1.20")
    options = target.options
    if "channel" in options and not ADDRESS.fullmatch(find_device(target)):
        raise target.refuse("channel: only a Bluetooth address has one, 'epuck://10:00:E8:AD:77:BB?channel=2'")
    if "type" in options and target.parts.scheme == "orders":
        raise target.refuse("type: robots that take orders have none; leave it out")
    name, type, silence = options.get("name", ""), options.get("type"), target.read_silence()
    channel = target.read_whole("channel", CHANNEL, 1, MAX_CHANNELS)
    return RobotAddress(target, name, target.read_number("dt", DT, 1e-3, 1.0), type, silence, channel)
