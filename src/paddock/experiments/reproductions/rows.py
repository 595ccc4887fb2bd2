"""Rows of claims: the paper's value, our value, and whether the claim holds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paddock.report.tables import NO, Table

KEYS = ("row", "metric", "paper", "ours", "holds")
HEADS = ("holds", "row", "metric", "paper", "ours", "required")
YES = "yes"


@dataclass(frozen=True, slots=True)
class Row:
    """One claim."""

    row: str
    metric: str  # with its unit
    paper: float | None  # None: the paper has no such number
    ours: float
    holds: bool
    required: str = ""  # the requirement as text
    needs_seeds: int = 0  # > 0: the claim does not hold, but the run has too few seeds to decide it

    @property
    def failed(self) -> bool:
        """Whether the claim does not hold, with enough seeds to decide it."""
        return not self.holds and not self.needs_seeds

    def as_json(self) -> str:
        """Return the row as one line of JSON; an undecided claim, and numbers that are not finite, become null."""
        values = {key: getattr(self, key) for key in KEYS}
        if self.needs_seeds:
            values["holds"] = None
        for key in ("paper", "ours"):
            if values[key] is not None and not math.isfinite(values[key]):
                values[key] = None
        return json.dumps(values, ensure_ascii=False, allow_nan=False)

    def cells(self) -> tuple[str, ...]:
        """Return the row as strings, in the order of HEADS."""
        paper = "" if self.paper is None else as_published(self.paper)
        holds = f"needs {self.needs_seeds} seeds" if self.needs_seeds else YES if self.holds else NO
        return holds, self.row, self.metric, paper, number(self.ours), self.required


def at_least(row: str, metric: str, ours: float, bound: float, paper: float | None = None) -> Row:
    """Return the claim that a number is not smaller than a bound."""
    return Row(row, metric, paper, ours, ours >= bound, f">= {bound:g}")


def at_most(row: str, metric: str, ours: float, bound: float, paper: float | None = None) -> Row:
    """Return the claim that a number is not greater than a bound."""
    return Row(row, metric, paper, ours, ours <= bound, f"<= {bound:g}")


def within(row: str, metric: str, ours: float, middle: float, margin: float, paper: float | None = None) -> Row:
    """Return the claim that a number is within a margin of another."""
    return Row(row, metric, paper, ours, abs(ours - middle) <= margin, f"{middle:g} ± {margin:g}")


def equals(row: str, metric: str, ours: float, expected: float, paper: float | None = None) -> Row:
    """Return the claim that a number has a value."""
    return Row(row, metric, paper, ours, ours == expected, f"{expected:g}")


def claims(rows: Iterable[Row]) -> Table:
    """Return the rows as a table."""
    return Table(HEADS, tuple(row.cells() for row in rows))


def require_seeds(row: Row, seeds: int, needed: int) -> Row:
    """Return a claim; if it does not hold in a run with fewer seeds than it needs, it is undecided."""
    return row if row.holds or seeds >= needed else replace(row, needs_seeds=needed)


def none_failed(rows: Sequence[Row]) -> bool:
    """Return whether there are claims and none of them failed."""
    return bool(rows) and not any(row.failed for row in rows)


def summarise(rows: Sequence[Row]) -> str:
    """Describe how many claims hold, and how many need more seeds."""
    undecided = [row.needs_seeds for row in rows if row.needs_seeds]
    more = f"; {len(undecided)} cannot be decided with fewer than {max(undecided)} seeds" if undecided else ""
    return f"{sum(row.holds for row in rows)} of {len(rows)} claims hold{more}"


def number(value: float) -> str:
    """Format a number: whole numbers without decimals, other numbers with about three significant digits."""
    if abs(value) < 1e6 and value == int(value):
        return str(int(value))
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.2f}" if abs(value) >= 1 else f"{value:#.3g}"


def as_published(value: float) -> str:
    """Format a published number with all of its digits; computed numbers with many digits are rounded."""
    text = f"{value:g}"
    return text if len(text) <= 6 else number(value)


def mean_and_spread(values: Sequence[float], digits: int) -> str:
    """Format mean ± standard deviation."""
    return f"{float(np.mean(values)):.{digits}f} ± {float(np.std(values)):.{digits}f}"
