"""Lines of USARSim's text protocol (Gamebots): `TYPE {Key Value} {Key Value Key Value} …`."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from paddock.core.errors import BadMessage

LONGEST_LINE = 1 << 16  # characters
SEGMENT = re.compile(r"\{([^{}]*)\}\s*")
HEAD = re.compile(r"\s*([A-Za-z]\w*)\s*")
KEYS = frozenset({
    "classname", "flip", "left", "light", "link", "location", "name", "normalized", "opcode", "order", "params",
    "right", "robot", "rotation", "start", "steer", "type", "value",
})  # fmt: skip
"""Keys of commands, in lower case."""


@dataclass(frozen=True, slots=True)
class UsarLine:
    """A message: its type in upper case, and the words of each pair of braces."""

    type: str
    segments: tuple[tuple[str, ...], ...] = ()

    def get(self, key: str) -> str | None:
        """Return the words after a key, up to the next key or the end of its braces; None if missing. Ignore case."""
        pairs = (pair for words in self.segments for pair in _split_pairs(words))
        return next((value for name, value in pairs if name.lower() == key.lower()), None)

    def groups(self, key: str = "Name") -> Iterator[dict[str, str]]:
        """Yield the values of each name, from `{Name F1 Range 4.58}` as well as `{Name F1} {Range 4.58}`.

        Each occurrence of the key starts the next group.
        """
        group: dict[str, str] = {}
        for words in self.segments:
            for name, value in zip(words[::2], words[1::2], strict=False):
                if name.lower() == key.lower():
                    if group:
                        yield group
                    group = {key: value}
                elif group:
                    group[name] = value
        if group:
            yield group

    def number(self, key: str, default: float | None = None) -> float | None:
        """Return the finite number after a key, or raise BadMessage."""
        text = self.get(key)
        return default if text is None else read_number(text, f"{self.type} {{{key} …}}")

    def numbers(self, key: str) -> list[float] | None:
        """Return the comma-separated numbers after a key, or raise BadMessage; None if there is no such key."""
        text = self.get(key)
        if text is None:
            return None
        return [read_number(part, f"{self.type} {{{key} …}}") for part in text.replace(" ", "").split(",")]

    def flag(self, key: str) -> bool:
        """Return whether the value of a key is true."""
        return (self.get(key) or "").lower() in ("true", "1")


def parse_line(text: str) -> UsarLine:
    """Parse a line, or raise BadMessage with the error."""
    head = HEAD.match(text)
    if head is None:
        raise BadMessage(f"expected a type such as DRIVE first, got {text[:40]!r}")
    segments, at = [], head.end()
    while at < len(text):
        segment = SEGMENT.match(text, at)
        if segment is None:
            raise BadMessage(
                f"{head[1].upper()}: expected {{Key Value}} at character {at + 1}, got {text[at : at + 40]!r}"
            )
        segments.append(tuple(segment[1].split()))
        at = segment.end()
    return UsarLine(head[1].upper(), tuple(segments))


def _split_pairs(words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the keys and values in a pair of braces. A value has at least one word and ends before a known key."""
    starts = [0, *(k for k in range(2, len(words) - 1) if words[k].lower() in KEYS)] if words else []
    for start, end in itertools.pairwise([*starts, len(words)]):
        yield words[start], " ".join(words[start + 1 : end])


def format_line(type: str, *segments: str) -> bytes:
    """Return a line in the format of servers."""
    return (" ".join([type, *(f"{{{segment}}}" for segment in segments)]) + "\r\n").encode("latin-1", "replace")


def format_number(value: float, decimals: int = 4) -> str:
    """Format a number as Unreal does: truncated, not rounded, and without exponents, which clients cannot parse."""
    scale = 10**decimals
    whole = math.trunc(value * scale)
    return f"{whole / scale:.{decimals}f}" if whole else f"{0:.{decimals}f}"


def format_numbers(values: Iterable[float]) -> str:
    """Format comma-separated numbers without spaces."""
    return ",".join(format_number(value) for value in values)


def read_number(text: str, where: str) -> float:
    """Return a finite number, or raise BadMessage."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadMessage(f"{where}: expected a number, got {text[:40]!r}")
    return value


class LineSplitter:
    """Splits a stream of bytes into lines. CR, LF and any mix of them end a line; empty lines are skipped."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """Add bytes and return the complete lines. Raise BadMessage if there are none and the rest is too long."""
        *lines, self._rest = re.split(rb"[\r\n]+", self._rest + data)
        texts = [line.decode("latin-1") for line in lines if line.strip()]
        if not texts and len(self._rest) > LONGEST_LINE:  # after complete lines, it is rejected in the next call
            self._rest = b""
            raise BadMessage(f"a line is longer than {LONGEST_LINE} characters")
        return texts


def join_words(*words: object) -> str:
    """Join the words of a segment: names unchanged, numbers in Unreal's format, sequences with commas."""

    def show(word: object) -> str:
        if isinstance(word, bool):
            return "True" if word else "False"
        if isinstance(word, float):
            return format_number(word)
        if isinstance(word, Sequence) and not isinstance(word, str):
            return format_numbers(word)
        return str(word)

    return " ".join(show(word) for word in words)
