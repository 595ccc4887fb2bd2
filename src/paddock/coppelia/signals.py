"""Signals: numbers and texts that programs and robots leave for each other, by name."""

from __future__ import annotations

from typing import Protocol, TypeVar

from paddock.core.errors import PaddockError

MOST_SIGNALS = 10_000
MOST_BYTES = 1 << 26  # of all string signals together

Signal = int | float | bytes
Value = TypeVar("Value", int, float, bytes)


class LiveSignals(Protocol):
    """The robots' side of signals: some they give themselves, some they obey."""

    def give(self, name: str) -> Signal | None:
        """The present value of a signal of this name, if it is one of its own."""

    def obey(self, name: str, value: Signal) -> None:
        """A signal was set."""


class Signals:
    """The signals of a scene. Kinds are apart: an integer and a string of the same name are two signals."""

    def __init__(self, *live: LiveSignals) -> None:
        self.live = list(live)
        self.ints: dict[str, int] = {}
        self.floats: dict[str, float] = {}
        self.strings: dict[str, bytes] = {}

    def set_int(self, name: str, value: int) -> None:
        """Set an integer signal."""
        self._set(self.ints, name, value)

    def set_float(self, name: str, value: float) -> None:
        """Set a float signal."""
        self._set(self.floats, name, value)

    def set_string(self, name: str, value: bytes) -> None:
        """Set a string signal, also called a buffer."""
        held = sum(len(other) for key, other in self.strings.items() if key != name)
        if held + len(value) > MOST_BYTES:
            raise PaddockError(f"signal {name!r}: expected at most {MOST_BYTES} bytes in all string signals")
        self._set(self.strings, name, value)

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

    def _set(self, kind: dict[str, Value], name: str, value: Value) -> None:
        if name not in kind and len(kind) >= MOST_SIGNALS:
            raise PaddockError(f"signal {name!r}: there are {MOST_SIGNALS} already; clear some")
        kind[name] = value
        for robots in self.live:
            robots.obey(name, value)


def _clear(kind: dict[str, Value], name: str) -> None:
    if name:
        kind.pop(name, None)
    else:
        kind.clear()
