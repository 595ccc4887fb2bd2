"""Shipped worlds, scenarios, exercises and contests give the same results as ever, to the last bit.

After an intended change, `python tests/run_digests.py` rewrites the golden file; the changelog names the change.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from marks import rarely
from run_digests import GOLDEN, QUICK, WHOLE, normalise

REWRITE = "if this change is intended, run `python tests/run_digests.py` and name the change in CHANGELOG.md"


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    """Return the stored results by case."""
    return dict(json.loads(GOLDEN.read_text(encoding="utf-8")))


def test_golden_file_has_every_case(golden: dict[str, Any]) -> None:
    assert sorted(golden) == sorted(QUICK | WHOLE), REWRITE


@pytest.mark.heavy
@pytest.mark.parametrize("case", [*QUICK, *rarely(*(name for name in WHOLE if name not in QUICK))])
def test_run_gives_stored_results(case: str, golden: dict[str, Any]) -> None:
    result = str(normalise((QUICK | WHOLE)[case]()))  # as text, because NaN is not equal to itself
    assert result == str(golden.get(case)), REWRITE
