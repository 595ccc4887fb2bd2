"""Parse a floor plan into statements: `keyword: values;` and `keyword name { key: values; … }`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from paddock.core.errors import SpecError, format_value

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f]+|//[^\n]*|/\*.*?\*/)
    |(?P<number>[+-]?[ \t]*(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))
    |(?P<word>[A-Za-z_]\w*)
    |(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<sign>[:;,{}])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
ESCAPES = {"n": "\n", "t": "\t"}
Value = float | str


@dataclass(frozen=True, slots=True)
class Word:
    """A token: a name, a number, a string in quotes or a sign, and its line."""

    kind: str
    text: str
    line: int

    @property
    def value(self) -> Value:
        if self.kind == "number":
            digits = re.sub(r"[ \t]", "", self.text)
            try:
                return float(int(digits, 16)) if "x" in digits.lower() else float(digits)
            except OverflowError:  # float() returns infinity for decimal numbers
                return math.inf
        if self.kind == "text":
            return re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), self.text[1:-1], flags=re.DOTALL)
        return self.text


@dataclass(frozen=True, slots=True)
class StatementEntry:
    """A key and its values."""

    key: str
    values: tuple[Word, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Declaration:
    """An object of the plan; the name is empty if it has none."""

    keyword: str
    name: str
    entries: tuple[StatementEntry, ...]
    line: int


def problem_at(line: int, problem: str) -> SpecError:
    """Return an error with its line; the caller adds the file's name."""
    return SpecError(problem, path=f"line {line}")


def statements(text: str) -> Iterator[StatementEntry | Declaration]:
    """Iterate over the statements of a plan, in their order."""
    words = Words(text)
    while words.next.kind != "end":
        keyword = words.take("word", "a keyword such as wall or units")
        if words.next.text == ":":
            yield words.entry(keyword)
            continue
        name = words.take(words.next.kind, "") if words.next.kind in ("word", "number") else None
        what = keyword.text if name is None else f"{keyword.text} {name.text}"
        words.take("{", f"'{{' after {what!r}")
        entries = []
        while words.next.text != "}":
            entries.append(words.entry(words.take("word", f"a key or '}}' in {what!r}")))
        words.take("}", "")
        yield Declaration(keyword.text, "" if name is None else name.text, tuple(entries), keyword.line)


class Words:
    """Tokeniser with one token of lookahead."""

    token: ClassVar[re.Pattern[str]] = TOKEN  # with a group for each kind of token

    def __init__(self, text: str) -> None:
        self._words = _words(text, self.token)
        self.next = next(self._words)

    def take(self, kind: str, expected: str) -> Word:
        """Return the next token, which must be of a kind, or be this sign."""
        word = self.next
        if kind not in (word.kind, word.text):
            got = "the end of the file" if word.kind == "end" else format_value(word.value)
            raise problem_at(word.line, f"expected {expected}, got {got}")
        self.next = next(self._words, word)
        return word

    def entry(self, key: Word) -> StatementEntry:
        """Parse the rest of an entry: a colon, values separated by commas, and a semicolon."""
        self.take(":", f"':' after {key.text!r}")
        values = [self.take_value(key.text)]
        while self.next.text == ",":
            self.take(",", "")
            values.append(self.take_value(key.text))
        self.take(";", f"',' or ';' after the values of {key.text!r}")
        return StatementEntry(key.text, tuple(values), key.line)

    def take_value(self, key: str) -> Word:
        """Return a number, a word or a string in quotes."""
        kind = self.next.kind if self.next.kind in ("number", "word", "text") else "a value"
        return self.take(kind, f"a value of {key!r}")


def _words(text: str, token: re.Pattern[str]) -> Iterator[Word]:
    place, line = 0, 1
    while place < len(text):
        found = token.match(text, place)
        if found is None:
            raise problem_at(line, _unreadable(text, place))
        kind = found.lastgroup or ""
        if kind != "space":
            yield Word(kind, found[0], line)
        line += found[0].count("\n")
        place = found.end()
    yield Word("end", "", line)


def _unreadable(text: str, place: int) -> str:
    if text.startswith("/*", place):
        return "expected '*/' at the end of the comment that begins here"
    if text[place] == '"':
        return "expected '\"' at the end of the string that begins here"
    return f"expected a name, a number or a string in quotes, got {format_value(text[place])}"
