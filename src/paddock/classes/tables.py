"""CSV files that people edit too: in UTF-8, with a mark by which spreadsheets know it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.files import append_text, write_text

MARK = "\ufeff"


def read_table(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows of a CSV file, each with its line; values by the heads of their columns. No file: no rows."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise PaddockError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PaddockError(f"{path}: expected a text in UTF-8; save it with that encoding") from None
    head = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), restval="")
    rows = []
    try:
        for row in reader:
            if None in row:
                raise PaddockError(f"{path}, line {reader.line_num}: more values than the first line has columns")
            rows.append((reader.line_num, {key.strip(): value.strip() for key, value in row.items()}))
    except csv.Error as error:
        raise PaddockError(f"{path}, line {reader.line_num}: not valid CSV: {error}") from None
    return rows


def write_table(
    path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]], *, private: bool = False
) -> None:
    """Replace a CSV file."""
    write_text(path, MARK + _lines(columns, [dict(zip(columns, columns, strict=True)), *rows]), private=private)


def append_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Add to a CSV file, all rows or none; a new one gets its heads first."""
    if path.exists():
        append_text(path, _lines(columns, rows))
    else:
        write_table(path, columns, rows)


def _lines(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    text = io.StringIO()
    csv.DictWriter(text, columns, restval="", lineterminator="\n").writerows(rows)
    return text.getvalue()


def time_now() -> str:
    """By this machine's clock, with its zone."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
