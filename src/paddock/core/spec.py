"""Specs: frozen dataclasses with validation that can be read from TOML and written back without loss.

A spec class is a plain frozen dataclass whose annotations define the allowed values:

    @dataclass(frozen=True, kw_only=True, slots=True)
    class Cylinder(Spec):
        at: Point
        radius: Metres          # Annotated[float, Number("metres", above=0)]

The same checks apply to specs built in Python and read from a file: `convert` applies the rule of each annotation. The
rules and units that all specs share are below.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import types
import typing
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, Union, get_args, get_origin

from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.errors import KEY, PaddockError, SpecError, format_value, nearest, suggestion, with_article
from paddock.core.registry import Registry
from paddock.core.toml import read_toml, toml_text
from paddock.core.user_code import absolute_path, is_path, refuse_abstract, trusted_folder


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


FARTHEST = 1e6  # maximum coordinate and length [m]
NUMBERS = 1e9  # maximum magnitude of other quantities; the minimum is its inverse


@dataclass(frozen=True)
class Number:
    """The unit and the allowed range of a number.

    `minimum` and `limit` bound the magnitude of non-zero values to what is physically plausible. Messages mention them
    only for values that exceed them.
    """

    unit: str = "a number"
    above: float = -math.inf
    low: float = -math.inf
    high: float = math.inf
    minimum: float = 0.0
    limit: float = math.inf

    def __str__(self) -> str:
        return self._describe(self.above, self.low, self.high)

    def admits(self, value: float) -> bool:
        return (
            math.isfinite(value) and self._in_range(value) and (value == 0 or self.minimum <= abs(value) <= self.limit)
        )

    def explain(self, value: float) -> str:
        """Describe the expected number, including the bound that this value violates."""
        if math.isnan(value) or (math.isinf(value) and self._in_range(value)):
            article = "a " if self.unit.startswith("a ") else ""
            return f"{article}finite {str(self).removeprefix(article)}"
        if not self._in_range(value):
            return str(self)
        high = min(self.high, self.limit)
        if self.low == self.above == -math.inf:
            return self._describe(-math.inf, -self.limit, high)
        if abs(value) < self.minimum:
            return self._describe(-math.inf, self.minimum, high) + (" or 0" if self.low == 0 else "")
        return self._describe(self.above, self.low, high)

    def _in_range(self, value: float) -> bool:
        return value > self.above and self.low <= value <= self.high

    def _describe(self, above: float, low: float, high: float) -> str:
        bounds = []
        if above > -math.inf:
            bounds.append(f"> {above:g}")
        if low > -math.inf:
            bounds.append(f">= {low:g}")
        if high < math.inf:
            bounds.append(f"<= {high:g}")
        return " ".join([self.unit, " and ".join(bounds)]).strip()


@dataclass(frozen=True)
class Count:
    """The required number of entries of a list: a minimum, or an exact number."""

    minimum: int
    of: str
    exactly: bool = False

    def __str__(self) -> str:
        return f"{self.minimum} {self.of}" if self.exactly else f"at least {self.minimum} {self.of}"

    def admits(self, count: int) -> bool:
        return count == self.minimum if self.exactly else count >= self.minimum


@dataclass(frozen=True)
class Description:
    """A description of a field that is easier to read than its type."""

    expected: str

    def __str__(self) -> str:
        return self.expected


@dataclass(frozen=True)
class Text:
    """A string that a test must accept."""

    expected: str
    test: Callable[[str], bool]

    def __str__(self) -> str:
        return self.expected


@dataclass(frozen=True)
class Tagged:
    """A choice between spec classes by the value of one key: `kind = "sonar"`."""

    key: str
    what: str
    classes: Registry[Any]
    default: str = ""  # value if the key is missing; empty: it is required

    def __str__(self) -> str:
        return expectation(self.classes.get(self.default)) if self.default else f"a table with a key {self.key!r}"


def rgb(color: str) -> tuple[int, int, int]:
    """Return red, green and blue (0 … 255) of `#rrggbb` or of a colour's English name."""
    if len(color) == 7 and color[0] == "#":
        return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
    from PIL import ImageColor

    return ImageColor.getrgb(color)[:3]


def is_color(color: str) -> bool:
    if color.startswith("#"):
        return re.fullmatch("#([0-9a-fA-F]{3}){1,2}", color) is not None
    from PIL import ImageColor

    return color.lower() in ImageColor.colormap


def is_name(text: str) -> bool:
    """Whether a text consists of letters of any script with their marks, digits, hyphens and underscores."""
    plain = "".join(letter for letter in text if letter not in "-_" and unicodedata.category(letter)[0] != "M")
    return plain.isalnum() and unicodedata.category(text[0])[0] != "M"


Metres = Annotated[float, Number("metres", above=0, minimum=1e-6, limit=FARTHEST)]
MetresOrZero = Annotated[float, Number("metres", low=0, limit=FARTHEST)]
Coordinate = Annotated[float, Number("metres", limit=FARTHEST)]
Point = Annotated[tuple[Coordinate, Coordinate], Description("[x, y] in metres")]
Degrees = Annotated[float, Number("degrees", limit=1e6)]
Seconds = Annotated[float, Number("seconds", low=0, limit=60)]
Positive = Annotated[float, Number(above=0, minimum=1 / NUMBERS, limit=NUMBERS)]
NotNegative = Annotated[float, Number(low=0, limit=NUMBERS)]
Quantity = Annotated[float, Number(limit=NUMBERS)]
Share = Annotated[float, Number(low=0, limit=1)]
AnyPort = Annotated[int, Number("a port", low=0, high=HIGHEST_PORT)]  # 0: any free port
Name = Annotated[str, Text("a name of letters, digits, '-' and '_'", is_name)]
Color = Annotated[str, Text("a colour such as '#3366cc' or 'orange'", is_color)]


def hints(cls: type) -> dict[str, Any]:
    """Return the annotations of the fields that users may set."""
    return _hints(cls)  # the type checker does not accept a class as the argument of a cached function


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    resolved = typing.get_type_hints(cls, include_extras=True)
    return {field.name: resolved[field.name] for field in dataclasses.fields(cls) if field.compare}  # type: ignore[arg-type]


def plain(value: Any) -> Any:
    """Convert a spec value to the types of TOML."""
    if _is_spec(value):
        return value.to_table()
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value


def convert(value: Any, hint: Any, path: str, expected: str = "") -> Any:
    """Convert a value to the type of its annotation; raise a SpecError that reports what is expected."""
    if hasattr(value, "tolist"):  # from numpy
        value = value.tolist()
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _apply_rule(value, arguments[0], arguments[1], path)
    if origin is Literal:
        if value not in arguments:
            near = nearest(str(value), arguments)
            meant = f" (did you mean {near!r}?)" if near else ""
            raise SpecError(f"expected {expectation(hint)}, got {format_value(value)}{meant}", path=path)
        return value
    if origin in (Union, types.UnionType):
        return _union(value, arguments, path, expected)
    if origin is tuple:
        return _tuple(value, arguments, path, expected)
    if origin is Mapping:
        return _mapping(value, hint, path)
    if _is_spec_class(hint):
        return _convert_nested(value, hint, path)
    if hint in (int, float):
        return _number(value, Number(), path, hint)
    if not isinstance(value, hint):
        raise SpecError(f"expected {expected or expectation(hint)}, got {format_value(value)}", path=path)
    return value


def _apply_rule(value: Any, hint: Any, rule: Any, path: str) -> Any:
    if isinstance(rule, Number):
        return _number(value, rule, path, hint)
    if isinstance(rule, Tagged):
        return _convert_tagged(value, hint, rule, path)
    if isinstance(rule, Text):
        if not isinstance(value, str) or not rule.test(value):
            raise SpecError(f"expected {rule}, got {format_value(value)}", path=path)
        return value
    if isinstance(rule, Description):
        return convert(value, hint, path, expected=rule.expected)
    assert isinstance(rule, Count)
    converted = convert(value, hint, path)
    if not rule.admits(len(converted)):
        raise SpecError(f"expected {rule}, got {len(converted)}", path=path)
    return converted


def _number(value: Any, rule: Number, path: str, kind: type) -> float:
    whole = kind is int
    if isinstance(value, bool) or not isinstance(value, Integral if whole else Real):
        got = repr(value) if isinstance(value, float) else format_value(value)  # 2.0 is not whole
        raise SpecError(f"expected {expectation(int) if whole else rule}, got {got}", path=path)
    number: Any = value
    try:
        size = float(number)
    except OverflowError:
        size = math.copysign(math.inf, number > 0 or -1)
    if not rule.admits(size):
        raise SpecError(f"expected {rule.explain(size)}, got {format_value(value)}", path=path)
    return int(number) if whole else size


def _union(value: Any, choices: tuple[Any, ...], path: str, expected: str) -> Any:
    if value is None and type(None) in choices:
        return None
    specs = [c for c in choices if _is_spec_class(c)]
    others = [c for c in choices if c is not type(None) and c not in specs]
    if specs and (isinstance(value, Mapping) or _is_spec(value)):
        return _convert_nested(value, specs[0], path)
    return convert(value, others[0] if others else specs[0], path, expected)


def _tuple(value: Any, items: tuple[Any, ...], path: str, expected: str) -> tuple[Any, ...]:
    many = len(items) == 2 and items[1] is Ellipsis
    listed = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
    if not listed and many and (cls := _spec_class(items[0])) is not None:
        tables = f"a list of {cls.__name__}" if _is_spec(value) else f"a list of tables, written [[{KEY}]]"
        raise SpecError(
            f"expected {tables}, got {'one table' if isinstance(value, Mapping) else format_value(value)}", path=path
        )
    if not listed or (not many and len(value) != len(items)):
        raise SpecError(f"expected {expected or _expected_items(items)}, got {format_value(value)}", path=path)
    kinds = [items[0]] * len(value) if many else items
    return tuple(convert(v, k, f"{path}[{i}]") for i, (v, k) in enumerate(zip(value, kinds, strict=True)))


def _is_spec_class(hint: Any) -> bool:
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)


def _is_spec(value: Any) -> bool:
    return _is_spec_class(type(value))


def _spec_class(hint: Any) -> type[Any] | None:
    cls = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return cls if _is_spec_class(cls) else None


def _convert_nested(value: Any, cls: type[Any], path: str) -> Any:
    if isinstance(value, cls):
        return value
    if _is_spec(value):
        raise SpecError(f"expected {with_article(cls.__name__)}, got {format_value(value)}", path=path)
    if isinstance(value, (list, tuple)):
        raise SpecError(f"expected one table, written [{KEY}], got a list", path=path)
    if not isinstance(value, Mapping):
        raise SpecError(f"expected {expectation(cls)}, got {format_value(value)}", path=path)
    try:
        return cls.from_table(value)
    except SpecError as error:
        raise error.within(path) from None


def _mapping(value: Any, hint: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise SpecError(f"expected {expectation(hint)}, got {format_value(value)}", path=path)
    return {str(key): convert(item, get_args(hint)[1], f"{path}.{key}") for key, item in value.items()}


def _convert_tagged(value: Any, cls: type[Any], rule: Tagged, path: str) -> Any:
    if _is_spec(value):
        return _convert_nested(value, cls, path)
    if not isinstance(value, Mapping):
        raise SpecError(f"expected {rule}, got {format_value(value)}", path=path)
    if rule.key not in value and not rule.default:
        raise SpecError(f"missing: a {rule.what}{suggestion('', rule.classes)}", path=f"{path}.{rule.key}")
    chosen = _tagged_class(value.get(rule.key, rule.default), rule, f"{path}.{rule.key}")
    return _convert_nested({k: v for k, v in value.items() if k != rule.key}, chosen, path)


def _tagged_class(tag: Any, rule: Tagged, path: str) -> type[Any]:
    """Return the class of a registered name, or of `file.py:Name` in a user's own file."""
    if is_path(tag):
        if trusted_folder() is None:
            raise SpecError(
                f"{format_value(tag)}: only files on this machine may refer to code, received data may not "
                "(for a table of your own: from_table(table, folder=…))",
                path=path,
            )
    elif not isinstance(tag, str) or tag not in rule.classes:
        raise SpecError(f"unknown {rule.what} {format_value(tag)}{suggestion(tag, rule.classes)}", path=path)
    try:
        chosen: type[Any] = rule.classes.get(tag, folder=trusted_folder())
    except PaddockError as error:
        raise SpecError(str(error), path=path) from error
    if is_path(tag) and (chosen.tag is None or chosen.tag[1] not in rule.classes):
        chosen.tag = rule.key, absolute_path(chosen)  # so that a saved spec can be loaded again
    return chosen


def expectation(hint: Any) -> str:
    """Describe the values that a field accepts."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return str(arguments[1])
    if origin is Literal:
        return " or ".join(repr(a) for a in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(expectation(a) for a in arguments if a is not type(None))
    if origin is tuple:
        return _expected_items(arguments)
    if origin is Mapping:
        return f"a table with a value for each name: {expectation(arguments[1])}"
    if _is_spec_class(hint):
        return f"a table with the keys {', '.join(hints(hint))}"
    return {float: "a number", int: "a whole number", bool: "true or false", str: "a string in quotes"}.get(
        hint, "anything"
    )


def _expected_items(items: tuple[Any, ...]) -> str:
    if len(items) == 2 and items[1] is Ellipsis:
        return f"a list, each {expectation(items[0])}"
    return "[" + ", ".join(expectation(item) for item in items) + "]"
