"""The roster of a class: its file students.csv."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

from paddock.core.errors import PaddockError, suggestion
from paddock.core.spec import Name, convert
from paddock.teaching.classroom.class_tables import read_table, write_table
from paddock.teaching.classroom.student_names import free_robot_name, read_names, refuse_mistakes, tidy_name

State = Literal["active", "locked-out", "removed"]
STATES: tuple[str, ...] = get_args(State)
COLUMNS = ("name", "robot", "state")


@dataclass(frozen=True, slots=True)
class Student:
    """A student of a class, identified by the name of the robot, which never changes."""

    name: str  # display name
    robot: str = ""
    state: State = "active"
    other: Mapping[str, str] = field(default_factory=dict)  # additional columns of the file


def read_roster(file: Path) -> list[Student]:
    """Read the students of a file, including removed ones. Students added by hand may have no robot yet."""
    rows = read_table(file)
    if not rows and not file.exists():
        raise PaddockError(f"{file}: no such file")
    students: list[Student] = []
    lines: dict[str, int] = {}
    mistakes = []
    if rows and "name" not in rows[0][1]:
        raise PaddockError(f"{file}: expected a column 'name'{suggestion('name', rows[0][1])}")
    for line, row in rows:
        try:
            student = _read_student(row)
            for unique in filter(None, (student.name, student.robot and f"robot {student.robot}")):
                if unique in lines:
                    raise PaddockError(f"{unique!r} is already in line {lines[unique]}: make them distinguishable")
                lines[unique] = line
        except PaddockError as error:
            mistakes.append(f"line {line}: {error}")
        else:
            students.append(student)
    refuse_mistakes(file, mistakes)
    return students


def _read_student(row: Mapping[str, str]) -> Student:
    name = tidy_name(row["name"])
    robot, state = row.get("robot", ""), row.get("state", "") or "active"
    if state not in STATES:
        raise PaddockError(f"state: expected {', '.join(STATES)}, got {state!r}{suggestion(state, STATES)}")
    if robot:
        convert(robot, Name, "robot")
        if "_" in robot:
            owner = robot.partition("_")[0]
            raise PaddockError(f"robot: {robot!r} looks like a robot that {owner!r} has spawned: expected no _")
    other = {key: value for key, value in row.items() if key not in COLUMNS}
    return Student(name, robot, state, other)  # type: ignore[arg-type]


def give_robots(students: Iterable[Student]) -> list[Student]:
    """Return the students, each with a robot name."""
    students = list(students)
    taken = {student.robot for student in students}
    for i, student in enumerate(students):
        if not student.robot:
            students[i] = replace(student, robot=free_robot_name(student.name, taken))
            taken.add(students[i].robot)
    return students


def enrol(students: Sequence[Student], name: str) -> list[Student]:
    """Return the students with an additional student, or with a removed one reactivated."""
    name = tidy_name(name)
    if any(student.name == name and student.state == "removed" for student in students):
        return [replace(student, state="active") if student.name == name else student for student in students]
    more = [*students, Student(name)]
    refuse_equal_names(more)
    return more


def refuse_equal_names(students: Iterable[Student]) -> None:
    """Raise an error if two students have the same name."""
    for name, count in Counter(student.name for student in students).items():
        if count > 1:
            raise PaddockError(f"{name!r} is already in the class: make them distinguishable, such as '{name} (2)'")


def read_students(file: Path) -> list[Student]:
    """Read students from a list of names, one per line, or from a CSV file with a column `name`."""
    if file.suffix.lower() == ".csv":
        return read_roster(file)
    return [Student(name) for name in read_names(file)]


def write_roster(file: Path, students: Iterable[Student]) -> None:
    """Replace the file."""
    students = list(students)
    others = dict.fromkeys(key for student in students for key in student.other)
    rows = [{"name": s.name, "robot": s.robot, "state": s.state, **s.other} for s in students]
    write_table(file, (*COLUMNS, *others), rows)
