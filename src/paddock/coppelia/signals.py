"""Signals: numbers and texts that programs and robots leave for each other, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from paddock.coppelia.shares import Shares

MOST_SIGNALS = 10_000  # of a client
MOST_BYTES = 1 << 26  # of all string signals of a client
MOST_CLIENTS = 4  # that may have so much

Signal = int | float | bytes


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
        self.ints: dict[str, int] = {}
        self.floats: dict[str, float] = {}
        self.strings: dict[str, bytes] = {}
        self._names: Shares[tuple[int, str]] = Shares(
            "signals", MOST_SIGNALS, MOST_CLIENTS * MOST_SIGNALS, exists=self._exists, drop=self._drop
        )
        self._bytes: Shares[tuple[int, str]] = Shares(
            "bytes of string signals", MOST_BYTES, MOST_CLIENTS * MOST_BYTES, exists=self._exists, drop=self._drop
        )

    def release(self, client: object) -> None:
        """A client is gone; its signals stay as long as there is room."""
        self._names.release(client)
        self._bytes.release(client)

    def _exists(self, key: tuple[int, str]) -> bool:
        return key[1] in self._kinds[key[0]]

    def _drop(self, key: tuple[int, str]) -> None:
        self._kinds[key[0]].pop(key[1], None)

    @property
    def _kinds(self) -> tuple[dict[str, Any], ...]:
        return self.ints, self.floats, self.strings

    def set_int(self, name: str, value: int) -> None:
        """Set an integer signal."""
        self._set(0, name, value)

    def set_float(self, name: str, value: float) -> None:
        """Set a float signal."""
        self._set(1, name, value)

    def set_string(self, name: str, value: bytes) -> None:
        """Set a string signal, also called a buffer."""
        self._bytes.book((2, name), self._client(), len(value))
        self._set(2, name, value)

    def append_string(self, name: str, value: bytes) -> None:
        """Add to the end of a string signal."""
        self.set_string(name, self.strings.get(name, b"") + value)

    def get_int(self, name: str) -> int | None:
        """The value of an integer signal, if it is set."""
        return self.ints.get(name)

    def get_float(self, name: str) -> float | None:
        """The value of a float signal, if it is set or a robot gives it."""
        value = self._given(name)
        return value if isinstance(value, float) else self.floats.get(name)

    def get_string(self, name: str) -> bytes | None:
        """The value of a string signal, if it is set or a robot gives it."""
        value = self._given(name)
        return value if isinstance(value, bytes) else self.strings.get(name)

    def _given(self, name: str) -> Signal | None:
        return next((value for robots in self.live if (value := robots.give(name)) is not None), None)

    def take_string(self, name: str) -> bytes | None:
        """Get a string signal and clear it."""
        value = self.get_string(name)
        self.strings.pop(name, None)
        return value

    def clear_int(self, name: str = "") -> None:
        """Clear an integer signal; without a name, all."""
        _clear(self.ints, name)

    def clear_float(self, name: str = "") -> None:
        """Clear a float signal; without a name, all."""
        _clear(self.floats, name)

    def clear_string(self, name: str = "") -> None:
        """Clear a string signal; without a name, all."""
        _clear(self.strings, name)

    def clear(self) -> None:
        """Clear all signals, as at the end of a simulation."""
        for clear in (self.clear_int, self.clear_float, self.clear_string):
            clear()

    def _set(self, kind: int, name: str, value: Signal) -> None:
        self._names.book((kind, name), self._client())
        self._kinds[kind][name] = value
        for robots in self.live:
            robots.obey(name, value)


def _clear(kind: dict[str, Any], name: str) -> None:
    if name:
        kind.pop(name, None)
    else:
        kind.clear()
