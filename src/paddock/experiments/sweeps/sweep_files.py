"""Output folder of a sweep: tables as CSV and Parquet, summary, failures, provenance, charts and a report."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from paddock.arena.episodes.trace_files import import_extra
from paddock.core.errors import PaddockError
from paddock.core.files import whole_file, write_text
from paddock.core.provenance import collect, read_inputs, write_provenance
from paddock.experiments.sweeps.inputs import input_files
from paddock.experiments.sweeps.sweep_report import sweep_report
from paddock.experiments.sweeps.sweep_result import Sweep
from paddock.report.document import write_document

KIND = "sweep"  # of run, in the provenance
TABLE, PARQUET, SUMMARY, FAILURES = "runs.csv", "runs.parquet", "summary.csv", "failures.csv"


def save_sweep(sweep: Sweep, folder: Path) -> list[Path]:
    """Write all output files; equal sweeps give equal tables, to the last byte."""
    folder.mkdir(parents=True, exist_ok=True)
    table = collect(packages=("pandas", "pyarrow"))
    written = write_provenance(
        folder, KIND, {**table, "seeds": list(sweep.spec.seeds)}, read_inputs(input_files(sweep.spec))
    )
    written += [
        _write_table(folder / TABLE, sweep.columns, sweep.rows),
        _write_table(folder / SUMMARY, list(sweep.summary[0]) if sweep.summary else ["figure"], sweep.summary),
    ]
    written += _write_parquet(folder / PARQUET, sweep)
    (folder / FAILURES).unlink(missing_ok=True)
    if sweep.failures:
        rows = [_failure_row(failed) for failed in sweep.failures]
        written.append(_write_table(folder / FAILURES, list(rows[0]), rows))
    title = sweep.spec.title or f"Sweep {sweep.spec.name}"
    return [*written, *write_document(title, list(sweep_report(sweep, table)), folder)]


def _failure_row(failed: Any) -> dict[str, Any]:
    row = {"run": failed.run, **failed.labels, "seed": failed.seed}
    return {**row, "problem": failed.problem, "command": failed.command}


def _write_table(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write a table as CSV; floats are read back with the same bits, NaN is an empty cell."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    table.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    write_text(path, text.getvalue())
    return path


def _cell(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _write_parquet(path: Path, sweep: Sweep) -> Iterator[Path]:
    """Write the table as Parquet if pyarrow is installed."""
    try:
        pyarrow, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    except PaddockError:  # `paddock doctor` lists missing extras
        path.unlink(missing_ok=True)
        return
    table = pyarrow.table({name: _alike(sweep.column(name)) for name in sweep.columns})
    with whole_file(path, "wb") as file:
        parquet.write_table(table, file)
    yield path


def _alike(values: list[Any]) -> list[Any]:
    """Return values of one type: mixed integers and floats become floats, other mixed types become text."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1:
        return values
    make = float if kinds == {int, float} else str
    return [None if value is None else make(value) for value in values]
