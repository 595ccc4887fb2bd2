"""Sheets: tables of texts, for reports and for the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

# A quantity in a cell: 12.5, 1.2e-05, 10.4 ± 0.3, 50×, 6.3 s
QUANTITY = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?( ± [\d.,]+(e[-+]?\d+)?)?( ?(×|%|[a-zA-Z]{1,3}))?|-?inf|nan")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of texts; rows begin with their name, or with whether they hold."""

    kind: ClassVar[str] = "sheet"
    heads: tuple[str, ...]  # of all columns; empty: names and values
    rows: tuple[tuple[str, ...], ...]
    about: str = ""  # what the numbers are: "mean ± standard deviation"

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers and are flush right; never the first, which names the rows."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.heads)
        return tuple(k > 0 and bool(self.heads) and _mostly_numbers(cells) for k, cells in enumerate(columns))

    def transpose(self) -> Sheet:
        """Rows as columns: for few things of which much is known."""
        columns = list(zip(self.heads, *self.rows, strict=True))
        return Sheet(("", *columns[0][1:]), tuple(columns[1:]), self.about)

    def split(self, most: int) -> Iterator[Sheet]:
        """The same in parts of at most so many columns; each begins with the first one, which names the rows."""
        for first in range(1, len(self.heads), most - 1):
            chosen = (0, *range(first, min(first + most - 1, len(self.heads))))
            rows = tuple(tuple(row[k] for k in chosen) for row in self.rows)
            yield Sheet(tuple(self.heads[k] for k in chosen), rows, self.about)


def is_number(cell: str) -> bool:
    """Whether a cell holds a number, maybe with its spread and its unit."""
    return QUANTITY.fullmatch(cell) is not None


def _mostly_numbers(cells: Sequence[str]) -> bool:
    """Whether there are numbers and, after some of them, a remark at most; a dash stands for no number."""
    known = [cell for cell in cells if cell not in ("", "-")]
    return 2 * sum(map(is_number, known)) > len(known) and all(is_number(cell.split()[0]) for cell in known)
