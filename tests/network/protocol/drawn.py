"""Hypothesis strategies for messages, derived from the annotations of their fields."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
import numpy as np
from hypothesis import strategies as st

from paddock.network.protocol.messages import LONGEST_NAME, Measured, Message, Numbers, TomlTable

Drawn = st.SearchStrategy[Any]

letters = st.characters(codec="utf-8", exclude_categories=["C", "Z"])
lines = st.text(letters | st.just(" "), max_size=12)
names = st.text(letters, max_size=LONGEST_NAME)
numbers = st.floats(allow_nan=False, allow_infinity=False)
whole_numbers = st.integers(-(2**63), 2**63 - 1)
arrays = st.lists(numbers | st.just(math.nan), max_size=8).map(lambda row: np.array(row, np.float64))
tables = st.dictionaries(
    names,
    st.recursive(
        st.booleans() | whole_numbers | numbers | lines,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)
PLAIN: dict[Any, Drawn] = {
    Numbers: arrays,
    TomlTable: tables,
    bool: st.booleans(),
    int: whole_numbers,
    float: numbers,
    str: st.text(st.characters(codec="utf-8"), max_size=30),
    bytes: st.binary(max_size=40),
    type(None): st.none(),
    Measured: numbers,
}


def drawn(hint: Any) -> Drawn:
    """Values of the annotated type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin is Annotated:
        kind, limits = arguments
        if get_origin(kind) in (tuple, dict):
            return drawn(kind)
        return lines if kind is str else within(kind, limits)
    if origin in (Union, types.UnionType):
        return st.one_of([drawn(choice) for choice in arguments])
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return st.lists(drawn(arguments[0]), max_size=3).map(tuple)
        return st.tuples(*(drawn(item) for item in arguments))
    if origin in (dict, Mapping):
        return st.dictionaries(names, drawn(arguments[1]), max_size=3)
    return record(hint)


def within(kind: type, limits: msgspec.Meta) -> Drawn:
    if kind is int:
        return st.integers(int(limits.ge or 0), int(limits.le or 0))
    low = limits.ge if limits.gt is None else limits.gt
    return st.floats(low, limits.le, exclude_min=limits.gt is not None)


def record(cls: Any) -> Drawn:
    hints = typing.get_type_hints(cls, include_extras=True)
    return st.builds(cls, **{field.name: drawn(hints[field.name]) for field in msgspec.structs.fields(cls)})


def message(kinds: Mapping[str, type[Message]]) -> Drawn:
    """Any message of these types."""
    return st.sampled_from(sorted(kinds)).flatmap(lambda kind: record(kinds[kind]))
