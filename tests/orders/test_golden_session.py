"""The beginning of experiment 1, byte for byte."""

from __future__ import annotations

import pytest

from orders.golden_session import GOLDEN, SESSIONS, record_session


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_byte_for_byte_what_it_was(name: str) -> None:
    assert record_session(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
