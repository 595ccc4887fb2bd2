"""NamePattern: a subset of regular expressions for names, with a bounded matching time."""

from __future__ import annotations

import re

from paddock.core.errors import BadMessage, format_value

LONGEST_PATTERN = 256
PARTS = re.compile(r"\.\*|.", re.DOTALL)
SPECIAL = frozenset("\\^$*+?()[]{}")


class NamePattern:
    """Matches names that contain a pattern: a text with `.`, `.*`, `^`, `$` and `|`.

    Python's `re` backtracks: a malicious pattern of an unauthenticated client could block it.
    """

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_PATTERN:
            raise BadMessage(f"expected a pattern of at most {LONGEST_PATTERN} characters, got {len(text)}")
        self._ways = [_Way(way, text) for way in text.split("|")]

    def is_in(self, name: str) -> bool:
        """Whether one of the alternatives matches."""
        return any(way.fits(name) for way in self._ways)


class _Way:
    """One alternative. Bit i of a set of states means that the first i characters of the pattern are matched."""

    def __init__(self, method: str, text: str) -> None:
        first, last = method.startswith("^"), method.endswith("$")
        characters: list[str | None] = []  # None: any
        self._stays = 0 if first else 1  # states that any character leaves unchanged
        for part in PARTS.findall(method[first : len(method) - last]):
            if part == ".*":
                self._stays |= 1 << len(characters)
            elif part in SPECIAL:
                allowed = "a text with '.', '.*', '|', '^' at its start and '$' at its end"
                raise BadMessage(f"expected {allowed}, got {part!r} in {format_value(text)}")
            else:
                characters.append(None if part == "." else part)
        self._end = 1 << len(characters)
        self._stays |= 0 if last else self._end
        self._any = sum(1 << i for i, character in enumerate(characters) if character is None)
        self._takes: dict[str, int] = {}  # states from which a character advances
        for i, character in enumerate(characters):
            if character is not None:
                self._takes[character] = self._takes.get(character, self._any) | 1 << i

    def fits(self, name: str) -> bool:
        states = 1
        for character in name:
            states = (states & self._takes.get(character, self._any)) << 1 | states & self._stays
        return bool(states & self._end)
