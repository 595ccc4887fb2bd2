"""ROS 2 without ROS: robots of a served world as topics and services, by DDS or by zenoh."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

from paddock.arena import Arena
from paddock.bridges.base import LOOPBACK, Bridge
from paddock.bridges.ports import CLOSING, get_time
from paddock.bridges.ros2_dds import DdsCarrier
from paddock.bridges.ros2_graph import RosCarrier
from paddock.bridges.ros2_hub import RosHub, RosOptions
from paddock.bridges.ros2_zenoh import ROUTER, ZenohCarrier
from paddock.bridges.scene_world import ArenaWorld
from paddock.core.errors import PaddockError

CARRIERS = ("dds", "zenoh")
SETTINGS, WORDS = ("domain", "rate", "stop", "router"), ("namespaces", "humble")
HIGHEST_DOMAIN = 232  # beyond it DDS has no ports
EXPECTED = (
    "ros2: expected dds or zenoh, and perhaps, with commas between them, domain=0, rate=50, stop=0.5, "
    f"router={ROUTER}, namespaces, humble"
)


class RosBridge(Bridge):
    """Shows an arena to nodes of ROS 2, for the lifetime of a `with` block."""

    def __init__(
        self,
        arena: Arena,
        *carriers: str,
        domain: int = 0,
        router: str = ROUTER,
        host: str = LOOPBACK,
        options: RosOptions | None = None,
    ) -> None:
        """
        Args:
            arena: where the robots are; it must have a `Server`.
            carriers: "dds", "zenoh" or both.
            domain: as ROS_DOMAIN_ID has it.
            router: endpoint of zenoh's router; where there is none, it is this session.
            host: address of the network interface of DDS. Nobody asks for a token: whoever is there drives robots.
            options: rate, namespaces and the like.
        """
        options = options or RosOptions()
        time, hashes = get_time(arena, "ros2"), not options.humble
        if not 0 <= domain <= HIGHEST_DOMAIN:
            raise PaddockError(f"ros2: domain: expected a number from 0 to {HIGHEST_DOMAIN}, got {domain}")
        self._carriers: list[RosCarrier] = []
        try:
            for kind in dict.fromkeys(carriers):
                if kind == "dds":
                    self._carriers.append(DdsCarrier(domain, host, hashes=hashes))
                elif kind == "zenoh":
                    self._carriers.append(ZenohCarrier(router, domain=domain, hashes=hashes))
                else:
                    raise PaddockError(f"{EXPECTED}; got {kind!r}")
        except BaseException:
            self._close_carriers()
            raise
        self.hub = RosHub("ros2", arena, ArenaWorld(arena), time, self._carriers, options)
        self._time, self._began = time, False
        time.on_start(self._begin)

    def _begin(self, loop: Any) -> None:
        self._began = True
        self.hub.begin()

    def describe(self) -> Iterator[str]:
        """How to reach it."""
        for carrier in self._carriers:
            yield from carrier.describe()

    def close(self) -> None:
        """Topics and services vanish."""
        closed = threading.Event()

        def end() -> None:
            self.hub.close()
            closed.set()

        if self._began:
            try:
                self._time.call(end)
                closed.wait(CLOSING)
            except RuntimeError:  # the loop has ended
                pass
        self._close_carriers()

    def _close_carriers(self) -> None:
        for carrier in self._carriers:
            carrier.close()


def open_ros2(arena: Arena, asked: Sequence[str], host: str) -> RosBridge:
    """The bridge `ros2`: dds or zenoh, and settings behind it, with commas between them."""
    words = [word.strip() for text in asked for word in text.split(",")]
    settings = dict(word.split("=", 1) for word in words if "=" in word)
    carriers = [word for word in words if word in CARRIERS]
    unknown = [word for word in words if "=" not in word and word not in (*CARRIERS, *WORDS)]
    unknown += sorted(set(settings) - set(SETTINGS))
    if unknown or not carriers:
        raise PaddockError(f"{EXPECTED}; got {','.join(asked)}")
    return RosBridge(
        arena,
        *carriers,
        domain=int(read_setting(settings, "domain", 0.0)),
        router=settings.get("router", ROUTER),
        host=host,
        options=read_options(settings, words),
    )


def read_options(settings: dict[str, str], words: Sequence[str]) -> RosOptions:
    """Options that all ways to ROS share."""
    return RosOptions(
        rate=read_setting(settings, "rate", RosOptions.rate),
        dead_man=read_setting(settings, "stop", RosOptions.dead_man),
        namespaces="namespaces" in words,
        humble="humble" in words,
    )


def read_setting(settings: dict[str, str], name: str, default: float) -> float:
    """A number among settings."""
    try:
        value = float(settings.get(name, default))
        if name == "domain" and value != int(value):
            raise ValueError
    except (ValueError, OverflowError):
        raise PaddockError(f"ros2: {name}: expected a number, got {settings[name]!r}") from None
    return value
