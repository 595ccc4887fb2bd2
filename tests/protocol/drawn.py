"""Hypothesis strategies for messages, derived from the annotations of their fields."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin

import numpy as np
from hypothesis import strategies as st

from paddock.core.rules import Number
from paddock.protocol.messages import LONGEST_NAME, Message, Numbers, Table

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
    Table: tables,
    bool: st.booleans(),
    int: whole_numbers,
    float: numbers,
    str: st.text(st.characters(codec="utf-8"), max_size=30),
    bytes: st.binary(max_size=40),
    type(None): st.none(),
}


def drawn(hint: Any) -> Drawn:
    """Values of the annotated type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin is Annotated:
        return lines if arguments[0] is str else ruled(*arguments)
    if origin in (Union, types.UnionType):
        return st.one_of([drawn(choice) for choice in arguments])
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return st.lists(drawn(arguments[0]), max_size=3).map(tuple)
        return st.tuples(*(drawn(item) for item in arguments))
    if origin in (dict, Mapping):
        return st.dictionaries(names, drawn(arguments[1]), max_size=3)
    return record(hint)


def ruled(kind: type, rule: Number) -> Drawn:
    if kind is int:
        return st.integers(int(rule.low), int(rule.high))
    low = rule.above if rule.above > -math.inf else rule.low
    return st.floats(low, rule.high, exclude_min=rule.above > -math.inf)


def record(cls: Any) -> Drawn:
    hints = typing.get_type_hints(cls, include_extras=True)
    return st.builds(cls, **{field.name: drawn(hints[field.name]) for field in dataclasses.fields(cls)})


def message(kinds: Mapping[str, type[Message]]) -> Drawn:
    """Any message of these types."""
    return st.sampled_from(sorted(kinds)).flatmap(lambda kind: record(kinds[kind]))
