"""Classes: a class as a folder, with its students, their tokens, and their submissions."""

from paddock.classes.create import make_class
from paddock.classes.folder import ClassFolder
from paddock.classes.links import JoinLink, join_links, staff_links, write_links, write_sheet
from paddock.classes.names import robot_name, robot_names
from paddock.classes.results import ResultRow
from paddock.classes.roster import Student, read_students
from paddock.classes.seats import seat_students
from paddock.classes.spec import ClassSpec
from paddock.classes.submissions import Receipt

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
