"""Bridge: makes robots of a world available in the protocol of another program. Bridges are registered by name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from inspect import getdoc
from typing import NamedTuple

from paddock.arena import Arena
from paddock.core.addresses import is_loopback
from paddock.core.closing import Closing
from paddock.core.errors import PaddockError
from paddock.core.registry import Registry

LOOPBACK = "127.0.0.1"


class Bridge(Closing):
    """Base class of bridges. A bridge is open until `close` is called or its `with` block ends."""

    @abstractmethod
    def describe(self) -> Iterable[str]:
        """Yield a line for the user about each robot: what it is, and its address."""

    @abstractmethod
    def close(self) -> None:
        """Close all devices and ports."""


class BridgeDescription(NamedTuple):
    """How a bridge is requested on the command line, and what it is for."""

    syntax: str
    meaning: str


OpenBridge = Callable[[Arena, Sequence[str], str], Bridge]
"""Opens a bridge. Arguments: the arena, the requested items (usually names of robots), the address of network ports."""

BRIDGES: Registry[OpenBridge] = Registry("bridge", group="paddock.bridges")


def describe_bridges() -> Iterator[BridgeDescription]:
    """Yield the registered bridges, from the docstrings of their functions: Open the bridge `SYNTAX`: MEANING."""
    for name, opener in BRIDGES.load_all().items():
        text = " ".join((getdoc(opener) or "").split())
        syntax, _, meaning = text.partition("`")[2].partition("`: ")
        yield BridgeDescription(syntax, meaning) if meaning else BridgeDescription(f"{name}=…", text)


class OpenBridges(ExitStack):
    """Several bridges to one world, for use in a `with` block."""

    def __init__(
        self, arena: Arena, requests: Iterable[tuple[str, str]], *, host: str = LOOPBACK, without_tokens: bool = False
    ) -> None:
        """
        Args:
            arena: the world.
            requests: pairs of a bridge name and its argument, one for each robot.
            host: the address of network ports. These protocols have no token authentication: any client that reaches a
                port can drive its robot. Use an address other than loopback only on a trusted network.
            without_tokens: whether addresses other than loopback are accepted.
        """
        super().__init__()
        self.bridges: list[Bridge] = []
        requests = list(requests)
        if requests and arena.is_real:
            raise PaddockError(f"{requests[0][0]}: a bridge requires no token, so it serves simulated robots only")
        if requests and not without_tokens and not is_loopback(host):
            raise PaddockError(
                f"{requests[0][0]}: a bridge requires no token, so anybody who reaches {host} could drive its robots: "
                "`--open-bridges` accepts that; without it, bridges serve this machine only"
            )
        asked: dict[str, list[str]] = {}
        for name, text in requests:
            asked.setdefault(name, []).append(text)
        try:
            for name, texts in asked.items():
                bridge = BRIDGES.get(name)(arena, texts, host)
                self.bridges.append(bridge)
                self.callback(bridge.close)
        except BaseException:
            self.close()
            raise

    def describe(self) -> Iterable[str]:
        """Yield a line for the user about each robot of all bridges."""
        for bridge in self.bridges:
            yield from bridge.describe()
