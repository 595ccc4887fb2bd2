"""Submissions: what was handed in: a file NAME.py, or a folder NAME with controller.py, for everyone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from paddock.core.errors import PaddockError

MAIN = "controller.py"
NUMBERED = "[0-9][0-9][0-9][0-9]-*.py"  # as a class keeps them: the last one counts
MAX_BYTES = 4 << 20  # of all files of one of them
MAX_FILES = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """A program of somebody."""

    name: str
    file: Path
    folder: Path | None = None  # all of which is theirs; None: the file alone
    problem: str = ""  # why it cannot even be tried

    @property
    def files(self) -> Iterator[Path]:
        """All that belongs to it."""
        inside = [self.file] if self.folder is None else sorted(self.folder.rglob("*"))
        return (path for path in inside if path.is_file() or path.is_symlink())

    def digest(self) -> str:
        """A text that differs when any of its files does."""
        whole = hashlib.sha256()
        if not self.problem:
            for path in self.files:
                name = os.fsencode(path.relative_to(self.folder or self.file.parent).as_posix())
                whole.update(b"%b\0%d\0" % (name, path.stat().st_size) + path.read_bytes())
        return whole.hexdigest()


def find_submissions(folder: str | Path) -> list[Submission]:
    """All submissions in a folder, by name."""
    root = Path(folder)
    if not root.is_dir():
        raise PaddockError(f"{root}: no such folder: expected one with a file NAME.py or a folder NAME for everyone")
    entries = [path for path in sorted(root.iterdir()) if not path.name.startswith((".", "_"))]
    found = [_submission(path) for path in entries if path.is_dir() or path.suffix == ".py"]
    if not found:
        raise PaddockError(f"{root}: there are no submissions: expected a file NAME.py or a folder NAME for everyone")
    names = [submission.name for submission in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PaddockError(f"{root}: there are both {twice}.py and {twice}/: which of them counts?")
    return found


def printable_name(path: Path) -> str:
    """A file's name as text; what is not UTF-8 in it, as in archives of old systems, is replaced."""
    return os.fsencode(path.name).decode(errors="replace")


def _submission(path: Path) -> Submission:
    if path.suffix == ".py" and not path.is_dir():
        return _check_submission(Submission(name=printable_name(path.with_suffix("")), file=path))
    numbered = sorted(path.glob(NUMBERED))
    if numbered:
        return _check_submission(Submission(name=printable_name(path), file=numbered[-1]))
    programs = sorted(path.glob("*.py"))
    main = path / MAIN if path / MAIN in programs or len(programs) != 1 else programs[0]
    return _check_submission(Submission(name=printable_name(path), file=main, folder=path))


def _check_submission(submission: Submission) -> Submission:
    """The same, with what is wrong with its files."""
    files = list(submission.files)
    problem = ""
    if any(path.is_symlink() for path in (submission.file, submission.folder or submission.file, *files)):
        problem = "it holds a link: expected files only"
    elif not submission.file.is_file():
        problem = f"there is no {MAIN}, nor a single other Python file"
    elif len(files) > MAX_FILES or sum(path.stat().st_size for path in files) > MAX_BYTES:
        problem = f"it is too large: expected at most {MAX_FILES} files and {MAX_BYTES >> 20} MB"
    return Submission(name=submission.name, file=submission.file, folder=submission.folder, problem=problem)
