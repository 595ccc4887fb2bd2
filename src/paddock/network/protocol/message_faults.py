"""Faults: find the first error in an invalid message, and describe its location and what is allowed."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
import numpy as np

from paddock.core.errors import BadMessage, suggestion
from paddock.network.protocol.message_base import LONGEST_NAME, MAX_ENTRIES, Message, check_key, describe

Hook = Callable[[type, Any], Any]
WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    bytes: "bytes, in JSON a text in base64",
    type(None): "null",
    np.ndarray: "bytes of float64, or a list of numbers and nulls",
}


def find_class(table: Any, known: Mapping[str, type[Message]]) -> type[Message]:
    """Return the class of a message that was decoded as a plain map."""
    if type(table) is not dict:
        raise BadMessage(f"expected a map with a key 'type', got {describe(table)}")
    kind = table.get("type")
    cls = known.get(kind) if type(kind) is str else None
    if cls is None:
        if kind is None:
            raise BadMessage("type: missing")
        raise BadMessage(f"type: no message is called {describe(kind)}{_did_you_mean(kind, known)}")
    return cls


def check_fields(table: dict[Any, Any], cls: type[Message], hook: Hook, *, lenient: bool) -> None:
    """Raise `BadMessage` for the first invalid field.

    Args:
        table: the message as a plain map.
        cls: its class.
        hook: decoding hook of msgspec for arrays.
        lenient: remove unknown fields from the map instead of refusing them.
    """
    try:
        del table["type"]
        _FieldCheck(hook, lenient).check_struct(table, cls)
        table["type"] = cls.type
    except BadMessage as error:
        raise BadMessage(f"{cls.type}{error}") from None


class _FieldCheck:
    """Descends to the invalid value; its path is assembled while the exception propagates up."""

    def __init__(self, hook: Hook, lenient: bool) -> None:
        self.hook, self.lenient = hook, lenient

    def check(self, value: Any, hint: Any) -> None:
        """Raise `BadMessage` if a value is invalid."""
        if self._reads(value, hint):
            return
        plain, limits = _without_limits(hint)
        origin, arguments = get_origin(plain), get_args(plain)
        if origin in (Union, types.UnionType):
            self._check_union(value, plain, arguments)
        elif _is_struct(plain):
            self.check_struct(value, plain)
        elif origin in (dict, Mapping):
            self._check_map(value, arguments[1])
        elif origin is tuple:
            self._check_list(value, arguments)
        if self._reads(value, hint):  # valid without the additional fields of a newer peer
            return
        if isinstance(value, str) and plain is str:
            self._refuse_text(value, hint, limits)
        raise BadMessage(f": expected {words_for(hint)}, got {describe(value)}")

    def _reads(self, value: Any, hint: Any) -> bool:
        try:
            msgspec.convert(value, hint, dec_hook=self.hook)
        except (msgspec.MsgspecError, RecursionError, OverflowError):
            return False
        return True

    def check_struct(self, value: Any, cls: Any) -> None:
        if type(value) is not dict:
            raise BadMessage(f": expected a map, got {describe(value)}")
        hints = _hints(cls)
        if self.lenient:
            for key in [key for key in value if key not in hints]:
                del value[key]
        for key, entry in value.items():
            if key not in hints:
                raise BadMessage(f": unknown key {describe(key)}{_did_you_mean(key, hints)}")
            self._within(f".{key}", entry, hints[key])
        for field in msgspec.structs.fields(cls):
            if field.required and field.name not in value:
                raise BadMessage(f".{field.name}: missing, expected {words_for(hints[field.name])}")

    def _check_union(self, value: Any, hint: Any, choices: Iterable[Any]) -> None:
        for choice in choices:
            bare = _without_limits(choice)[0]
            kind = get_origin(bare) or bare
            fits = {tuple: list, dict: dict}.get(kind, dict if _is_struct(kind) else kind)
            if type(value) is fits:
                self.check(value, choice)
                return
        raise BadMessage(f": expected {words_for(hint)}, got {describe(value)}")

    def _check_map(self, value: Any, entries: Any) -> None:
        if type(value) is not dict or len(value) > MAX_ENTRIES:
            raise BadMessage(f": expected a map of at most {MAX_ENTRIES}, got {describe(value)}")
        for key, entry in value.items():
            check_key(key)
            self._within(f".{key}", entry, entries)

    def _check_list(self, value: Any, arguments: tuple[Any, ...]) -> None:
        several = arguments[-1] is Ellipsis
        most = MAX_ENTRIES if several else len(arguments)
        if type(value) is not list or len(value) > most or (len(value) < most and not several):
            raise BadMessage(f": expected a list of {'at most ' if several else ''}{most}, got {describe(value)}")
        for i, entry in enumerate(value):
            self._within(f"[{i}]", entry, arguments[0] if several else arguments[i])

    def _within(self, place: str, value: Any, hint: Any) -> None:
        try:
            self.check(value, hint)
        except BadMessage as error:
            raise BadMessage(f"{place}{error}") from None

    @staticmethod
    def _refuse_text(value: str, hint: Any, limits: msgspec.Meta | None) -> None:
        if limits is not None and limits.max_length is not None and len(value) > limits.max_length:
            raise BadMessage(f": expected {words_for(hint)}, got {len(value)}")
        raise BadMessage(f": expected printable characters, got {describe(value)}")


def words_for(hint: Any) -> str:
    """Describe the expected values of a field."""
    plain, limits = _without_limits(hint)
    origin, arguments = get_origin(plain), get_args(plain)
    if origin in (Union, types.UnionType):
        return " or ".join(words_for(choice) for choice in arguments)
    if plain is str:
        return f"a text of at most {limits.max_length} characters" if limits is not None else "a text"
    if limits is not None and limits.description and plain is int:
        wide = limits.ge == -(2**63)
        return limits.description if wide else f"{limits.description} from {limits.ge} to {limits.le}"
    if limits is not None and limits.description:
        bounds = [(">", limits.gt), (">=", limits.ge), ("<=", limits.le)]
        limit_texts = [f"{sign} {bound:g}" for sign, bound in bounds if bound is not None and abs(bound) < 1e300]
        return " ".join([limits.description, " and ".join(limit_texts)]).strip()
    if origin is tuple:
        return f"a list of at most {MAX_ENTRIES}" if arguments[-1] is Ellipsis else f"a list of {len(arguments)}"
    return WORDS.get(origin or plain, "a map")


def _without_limits(hint: Any) -> tuple[Any, msgspec.Meta | None]:
    return get_args(hint)[:2] if get_origin(hint) is Annotated else (hint, None)


def _is_struct(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, msgspec.Struct)


@cache
def _hints(cls: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(cls, include_extras=True)
    return {field.name: hints[field.name] for field in msgspec.structs.fields(cls)}


def _did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return the suggestion for a name that may be of any type."""
    return suggestion(name[:LONGEST_NAME] if isinstance(name, str) else "", known)
