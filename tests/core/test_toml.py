"""Readable TOML: lists on one line where they fit, and lossless round trips."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.core.errors import SpecError
from paddock.core.toml import find_line, read_toml, toml_text

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


@pytest.mark.parametrize(
    ("value", "remark"), [("True", "write true, not True"), ("None", "leave the key out instead of None")]
)
def test_value_as_in_python_is_explained(value: str, remark: str) -> None:
    with pytest.raises(SpecError, match=rf"\(at line 2, column 10\): {remark}"):
        read_toml(f"[[walls]]\nclosed = {value}\n", file="room.toml")


TEXT = """\
# robots[0].at = "not here"
name = "room"
walls = [
  [0, 1],  # one per line
  [2, 3]]

[[robots]]
name = "red ]]"
type.base = "scout"

[[robots]]
name = '''
at = [1, 2]
'''
  [[robots.sensors]]
  "range" = 1
  [[robots.sensors]]
  mounts = [[1, 2,
     3, 4]]
  pivot = { min_deg = 1 }
[floor]
image = "x.png"
"""


@pytest.mark.parametrize(
    ("key", "line"),
    [
        *(("name", 2), ("walls[1]", 3), ("robots[0].name", 8), ("robots[0].type.base", 9), ("robots[0].at", 7)),
        *(("robots[1].name", 12), ("robots[1].at", 11), ("robots[1].sensors[0].range", 16), ("floor.image", 22)),
        *(
            ("robots[1].sensors[1].mounts[0]", 18),
            ("robots[1].sensors[1].pivot.max_deg", 20),
            ("bounds", None),
            ("robots[2].name", None),
            ("floor.scale", 21),
        ),
    ],
)
def test_line_of_a_key_is_found(key: str, line: int | None) -> None:
    assert find_line(TEXT, key) == line


def test_lists_over_a_base_have_no_lines() -> None:
    text = "base = 'scout'\n[[sensors]]\nname = 'sonar'\n"
    assert find_line(text, "sensors[0].name") is None
    assert find_line(text, "base") == 1
