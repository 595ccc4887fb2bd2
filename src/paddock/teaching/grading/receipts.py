"""Receipts of a class: the student and the time of each submission."""

from __future__ import annotations

import hashlib
from datetime import date, datetime, time
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.teaching.classroom.class_spec import read_class_spec
from paddock.teaching.classroom.folder import ROSTER, SPEC
from paddock.teaching.classroom.roster import read_roster
from paddock.teaching.classroom.submissions import RECEIPTS, Receipt, read_missing, read_receipts
from paddock.teaching.sandbox.submissions import Submission


def find_receipts(folder: Path, submissions: list[Submission]) -> dict[str, Receipt]:
    """Return the receipt of each submission by its name, from the folder of submissions or the two folders above it.

    Receipts are matched by the SHA-256 of the file, so that collected and renamed copies are found, too.
    """
    place = next((own for own in (folder, *folder.resolve().parents[:2]) if (own / RECEIPTS).is_file()), None)
    if place is None:
        return {}
    known: dict[str, list[Receipt]] = {}
    for receipt in read_receipts(place):
        known.setdefault(receipt.sha256, []).append(receipt)
    found: dict[str, Receipt] = {}
    for each in submissions:
        if not each.problem:
            same = known.get(hashlib.sha256(each.file.read_bytes()).hexdigest(), [])
            own = [receipt for receipt in same if receipt.robot == each.name] or same
            if own:
                found[each.name] = own[0]
    return found


def find_class(folder: Path) -> Path | None:
    """Return the folder of the class that contains a folder of submissions, or None."""
    return next((own for own in folder.resolve().parents[:2] if (own / SPEC).is_file()), None)


def find_late_loss(folder: Path) -> float:
    """Return the share of the points that a late submission loses per day, from the class folder above; else 0."""
    own = find_class(folder)
    return 0.0 if own is None else read_class_spec(own / SPEC).late_loss


def list_expected(folder: Path) -> dict[str, str]:
    """Return the students who should have submitted, names by robot, from the class folder above and missing.csv."""
    own = find_class(folder)
    members = [] if own is None else read_roster(own / ROSTER)
    return {s.robot: s.name for s in members if s.robot and s.state != "removed"} | read_missing(folder)


def parse_due(text: str) -> datetime:
    """Parse a date and time such as 2026-11-20T18:00, local unless it has an offset; a date means its end."""
    try:
        return datetime.combine(date.fromisoformat(text), time(23, 59, 59)).astimezone()
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        expected = "expected a date and time such as 2026-11-20T18:00, or a date, which means the end of that day"
        raise PaddockError(f"due: {expected}, got {text!r}") from None
