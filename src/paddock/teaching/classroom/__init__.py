"""Classes: a class as a folder, with its students, their tokens, and their submissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.teaching.classroom.class_results import ResultRow
    from paddock.teaching.classroom.class_spec import ClassSpec
    from paddock.teaching.classroom.create import make_class
    from paddock.teaching.classroom.folder import ClassFolder
    from paddock.teaching.classroom.links import JoinLink, join_links, staff_links, write_links, write_sheet
    from paddock.teaching.classroom.roster import Student, read_students
    from paddock.teaching.classroom.seats import seat_students
    from paddock.teaching.classroom.student_names import robot_name, robot_names
    from paddock.teaching.classroom.submissions import Receipt

__all__ = [
    "ClassFolder",
    "ClassSpec",
    "JoinLink",
    "Receipt",
    "ResultRow",
    "Student",
    "join_links",
    "make_class",
    "read_students",
    "robot_name",
    "robot_names",
    "seat_students",
    "staff_links",
    "write_links",
    "write_sheet",
]

__getattr__ = import_on_demand(__name__)
