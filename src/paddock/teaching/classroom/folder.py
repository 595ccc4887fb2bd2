"""A class as a folder. A running server and the command line may both change it without losing data or tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from paddock.core.errors import PaddockError, UnknownName, suggestion
from paddock.core.files import make_new_folder, read_stamp, whole_file, write_text
from paddock.core.locks import lock_folder
from paddock.core.terminal_text import shell_word
from paddock.teaching.classroom.class_results import ResultRow, append_results, read_results
from paddock.teaching.classroom.class_spec import ClassSpec, class_text, read_class_spec
from paddock.teaching.classroom.keys import ClassKeys, new_token, read_keys, write_keys
from paddock.teaching.classroom.receipt_book import ReceiptBook
from paddock.teaching.classroom.roster import (
    State,
    Student,
    enrol,
    give_robots,
    read_roster,
    refuse_equal_names,
    write_roster,
)
from paddock.teaching.classroom.student_names import tidy_name
from paddock.teaching.classroom.submissions import (
    Receipt,
    keep_submission,
    last_submissions,
    write_missing,
    write_receipts,
)

SPEC, ROSTER, KEYS = "class.toml", "students.csv", "secrets.toml"
PARTS = ("exercises", "submissions", "results", "log")
IGNORED = "secrets.toml\nlinks.csv\nsheet.html\nlog/\n.lock\n.server\n.serving\n"  # content of .gitignore


class ClassFolder:
    """A class. Its data are those of the last read; every change reads the folder again first."""

    spec: ClassSpec
    keys: ClassKeys
    everyone: list[Student]  # including removed students

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.lock_timeout = 10.0  # timeout for another command that changes the folder [s]
        self.check_roster: Callable[[list[Student]], None] = lambda everyone: None  # raises an error to refuse a list
        self._stamp: object = None  # file stamps of the data
        self._seen: object = None  # file stamps at the last `refresh`
        self._book = ReceiptBook(self.path / "submissions")

    @classmethod
    def create(cls, path: str | Path, spec: ClassSpec, students: Iterable[str | Student] = ()) -> ClassFolder:
        """Create the folder of a new class; students may be given by their names."""
        folder = cls(path)
        listed = [Student(tidy_name(student)) if isinstance(student, str) else student for student in students]
        refuse_equal_names(listed)
        make_new_folder(folder.path)
        folder.path.chmod(0o700)  # other accounts must not read submissions and solutions
        for part in PARTS:
            (folder.path / part).mkdir(exist_ok=True)
        write_text(folder.path / ".gitignore", IGNORED)
        write_text(folder.path / SPEC, class_text(spec))
        write_roster(folder.path / ROSTER, give_robots(listed))
        return cls.load(path)

    @classmethod
    def load(cls, path: str | Path) -> ClassFolder:
        """Load the class in a folder. Students that were added to the list by hand get a robot and a token."""
        folder = cls(path)
        folder.refresh()
        return folder

    def refresh(self, *, settled: bool = False) -> bool:
        """Read the folder if another process has changed it; return whether it has.

        With `settled`, wait until no file has changed since the last call: a program may still be writing it.
        """
        stamp, before = self._read_stamps(), self._seen
        self._seen = stamp
        if stamp == self._stamp or (settled and stamp != before):
            return False
        if self.path.is_file():
            raise PaddockError(
                f"{self.path}: this is a file: expected the folder of a class, such as {self.path.parent}"
            )
        if not (self.path / SPEC).is_file():
            make = f"paddock class new {shell_word(self.path)}"
            raise PaddockError(f"{self.path}: this is not a class folder: create one with `{make}`")
        self._read()
        if self._is_incomplete():
            self._change(list)  # sets the stamp; if it fails, the next refresh tries again
        else:
            self._stamp = stamp
        return True

    # ---- students

    @property
    def students(self) -> list[Student]:
        """The students of the class, including those who are locked out."""
        return [student for student in self.everyone if student.state != "removed"]

    def find(self, name: str) -> Student:
        """Return a student by name, or by the name of the robot."""
        tidy = tidy_name(name)
        for key in ("name", "robot"):
            for student in self.students:
                if getattr(student, key) == tidy:
                    return student
        known = [student.name for student in self.students]
        alike = [s.name for s in self.students if tidy.casefold() in f"{s.name}\n{s.robot}".casefold()]
        raise UnknownName(f"student in {self.path.name}", name, alike or known)

    def _student(self, student: Student | str) -> Student:
        """Return a student; a text is the name of a student or of a robot, in this order."""
        return student if isinstance(student, Student) else self.find(student)

    def token(self, student: Student) -> str:
        """Return the token of a student."""
        return self.keys.students[student.robot]

    def add(self, name: str) -> Student:
        """Add a student. A removed student gets the same robot and the same token again."""
        return self.add_all([name])[0]

    def add_all(self, names: Sequence[str]) -> list[Student]:
        """Add several students. If any is refused, add none and report all reasons."""

        def change(students: list[Student]) -> list[Student]:
            mistakes = []
            for name in names:
                try:
                    students = enrol(students, name)
                except PaddockError as error:
                    mistakes.append(str(error))
            if mistakes:
                raise PaddockError(
                    mistakes[0] if len(names) == 1 else "\n  ".join(["no student was added:", *mistakes])
                )
            return students

        self._change(change)
        return [self.find(name) for name in names]

    def remove(self, name: str) -> Student:
        """Remove a student; keep the submissions and results."""
        return self._set(name, state="removed")

    def rename(self, old: str, new: str) -> Student:
        """Change the name of a student; keep the robot and the token."""
        return self._set(old, name=tidy_name(new))

    def lock_out(self, name: str, on: bool = True) -> Student:
        """Make a student's token invalid, or valid again."""
        state: State = "locked-out" if on else "active"
        return self._set(name, state=state)

    def new_token(self, name: str) -> str:
        """Replace a student's token, for example after it was passed on to others."""
        with self._lock():
            self._read()
            robot = self.find(name).robot
            self._write(self.everyone, replace(self.keys, students={**self.keys.students, robot: new_token()}))
            return self.keys.students[robot]

    # ---- submissions and results

    def receive(self, student: Student | str, exercise: str, file_name: str, data: bytes) -> Receipt:
        """Store a student's file and return the receipt."""
        found, place = self._student(student), self.path / "submissions"
        with self._lock():
            self._book.find()
            receipt = keep_submission(place, found, exercise, file_name, data, self.spec)
            self._book.add(receipt)
        return receipt

    def receipts(self, student: Student | str | None = None) -> list[Receipt]:
        """Return all receipts, or those of a student."""
        return self._book.find(self._student(student).robot if student is not None else None)

    def collect(self, exercise: str, out: str | Path) -> dict[str, Path]:
        """Copy each student's last submission for an exercise to `out/ROBOT.py`; return the copies by students' names.

        Also write their receipts, and a list of students without a submission.
        """
        last = last_submissions(self.path / "submissions", exercise)
        if not last:
            handed_in = {receipt.exercise for receipt in self.receipts()}
            raise PaddockError(f"{exercise}: there are no submissions{suggestion(exercise, handed_in)}")
        copies = {s.name: (last[s.robot], Path(out) / f"{s.robot}.py") for s in self.students if s.robot in last}
        Path(out).mkdir(parents=True, exist_ok=True)
        for source, copy in copies.values():
            with whole_file(copy, "wb") as file:
                file.write(source.read_bytes())
        copied = {source.relative_to(self.path / "submissions").as_posix() for source, _ in copies.values()}
        write_receipts(Path(out), [receipt for receipt in self.receipts() if receipt.file in copied])
        write_missing(Path(out), [student for student in self.students if student.name not in copies])
        return {name: copy for name, (_, copy) in copies.items()}

    def record_results(self, rows: Iterable[ResultRow]) -> None:
        """Store the results of a heat."""
        with self._lock():
            append_results(self.path / "results", rows)

    def results(self) -> list[ResultRow]:
        """Return the results of all heats, the newest last, with the current names of the students."""
        names = {student.robot: student.name for student in self.everyone}
        rows = read_results(self.path / "results")
        return [replace(row, student=names.get(row.robot, row.student)) for row in rows]

    # ---- files

    def _set(self, student: str, **new: str) -> Student:
        robot = ""

        def change(students: list[Student]) -> list[Student]:
            nonlocal robot
            robot = self.find(student).robot
            return [replace(s, **new) if s.robot == robot else s for s in students]  # type: ignore[arg-type]

        self._change(change)
        return next(student for student in self.everyone if student.robot == robot)

    def _change(self, change: Callable[[list[Student]], list[Student]]) -> None:
        with self._lock():
            self._read()
            students = change(list(self.everyone))
            refuse_equal_names(students)
            self._write(students, self.keys)

    def _read(self) -> None:
        """Read all files. The list comes before the tokens, because tokens are written first."""
        spec = read_class_spec(self.path / SPEC)
        everyone = read_roster(self.path / ROSTER)
        self.check_roster(everyone)
        self.keys = read_keys(self.path / KEYS)
        self.spec, self.everyone = spec, everyone

    def _is_incomplete(self) -> bool:
        """Return whether a student was added by hand, or there are no tokens yet."""
        robots = {student.robot for student in self.everyone}
        return not (robots <= self.keys.students.keys() and (self.path / KEYS).exists())

    def _write(self, students: list[Student], keys: ClassKeys) -> None:
        """Write the files that have changed. The caller holds the lock."""
        students = give_robots(students)
        keys = keys.with_tokens_for(student.robot for student in students)
        if keys != self.keys or not (self.path / KEYS).exists():
            write_keys(self.path / KEYS, keys)
        if students != self.everyone:
            write_roster(self.path / ROSTER, students)
        self.everyone, self.keys = students, keys
        self._stamp = self._read_stamps()

    def _read_stamps(self) -> object:
        """Return the file stamps, which show whether a file was changed."""
        return [read_stamp(self.path / name) for name in (SPEC, ROSTER, KEYS)]

    def _lock(self) -> AbstractContextManager[None]:
        busy = "the class folder is in use by another command; try again, or end that command"
        return lock_folder(self.path, timeout=self.lock_timeout, busy=busy)
