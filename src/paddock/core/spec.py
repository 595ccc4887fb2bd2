"""Specs: frozen dataclasses that check themselves, read from TOML and written back without loss.

A spec class is a plain frozen dataclass whose annotations say what is allowed:

    @dataclass(frozen=True, kw_only=True, slots=True)
    class Cylinder(Spec):
        at: Point
        radius: Metres          # Annotated[float, Number("metres", above=0)]

The same checks run whether it is built in Python or read from a file.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import tomllib
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, Union, get_args, get_origin

from paddock.core.errors import SpecError, suggestion


@dataclass(frozen=True)
class Number:
    """The unit of a number and the range it must lie in."""

    unit: str = ""
    above: float = -math.inf
    low: float = -math.inf
    high: float = math.inf

    def __str__(self) -> str:
        bounds = []
        if self.above > -math.inf:
            bounds.append(f"> {self.above:g}")
        if self.low > -math.inf:
            bounds.append(f">= {self.low:g}")
        if self.high < math.inf:
            bounds.append(f"<= {self.high:g}")
        return " ".join([self.unit or "a number", " and ".join(bounds)]).strip()

    def admits(self, value: float) -> bool:
        return value > self.above and self.low <= value <= self.high


@dataclass(frozen=True)
class Count:
    """How many entries a list needs at least."""

    least: int
    of: str

    def __str__(self) -> str:
        return f"at least {self.least} {self.of}"


@dataclass(frozen=True)
class Tagged:
    """A choice between spec classes by the value of one key: `kind = "sonar"`."""

    key: str
    what: str
    classes: Callable[[], Mapping[str, type[Spec]]]


@dataclass(frozen=True)
class Text:
    """A string that a test must accept."""

    expected: str
    test: Callable[[str], bool]


Metres = Annotated[float, Number("metres", above=0)]
MetresOrZero = Annotated[float, Number("metres", low=0)]
Degrees = Annotated[float, Number("degrees")]
Seconds = Annotated[float, Number("seconds", low=0)]
Positive = Annotated[float, Number(above=0)]
NotNegative = Annotated[float, Number(low=0)]
Share = Annotated[float, Number("a share", low=0, high=1)]
Point = tuple[float, float]
Name = Annotated[
    str, Text("a name of letters, digits, '-' and '_'", lambda s: s.replace("-", "").replace("_", "").isalnum())
]


def rgb(color: str) -> tuple[int, int, int]:
    """The red, green and blue parts (0 … 255) of `#rrggbb` or of a colour's English name."""
    if len(color) == 7 and color[0] == "#":
        return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
    from PIL import ImageColor

    return ImageColor.getrgb(color)[:3]


def is_color(color: str) -> bool:
    try:
        rgb(color)
    except ValueError:
        return False
    return True


Color = Annotated[str, Text("a colour such as '#3366cc' or 'orange'", is_color)]


class Spec:
    """Base of everything that a person writes down."""

    __slots__ = ()
    tag: ClassVar[tuple[str, str] | None] = None

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
        fields = {field.name: field for field in dataclasses.fields(cls) if field.compare}  # type: ignore[arg-type]
        for key in table:
            if key not in fields:
                raise SpecError(f"unknown key{suggestion(key, fields)}", path=key)
        for name, field in fields.items():
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if required and name not in table:
                raise SpecError(f"missing: {expectation(hints(cls)[name])}", path=name)
        return cls(**table)

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
        import tomli_w

        return tomli_w.dumps(self.to_table())


S = TypeVar("S", bound=Spec)


def read_toml(text: str, *, file: str = "") -> dict[str, Any]:
    """TOML text as a dict; a syntax error becomes a SpecError with its line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"not valid TOML: {error}", file=file) from None


def read_toml_file(path: Path) -> dict[str, Any]:
    """A TOML file as a dict."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpecError("no such file", file=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"cannot be read: {error}", file=str(path)) from None
    return read_toml(text, file=path.name)


def spec_from_table(cls: type[S], table: Mapping[str, Any], *, file: str) -> S:
    """Build a spec and put the file's name on whatever is wrong with it."""
    try:
        return cls.from_table(table)
    except SpecError as error:
        raise error.within(file=file) from None


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


def convert(value: Any, hint: Any, path: str) -> Any:
    """The value as its annotation wants it, or a SpecError that says what is allowed."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(value, arguments[0], arguments[1], path)
    if origin is Literal:
        if value not in arguments:
            raise SpecError(f"expected {expectation(hint)}, got {value!r}{_close(value, arguments)}", path=path)
        return value
    if origin in (Union, types.UnionType):
        return _union(value, arguments, path)
    if origin is tuple:
        return _tuple(value, arguments, path)
    if isinstance(hint, type) and issubclass(hint, Spec):
        return _nested(value, hint, path)
    if hint is float:
        return _number(value, Number(), path)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise SpecError(f"expected {expectation(hint)}, got {value!r}", path=path)
    return value


def _annotated(value: Any, hint: Any, rule: Any, path: str) -> Any:
    if isinstance(rule, Number) and hint is float:
        return _number(value, rule, path)
    if isinstance(rule, Tagged):
        return _tagged(value, rule, path)
    converted = convert(value, hint, path)
    if isinstance(rule, Number) and not rule.admits(converted):
        raise SpecError(f"expected {rule}, got {value!r}", path=path)
    if isinstance(rule, Count) and len(converted) < rule.least:
        raise SpecError(f"expected {rule}, got {len(converted)}", path=path)
    if isinstance(rule, Text) and not rule.test(converted):
        raise SpecError(f"expected {rule.expected}, got {value!r}", path=path)
    return converted


def _number(value: Any, rule: Number, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise SpecError(f"expected {rule}, got {value!r}", path=path)
    if not rule.admits(value):
        raise SpecError(f"expected {rule}, got {value:g}", path=path)
    return float(value)


def _union(value: Any, choices: tuple[Any, ...], path: str) -> Any:
    if value is None and type(None) in choices:
        return None
    specs = [c for c in choices if isinstance(c, type) and issubclass(c, Spec)]
    others = [c for c in choices if c is not type(None) and c not in specs]
    if specs and isinstance(value, (Mapping, Spec)):
        return _nested(value, specs[0], path)
    return convert(value, others[0] if others else specs[0], path)


def _tuple(value: Any, items: tuple[Any, ...], path: str) -> tuple[Any, ...]:
    many = len(items) == 2 and items[1] is Ellipsis
    if not isinstance(value, (list, tuple)) or (not many and len(value) != len(items)):
        raise SpecError(f"expected {_expected_items(items)}, got {value!r}", path=path)
    kinds = [items[0]] * len(value) if many else items
    return tuple(convert(v, k, f"{path}[{i}]") for i, (v, k) in enumerate(zip(value, kinds, strict=True)))


def _nested(value: Any, cls: type[Spec], path: str) -> Spec:
    if isinstance(value, cls):
        return value
    if not isinstance(value, Mapping):
        raise SpecError(f"expected a table of {cls.__name__} keys, got {value!r}", path=path)
    try:
        return cls.from_table(value)
    except SpecError as error:
        raise error.within(path) from None


def _tagged(value: Any, rule: Tagged, path: str) -> Spec:
    if isinstance(value, Spec):
        return value
    classes = rule.classes()
    if not isinstance(value, Mapping) or rule.key not in value:
        raise SpecError(f"expected a table with a key {rule.key!r}{suggestion('', classes)}", path=path)
    tag = value[rule.key]
    if tag not in classes:
        raise SpecError(f"unknown {rule.what} {tag!r}{suggestion(str(tag), classes)}", path=f"{path}.{rule.key}")
    return _nested({k: v for k, v in value.items() if k != rule.key}, classes[tag], path)


def _close(value: Any, choices: tuple[Any, ...]) -> str:
    found = suggestion(str(value), [str(c) for c in choices])
    return found if "did you mean" in found else ""


def expectation(hint: Any) -> str:
    """What a field wants, in words."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        rule = arguments[1]
        if isinstance(rule, Text):
            return rule.expected
        if isinstance(rule, Tagged):
            return f"a table with a key {rule.key!r}"
        return str(rule)
    if origin is Literal:
        return " or ".join(repr(a) for a in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(expectation(a) for a in arguments if a is not type(None))
    if origin is tuple:
        return _expected_items(arguments)
    if isinstance(hint, type) and issubclass(hint, Spec):
        return f"a table of {hint.__name__} keys"
    return {float: "a number", int: "a whole number", bool: "true or false", str: "a text in quotes"}[hint]


def _expected_items(items: tuple[Any, ...]) -> str:
    if len(items) == 2 and items[1] is Ellipsis:
        return f"a list, each {expectation(items[0])}"
    return "[" + ", ".join(expectation(item) for item in items) + "]"
