"""Specs: frozen dataclasses that check themselves, read from TOML and written back without loss.

A spec class is a plain frozen dataclass whose annotations say what is allowed:

    @dataclass(frozen=True, kw_only=True, slots=True)
    class Cylinder(Spec):
        at: Point
        radius: Metres          # Annotated[float, Number("metres", above=0)], see core/rules.py

The same checks run whether it is built in Python or read from a file. Rules and units are had from here as well.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, Union, get_args, get_origin

from paddock.core.errors import KEY, PaddockError, SpecError, nearest, shown, suggestion, with_article
from paddock.core.rules import (
    Color,
    Coordinate,
    Count,
    Degrees,
    Metres,
    MetresOrZero,
    Name,
    NotNegative,
    Number,
    Point,
    Positive,
    Said,
    Seconds,
    Tagged,
    Text,
    is_color,
    rgb,
)
from paddock.core.toml import toml_text
from paddock.core.user_code import absolute_path, is_path, trusted_folder

__all__ = [
    "Color",
    "Coordinate",
    "Count",
    "Degrees",
    "Metres",
    "MetresOrZero",
    "Name",
    "NotNegative",
    "Number",
    "Point",
    "Positive",
    "Said",
    "Seconds",
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


def read_toml(text: str, *, file: str = "") -> dict[str, Any]:
    """TOML text as a dict; a syntax error becomes a SpecError with its line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"not valid TOML: {error}", file=file) from None
    except RecursionError:
        raise SpecError("not valid TOML: nested too deeply", file=file) from None
    except ValueError:  # Python reads no whole numbers of more than 4300 digits
        raise SpecError("not valid TOML: a number has too many digits", file=file) from None


def read_toml_file(path: Path) -> dict[str, Any]:
    """A TOML file as a dict."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SpecError("no such file", file=str(path)) from None
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", file=str(path)) from None
    except UnicodeDecodeError:
        raise SpecError(
            "cannot be read: expected a text in UTF-8; save it with that encoding", file=path.name
        ) from None
    return read_toml(text, file=path.name)


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


def hints(cls: type) -> dict[str, Any]:
    """The annotations of the fields that a person may set."""
    return _hints(cls)


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    resolved = typing.get_type_hints(cls, include_extras=True)
    return {field.name: resolved[field.name] for field in dataclasses.fields(cls) if field.compare}  # type: ignore[arg-type]


def plain(value: Any) -> Any:
    """A spec value in TOML's own types."""
    if isinstance(value, Spec):
        return value.to_table()
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def convert(value: Any, hint: Any, path: str, expected: str = "") -> Any:
    """The value as its annotation wants it, or a SpecError that says what is expected."""
    if hasattr(value, "tolist"):  # from numpy
        value = value.tolist()
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _ruled(value, arguments[0], arguments[1], path)
    if origin is Literal:
        if value not in arguments:
            near = nearest(str(value), arguments)
            meant = f" (did you mean {near!r}?)" if near else ""
            raise SpecError(f"expected {expectation(hint)}, got {shown(value)}{meant}", path=path)
        return value
    if origin in (Union, types.UnionType):
        return _union(value, arguments, path, expected)
    if origin is tuple:
        return _tuple(value, arguments, path, expected)
    if isinstance(hint, type) and issubclass(hint, Spec):
        return _nested(value, hint, path)
    if hint in (int, float):
        return _number(value, Number(), path, hint)
    if not isinstance(value, hint):
        raise SpecError(f"expected {expected or expectation(hint)}, got {shown(value)}", path=path)
    return value


def _ruled(value: Any, hint: Any, rule: Any, path: str) -> Any:
    if isinstance(rule, Number):
        return _number(value, rule, path, hint)
    if isinstance(rule, Tagged):
        return _tagged(value, hint, rule, path)
    if isinstance(rule, Text):
        if not isinstance(value, str) or not rule.test(value):
            raise SpecError(f"expected {rule}, got {shown(value)}", path=path)
        return value
    if isinstance(rule, Said):
        return convert(value, hint, path, expected=rule.expected)
    assert isinstance(rule, Count)
    converted = convert(value, hint, path)
    if not rule.admits(len(converted)):
        raise SpecError(f"expected {rule}, got {len(converted)}", path=path)
    return converted


def _number(value: Any, rule: Number, path: str, kind: type) -> float:
    whole = kind is int
    if isinstance(value, bool) or not isinstance(value, Integral if whole else Real):
        raise SpecError(f"expected {expectation(int) if whole else rule}, got {shown(value)}", path=path)
    number: Any = value
    try:
        size = float(number)
    except OverflowError:
        size = math.copysign(math.inf, number > 0 or -1)
    if not rule.admits(size):
        raise SpecError(f"expected {rule.told_to(size)}, got {shown(value)}", path=path)
    return int(number) if whole else size


def _union(value: Any, choices: tuple[Any, ...], path: str, expected: str) -> Any:
    if value is None and type(None) in choices:
        return None
    specs = [c for c in choices if isinstance(c, type) and issubclass(c, Spec)]
    others = [c for c in choices if c is not type(None) and c not in specs]
    if specs and isinstance(value, (Mapping, Spec)):
        return _nested(value, specs[0], path)
    return convert(value, others[0] if others else specs[0], path, expected)


def _tuple(value: Any, items: tuple[Any, ...], path: str, expected: str) -> tuple[Any, ...]:
    many = len(items) == 2 and items[1] is Ellipsis
    listed = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
    if not listed and many and (cls := _spec_class(items[0])) is not None:
        tables = f"a list of {cls.__name__}" if isinstance(value, Spec) else f"a list of tables, written [[{KEY}]]"
        raise SpecError(
            f"expected {tables}, got {'one table' if isinstance(value, Mapping) else shown(value)}", path=path
        )
    if not listed or (not many and len(value) != len(items)):
        raise SpecError(f"expected {expected or _expected_items(items)}, got {shown(value)}", path=path)
    kinds = [items[0]] * len(value) if many else items
    return tuple(convert(v, k, f"{path}[{i}]") for i, (v, k) in enumerate(zip(value, kinds, strict=True)))


def _spec_class(hint: Any) -> type[Spec] | None:
    cls = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return cls if isinstance(cls, type) and issubclass(cls, Spec) else None


def _nested(value: Any, cls: type[Spec], path: str) -> Spec:
    if isinstance(value, cls):
        return value
    if isinstance(value, Spec):
        raise SpecError(f"expected {with_article(cls.__name__)}, got {shown(value)}", path=path)
    if isinstance(value, (list, tuple)):
        raise SpecError(f"expected one table, written [{KEY}], got a list", path=path)
    if not isinstance(value, Mapping):
        raise SpecError(f"expected {expectation(cls)}, got {shown(value)}", path=path)
    try:
        return cls.from_table(value)
    except SpecError as error:
        raise error.within(path) from None


def _tagged(value: Any, cls: type[Spec], rule: Tagged, path: str) -> Spec:
    if isinstance(value, Spec):
        return _nested(value, cls, path)
    if not isinstance(value, Mapping):
        raise SpecError(f"expected {rule}, got {shown(value)}", path=path)
    if rule.key not in value:
        raise SpecError(f"missing: a {rule.what}{suggestion('', rule.classes)}", path=f"{path}.{rule.key}")
    chosen = _tagged_class(value[rule.key], rule, f"{path}.{rule.key}")
    return _nested({k: v for k, v in value.items() if k != rule.key}, chosen, path)


def _tagged_class(tag: Any, rule: Tagged, path: str) -> type[Spec]:
    """The class behind a registered name, or behind `file.py:Name` in a user's own file."""
    if is_path(tag):
        if trusted_folder() is None:
            raise SpecError(
                f"{shown(tag)}: only a file on this machine may name code, a robot sent here may not", path=path
            )
    elif not isinstance(tag, str) or tag not in rule.classes:
        raise SpecError(f"unknown {rule.what} {shown(tag)}{suggestion(tag, rule.classes)}", path=path)
    try:
        chosen: type[Spec] = rule.classes.get(tag, folder=trusted_folder())
    except PaddockError as error:
        raise SpecError(str(error), path=path) from error
    if is_path(tag) and (chosen.tag is None or chosen.tag[1] not in rule.classes):
        chosen.tag = rule.key, absolute_path(chosen)  # so that it is found again
    return chosen


def expectation(hint: Any) -> str:
    """What a field wants, in words."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return str(arguments[1])
    if origin is Literal:
        return " or ".join(repr(a) for a in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(expectation(a) for a in arguments if a is not type(None))
    if origin is tuple:
        return _expected_items(arguments)
    if isinstance(hint, type) and issubclass(hint, Spec):
        return f"a table with the keys {', '.join(hints(hint))}"
    return {float: "a number", int: "a whole number", bool: "true or false", str: "a text in quotes"}[hint]


def _expected_items(items: tuple[Any, ...]) -> str:
    if len(items) == 2 and items[1] is Ellipsis:
        return f"a list, each {expectation(items[0])}"
    return "[" + ", ".join(expectation(item) for item in items) + "]"
