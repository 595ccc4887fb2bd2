"""Submissions: files that students submit. Each file is stored under its own number, and has a receipt."""

from __future__ import annotations

import hashlib
import logging
import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath, PureWindowsPath

from paddock.core.errors import PaddockError
from paddock.core.files import whole_file
from paddock.core.spec import Name, convert
from paddock.core.user_code import check_program
from paddock.teaching.classroom.class_spec import ClassSpec
from paddock.teaching.classroom.class_tables import append_rows, read_table, time_now, write_table
from paddock.teaching.classroom.roster import Student

log = logging.getLogger("paddock.class")

LONGEST_FILE_NAME = 60
LARGEST_CHECKED = 64 * 1024  # bytes; compiling larger files could delay other clients, so grading checks them
RECEIPTS, MISSING = "receipts.csv", "missing.csv"
LATE = "late"  # in tables
SUFFIX = ".py"
KEPT = f"[0-9][0-9][0-9][0-9]-*{SUFFIX}"  # names of stored files


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt of a submission."""

    number: int  # submission number of this student for this exercise, from 1
    time: str  # by the server's clock, with its time zone
    student: str
    robot: str
    exercise: str
    file: str  # path below submissions/
    bytes: int
    sha256: str
    late: bool = False  # whether it came after the due date at that time
    due: str = ""  # this due date, with its time zone; empty: there was none

    def __str__(self) -> str:
        return (
            f"receipt {self.number}: {PurePosixPath(self.file).name} of {self.student} for {self.exercise}, "
            f"{self.bytes} bytes, {self.time}, SHA-256 {self.sha256[:16]}…{', late' if self.late else ''}"
        )


COLUMNS = tuple(field.name for field in fields(Receipt))


def safe_file_name(name: str) -> str:
    """Return a safe file name that ends in .py and has only letters, digits, '.', '-' and '_'."""
    last = PurePosixPath(PureWindowsPath(name).name).name
    if not last.lower().endswith(SUFFIX):
        raise PaddockError(f"{last!r}: expected a Python file, with a name that ends in {SUFFIX}")
    plain = unicodedata.normalize("NFKD", last[: -len(SUFFIX)]).encode("ascii", "ignore").decode()
    return (re.sub(r"[^A-Za-z0-9_]+", "-", plain)[:LONGEST_FILE_NAME].strip("-") or "controller") + SUFFIX


def read_receipts(folder: Path, report: Callable[[str], object] = log.warning) -> list[Receipt]:
    """Return all receipts, the newest last. Report and ignore broken rows, for example after a power failure."""
    receipts = []
    for line, row in read_table(folder / RECEIPTS, report):
        try:
            texts = {key: row[key] for key in ("time", "student", "robot", "exercise", "file", "sha256")}
            numbers = {key: int(row[key]) for key in ("number", "bytes")}
            receipts.append(Receipt(**texts, **numbers, late=row.get("late", "") == LATE, due=row.get("due", "")))  # type: ignore[arg-type]
        except (KeyError, ValueError) as error:
            report(f"{folder / RECEIPTS}, line {line}: invalid receipt, which is ignored: {error}")
    return receipts


def _cells(receipt: Receipt) -> dict[str, object]:
    return asdict(receipt) | {"late": LATE if receipt.late else ""}


def is_late(time: str, due: datetime) -> bool:
    """Return whether a time, in the format of receipts, is after the due date."""
    return datetime.fromisoformat(time).astimezone() > due.astimezone()


def find_loss(time: str, due: datetime, late_loss: float) -> float:
    """Return the share of the points that a submission loses: `late_loss` for each day begun after the due date."""
    late = datetime.fromisoformat(time).astimezone() - due.astimezone()
    return min(1.0, late_loss * max(0, math.ceil(late / timedelta(days=1))))


def write_receipts(folder: Path, receipts: Iterable[Receipt]) -> None:
    """Write receipts into a folder with copies of their files."""
    write_table(folder / RECEIPTS, COLUMNS, [_cells(receipt) for receipt in receipts])


def write_missing(folder: Path, students: Iterable[Student]) -> None:
    """Write the students without a submission into a folder with copies of the other submissions."""
    write_table(folder / MISSING, ("name", "robot"), [{"name": s.name, "robot": s.robot} for s in students])


def read_missing(folder: Path) -> dict[str, str]:
    """Return the students without a submission when the others' files were copied to a folder: names by robot."""
    return {row.get("robot", ""): row.get("name", "") for _, row in read_table(folder / MISSING)}


def keep_submission(
    folder: Path, student: Student, exercise: str, file_name: str, data: bytes, spec: ClassSpec
) -> Receipt:
    """Store a file and return its receipt. The caller holds the lock of the class."""
    convert(exercise, Name, "exercise")  # it becomes a folder name
    name = safe_file_name(file_name)
    if not data:
        raise PaddockError(f"{name}: the file is empty")
    if len(data) > spec.submission_kb * 1024:
        raise PaddockError(f"{name}: it has {len(data)} bytes; at most {spec.submission_kb} KB may be submitted")
    if len(data) <= LARGEST_CHECKED:
        check_program(data, name)
    place = folder / exercise / student.robot
    number = max((int(kept.name.partition("-")[0]) for kept in place.glob(KEPT)), default=0) + 1
    if number > spec.submissions:
        raise PaddockError(f"{exercise}: you have submitted {number - 1} times, which is the maximum")
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{number:04d}-{name}"
    with whole_file(path, "wb") as file:
        file.write(data)
    time, due = time_now(), spec.find_due(exercise)
    receipt = Receipt(
        number=number, time=time, student=student.name, late=due is not None and is_late(time, due),
        due="" if due is None else due.astimezone().isoformat(timespec="seconds"),
        robot=student.robot, exercise=exercise, file=path.relative_to(folder).as_posix(), bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )  # fmt: skip
    append_rows(folder / RECEIPTS, COLUMNS, [_cells(receipt)])
    return receipt


def last_submissions(folder: Path, exercise: str) -> dict[str, Path]:
    """Return the last submission of each student for an exercise, by robot."""
    convert(exercise, Name, "exercise")
    found = {place.name: sorted(place.glob(KEPT)) for place in sorted((folder / exercise).glob("*/"))}
    return {robot: kept[-1] for robot, kept in found.items() if kept}
