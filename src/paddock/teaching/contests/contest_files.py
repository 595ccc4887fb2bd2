"""The output folder of a contest: write and read CSV tables, and write the report."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paddock.core.errors import PaddockError
from paddock.report.document import write_document
from paddock.teaching.classroom.class_tables import read_table, text_cell, write_table
from paddock.teaching.contests.contest_report import contest_report
from paddock.teaching.contests.contest_result import ContestResult, FinalLine, HeatRow

RESULTS, STANDINGS = "results.csv", "standings.csv"


def save_contest(result: ContestResult, folder: Path) -> list[Path]:
    """Write all files and return their paths; equal contests give identical files."""
    _write(folder / RESULTS, HeatRow, result.rows)
    _write(folder / STANDINGS, FinalLine, result.standings)
    title = result.spec.title or f"Contest {result.spec.name}"
    return [folder / RESULTS, folder / STANDINGS, *write_document(title, list(contest_report(result)), folder)]


def read_standings(folder: str | Path) -> list[dict[str, Any]]:
    """Read the final table of a contest from its output folder."""
    return _read(Path(folder) / STANDINGS, FinalLine)


def read_results(folder: str | Path) -> list[dict[str, Any]]:
    """Read the rows of all heats of a contest from its output folder."""
    return _read(Path(folder) / RESULTS, HeatRow)


def _write(path: Path, row: type, rows: Sequence[Any]) -> None:
    """Write rows as CSV; NaN is written as an empty cell."""
    columns = [field.name for field in dataclasses.fields(row)]
    write_table(path, columns, [{k: _cell(v) for k, v in dataclasses.asdict(each).items()} for each in rows])


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return text_cell(value)
    return "" if isinstance(value, float) and math.isnan(value) else value


def _read(path: Path, row: type) -> list[dict[str, Any]]:
    if not path.is_file():
        raise PaddockError(
            f"{path.parent}: there is no {path.name}: expected the folder of `paddock class contest run --out`"
        )
    kinds = {field.name: field.type for field in dataclasses.fields(row)}
    return [{name: _parse(text, str(kinds[name])) for name, text in cells.items() if name in kinds}
            for _, cells in read_table(path)]  # fmt: skip


def _parse(text: str, kind: str) -> Any:
    if kind == "float":
        return float(text) if text else math.nan
    return int(text) if kind == "int" else text
