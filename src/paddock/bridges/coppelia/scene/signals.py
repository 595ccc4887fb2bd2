"""Signals: named numbers and texts that programs and robots exchange."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from paddock.bridges.coppelia.scene.quota import Quota

MAX_SIGNALS = 10_000  # per client
MAX_BYTES = 1 << 22  # total size of the string signals of a client
MAX_CLIENTS = 4  # total quota in multiples of a client's quota

Signal = int | float | bytes
SignalKind = type[int] | type[float] | type[bytes]  # bytes: a string, also called a buffer
KINDS: tuple[SignalKind, ...] = (int, float, bytes)


class LiveSignals(Protocol):
    """Signals of robots: some provide sensor values, others are commands."""

    def read(self, name: str) -> Signal | None:
        """Return the current value of a robot's signal; None if no robot has a signal of this name."""

    def execute(self, name: str, value: Signal) -> None:
        """Execute the command of a signal that was set."""


class Signals:
    """The signals of a scene. Each type has its own names: an integer and a string of the same name are two signals."""

    def __init__(self, *live: LiveSignals, client: Callable[[], object] = lambda: None) -> None:
        """`live` are the signals of robots; `client` returns the client that sets a signal."""
        self.live, self._client = list(live), client
        self._values: dict[tuple[SignalKind, str], Signal] = {}
        hooks: Any = {"exists": self._values.__contains__, "drop": lambda key: self._values.pop(key, None)}
        self._names: Quota[tuple[SignalKind, str]] = Quota("signals", MAX_SIGNALS, MAX_CLIENTS * MAX_SIGNALS, **hooks)
        self._bytes: Quota[tuple[SignalKind, str]] = Quota(
            "bytes of string signals", MAX_BYTES, MAX_CLIENTS * MAX_BYTES, **hooks
        )

    def release(self, client: object) -> None:
        """Handle a disconnected client. Its signals are kept until others need the space."""
        self._names.release(client)
        self._bytes.release(client)

    def set(self, kind: SignalKind, name: str, value: Signal) -> None:
        """Set a signal."""
        if isinstance(value, bytes):
            self._bytes.reserve((kind, name), self._client(), len(value))
        self._names.reserve((kind, name), self._client())
        self._values[kind, name] = value
        for robots in self.live:
            robots.execute(name, value)

    def append(self, name: str, value: bytes) -> None:
        """Append bytes to a string signal."""
        there = self._values.get((bytes, name), b"")
        assert isinstance(there, bytes)
        self.set(bytes, name, there + value)

    def get(self, kind: SignalKind, name: str) -> Signal | None:
        """Return the value of a signal; None if it is neither set nor provided by a robot."""
        given = next((value for robots in self.live if (value := robots.read(name)) is not None), None)
        return given if isinstance(given, kind) else self._values.get((kind, name))

    def find(self, name: str) -> Signal | None:
        """Return the value of a signal of any type; None if there is none."""
        return next((value for kind in KINDS if (value := self.get(kind, name)) is not None), None)

    def clear(self, name: str = "", kind: SignalKind | None = None) -> None:
        """Clear the signals with a name, or all without one. Restrict this to one type if `kind` is given."""
        for key in list(self._values):
            if kind in (None, key[0]) and name in ("", key[1]):
                del self._values[key]
