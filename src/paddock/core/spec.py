"""Specs: frozen dataclasses that check themselves, read from TOML and written back without loss.

A spec class is a plain frozen dataclass whose annotations say what is allowed:

    @dataclass(frozen=True, kw_only=True, slots=True)
    class Cylinder(Spec):
        at: Point
        radius: Metres          # Annotated[float, Number("metres", above=0)], see core/rules.py

The same checks (core/convert.py) run whether it is built in Python or read from a file. Rules and units are had from
here as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self, TypeVar

from paddock.core.convert import convert, expectation, hints, plain
from paddock.core.errors import SpecError, suggestion
from paddock.core.places import refuse_abstract
from paddock.core.rules import (
    Color,
    Coordinate,
    Count,
    Degrees,
    Description,
    Metres,
    MetresOrZero,
    Name,
    NotNegative,
    Number,
    Point,
    Positive,
    Quantity,
    Seconds,
    Share,
    Tagged,
    Text,
    is_color,
    rgb,
)
from paddock.core.toml import read_toml, read_toml_file, toml_text

__all__ = [
    "Color",
    "Coordinate",
    "Count",
    "Degrees",
    "Description",
    "Metres",
    "MetresOrZero",
    "Name",
    "NotNegative",
    "Number",
    "Point",
    "Positive",
    "Quantity",
    "Seconds",
    "Share",
    "Spec",
    "Tagged",
    "Text",
    "convert",
    "expectation",
    "hints",
    "is_color",
    "plain",
    "read_toml",
    "read_toml_file",
    "refuse_twins",
    "rgb",
    "spec_from_table",
]


class Spec:
    """Base of everything that a person writes down."""

    __slots__ = ()
    tag: ClassVar[tuple[str, str] | None] = None
    keys_of_files: ClassVar[tuple[str, ...]] = ()  # what else a file may say, before it becomes a spec

    def __post_init__(self) -> None:
        for name, hint in hints(type(self)).items():
            value = convert(getattr(self, name), hint, name)
            object.__setattr__(self, name, value)
        self.check()

    def check(self) -> None:
        """Rules that join several fields; raises SpecError."""

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """A spec from what `tomllib` reads; unknown and missing keys are refused by name."""
        cls.refuse_unknown_keys(table)
        for field in dataclasses.fields(cls):  # type: ignore[arg-type]
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if required and field.name not in table:
                raise SpecError(f"missing: {expectation(hints(cls)[field.name])}", path=field.name)
        refuse_abstract(cls, "a method " + ", ".join(sorted(getattr(cls, "__abstractmethods__", ()))))
        return cls(**table)

    @classmethod
    def refuse_unknown_keys(cls, table: Mapping[str, Any]) -> None:
        """Raise SpecError for the first key that is not known."""
        for key in table:
            if key not in hints(cls):
                raise SpecError(f"unknown key{suggestion(key, [*hints(cls), *cls.keys_of_files])}", path=str(key))

    @classmethod
    def check_part(cls, table: Mapping[str, Any]) -> None:
        """Check the keys that are there, each by itself; others may be missing."""
        cls.refuse_unknown_keys(table)
        for key, value in table.items():
            convert(value, hints(cls)[key], key)

    @classmethod
    def from_toml(cls, text: str, *, file: str = "") -> Self:
        """A spec from TOML text; errors carry the file's name."""
        return spec_from_table(cls, read_toml(text, file=file), file=file)

    def to_table(self) -> dict[str, Any]:
        """Plain lists, dicts and numbers; what equals its default is left out."""
        table: dict[str, Any] = {}
        if self.tag is not None:
            table[self.tag[0]] = self.tag[1]
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.compare and value is not None and value != field.default:
                table[field.name] = plain(value)
        return table

    def to_toml(self) -> str:
        """TOML text that reads back as an equal spec."""
        return toml_text(self.to_table())


S = TypeVar("S", bound=Spec)


def spec_from_table(cls: type[S], table: Mapping[str, Any], *, file: str) -> S:
    """Build a spec and put the file's name on whatever is wrong with it."""
    try:
        return cls.from_table(table)
    except SpecError as error:
        raise error.within(file=file) from None


def refuse_twins(names: Iterable[str], path: str) -> None:
    """Raise SpecError for a name that is there twice; `path` has a {} for its number."""
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            raise SpecError(f"expected different names, got {name!r} twice", path=path.format(i))
        seen.add(name)
