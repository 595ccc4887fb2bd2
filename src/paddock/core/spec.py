"""Specs: frozen dataclasses with validation that can be read from TOML and written back without loss.

A spec class is a plain frozen dataclass whose annotations define the allowed values:

    @dataclass(frozen=True, kw_only=True, slots=True)
    class Cylinder(Spec):
        at: Point
        radius: Metres          # Annotated[float, Number("metres", above=0)], see core/rules.py

The same checks (core/convert.py) apply to specs built in Python and read from a file. This module also exports the
rules and units.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self, TypeVar

from paddock.core.convert import convert, expectation, hints, plain
from paddock.core.error_location import refuse_abstract
from paddock.core.errors import SpecError, suggestion
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
    "refuse_duplicates",
    "rgb",
    "spec_from_table",
]


class Spec:
    """Base class of all specs."""

    __slots__ = ()
    tag: ClassVar[tuple[str, str] | None] = None
    keys_of_files: ClassVar[
        tuple[str, ...]
    ] = ()  # further keys allowed in files; they are resolved before the spec is built

    def __post_init__(self) -> None:
        for name, hint in hints(type(self)).items():
            value = convert(getattr(self, name), hint, name)
            object.__setattr__(self, name, value)
        self.check()

    def check(self) -> None:
        """Check rules that involve several fields; raise SpecError."""

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Build a spec from a table of `tomllib`; raise a SpecError for unknown and missing keys."""
        cls.refuse_unknown_keys(table)
        for field in dataclasses.fields(cls):  # type: ignore[arg-type]
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if required and field.name not in table:
                raise SpecError(f"missing: {expectation(hints(cls)[field.name])}", path=field.name)
        refuse_abstract(cls, "a method " + ", ".join(sorted(getattr(cls, "__abstractmethods__", ()))))
        return cls(**table)

    @classmethod
    def refuse_unknown_keys(cls, table: Mapping[str, Any]) -> None:
        """Raise SpecError for the first unknown key."""
        for key in table:
            if key not in hints(cls):
                raise SpecError(f"unknown key{suggestion(key, [*hints(cls), *cls.keys_of_files])}", path=str(key))

    @classmethod
    def check_part(cls, table: Mapping[str, Any]) -> None:
        """Check each given key separately; other keys may be missing."""
        cls.refuse_unknown_keys(table)
        for key, value in table.items():
            convert(value, hints(cls)[key], key)

    @classmethod
    def from_toml(cls, text: str, *, file: str = "") -> Self:
        """Build a spec from TOML text; errors contain the file's name."""
        return spec_from_table(cls, read_toml(text, file=file), file=file)

    def to_table(self) -> dict[str, Any]:
        """Convert to plain lists, dicts and numbers, without values that equal their defaults."""
        table: dict[str, Any] = {}
        if self.tag is not None:
            table[self.tag[0]] = self.tag[1]
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.compare and value is not None and value != field.default:
                table[field.name] = plain(value)
        return table

    def to_toml(self) -> str:
        """Return TOML text that loads as an equal spec."""
        return toml_text(self.to_table())


S = TypeVar("S", bound=Spec)


def spec_from_table(cls: type[S], table: Mapping[str, Any], *, file: str) -> S:
    """Build a spec; add the file's name to errors."""
    try:
        return cls.from_table(table)
    except SpecError as error:
        raise error.within(file=file) from None


def refuse_duplicates(names: Iterable[str], path: str) -> None:
    """Raise SpecError for a duplicate name; `path` contains {} for its index."""
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            raise SpecError(f"expected different names, got {name!r} twice", path=path.format(i))
        seen.add(name)
