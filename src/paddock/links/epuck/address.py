"""RobotAddress: the parsed URL of a real robot, which opens the connection."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from paddock.core.errors import LinkError
from paddock.epuck.driver.bluetooth import ADDRESS, CHANNEL, MAX_CHANNELS, open_bluetooth
from paddock.epuck.driver.streams import ByteStream, SerialStream
from paddock.links.drive_watchdog import read_silence
from paddock.links.options import read_options

OPTIONS = ("name", "dt", "type", "silence", "channel")
DT = 0.05  # [s], about the round-trip time of Bluetooth


class RobotAddress(NamedTuple):
    """The parts of a robot's URL."""

    url: str
    parts: SplitResult
    name: str
    dt: float  # [s]
    type: str | None  # TOML file of this individual robot
    silence: float  # [s] without an answered call after which it is stopped
    channel: int  # of a Bluetooth address

    @property
    def device(self) -> str:
        """The serial device, or the Bluetooth address."""
        device, scheme = unquote(self.parts.netloc + self.parts.path), self.parts.scheme
        if not device:
            raise LinkError(f"connect: {self.url}: expected a serial device, such as '{scheme}:///dev/rfcomm0'")
        if device.startswith("dev/"):
            raise LinkError(f"connect: {self.url}: a slash is missing: did you mean '{scheme}:///{device}'?")
        return device

    def open_line(self, timeout: float) -> ByteStream:
        """Open the serial device, or connect to the Bluetooth address."""
        device = self.device
        return open_bluetooth(device, self.channel, timeout) if ADDRESS.fullmatch(device) else SerialStream(device)


def read_address(url: str) -> RobotAddress:
    """Parse and check a robot's URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise LinkError(f"connect: {url}: expected an address such as 'epuck2://192.168.1.20'") from None
    options = read_options(url, parts.query, OPTIONS)
    if "channel" in options and not ADDRESS.fullmatch(unquote(parts.netloc + parts.path)):
        raise LinkError(
            f"connect: {url}: channel: only a Bluetooth address has one, 'epuck://10:00:E8:AD:77:BB?channel=2'"
        )
    if "type" in options and parts.scheme == "orders":
        raise LinkError(f"connect: {url}: type: robots that take orders have none; leave it out")
    try:
        dt = float(options.get("dt", DT))
    except ValueError:
        dt = 0.0
    if not 0 < dt <= 1:
        raise LinkError(f"connect: {url}: dt: expected seconds > 0 and <= 1, got {options['dt']!r}")
    silence, channel = read_silence(url, options), options.get("channel", str(CHANNEL))
    if not (channel.isdecimal() and 1 <= int(channel) <= MAX_CHANNELS):
        raise LinkError(f"connect: {url}: channel: expected a number from 1 to {MAX_CHANNELS}, got {channel!r}")
    return RobotAddress(url, parts, options.get("name", ""), dt, options.get("type"), silence, int(channel))
