"""Convert values from files to the types of annotated fields; a SpecError reports the expected type or range."""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from paddock.core.errors import KEY, PaddockError, SpecError, format_value, nearest, suggestion, with_article
from paddock.core.rules import Count, Description, Number, Tagged, Text
from paddock.core.user_code import absolute_path, is_path, trusted_folder


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
    if rule.key not in value:
        raise SpecError(f"missing: a {rule.what}{suggestion('', rule.classes)}", path=f"{path}.{rule.key}")
    chosen = _tagged_class(value[rule.key], rule, f"{path}.{rule.key}")
    return _convert_nested({k: v for k, v in value.items() if k != rule.key}, chosen, path)


def _tagged_class(tag: Any, rule: Tagged, path: str) -> type[Any]:
    """Return the class of a registered name, or of `file.py:Name` in a user's own file."""
    if is_path(tag):
        if trusted_folder() is None:
            raise SpecError(
                f"{format_value(tag)}: only files on this machine may refer to code, uploaded robots may not", path=path
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
