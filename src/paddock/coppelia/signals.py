"""Signals: numbers and texts that programs and robots leave for each other, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from paddock.coppelia.shares import Shares

MOST_SIGNALS = 10_000  # of a client
MOST_BYTES = 1 << 26  # of all string signals of a client
MOST_CLIENTS = 4  # that may have so much

Signal = int | float | bytes
SignalKind = type[int] | type[float] | type[bytes]  # bytes: a string, also called a buffer
KINDS: tuple[SignalKind, ...] = (int, float, bytes)


class LiveSignals(Protocol):
    """The robots' side of signals: some they give themselves, some they obey."""

    def give(self, name: str) -> Signal | None:
        """The present value of a signal of this name, if it is one of its own."""

    def obey(self, name: str, value: Signal) -> None:
        """A signal was set."""


class Signals:
    """The signals of a scene. Kinds are apart: an integer and a string of the same name are two signals."""

    def __init__(self, *live: LiveSignals, client: Callable[[], object] = lambda: None) -> None:
        """`live` are the robots' own; `client` tells who sets a signal."""
        self.live, self._client = list(live), client
        self._values: dict[tuple[SignalKind, str], Signal] = {}
        hooks: Any = {"exists": self._values.__contains__, "drop": lambda key: self._values.pop(key, None)}
        self._names: Shares[tuple[SignalKind, str]] = Shares(
            "signals", MOST_SIGNALS, MOST_CLIENTS * MOST_SIGNALS, **hooks
        )
        self._bytes: Shares[tuple[SignalKind, str]] = Shares(
            "bytes of string signals", MOST_BYTES, MOST_CLIENTS * MOST_BYTES, **hooks
        )

    def release(self, client: object) -> None:
        """A client is gone; its signals stay as long as there is room."""
        self._names.release(client)
        self._bytes.release(client)

    def set(self, kind: SignalKind, name: str, value: Signal) -> None:
        """Set a signal."""
        if isinstance(value, bytes):
            self._bytes.book((kind, name), self._client(), len(value))
        self._names.book((kind, name), self._client())
        self._values[kind, name] = value
        for robots in self.live:
            robots.obey(name, value)

    def append(self, name: str, value: bytes) -> None:
        """Add to the end of a string signal."""
        there = self._values.get((bytes, name), b"")
        assert isinstance(there, bytes)
        self.set(bytes, name, there + value)

    def get(self, kind: SignalKind, name: str) -> Signal | None:
        """The value of a signal, if it is set or a robot gives it."""
        given = next((value for robots in self.live if (value := robots.give(name)) is not None), None)
        return given if isinstance(given, kind) else self._values.get((kind, name))

    def find(self, name: str) -> Signal | None:
        """The value of a signal of any kind."""
        return next((value for kind in KINDS if (value := self.get(kind, name)) is not None), None)

    def clear(self, name: str = "", kind: SignalKind | None = None) -> None:
        """Clear the signal of a name; without one, all; of one kind only, if that is given."""
        for key in list(self._values):
            if kind in (None, key[0]) and name in ("", key[1]):
                del self._values[key]
