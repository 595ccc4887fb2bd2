"""Sheets: text tables for reports and the terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

# A quantity in a cell: 12.5, 1.2e-05, 10.4 ± 0.3, 50×, 6.3 s
QUANTITY = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?( ± [\d.,]+(e[-+]?\d+)?)?( ?(×|%|[a-zA-Z]{1,3}))?|-?inf|nan")

NO = "NO"  # cell of a claim that does not hold


@dataclass(frozen=True, slots=True)
class Table:
    """A text table. The first column has the names of the rows, or whether a claim holds."""

    kind: ClassVar[str] = "table"
    heads: tuple[str, ...]  # column headers; empty for pairs of name and value
    rows: tuple[tuple[str, ...], ...]
    about: str = ""  # meaning of the numbers, such as "mean ± standard deviation"

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, str]], about: str = "") -> Table:
        """Create a table from rows that give every cell with its header, all in the same order."""
        cells = list(rows)
        heads = tuple(cells[0]) if cells else ()
        return cls(heads, tuple(tuple(row[head] for head in heads) for row in cells), about)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns contain numbers and are right-aligned; never the first, which has the row names."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.heads)
        return tuple(k > 0 and bool(self.heads) and _mostly_numbers(cells) for k, cells in enumerate(columns))

    def transpose(self) -> Table:
        """Swap rows and columns, for few rows with many columns."""
        columns = list(zip(self.heads, *self.rows, strict=True))
        return Table(("", *columns[0][1:]), tuple(columns[1:]), self.about)

    def split(self, max_columns: int) -> Iterator[Table]:
        """Split the table into parts of at most so many columns. Each part starts with the column of row names."""
        for first in range(1, len(self.heads), max_columns - 1):
            chosen = (0, *range(first, min(first + max_columns - 1, len(self.heads))))
            rows = tuple(tuple(row[k] for k in chosen) for row in self.rows)
            yield Table(tuple(self.heads[k] for k in chosen), rows, self.about)


def is_number(cell: str) -> bool:
    """Whether a cell contains a number, optionally with its spread and unit."""
    return QUANTITY.fullmatch(cell) is not None


def _mostly_numbers(cells: Sequence[str]) -> bool:
    """Whether most cells are numbers, and the others are numbers followed by a remark; a dash is an empty cell."""
    known = [cell for cell in cells if cell not in ("", "-")]
    return 2 * sum(map(is_number, known)) > len(known) and all(is_number(cell.split()[0]) for cell in known)


def format_number(value: float, digits: int = 4) -> str:
    """Return a number as a cell of a table; NaN, which means that there is no value, as a dash."""
    return "-" if math.isnan(value) else f"{value:.{digits}g}"
