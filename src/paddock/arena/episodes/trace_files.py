"""Read and write trace files: CSV for spreadsheets, NPZ and Parquet without loss."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import IO, Any, get_args

import numpy as np

from paddock.arena.episodes.events import Event, Kind
from paddock.arena.episodes.trace import NUMBERS, DeviceReadings, Floats, Trace
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.files import append_text, find_unpacked_limit, whole_file
from paddock.core.npz import read_npz, write_npz
from paddock.core.packages import import_package

FORMAT = "paddock trace 1"
A_TRACE = "a trace saved by Paddock"
TEXTS = ("task", "events")
EVENT_KEYS = {field.name for field in fields(Event)}  # a newer version may write more
NEXT_EVENT = re.compile(rf"; (?=(?:{'|'.join(get_args(Kind))}): )")  # between two events of a cell
ROWS_AT_ONCE = 4096

import_extra = partial(import_package, what="a data frame or a Parquet file", extra="data")


def save_trace(trace: Trace, path: Path) -> None:
    """Write a trace in the format of the file name extension."""
    _format(path)[0](trace, path)


def load_trace(path: Path) -> Trace:
    """Read a trace in the format of the file name extension."""
    if not path.is_file():
        raise PaddockError(f"{path}: no such file")
    load = _format(path)[1]
    try:
        return load(path)
    except PaddockError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise PaddockError(f"{path}: expected {A_TRACE}: its description is damaged: {error}") from None


def _about(trace: Trace) -> dict[str, Any]:
    """Return the metadata of a trace: everything except the table."""
    return {
        "format": FORMAT,
        "robot": trace.robot,
        "dt": trace.dt,
        "error_of": trace.error_of,
        "unit": trace.unit,
        "target": trace.target,
        "labels": {name: list(device.labels) for name, device in trace.readings.items()},
        "events": [asdict(event) for event in trace.events],
    }


def _trace(about: Mapping[str, Any], columns: Mapping[str, Sequence[Any]]) -> Trace:
    """Create a trace from its metadata and its table."""
    readings = {
        name: DeviceReadings(tuple(labels), np.stack([np.asarray(columns[label], float) for label in labels], axis=1))
        for name, labels in about["labels"].items()
    }
    tasks = tuple(str(task) for task in columns["task"])
    return Trace(
        about["robot"],
        about["dt"],
        np.stack([np.asarray(columns[name], float) for name in NUMBERS], axis=1),
        readings,
        tasks if any(tasks) else (),
        tuple(Event(**{key: event[key] for key in EVENT_KEYS & event.keys()}) for event in about["events"]),
        about["error_of"],
        about["unit"],
        about["target"],
    )


# ---- NPZ


def _save_npz(trace: Trace, path: Path) -> None:
    columns = {name: np.asarray(column) for name, column in trace.columns().items() if name != "events"}
    write_npz(path, _about(trace), columns)


def _load_npz(path: Path) -> Trace:
    about, arrays = read_npz(path, A_TRACE)
    if about["format"] != FORMAT:
        raise PaddockError(f"{path}: expected {A_TRACE}, got {about['format']!r}")
    return _trace(about, {name: column.tolist() for name, column in arrays.items()})


# ---- Parquet


def _save_parquet(trace: Trace, path: Path) -> None:
    pyarrow, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    columns = {name: np.asarray(c) if name not in TEXTS else list(c) for name, c in trace.columns().items()}
    table = pyarrow.table(columns).replace_schema_metadata({"paddock": json.dumps(_about(trace))})
    with whole_file(path, "wb") as file:
        parquet.write_table(table, file)


def _load_parquet(path: Path) -> Trace:
    pyarrow, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    limit, parts = find_unpacked_limit(path.stat().st_size), []
    try:
        with parquet.ParquetFile(path) as file:
            for part in file.iter_batches(ROWS_AT_ONCE):  # equal values take nearly no space in the file
                parts.append(part)
                limit -= part.nbytes
                if limit < 0:
                    raise ValueError("unpacked, it is larger than its data can be")
            table = pyarrow.Table.from_batches(parts, file.schema_arrow)
        about = json.loads((table.schema.metadata or {})[b"paddock"])
    except Exception as error:
        raise PaddockError(f"{path}: expected {A_TRACE}: {error}") from None
    return _trace(about, {name: table[name].to_pylist() for name in table.column_names})


# ---- CSV


def _save_csv(trace: Trace, path: Path) -> None:
    """Write all rows as a table. Floats have full precision, so that they read back to the same bits; NaN is empty."""
    with whole_file(path, encoding="utf-8", newline="") as file:
        _write_rows(trace, file, heads=True)


def append_rows(trace: Trace, path: Path) -> None:
    """Append the rows of a trace to a CSV file with the same columns, or create it. Either all are written or none."""
    text = io.StringIO()
    _write_rows(trace, text, heads=not path.exists())
    append_text(path, text.getvalue())


def _write_rows(trace: Trace, file: IO[str], *, heads: bool) -> None:
    columns, table = trace.columns(), csv.writer(file, lineterminator="\n")
    if heads:
        table.writerow(columns)
    for start in range(0, len(trace), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        table.writerows(zip(*(_cells(column[rows]) for column in columns.values()), strict=True))


def _cells(column: Sequence[Any]) -> Sequence[Any]:
    """Return the cells of a column, None for NaN."""
    if not isinstance(column, np.ndarray):
        return column
    return [None if value != value else value for value in column.tolist()]


def _load_csv(path: Path) -> Trace:
    heads, rows, lines = _read_csv(path)
    cells = dict(zip(heads, zip(*rows, strict=True) if rows else [()] * len(heads), strict=True))
    columns: dict[str, Any] = {name: c if name in TEXTS else _floats(c, path, name, lines) for name, c in cells.items()}
    labels: dict[str, list[str]] = {}
    for head in heads:
        if head not in NUMBERS and head not in TEXTS:
            labels.setdefault(head.partition(".")[0], []).append(head)
    events = [
        {"time": time, "kind": text.partition(": ")[0], "text": text.partition(": ")[2]}
        for time, cell in zip(columns["time"].tolist(), cells.get("events", ()), strict=False)
        for text in NEXT_EVENT.split(cell)
        if cell
    ]
    tick = _find_tick(columns["time"])
    about = {"robot": path.stem.removeprefix("trace-"), "dt": tick, "labels": labels, "events": events}
    return _trace({**about, "error_of": "error", "unit": "m", "target": None}, columns)


def _find_tick(times: Floats) -> float:
    """Return the shortest time between two rows [s], rounding errors averaged out; 0 if it is unknown."""
    steps = np.diff(times)
    steps = steps[steps > 0]
    return float(steps.sum() / np.rint(steps / steps.min()).sum()) if len(steps) else 0.0


def _read_csv(path: Path) -> tuple[list[str], list[list[str]], list[int]]:
    """Return the header and the rows of a table, and the line number of each row. All rows have the same length."""
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:  # some spreadsheets write a byte order mark
            table = csv.reader(file)
            heads = next(table, [])
            for row in table:
                if row:
                    rows.append(row)
                    lines.append(table.line_num)
    except OSError as error:
        raise PaddockError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise PaddockError(f"{path}: expected {A_TRACE}: this is not a table in UTF-8: {error}") from None
    if not heads:
        raise PaddockError(f"{path}: expected {A_TRACE}: there is no header line with the column names")
    missing = [name for name in (*NUMBERS, "task") if name not in heads]
    if missing:
        raise PaddockError(f"{path}: expected {A_TRACE}: there is no column {missing[0]!r}")
    if len(set(heads)) < len(heads):
        twice = next(name for name in heads if heads.count(name) > 1)
        raise PaddockError(f"{path}: expected {A_TRACE}: there are two columns {twice!r}")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(heads):
            raise PaddockError(f"{path} line {line}: expected {len(heads)} cells as in line 1, got {len(row)}")
    return heads, rows, lines


def _floats(cells: Sequence[str], path: Path, name: str, lines: Sequence[int]) -> Floats:
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        line, cell = next((line, cell) for line, cell in zip(lines, cells, strict=True) if not _is_number(cell))
        raise PaddockError(f"{path} line {line}, column {name!r}: expected a number or nothing, got {cell!r}") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


Format = tuple[Callable[[Trace, Path], None], Callable[[Path], Trace]]
FORMATS: dict[str, Format] = {
    ".csv": (_save_csv, _load_csv),
    ".npz": (_save_npz, _load_npz),
    ".parquet": (_save_parquet, _load_parquet),
}


def _format(path: Path) -> Format:
    if path.suffix not in FORMATS:
        raise UnknownName("format of a trace", path.suffix or path.name, FORMATS)
    return FORMATS[path.suffix]
