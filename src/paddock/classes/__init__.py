"""Classes: a class as a folder, with its students, their tokens, and what they hand in."""

from paddock.classes.folder import ClassFolder
from paddock.classes.names import robot_name, robot_names
from paddock.classes.roster import Student
from paddock.classes.seats import seat_students
from paddock.classes.spec import ClassLimits, ClassSpec
from paddock.classes.submissions import Receipt

__all__ = [
    "ClassFolder",
    "ClassLimits",
    "ClassSpec",
    "Receipt",
    "Student",
    "robot_name",
    "robot_names",
    "seat_students",
]
