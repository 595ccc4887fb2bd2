"""Submissions: files that students hand in. Each is kept, under a number of its own, and has a receipt."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path, PurePosixPath, PureWindowsPath

from paddock.classes.roster import Student
from paddock.classes.spec import ClassLimits
from paddock.classes.tables import append_rows, read_table
from paddock.core.convert import convert
from paddock.core.errors import PaddockError
from paddock.core.files import whole_file
from paddock.core.rules import Name

LONGEST_FILE_NAME = 60
RECEIPTS = "receipts.csv"
SUFFIX = ".py"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a student gets for a file."""

    number: int  # in the class
    time: str  # by the server's clock, with its zone
    student: str
    robot: str
    exercise: str
    file: str  # as it is kept, below submissions/
    bytes: int
    sha256: str

    def __str__(self) -> str:
        return (
            f"receipt {self.number}: {PurePosixPath(self.file).name} of {self.student} for {self.exercise}, "
            f"{self.bytes} bytes, {self.time}, SHA-256 {self.sha256[:16]}…"
        )


COLUMNS = tuple(field.name for field in fields(Receipt))


def safe_file_name(name: str) -> str:
    """A file's name that harms no folder: letters, digits, '.', '-' and '_', and it ends in .py."""
    last = PurePosixPath(PureWindowsPath(name).name).name
    if not last.lower().endswith(SUFFIX):
        raise PaddockError(f"{last!r}: expected a Python file, with a name that ends in {SUFFIX}")
    plain = unicodedata.normalize("NFKD", last[: -len(SUFFIX)]).encode("ascii", "ignore").decode()
    return (re.sub(r"[^A-Za-z0-9_]+", "-", plain)[:LONGEST_FILE_NAME].strip("-") or "controller") + SUFFIX


def read_receipts(folder: Path) -> list[Receipt]:
    """All receipts, in the order of their numbers."""
    receipts = []
    for line, row in read_table(folder / RECEIPTS):
        try:
            values = {key: row[key] for key in COLUMNS}
            receipts.append(Receipt(**{**values, "number": int(row["number"]), "bytes": int(row["bytes"])}))  # type: ignore[arg-type]
        except (KeyError, ValueError) as error:
            raise PaddockError(f"{folder / RECEIPTS}, line {line}: this is no receipt: {error}") from None
    return sorted(receipts, key=lambda receipt: receipt.number)


def keep_submission(
    folder: Path, student: Student, exercise: str, file_name: str, data: bytes, limits: ClassLimits
) -> Receipt:
    """Keep a file, and give its receipt. Whoever calls this holds the lock of the class."""
    convert(exercise, Name, "exercise")  # it names a folder
    name = safe_file_name(file_name)
    if not data:
        raise PaddockError(f"{name}: it is empty")
    if len(data) > limits.submission_kb * 1024:
        raise PaddockError(f"{name}: it has {len(data)} bytes; at most {limits.submission_kb} KB may be submitted")
    receipts = read_receipts(folder)
    earlier = sum(receipt.robot == student.robot and receipt.exercise == exercise for receipt in receipts)
    if earlier >= limits.submissions:
        raise PaddockError(f"{exercise}: you have submitted {earlier} times, which is as often as is allowed")
    number = max((receipt.number for receipt in receipts), default=0) + 1
    place = folder / exercise / student.robot
    place.mkdir(parents=True, exist_ok=True)
    while any(place.glob(f"{number:04d}-*")):  # kept, but its receipt was lost when the power failed
        number += 1
    path = place / f"{number:04d}-{name}"
    with whole_file(path, "wb") as file:
        file.write(data)
    receipt = Receipt(
        number=number, time=datetime.now().astimezone().isoformat(timespec="seconds"), student=student.name,
        robot=student.robot, exercise=exercise, file=path.relative_to(folder).as_posix(), bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )  # fmt: skip
    append_rows(folder / RECEIPTS, COLUMNS, [asdict(receipt)])
    return receipt


def last_submissions(folder: Path, exercise: str) -> Iterator[tuple[str, Path]]:
    """The robot and the last file of each who submitted something for an exercise."""
    convert(exercise, Name, "exercise")  # it names a folder
    for place in sorted((folder / exercise).glob("*/")):
        if kept := sorted(place.glob(f"[0-9]*-*{SUFFIX}")):
            yield place.name, max(kept, key=lambda path: int(path.name.partition("-")[0]))
