"""Pytest marks for parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def rarely(*values: Any) -> list[Any]:
    """Return the values as parameters that run only in `make test-long`."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]


def mostly(chosen: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """Return all values as parameters; values that are not chosen run only in `make test-long`."""
    chosen = list(chosen)
    return [*chosen, *rarely(*(value for value in values if value not in chosen))]
