"""Rows: what a paper says, what we found, and whether it holds; and sheets of what was measured."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

KEYS = ("row", "metric", "paper", "ours", "holds")
HEADS = ("row", "metric", "paper", "ours", "wanted", "holds")


@dataclass(frozen=True, slots=True)
class Row:
    """One claim."""

    row: str
    metric: str  # with its unit
    paper: float | None  # None: the paper has no such number
    ours: float
    holds: bool
    wanted: str = ""  # for people: what must be so for it to hold

    def as_json(self) -> str:
        """One line; a number that JSON cannot write becomes null."""
        values = {key: getattr(self, key) for key in KEYS}
        for key in ("paper", "ours"):
            if values[key] is not None and not math.isfinite(values[key]):
                values[key] = None
        return json.dumps(values, ensure_ascii=False, allow_nan=False)

    def cells(self) -> tuple[str, ...]:
        """The row as texts, in the order of HEADS."""
        paper = "" if self.paper is None else number(self.paper)
        return self.row, self.metric, paper, number(self.ours), self.wanted, "yes" if self.holds else "NO"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of texts."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def claims(rows: Iterable[Row]) -> Sheet:
    """The rows as a table."""
    return Sheet(HEADS, tuple(row.cells() for row in rows))


def all_hold(rows: Sequence[Row]) -> bool:
    """Whether there are claims, and each of them holds."""
    return bool(rows) and all(row.holds for row in rows)


def number(value: float) -> str:
    """A number as people write it: whole ones whole, others with as many digits as say something."""
    if abs(value) < 1e6 and value == int(value):
        return str(int(value))
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def mean_and_spread(values: Sequence[float], digits: int) -> str:
    """Mean ± standard deviation."""
    return f"{float(np.mean(values)):.{digits}f} ± {float(np.std(values)):.{digits}f}"
