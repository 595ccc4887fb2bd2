"""Names of students, and the robot names derived from them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.spec import is_name
from paddock.teaching.classroom.class_tables import FORMULA, text_cell

LONGEST_NAME = 64  # as in the protocol
LONGEST_ROBOT = 24
MAX_REPORTED = 10  # maximum number of reported mistakes
# Letters that Unicode does not decompose into a base letter and a mark.
PLAIN_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)
LATIN_WITH_MARKS = re.compile(r"([a-z])[\u0300-\u036f]+")  # decomposed
DIRECTION_MARKS = (
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # they would also reverse the text after a name
)


def tidy_name(text: str) -> str:
    """Return a student's name in normal form, with composed letters and single spaces; raise an error if invalid."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name:
        raise PaddockError("a student's name is empty")
    if len(name) > LONGEST_NAME:
        raise PaddockError(f"{name[:20]}…: a student's name has at most {LONGEST_NAME} characters, got {len(name)}")
    if text_cell(name) != name:
        raise PaddockError(
            f"{name!r}: a student's name may not begin with {' '.join(FORMULA)}, because spreadsheets read a formula"
        )
    if any(unicodedata.category(letter) in ("Cc", "Cs") or letter in DIRECTION_MARKS for letter in name):
        raise PaddockError(f"{name!a}: a student's name may not contain control characters; type it again")
    return name


def robot_name(student: str) -> str:
    """Return a robot name for a student's name in any script: `Zoë M.` becomes `zoe-m`, `韩梅梅` keeps its letters."""
    plain = unicodedata.normalize("NFKD", student).lower().translate(PLAIN_LETTERS)
    composed = unicodedata.normalize("NFC", LATIN_WITH_MARKS.sub(r"\1", plain))
    words = "".join(letter if letter not in "-_" and is_name(f"a{letter}") else " " for letter in composed).split()
    name = "-".join(words)[:LONGEST_ROBOT].strip("-")
    return name if is_name(name) else "student"


def free_robot_name(student: str, taken: Container[str]) -> str:
    """Return a robot name for a student; add a number if the name is already taken."""
    name = base = robot_name(student)
    number = 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name


def robot_names(students: Iterable[str]) -> dict[str, str]:
    """Return the robot name of every student; equal robot names get a number."""
    names: dict[str, str] = {}
    for student in students:
        if student in names:
            raise PaddockError(f"{student!r} is in the list twice: tell them apart, such as {student + ' (2)'!r}")
        names[student] = free_robot_name(student, names.values())
    return names


def refuse_mistakes(file: Path, mistakes: Sequence[str]) -> None:
    """Raise one error with all mistakes of a file; each mistake begins with its line."""
    if len(mistakes) == 1:
        raise PaddockError(f"{file}, {mistakes[0]}")
    if mistakes:
        more = [f"… and {len(mistakes) - MAX_REPORTED} more"] if len(mistakes) > MAX_REPORTED else []
        raise PaddockError("\n  ".join([f"{file}: {len(mistakes)} mistakes", *mistakes[:MAX_REPORTED], *more]))


def read_names(file: Path) -> list[str]:
    """Read one name per line; ignore empty lines and text after a #."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise PaddockError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PaddockError(f"{file}: expected UTF-8 text; save it with that encoding") from None
    names: dict[str, int] = {}
    mistakes = []
    for number, line in enumerate(lines, start=1):
        if not (text := line.partition("#")[0].strip()):
            continue
        try:
            name = tidy_name(text)
            if name in names:
                raise PaddockError(
                    f"{name!r} is already in line {names[name]}: if these are two students, "
                    f"make them distinguishable, such as '{name} (2)'"
                )
            names[name] = number
        except PaddockError as error:
            mistakes.append(f"line {number}: {error}")
    refuse_mistakes(file, mistakes)
    if not names:
        raise PaddockError(f"{file}: expected a name per line, found none")
    return list(names)
