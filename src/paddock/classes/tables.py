"""CSV files that people edit too: in UTF-8, with a mark by which spreadsheets know it; their separator is kept."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.files import append_text, write_text

MARK = "\ufeff"
SEPARATORS = ",;\t"
FORMULA = "=+-@"  # a cell that begins so is calculated
DIGITS = 12  # of a number that count; those behind them are rounding: 189.39999999999998 s are 189.4 s


def read_table(path: Path, report: Callable[[str], object] | None = None) -> list[tuple[int, dict[str, str]]]:
    """The rows of a CSV file, each with its line; values by the heads of their columns. No file: no rows.

    Of a broken row is complained, and it is left out; without `report` it is an error.
    """
    text = _read_text(path)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=_find_separator(text), restval="")
    rows = []
    try:
        for row in reader:
            if None in row:
                problem = f"{path}, line {reader.line_num}: more values than the first line has columns"
                if report is None:
                    raise PaddockError(problem)
                report(problem)
                continue
            rows.append((reader.line_num, {key.strip(): value.strip() for key, value in row.items()}))
    except csv.Error as error:
        raise PaddockError(f"{path}, line {reader.line_num}: not valid CSV: {error}") from None
    return rows


def write_table(
    path: Path,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, object]],
    *,
    sync: bool = True,
    private: bool = False,
) -> None:
    """Replace a CSV file."""
    heads = dict(zip(columns, columns, strict=True))
    text = _lines(columns, [heads, *rows], _find_separator(_read_text(path)))
    write_text(path, MARK + text, sync=sync, private=private)


def append_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Add to a CSV file, all rows or none. One that was changed by hand is brought in order, and loses nothing."""
    text = _read_text(path)
    if text.startswith(_lines(columns, [dict(zip(columns, columns, strict=True))])) and text.endswith("\n"):
        append_text(path, _lines(columns, rows), sync=True)
        return
    before = [row for _, row in read_table(path)]
    write_table(path, list(dict.fromkeys([*columns, *(key for row in before for key in row)])), [*before, *rows])


def _read_text(path: Path) -> str:
    """What a file holds; nothing if there is none."""
    try:
        data = path.read_bytes()
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise PaddockError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":  # the power failed within a letter
            return data.decode("utf-8-sig", "ignore")
        raise PaddockError(f"{path}: expected a text in UTF-8; save it with that encoding") from None


def _find_separator(text: str) -> str:
    """Spreadsheets of some countries write semicolons."""
    return max(SEPARATORS, key=text.partition("\n")[0].count)


def _lines(columns: Sequence[str], rows: Iterable[Mapping[str, object]], separator: str = ",") -> str:
    text = io.StringIO()
    csv.DictWriter(text, columns, restval="", delimiter=separator, lineterminator="\n").writerows(
        {key: _number_cell(value) for key, value in row.items()} for row in rows
    )
    return text.getvalue()


def _number_cell(value: object) -> object:
    """A number as people read it; anything else as it is."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def text_cell(text: str) -> str:
    """A text of others, such as a file's name, as a cell that no spreadsheet calculates."""
    return f"'{text}" if unicodedata.normalize("NFKC", text).lstrip().startswith(tuple(FORMULA)) else text


def time_now() -> str:
    """By this machine's clock, with its zone."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
