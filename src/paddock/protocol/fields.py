"""Checks of what arrives: a reader for every type that messages use, made once from the annotations.

Specs have their own checks (core/spec.py), worded for people who write files. Messages come thousands of times a
second and from strangers, so these are plain closures and accept nothing that is not named. Where something is wrong
is put together on the way out: a reader tells `: expected …`, who called it puts `.key` or `[i]` in front.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

import numpy as np

from paddock.core.errors import BadMessage, shown, suggestion
from paddock.core.rules import Number
from paddock.protocol.messages import LONGEST_NAME, Numbers, Table

MOST_ENTRIES = 20_000  # of a list or a map
LONGEST_LINE = 200  # letters: texts that may be longer than this may have several lines
LONGEST_TEXT = 100_000
DEEPEST = 16  # levels of a table
WHOLE = Number("a whole number of at most 64 bits", low=-(2**63), high=2**63 - 1)


class Reader(NamedTuple):
    """What a value should be in words, the types it may have on the wire, and what checks and converts it."""

    wanted: str
    types: tuple[type, ...]
    read: Callable[[Any], Any]


def record(cls: Any) -> Callable[[Any], Any]:
    """What checks a map and makes a dataclass of it."""
    return reader(cls).read


@functools.cache
def reader(hint: Any) -> Reader:
    """The reader of an annotated type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Annotated:
        return _text(arguments[1]) if arguments[0] is str else _number(arguments[0], arguments[1])
    if origin in (Union, types.UnionType):
        return _either([reader(choice) for choice in arguments])
    if origin is tuple:
        return _list(reader(arguments[0])) if arguments[-1] is Ellipsis else _row([reader(item) for item in arguments])
    if origin in (dict, Mapping):
        return _map(reader(arguments[1]))
    return _record(hint)


def refusal(wanted: str, value: Any) -> BadMessage:
    return BadMessage(f": expected {wanted}, got {got(value)}")


def got(value: Any) -> str:
    """What arrived, in a few words however long it is."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return shown(value[:LONGEST_LINE])
    return shown(value) if isinstance(value, (int, float)) else "a msgpack extension"


def meant(name: Any, known: typing.Iterable[str]) -> str:
    """The suggestion for a name that may be anything."""
    return suggestion(name[:LONGEST_NAME] if isinstance(name, str) else "", known)


def _record(cls: Any) -> Reader:
    hints = typing.get_type_hints(cls, include_extras=True)
    fields = dataclasses.fields(cls)
    wanted = {field.name: reader(hints[field.name]).wanted for field in fields}
    readers = {field.name: reader(hints[field.name]).read for field in fields}
    needed = {f.name: None for f in fields if f.default is f.default_factory is dataclasses.MISSING}

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise refusal("a map", value)
        given = {}
        for key, entry in value.items():
            check = readers.get(key)
            if check is None:
                raise BadMessage(f": unknown key {got(key)}{meant(key, readers)}")
            try:
                given[key] = check(entry)
            except BadMessage as error:
                raise BadMessage(f".{key}{error}") from None
        if not needed.keys() <= given.keys():
            name = next(name for name in needed if name not in given)
            raise BadMessage(f".{name}: missing, expected {wanted[name]}")
        return cls(**given)

    return Reader("a map", (dict,), read)


def _number(kind: type, rule: Number) -> Reader:
    if kind is int:
        return _whole(rule)

    def read(value: Any) -> float:
        if type(value) is not float and type(value) is not int:
            raise refusal(str(rule), value)
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not rule.admits(number):
            raise refusal(rule.explain(math.inf if number == -math.inf else number), value)
        return number

    return Reader(str(rule), (int, float), read)


def _whole(rule: Number) -> Reader:
    low, high = rule.low, rule.high
    wanted = rule.unit if rule is WHOLE else f"{rule.unit} from {low} to {high}"

    def read(value: Any) -> Any:
        if type(value) is not int or not low <= value <= high:
            raise refusal(wanted, value)
        return value

    return Reader(wanted, (int,), read)


def _text(longest: int) -> Reader:
    wanted = f"a text of at most {longest} letters"

    def read(value: Any) -> Any:
        if type(value) is not str:
            raise refusal(wanted, value)
        if len(value) > longest:
            raise BadMessage(f": expected {wanted}, got {len(value)}")
        if value.isprintable():
            return value
        if longest <= LONGEST_LINE:
            raise refusal("printable letters", value)
        try:
            value.encode()
        except UnicodeEncodeError:
            raise refusal("letters that UTF-8 can have", value) from None
        return value

    return Reader(wanted, (str,), read)


def _either(choices: list[Reader]) -> Reader:
    wanted = " or ".join(choice.wanted for choice in choices)
    by_type = {kind: choice.read for choice in choices for kind in choice.types}  # no two share one

    def read(value: Any) -> Any:
        check = by_type.get(type(value))
        if check is None:
            raise refusal(wanted, value)
        return check(value)

    return Reader(wanted, tuple(by_type), read)


def _row(items: list[Reader]) -> Reader:
    wanted = f"a list of {len(items)}"
    checks = [item.read for item in items]

    def read(value: Any) -> Any:
        if type(value) is not list or len(value) != len(checks):
            raise refusal(wanted, value)
        given: list[Any] = []
        try:
            for check, entry in zip(checks, value, strict=True):
                given.append(check(entry))
        except BadMessage as error:
            raise BadMessage(f"[{len(given)}]{error}") from None
        return tuple(given)

    return Reader(wanted, (list,), read)


def _list(item: Reader) -> Reader:
    wanted = f"a list of at most {MOST_ENTRIES}"

    def read(value: Any) -> Any:
        if type(value) is not list or len(value) > MOST_ENTRIES:
            raise refusal(wanted, value)
        given: list[Any] = []
        try:
            for entry in value:
                given.append(item.read(entry))
        except BadMessage as error:
            raise BadMessage(f"[{len(given)}]{error}") from None
        return tuple(given)

    return Reader(wanted, (list,), read)


def _map(item: Reader) -> Reader:
    check = item.read

    def read(value: Any) -> Any:
        if type(value) is not dict or len(value) > MOST_ENTRIES:
            raise refusal(f"a map of at most {MOST_ENTRIES}", value)
        given = {}
        for key, entry in value.items():
            _check_key(key)
            try:
                given[key] = check(entry)
            except BadMessage as error:
                raise BadMessage(f".{key}{error}") from None
        return given

    return Reader("a map", (dict,), read)


def _check_key(key: Any) -> None:
    if type(key) is not str or len(key) > LONGEST_NAME or not key.isprintable():
        raise BadMessage(f": expected keys of at most {LONGEST_NAME} printable letters, got {got(key)}")


def _check_table(value: Any, levels: int = DEEPEST) -> Any:
    """A map of what TOML can have, but for dates."""
    kind = type(value)
    if kind in _OF_TABLES:
        return _OF_TABLES[kind].read(value)
    if kind not in (dict, list):
        raise refusal("a text, a number, true, false, a list or a map", value)
    if levels == 0:
        raise BadMessage(f": expected at most {DEEPEST} levels, got more")
    for key, entry in value.items() if kind is dict else enumerate(value):
        if kind is dict:
            _check_key(key)
        try:
            _check_table(entry, levels - 1)
        except BadMessage as error:
            raise BadMessage(f".{key}{error}" if kind is dict else f"[{key}]{error}") from None
    return value


def _bytes(value: Any) -> Any:
    if type(value) is bytes:
        return value
    try:
        return base64.b64decode(value, validate=True)  # JSON has none
    except (TypeError, ValueError):
        raise refusal("bytes, in JSON a text in base64", value) from None


def _numbers(value: Any) -> Any:
    if type(value) is bytes and len(value) % 8 == 0:
        return np.frombuffer(value, "<f8")
    if type(value) is list and set(map(type, value)) <= {int, float, type(None)}:
        try:
            return np.array([math.nan if entry is None else entry for entry in value], np.float64)
        except OverflowError:
            raise BadMessage(": expected numbers that float64 can have, got a greater one") from None
    raise refusal("bytes of float64, or a list of numbers and nulls", value)


def _flag(value: Any) -> Any:
    if type(value) is not bool:
        raise refusal("true or false", value)
    return value


_NUMBER = _number(float, Number("a number"))
_FLAG = Reader("true or false", (bool,), _flag)
_TEXT = _text(LONGEST_TEXT)
_PLAIN: dict[Any, Reader] = {
    bool: _FLAG,
    int: _whole(WHOLE),
    float: _NUMBER,
    str: _TEXT,
    bytes: Reader("bytes", (bytes, str), _bytes),
    type(None): Reader("null", (type(None),), lambda value: value),
    Numbers: Reader("numbers", (bytes, list), _numbers),
    Table: Reader("a map", (dict,), _check_table),
}
_OF_TABLES = {bool: _FLAG, int: _PLAIN[int], float: _NUMBER, str: _TEXT}
