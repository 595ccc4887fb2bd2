"""A class as a folder. A running server and a command line may both change it: nothing is lost, and tokens stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from paddock.classes.keys import ClassKeys, new_token, read_keys, write_keys
from paddock.classes.names import tidy_name
from paddock.classes.receipt_book import ReceiptBook
from paddock.classes.results import ResultRow, append_results, read_results
from paddock.classes.roster import State, Student, enrol, give_robots, read_roster, refuse_equal_names, write_roster
from paddock.classes.spec import ClassSpec, class_text
from paddock.classes.submissions import Receipt, keep_submission, last_submissions, write_missing, write_receipts
from paddock.core.errors import PaddockError, UnknownName, suggestion
from paddock.core.files import stamp_of, whole_file, write_text
from paddock.core.locks import lock_folder
from paddock.core.outside import shell_word
from paddock.core.spec import read_toml_file, spec_from_table

SPEC, ROSTER, KEYS = "class.toml", "students.csv", "secrets.toml"
PARTS = ("exercises", "submissions", "results", "log")
IGNORED = "secrets.toml\nlinks.csv\nsheet.html\nlog/\n.lock\n.server\n.serving\n"  # by git


class ClassFolder:
    """A class. What it tells is as it was when it was last read; every change reads it anew first."""

    spec: ClassSpec
    keys: ClassKeys
    everyone: list[Student]  # the removed ones, too

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.lock_timeout = 10.0  # seconds to wait for another command that changes the folder
        self.check_roster: Callable[[list[Student]], None] = lambda everyone: None  # refuses a list, by an error
        self._stamp: object = None  # of its files when `refresh` read them
        self._book = ReceiptBook(self.path / "submissions")

    @classmethod
    def create(cls, path: str | Path, spec: ClassSpec, students: Iterable[str | Student] = ()) -> ClassFolder:
        """Make the folder of a new class; of students their names will do."""
        folder = cls(path)
        listed = [Student(tidy_name(student)) if isinstance(student, str) else student for student in students]
        refuse_equal_names(listed)
        if folder.path.exists() and any(folder.path.iterdir()):
            raise PaddockError(f"{path}: it is there already, and not empty: choose another name")
        folder.path.mkdir(parents=True, exist_ok=True)
        folder.path.chmod(0o700)  # submissions and solutions are not for everyone who has an account here
        for part in PARTS:
            (folder.path / part).mkdir(exist_ok=True)
        write_text(folder.path / ".gitignore", IGNORED)
        write_text(folder.path / SPEC, class_text(spec))
        write_roster(folder.path / ROSTER, give_robots(listed))
        return cls.load(path)

    @classmethod
    def load(cls, path: str | Path) -> ClassFolder:
        """The class in a folder. Students that were written into its list by hand get a robot and a token."""
        folder = cls(path)
        folder.refresh()
        return folder

    def refresh(self) -> bool:
        """Read what was changed by others; whether there was anything."""
        stamp = self._look()
        if stamp == self._stamp:
            return False
        if self.path.is_file():
            raise PaddockError(
                f"{self.path}: this is a file: expected the folder of a class, such as {self.path.parent}"
            )
        if not (self.path / SPEC).is_file():
            make = f"paddock class new {shell_word(self.path)}"
            raise PaddockError(f"{self.path}: this is no class folder: make one with `{make}`")
        self._read()
        if self._is_incomplete():
            self._change(list)  # which looks again; if it fails, all this is done once more
        else:
            self._stamp = stamp
        return True

    # ---- who is in it

    @property
    def students(self) -> list[Student]:
        """Those who are in the class, also if they are locked out."""
        return [student for student in self.everyone if student.state != "removed"]

    def find(self, name: str) -> Student:
        """A student by name, or by the name of the robot."""
        tidy = tidy_name(name)
        for key in ("name", "robot"):
            for student in self.students:
                if getattr(student, key) == tidy:
                    return student
        known = [student.name for student in self.students]
        alike = [s.name for s in self.students if tidy.casefold() in f"{s.name}\n{s.robot}".casefold()]
        raise UnknownName(f"student in {self.path.name}", name, alike or known)

    def _student(self, student: Student | str) -> Student:
        """A student; a text may be somebody's name and the robot of somebody else."""
        return student if isinstance(student, Student) else self.find(student)

    def token(self, student: Student) -> str:
        """What this student joins with."""
        return self.keys.students[student.robot]

    def add(self, name: str) -> Student:
        """Somebody new; whoever was removed comes back with the same robot and the same token."""
        return self.add_all([name])[0]

    def add_all(self, names: Sequence[str]) -> list[Student]:
        """Several at once: all of them, or none if any is refused, with all reasons."""

        def change(students: list[Student]) -> list[Student]:
            mistakes = []
            for name in names:
                try:
                    students = enrol(students, name)
                except PaddockError as error:
                    mistakes.append(str(error))
            if mistakes:
                raise PaddockError(mistakes[0] if len(names) == 1 else "\n  ".join(["nobody was added:", *mistakes]))
            return students

        self._change(change)
        return [self.find(name) for name in names]

    def remove(self, name: str) -> Student:
        """Take somebody out. What they submitted and their results stay."""
        return self._set(name, state="removed")

    def rename(self, old: str, new: str) -> Student:
        """Write a name differently. Robot and token stay."""
        return self._set(old, name=tidy_name(new))

    def lock_out(self, name: str, on: bool = True) -> Student:
        """Let a student's token not be valid, or be valid again."""
        state: State = "locked-out" if on else "active"
        return self._set(name, state=state)

    def new_token(self, name: str) -> str:
        """Replace a student's token, such as one that others have got to know."""
        with self._lock():
            self._read()
            robot = self.find(name).robot
            self._write(self.everyone, replace(self.keys, students={**self.keys.students, robot: new_token()}))
            return self.keys.students[robot]

    # ---- what they hand in

    def receive(self, student: Student | str, exercise: str, file_name: str, data: bytes) -> Receipt:
        """Keep a student's file, and give the receipt for it."""
        found, place = self._student(student), self.path / "submissions"
        with self._lock():
            self._book.find()
            receipt = keep_submission(place, found, exercise, file_name, data, self.spec)
            self._book.add(receipt)
        return receipt

    def receipts(self, student: Student | str | None = None) -> list[Receipt]:
        """All receipts, or those of a student."""
        return self._book.find(self._student(student).robot if student is not None else None)

    def collect(self, exercise: str, out: str | Path) -> dict[str, Path]:
        """Copy each student's last submission for an exercise as `out/ROBOT.py`; the copies by students' names.

        Their receipts are written beside them, and who has submitted nothing.
        """
        last = last_submissions(self.path / "submissions", exercise)
        if not last:
            handed_in = {receipt.exercise for receipt in self.receipts()}
            raise PaddockError(f"{exercise}: nobody has submitted anything{suggestion(exercise, handed_in)}")
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
        """Keep the results of a heat."""
        with self._lock():
            append_results(self.path / "results", rows)

    def results(self) -> list[ResultRow]:
        """The results of all heats, the newest last, with the students' names as they are now."""
        names = {student.robot: student.name for student in self.everyone}
        rows = read_results(self.path / "results")
        return [replace(row, student=names.get(row.robot, row.student)) for row in rows]

    # ---- its files

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
        """All of it. First the list: whoever is in it has a token, which is written before."""
        file = self.path / SPEC
        spec = spec_from_table(ClassSpec, read_toml_file(file), file=str(file))
        everyone = read_roster(self.path / ROSTER)
        self.check_roster(everyone)
        self.keys = read_keys(self.path / KEYS)
        self.spec, self.everyone = spec, everyone

    def _is_incomplete(self) -> bool:
        """Whether somebody was added by hand, or there are no tokens yet."""
        robots = {student.robot for student in self.everyone}
        return not (robots <= self.keys.students.keys() and (self.path / KEYS).exists())

    def _write(self, students: list[Student], keys: ClassKeys) -> None:
        """What differs from what was read; whoever calls this holds the lock."""
        students = give_robots(students)
        keys = keys.with_tokens_for(student.robot for student in students)
        if keys != self.keys or not (self.path / KEYS).exists():
            write_keys(self.path / KEYS, keys)
        if students != self.everyone:
            write_roster(self.path / ROSTER, students)
        self.everyone, self.keys = students, keys
        self._stamp = self._look()

    def _look(self) -> object:
        """What tells whether a file was changed."""
        return [stamp_of(self.path / name) for name in (SPEC, ROSTER, KEYS)]

    def _lock(self) -> AbstractContextManager[None]:
        busy = "the class folder is in use by another command; try again, or end that command"
        return lock_folder(self.path, timeout=self.lock_timeout, busy=busy)
