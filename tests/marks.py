"""Marks of parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def rarely(*values: Any) -> list[Any]:
    """More of the same kind: parameters that `make test` leaves to `make test-long`."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]


def mostly(chosen: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """All values, those that were not chosen rarely."""
    chosen = list(chosen)
    return [*chosen, *rarely(*(value for value in values if value not in chosen))]
