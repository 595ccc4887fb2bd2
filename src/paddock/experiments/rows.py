"""Rows: what a paper says, what we found, and whether it holds; and sheets of what was measured."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

KEYS = ("row", "metric", "paper", "ours", "holds")
HEADS = ("holds", "row", "metric", "paper", "ours", "wanted")
YES, NO = "yes", "NO"
# A quantity in a cell: 12.5, 1.2e-05, 10.4 ± 0.3, 50×, 6.3 s
QUANTITY = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?( ± [\d.,]+)?( ?(×|%|[a-zA-Z]{1,3}))?|-?inf|nan")


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
        paper = "" if self.paper is None else as_published(self.paper)
        return YES if self.holds else NO, self.row, self.metric, paper, number(self.ours), self.wanted


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of texts."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    about: str = ""  # what the numbers are: "mean ± standard deviation"

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers and are flush right; never the first, which names the rows."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.heads)
        return tuple(k > 0 and _mostly_numbers(cells) for k, cells in enumerate(columns))

    def turned(self) -> Sheet:
        """Rows as columns: for few things of which much is known."""
        columns = list(zip(self.heads, *self.rows, strict=True))
        return Sheet(("", *columns[0][1:]), tuple(columns[1:]), self.about)


def claims(rows: Iterable[Row]) -> Sheet:
    """The rows as a table."""
    return Sheet(HEADS, tuple(row.cells() for row in rows))


def all_hold(rows: Sequence[Row]) -> bool:
    """Whether there are claims, and each of them holds."""
    return bool(rows) and all(row.holds for row in rows)


def is_number(cell: str) -> bool:
    """Whether a cell holds a number, maybe with its spread and its unit."""
    return QUANTITY.fullmatch(cell) is not None


def number(value: float) -> str:
    """A number as people write it: whole ones whole, others with as many digits as say something, small ones too."""
    if abs(value) < 1e6 and value == int(value):
        return str(int(value))
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.2f}" if abs(value) >= 1 else f"{value:#.3g}"


def as_published(value: float) -> str:
    """A number with all of its digits, unless it was worked out from others and has very many."""
    text = f"{value:g}"
    return text if len(text) <= 6 else number(value)


def mean_and_spread(values: Sequence[float], digits: int) -> str:
    """Mean ± standard deviation."""
    return f"{float(np.mean(values)):.{digits}f} ± {float(np.std(values)):.{digits}f}"


def _mostly_numbers(cells: Sequence[str]) -> bool:
    """Whether there are numbers and, after some of them, a remark at most."""
    told = [cell for cell in cells if cell]
    return 2 * sum(map(is_number, told)) > len(told) and all(is_number(cell.split()[0]) for cell in told)


def quick_look(seeds: int, published: int) -> str:
    """What to say of a reproduction with fewer seeds than its claims were made for; empty if there are enough."""
    if seeds >= published:
        return ""
    return f"a quick look with {seeds} of {published} seeds; the claims are made for all {published}"
