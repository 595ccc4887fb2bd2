"""ROS 2 without a ROS installation: robots of a served world as topics and services, over DDS or zenoh."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from paddock.arena import Arena
from paddock.bridges.common.bridge import LOOPBACK, Bridge
from paddock.bridges.common.ports import call_and_wait, get_time, split_words
from paddock.bridges.common.scene_world import ArenaWorld
from paddock.bridges.ros2.dds import DdsTransport
from paddock.bridges.ros2.graph import RosTransport
from paddock.bridges.ros2.hub import RosHub, RosOptions
from paddock.bridges.ros2.zenoh import ROUTER, ZenohTransport, endpoint_host
from paddock.core.addresses import is_loopback
from paddock.core.errors import PaddockError

TRANSPORTS = ("dds", "zenoh")
SETTINGS, WORDS = ("domain", "rate", "stop", "router"), ("namespaces", "localised", "humble")
HIGHEST_DOMAIN = 232  # there are no DDS ports for higher domains
EXPECTED = (
    "ros2: expected dds or zenoh, optionally followed by comma-separated settings: domain=0, rate=50, stop=0.5, "
    f"router={ROUTER}, namespaces, localised, humble"
)


class RosBridge(Bridge):
    """Makes an arena available to ROS 2 nodes, for the lifetime of a `with` block."""

    def __init__(
        self,
        arena: Arena,
        *transports: str,
        domain: int = 0,
        router: str = ROUTER,
        host: str = LOOPBACK,
        options: RosOptions | None = None,
    ) -> None:
        """
        Args:
            arena: the arena that contains the robots; it must have a `Server`.
            transports: "dds", "zenoh" or both.
            domain: the ROS_DOMAIN_ID.
            router: endpoint of zenoh's router. If there is none, this session becomes the router.
            host: address of the DDS network interface. There is no token: any node on that network can drive robots.
            options: rate, namespaces and other options.
        """
        options = options or RosOptions()
        time, hashes = get_time(arena, "ros2"), not options.humble
        if not 0 <= domain <= HIGHEST_DOMAIN:
            raise PaddockError(f"ros2: domain: expected a number from 0 to {HIGHEST_DOMAIN}, got {domain}")
        self._transports: list[RosTransport] = []
        try:
            for kind in dict.fromkeys(transports):
                if kind == "dds":
                    self._transports.append(DdsTransport(domain, host, hashes=hashes))
                elif kind == "zenoh":
                    self._transports.append(ZenohTransport(router, domain=domain, hashes=hashes))
                else:
                    raise PaddockError(f"{EXPECTED}; got {kind!r}")
        except BaseException:
            self._close_transports()
            raise
        self.hub = RosHub("ros2", arena, ArenaWorld(arena), time, self._transports, options)
        self._time, self._began = time, False
        time.on_start(self._begin)

    def _begin(self, loop: Any) -> None:
        self._began = True
        self.hub.begin()

    def describe(self) -> Iterator[str]:
        """Yield how to reach each transport."""
        for transport in self._transports:
            yield from transport.describe()

    def close(self) -> None:
        """Remove all topics and services."""
        if self._began:
            call_and_wait(self._time.call, self.hub.close)
        self._close_transports()

    def _close_transports(self) -> None:
        for transport in self._transports:
            transport.close()


def open_ros2(arena: Arena, values: Sequence[str], host: str) -> RosBridge:
    """Open the bridge `ros2=dds|zenoh[,OPTION…]`: robots for ROS 2 nodes.

    Options: domain=ROS_DOMAIN_ID, rate=50 [Hz], stop=0.5 (seconds without a command until the robot stops),
    router=ENDPOINT of zenoh, namespaces (also for a single robot), localised (transforms from `map`), humble.
    """
    words = split_words(values)
    settings = dict(word.split("=", 1) for word in words if "=" in word)
    transports = [word for word in words if word in TRANSPORTS]
    unknown = [word for word in words if "=" not in word and word not in (*TRANSPORTS, *WORDS)]
    unknown += sorted(set(settings) - set(SETTINGS))
    if unknown or not transports:
        raise PaddockError(f"{EXPECTED}; got {','.join(values)}")
    router = settings.get("router", ROUTER)
    if "zenoh" in transports and is_loopback(host) and not is_loopback(endpoint_host(router)):
        raise PaddockError(
            f"ros2: router={router} is on another machine, and anybody who reaches it could drive the robots: "
            "`--bridge-host ADDRESS --open-bridges` accepts that"
        )
    return RosBridge(
        arena,
        *transports,
        domain=int(read_setting(settings, "domain", 0.0)),
        router=router,
        host=host,
        options=read_options(settings, words),
    )


def read_options(settings: dict[str, str], words: Sequence[str]) -> RosOptions:
    """Read the options that all transports to ROS share."""
    return RosOptions(
        rate=read_setting(settings, "rate", RosOptions.rate),
        dead_man=read_setting(settings, "stop", RosOptions.dead_man),
        namespaces="namespaces" in words,
        localised="localised" in words,
        humble="humble" in words,
    )


def read_setting(settings: dict[str, str], name: str, default: float) -> float:
    """Read a number from the settings."""
    try:
        value = float(settings.get(name, default))
        if name == "domain" and value != int(value):
            raise ValueError
    except (ValueError, OverflowError):
        raise PaddockError(f"ros2: {name}: expected a number, got {settings[name]!r}") from None
    return value
