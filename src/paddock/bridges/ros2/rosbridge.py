"""rosbridge: serves robots to roslibpy, roslibjs and browsers as ROS 2, in JSON over WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from paddock.arena import Arena
from paddock.bridges.common.bridge import LOOPBACK
from paddock.bridges.common.ports import PortBridge, describe_guard, split_words
from paddock.bridges.ros2.bridge import WORDS, read_options
from paddock.bridges.ros2.graph import RosGraph, RosSubscription, RosTopic, RosTransport, Sample
from paddock.bridges.ros2.hub import RosHub, RosOptions
from paddock.bridges.ros2.rosbridge_connection import RosbridgeConnection
from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.errors import PaddockError

if TYPE_CHECKING:
    from paddock.arena.time_lock import TimeLock

ANY_ORIGIN = "any-origin"
SILENCE = 10.0  # [s]; has no effect, because no client joins the lock
EXPECTED = (
    f"rosbridge: expected a port from 0 to {HIGHEST_PORT}, usually 9090, optionally followed by comma-separated "
    f"settings: rate=50, stop=0.5, namespaces, localised, {ANY_ORIGIN}"
)


class RosbridgeServer(PortBridge, RosTransport):
    """Serves an arena with the rosbridge protocol, for the lifetime of a `with` block."""

    kind = "rosbridge"

    def __init__(
        self,
        arena: Arena,
        port: int = 9090,
        *,
        host: str = LOOPBACK,
        any_origin: bool = False,
        options: RosOptions | None = None,
    ) -> None:
        """
        Args:
            arena: the arena that contains the robots; it must have a `Server`.
            port: port number; 0 for any free port.
            host: its address. There is no token authentication: any client that reaches the port can drive robots.
            any_origin: whether web pages of other hosts may connect from a browser.
            options: rate, namespaces and other options.
        """
        super().__init__("rosbridge", arena, [port], host=host, silence=SILENCE)
        self.any_origin = any_origin
        self.hub = RosHub("rosbridge", arena, self.live, self.time, [self], options or RosOptions())
        self.time.on_start(self.begin)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        super().begin(loop)
        self.hub.begin()

    def new_connection(self, port: int, loop: asyncio.AbstractEventLoop) -> RosbridgeConnection:
        """Return the connection for a new client."""
        return RosbridgeConnection(self, loop)

    def describe(self) -> Iterator[str]:
        """Yield the address, and a warning if access is not protected."""
        host, port = self.addresses[0]
        yield f"rosbridge at ws://{host}:{port}{describe_guard(host)}"

    def _close_all(self) -> None:
        self.hub.close()
        super()._close_all()

    # ---- as a transport

    def start(self, graph: RosGraph, time: TimeLock) -> None:
        """Do nothing: connections use the graph directly."""

    def add_topic(self, topic: RosTopic) -> None:
        """Do nothing."""

    def remove_topic(self, topic: RosTopic) -> None:
        """Do nothing."""

    def add_subscription(self, subscription: RosSubscription) -> None:
        """Do nothing."""

    def remove_subscription(self, subscription: RosSubscription) -> None:
        """Do nothing."""

    def has_readers(self, topic: RosTopic) -> bool:
        return any(connection.wants(topic) for connection in self.connections)

    def publish(self, topic: RosTopic, sample: Sample) -> None:
        for connection in self.connections:
            if connection.wants(topic):
                connection.send_message(topic, sample)


def open_rosbridge(arena: Arena, values: Sequence[str], host: str) -> RosbridgeServer:
    """Open the bridge `rosbridge=PORT[,OPTION…]`: clients such as roslibpy and roslibjs, usually port 9090.

    Options: rate, stop, namespaces and localised as of ros2; any-origin also accepts web pages of other hosts.
    """
    words = split_words(values)
    settings = dict(word.split("=", 1) for word in words if "=" in word)
    ports = [word for word in words if word.isdecimal() and int(word) <= HIGHEST_PORT]
    rest = [word for word in words if "=" not in word and word not in (*ports, *WORDS, ANY_ORIGIN)]
    if len(ports) != 1 or rest or set(settings) - {"rate", "stop"}:
        raise PaddockError(f"{EXPECTED}; got {','.join(values)}")
    options = read_options(settings, words)
    return RosbridgeServer(arena, int(ports[0]), host=host, any_origin=ANY_ORIGIN in words, options=options)
