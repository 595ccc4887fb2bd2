"""CSV files that users may edit: UTF-8 with a byte order mark for spreadsheets; an existing separator is kept."""

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
FORMULA = "=+-@"  # spreadsheets evaluate cells that begin with one of these
DIGITS = 12  # significant digits of a number; further digits are rounding errors, as in 189.39999999999998


def read_table(path: Path, report: Callable[[str], object] | None = None) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a CSV file, each with its line number; values by column name. A missing file has no rows.

    A broken row is reported to `report` and ignored; without `report` it is an error.
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
    text = _lines(columns, rows, _find_separator(_read_text(path)), head=True)
    write_text(path, MARK + text, sync=sync, private=private)


def append_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Add all rows or none to a CSV file. A file that was edited by hand is reformatted without loss."""
    text = _read_text(path)
    if text.startswith(_lines(columns, (), head=True)) and text.endswith("\n"):
        append_text(path, _lines(columns, rows), sync=True)
        return
    before = [row for _, row in read_table(path)]
    write_table(path, list(dict.fromkeys([*columns, *(key for row in before for key in row)])), [*before, *rows])


def _read_text(path: Path) -> str:
    """Return the content of a file; empty if it does not exist."""
    try:
        data = path.read_bytes()
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise PaddockError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":  # a power failure cut off a character
            return data.decode("utf-8-sig", "ignore")
        raise PaddockError(f"{path}: expected UTF-8 text; save it with that encoding") from None


def _find_separator(text: str) -> str:
    """Return the separator of a text; spreadsheets write semicolons in some locales."""
    return max(SEPARATORS, key=text.partition("\n")[0].count)


def _lines(
    columns: Sequence[str], rows: Iterable[Mapping[str, object]], separator: str = ",", *, head: bool = False
) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", delimiter=separator, lineterminator="\n")
    if head:
        writer.writeheader()
    writer.writerows({key: _number_cell(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def _number_cell(value: object) -> object:
    """Return a float rounded to DIGITS; any other value unchanged."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def text_cell(text: str) -> str:
    """Return an external text, such as a file name, as a cell that spreadsheets do not evaluate."""
    return f"'{text}" if unicodedata.normalize("NFKC", text).lstrip().startswith(tuple(FORMULA)) else text


def time_now() -> str:
    """Return the time of this machine's clock, with its time zone."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
