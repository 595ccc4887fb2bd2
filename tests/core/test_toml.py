"""Readable TOML: lists on one line where they fit, and lossless round trips."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from paddock.core.toml import toml_text

VALUES = st.recursive(
    st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.booleans() | st.text(max_size=12),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text(min_size=1, max_size=6), values, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(min_size=1, max_size=6), VALUES, max_size=5))
def test_table_round_trips(table: dict[str, Any]) -> None:
    assert tomllib.loads(toml_text(table)) == table


def test_points_stay_on_one_line_and_long_lists_are_wrapped() -> None:
    text = toml_text({"points": [[0, 1.255], [0.205, 1.255]], "many": list(range(100)), "names": ["a", "b, c"]})
    assert "points = [[0, 1.255], [0.205, 1.255]]\n" in text
    assert 'names = ["a", "b, c"]\n' in text
    assert max(map(len, text.splitlines())) <= 110
