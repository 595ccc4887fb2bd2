"""Name patterns agree with `re`, and their matching time is bounded."""

from __future__ import annotations

import itertools
import re

import pytest

from paddock.bridges.ros2.wire.name_pattern import NamePattern
from paddock.core.errors import BadMessage


def test_supported_patterns_agree_with_re() -> None:
    names = ["".join(word) for length in range(5) for word in itertools.product("ab", repeat=length)]
    parts = ("a", "b", ".", ".*", "|")
    for pieces in itertools.product(("", "^"), ("", *parts), parts, parts, ("", "b", "$")):
        text = "".join(pieces)
        if "^|" not in text:
            pattern = NamePattern(text)
            assert [n for n in names if pattern.is_in(n)] == [n for n in names if re.search(text, n)], text


@pytest.mark.parametrize("text", ["(a+)+b", "[ab]", "a*", "a{9}", "a^b", "a$b", "\\d", "("])
def test_other_expressions_are_refused_with_the_allowed_ones(text: str) -> None:
    with pytest.raises(BadMessage, match="expected a text with") as refused:
        NamePattern(text)
    assert repr(text)[1:-1] in str(refused.value)


def test_pattern_with_catastrophic_backtracking_in_re_stays_fast() -> None:
    assert not NamePattern(".*a" * 80 + "$").is_in("a" * 10_000 + "b")
    with pytest.raises(BadMessage, match="at most 256 characters, got 300"):
        NamePattern("a" * 300)
