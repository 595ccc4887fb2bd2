"""Results of a class: a row for each robot and heat, stored as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.teaching.classroom.class_tables import append_rows, read_table

RESULTS = "results.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """The result of a student's robot in a heat."""

    time: str
    exercise: str  # or the world, if there is no exercise
    heat: int
    student: str
    robot: str
    place: int  # from 1
    score: float | None  # None: the aim was not reached
    unit: str
    fouls: int


COLUMNS = tuple(field.name for field in fields(ResultRow))


def append_results(folder: Path, rows: Iterable[ResultRow]) -> None:
    """Add all rows or none. The caller holds the lock of the class."""
    append_rows(folder / RESULTS, COLUMNS, [asdict(row) for row in rows])


def read_results(folder: Path) -> list[ResultRow]:
    """Return all rows, the newest last."""
    return [_read_row(row, f"{folder / RESULTS}, line {line}") for line, row in read_table(folder / RESULTS)]


def next_heat(folder: Path, recordings: Path) -> int:
    """Return the number of the next heat, so that no recording is replaced; ignore broken rows."""
    try:
        numbers = [row.get("heat", "") for _, row in read_table(folder / RESULTS, report=str)]
    except PaddockError:  # functions that read or extend the file report it
        numbers = []
    numbers += [file.stem.removeprefix("heat-") for file in recordings.glob("heat-*.mcap")]
    return 1 + max((int(number) for number in numbers if number.isdecimal()), default=0)


def _read_row(row: Mapping[str, str], where: str) -> ResultRow:
    try:
        score = float(row["score"]) if row["score"] else None
        whole = {key: int(row[key]) for key in ("heat", "place", "fouls")}
        texts = {key: row[key] for key in ("time", "exercise", "student", "robot", "unit")}
        return ResultRow(**texts, **whole, score=score)  # type: ignore[arg-type]
    except (KeyError, ValueError) as error:
        raise PaddockError(f"{where}: invalid result: {error}") from None
