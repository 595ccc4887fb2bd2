"""The text of Stage's worlds: entities with properties, macros and included files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from paddock.core.errors import SpecError, format_value, suggestion
from paddock.worlds.importers.statements import Word

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f,]+|\#[^\n]*)
    |(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<word>[A-Za-z_](?:[\w.-]|\[\s*\d+\s*\])*)
    |(?P<text>"[^"\n]*")
    |(?P<sign>[()\[\]])""",
    re.VERBOSE | re.ASCII,
)
DEEPEST = 32  # entities within entities, and files within files


@dataclass(frozen=True, slots=True)
class StageProperty:
    """What a property says, and where."""

    values: tuple[float | str, ...]
    file: str
    line: int


@dataclass(slots=True)
class StageEntity:
    """A model, or a part of one. What a macro says stands in the properties, too."""

    type: str  # what it is called where it stands
    base: str  # the type that its macros lead to
    file: str
    line: int
    properties: dict[str, StageProperty] = field(default_factory=dict)
    children: list[StageEntity] = field(default_factory=list)

    @property
    def place(self) -> str:
        """As people look it up."""
        return f"{self.file}:{self.line}"

    def problem(self, problem: str, key: str = "") -> SpecError:
        """What is wrong with it, or with one of its properties."""
        where = self.properties.get(key, self)
        what = f"{self.type}: {key}" if key else self.type
        return SpecError(f"{what}: {problem}", path=f"line {where.line}", file=where.file)

    def numbers(self, key: str, default: tuple[float, ...], least: int = 1) -> tuple[float, ...]:
        """Numbers; those that are missing at the end are the default's."""
        if key not in self.properties:
            return default
        found = [value for value in self.properties[key].values if isinstance(value, float)]
        if len(found) != len(self.properties[key].values) or len(found) < least:
            raise self.problem(f"expected {least} numbers or more, got {self._show(key)}", key)
        return (*found, *default[len(found) :])

    def number(self, key: str, default: float) -> float:
        """One number."""
        return self.numbers(key, (default,))[0]

    def text(self, key: str, default: str) -> str:
        """One text."""
        if key not in self.properties:
            return default
        (value, *more) = self.properties[key].values
        if more or not isinstance(value, str):
            raise self.problem(f"expected a text in quotes, got {self._show(key)}", key)
        return value

    def _show(self, key: str) -> str:
        return " ".join(format_value(value) for value in self.properties[key].values)


def read_stage(path: Path) -> StageEntity:
    """A world file with all that it includes, as an entity whose children are its models."""
    reader = _StageReader(path)
    world = StageEntity("world", "world", path.name, 1)
    reader.read_file(path, world)
    return world


class _StageReader:
    """Reads entities; macros count from where they are defined on."""

    def __init__(self, path: Path) -> None:
        self._home = path.parent
        self._macros: dict[str, StageEntity] = {}
        self._within: list[Path] = []

    def read_file(self, path: Path, into: StageEntity) -> None:
        """Read a file's properties and entities into another's."""
        self._within.append(path.resolve())
        words = _StageWords(_read_text(path), path)
        while words.next.kind != "end":
            self._read_statement(words, into, 0)
        self._within.pop()

    def _read_statement(self, words: _StageWords, into: StageEntity, depth: int) -> None:
        word = words.take("word", "the name of a property or of a model")
        if word.text == "include":
            self._include(words, into)
        elif word.text == "define":
            name = words.take("word", "a name for the macro")
            self._macros[name.text] = self._read_entity(words, words.take("word", "the type it is based on"), depth)
        elif words.next.text == "(":
            into.children.append(self._read_entity(words, word, depth))
        else:
            key = re.sub(r"\s", "", word.text)
            into.properties[key] = StageProperty(words.take_values(word.text), words.file, word.line)

    def _include(self, words: _StageWords, into: StageEntity) -> None:
        name = words.take("text", "a file's name in quotes after 'include'")
        folders = [words.path.parent, self._home]
        found = next((f / str(name.value) for f in folders if (f / str(name.value)).is_file()), None)
        if found is None:
            raise words.problem(name.line, f"include: there is no file {name.value!r} beside it")
        if found.resolve() in self._within or len(self._within) >= DEEPEST:
            raise words.problem(name.line, f"include: {name.value!r} includes itself")
        self.read_file(found, into)

    def _read_entity(self, words: _StageWords, type: Word, depth: int) -> StageEntity:
        macro = self._macros.get(type.text)
        entity = StageEntity(type.text, macro.base if macro else type.text, words.file, type.line)
        if macro is not None:
            entity.properties |= macro.properties
            entity.children += macro.children
        words.take("(", f"'(' after {type.text!r}")
        if depth >= DEEPEST:
            raise words.problem(type.line, f"expected at most {DEEPEST} entities within each other")
        while words.next.text != ")":
            if words.next.kind == "end":
                raise words.problem(type.line, f"expected ')' at the end of {type.text!r}, which begins here")
            self._read_statement(words, entity, depth + 1)
        words.take(")", "")
        return entity


class _StageWords:
    """The words of a file, one after the other."""

    def __init__(self, text: str, path: Path) -> None:
        self.path, self.file = path, path.name
        self._words = self._split(text)
        self.next = next(self._words)

    def problem(self, line: int, problem: str) -> SpecError:
        return SpecError(problem, path=f"line {line}", file=self.file)

    def take(self, kind: str, expected: str) -> Word:
        """The next word, which must be of a kind, or be this sign."""
        word = self.next
        if kind not in (word.kind, word.text):
            got = "the end of the file" if word.kind == "end" else format_value(word.value)
            raise self.problem(word.line, f"expected {expected}, got {got}")
        self.next = next(self._words, word)
        return word

    def take_values(self, key: str) -> tuple[float | str, ...]:
        """The value of a property: a number, a text, a word, or several between brackets."""
        if self.next.text != "[":
            kind = self.next.kind if self.next.kind in ("number", "text", "word") else "value"
            return (self.take(kind, f"a value of {key!r}").value,)
        self.take("[", "")
        values = []
        while self.next.text != "]":
            kind = self.next.kind if self.next.kind in ("number", "text", "word") else "value"
            values.append(self.take(kind, f"a value or ']' in {key!r}").value)
        self.take("]", "")
        return tuple(values)

    def _split(self, text: str) -> Iterator[Word]:
        at, line = 0, 1
        while at < len(text):
            found = TOKEN.match(text, at)
            if found is None:
                raise self.problem(line, f"expected a name, a number or a text in quotes, got {text[at : at + 20]!r}")
            if found.lastgroup != "space":
                yield Word(found.lastgroup or "", found[0], line)
            line += found[0].count("\n")
            at = found.end()
        yield Word("end", "", line)


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        raise SpecError("no such file", file=str(path)) from None
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", file=str(path)) from None


def choose(entity: StageEntity, key: str, known: Mapping[str, float], default: str) -> float:
    """What one of several words means."""
    word = entity.text(key, default)
    if word not in known:
        raise entity.problem(f"expected {' or '.join(known)}, got {word!r}{suggestion(word, known)}", key)
    return known[word]
