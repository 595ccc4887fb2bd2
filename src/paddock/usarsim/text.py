"""Lines of USARSim's text language (Gamebots): `TYPE {Key Value} {Key Value Key Value} …`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from paddock.core.errors import BadMessage

LONGEST_LINE = 1 << 16  # characters
SEGMENT = re.compile(r"\s*\{([^{}]*)\}\s*")
HEAD = re.compile(r"\s*([A-Za-z]\w*)")


@dataclass(frozen=True, slots=True)
class UsarLine:
    """A message: its type in capitals, and the words of each pair of braces."""

    type: str
    segments: tuple[tuple[str, ...], ...] = ()

    def get(self, key: str) -> str | None:
        """The words behind a key, up to the end of its braces; None if there is no such key. Case does not matter."""
        return next((" ".join(words[1:]) for words in self.segments if words and words[0].lower() == key.lower()), None)

    def groups(self, key: str = "Name") -> Iterator[dict[str, str]]:
        """What is said about each name: `{Name F1 Range 4.58}` as well as `{Name F1} {Range 4.58}`.

        A key begins the next group wherever it stands again.
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
        """A finite number behind a key, or a BadMessage."""
        text = self.get(key)
        return default if text is None else read_number(text, f"{self.type} {{{key} …}}")

    def numbers(self, key: str) -> list[float] | None:
        """Numbers with commas between them behind a key, or a BadMessage; None if there is no such key."""
        text = self.get(key)
        if text is None:
            return None
        return [read_number(part, f"{self.type} {{{key} …}}") for part in text.replace(" ", "").split(",")]

    def flag(self, key: str) -> bool:
        """Whether a key stands for true."""
        return (self.get(key) or "").lower() in ("true", "1")


def parse_line(text: str) -> UsarLine:
    """A line as a message, or a BadMessage that says what is wrong with it."""
    head = HEAD.match(text)
    if head is None:
        raise BadMessage(f"expected a type such as DRIVE first, got {text[:40]!r}")
    segments, at = [], head.end()
    while at < len(text) and text[at:].strip():
        segment = SEGMENT.match(text, at)
        if segment is None:
            raise BadMessage(
                f"{head[1].upper()}: expected {{Key Value}} at character {at + 1}, got {text[at : at + 40]!r}"
            )
        segments.append(tuple(segment[1].split()))
        at = segment.end()
    return UsarLine(head[1].upper(), tuple(segments))


def format_line(type: str, *segments: str) -> bytes:
    """A line as servers send it."""
    return (" ".join([type, *(f"{{{segment}}}" for segment in segments)]) + "\r\n").encode("latin-1", "replace")


def format_number(value: float, decimals: int = 4) -> str:
    """A number as Unreal prints it: decimals are cut off, not rounded. There are no exponents, as clients know none."""
    scale = 10**decimals
    whole = math.trunc(value * scale)
    return f"{whole / scale:.{decimals}f}" if whole else f"{0:.{decimals}f}"


def format_numbers(values: Iterable[float], decimals: int = 4) -> str:
    """Numbers with commas between them and no blanks."""
    return ",".join(format_number(value, decimals) for value in values)


def read_number(text: str, where: str) -> float:
    """A finite number, or a BadMessage."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadMessage(f"{where}: expected a number, got {text[:40]!r}")
    return value


class LineSplitter:
    """Puts pieces of bytes together to lines. CR, LF and any mix end a line; empty lines are skipped."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that are complete; a BadMessage if there are none and the rest has no end."""
        *lines, self._rest = re.split(rb"[\r\n]+", self._rest + data)
        texts = [line.decode("latin-1") for line in lines if line.strip()]
        if not texts and len(self._rest) > LONGEST_LINE:  # with lines before it, it is refused at the next call
            self._rest = b""
            raise BadMessage(f"a line is longer than {LONGEST_LINE} characters")
        return texts


def join_words(*words: object) -> str:
    """Words of a segment: names as they are, numbers as Unreal prints them, sequences with commas."""

    def show(word: object) -> str:
        if isinstance(word, bool):
            return "True" if word else "False"
        if isinstance(word, float):
            return format_number(word)
        if isinstance(word, Sequence) and not isinstance(word, str):
            return format_numbers(word)
        return str(word)

    return " ".join(show(word) for word in words)
