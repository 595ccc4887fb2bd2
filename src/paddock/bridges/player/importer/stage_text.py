"""Parse the text of Stage's worlds: entities with properties, macros and included files."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from paddock.core.errors import SpecError, format_value, nearest, suggestion
from paddock.simulation.worlds.importers.import_result import read_text
from paddock.simulation.worlds.importers.statements import Word, Words, problem_at

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f,]+|\#[^\n]*)
    |(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<word>[A-Za-z_](?:[\w.-]|\[\s*\d+\s*\])*)
    |(?P<text>"[^"\n]*")
    |(?P<sign>[()\[\]])""",
    re.VERBOSE | re.ASCII,
)
TYPES = {  # built-in types of Stage
    "actuator", "blinkenlight", "blobfinder", "block", "bumper", "camera", "fiducial", "floorplan", "gripper", "laser",
    "lightindicator", "map", "model", "position", "power", "puck", "ranger", "sensor", "window",
}  # fmt: skip
DEEPEST = 32  # maximum nesting depth of entities
MAX_ENTITIES = 50_000  # maximum number of entities, including those of macros


@dataclass(frozen=True, slots=True)
class StageProperty:
    """The values of a property, and its location."""

    values: tuple[float | str, ...]
    file: str
    line: int


@dataclass(slots=True)
class StageEntity:
    """A model, or a part of one. Its properties include those of its macros."""

    type: str  # type name in the file
    base: str  # built-in type after resolving macros
    file: str
    line: int
    properties: dict[str, StageProperty] = field(default_factory=dict)
    children: list[StageEntity] = field(default_factory=list)
    count: int = 1  # number of entities, including descendants
    levels: int = 1

    def add(self, child: StageEntity) -> None:
        """Add a child entity."""
        self.children.append(child)
        self.count += child.count
        self.levels = max(self.levels, child.levels + 1)

    @property
    def place(self) -> str:
        """Location as `file:line`."""
        return self.locate("")

    def locate(self, key: str) -> str:
        """Return the location of a property, or of the entity if it does not have the property."""
        where = self.properties.get(key, self)
        return f"{where.file}:{where.line}"

    def problem(self, problem: str, key: str = "") -> SpecError:
        """Return an error about the entity or one of its properties."""
        where = self.properties.get(key, self)
        what = f"{self.type}: {key}" if key else self.type
        return SpecError(f"{what}: {problem}", path=f"line {where.line}", file=where.file)

    def numbers(self, key: str, default: tuple[float, ...], least: int = 1) -> tuple[float, ...]:
        """Return the numbers of a property; missing ones at the end are taken from the default."""
        if key not in self.properties:
            return default
        found = [value for value in self.properties[key].values if isinstance(value, float)]
        if len(found) != len(self.properties[key].values) or len(found) < least:
            raise self.problem(f"expected {least} numbers or more, got {self._show(key)}", key)
        return (*found, *default[len(found) :])

    def number(self, key: str, default: float) -> float:
        """Return the number of a property."""
        return self.numbers(key, (default,))[0]

    def text(self, key: str, default: str) -> str:
        """Return the string of a property."""
        if key not in self.properties:
            return default
        (value, *more) = self.properties[key].values
        if more or not isinstance(value, str):
            raise self.problem(f"expected a string in quotes, got {self._show(key)}", key)
        return value

    def _show(self, key: str) -> str:
        values = self.properties[key].values
        shown = " ".join(format_value(value) for value in values)
        return f"[{shown}]" if isinstance(values[0], float) else shown


def read_stage(path: Path) -> StageEntity:
    """Read a world file with its includes; return an entity whose children are its models."""
    reader = _StageReader(path)
    world = StageEntity("world", "world", path.name, 1)
    reader.read_file(path, world)
    return world


class _StageReader:
    """Reads entities; macros apply from their definition on."""

    def __init__(self, path: Path) -> None:
        self._home = path.parent
        self._macros: dict[str, StageEntity] = {}
        self._within: list[Path] = []

    def read_file(self, path: Path, into: StageEntity) -> None:
        """Read the properties and entities of a file into an entity."""
        self._within.append(path)
        try:
            words = _StageWords(read_text(path, errors="replace"))  # old files are in Latin 1
            while words.next.kind != "end":
                self._read_statement(words, into, 0)
        except SpecError as error:
            raise error.within(file=path.name) from None
        self._within.pop()

    def _read_statement(self, words: _StageWords, into: StageEntity, depth: int) -> None:
        word = words.take("word", "the name of a property or of a model")
        if word.text == "include":
            self._include(words.take("text", "a file's name in quotes after 'include'"), into)
        elif word.text == "define":
            name = words.take("word", "a name for the macro")
            self._macros[name.text] = self._read_entity(words, words.take("word", "the type it is based on"), depth)
        elif words.next.text == "(":
            into.add(self._read_entity(words, word, depth))
            if into.count > MAX_ENTITIES or into.levels > DEEPEST + 1:
                raise problem_at(
                    word.line,
                    f"expected at most {MAX_ENTITIES} entities, and {DEEPEST} levels, including those of macros",
                )
        else:
            values = words.take_values(word.text)
            into.properties[re.sub(r"\s", "", word.text)] = StageProperty(values, self._within[-1].name, word.line)

    def _include(self, name: Word, into: StageEntity) -> None:
        places = [folder / str(name.value) for folder in (self._within[-1].parent, self._home)]
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            raise problem_at(name.line, f"include: no file {name.value!r} in its folder")
        if any(found.samefile(path) for path in self._within):
            raise problem_at(name.line, f"include: {name.value!r} includes itself")
        self.read_file(found, into)

    def _read_entity(self, words: _StageWords, type: Word, depth: int) -> StageEntity:
        macro = self._macros.get(type.text)
        if macro is None and type.text not in TYPES and (near := nearest(type.text, self._macros)) is not None:
            raise problem_at(type.line, f"there is no model {type.text!r} (did you mean {near!r}?)")
        entity = StageEntity(type.text, macro.base if macro else type.text, self._within[-1].name, type.line)
        if macro is not None:
            entity.properties |= macro.properties
            for child in macro.children:
                entity.add(child)
        words.take("(", f"'(' after {type.text!r}")
        if depth >= DEEPEST:
            raise problem_at(type.line, f"expected at most {DEEPEST} nested entities")
        while words.next.text != ")":
            if words.next.kind == "end":
                raise problem_at(type.line, f"expected ')' at the end of {type.text!r}, which begins here")
            self._read_statement(words, entity, depth + 1)
        words.take(")", "")
        return entity


class _StageWords(Words):
    """Tokeniser for files of Stage."""

    token = TOKEN

    def take_values(self, key: str) -> tuple[float | str, ...]:
        """Return the values of a property: a number, a string, a word, or several in brackets."""
        if self.next.text != "[":
            return (self._take_finite(key),)
        self.take("[", "")
        values = [self._take_finite(key)]
        while self.next.text != "]":
            values.append(self._take_finite(key))
        self.take("]", "")
        return tuple(values)

    def _take_finite(self, key: str) -> float | str:
        word = self.take_value(key)
        if isinstance(word.value, float) and not math.isfinite(word.value):
            raise problem_at(word.line, f"expected a finite value of {key!r}, got {word.text}")
        return word.value


def choose(entity: StageEntity, key: str, known: Mapping[str, float], default: str) -> float:
    """Return the value of the word in a property; raise a SpecError if the word is not in `known`."""
    word = entity.text(key, default)
    if word not in known:
        raise entity.problem(f"expected {' or '.join(known)}, got {word!r}{suggestion(word, known)}", key)
    return known[word]
