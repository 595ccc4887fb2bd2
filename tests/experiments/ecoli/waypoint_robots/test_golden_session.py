"""The start of experiment 1, compared byte by byte."""

from __future__ import annotations

import pytest

from experiments.ecoli.waypoint_robots.golden_session import GOLDEN, SESSIONS, record_session


@pytest.mark.parametrize("name", SESSIONS)
def test_session_matches_its_golden_file(name: str) -> None:
    assert record_session(name) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
