"""Submissions: for each student a file NAME.py, or a folder NAME with controller.py."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from paddock.core.errors import PaddockError

MAIN = "controller.py"
NUMBERED = "[0-9][0-9][0-9][0-9]-*.py"  # as stored in a class folder; the last one counts
MAX_BYTES = 4 << 20  # maximum size of all files of a submission
MAX_FILES = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """A submitted program."""

    name: str
    file: Path
    folder: Path | None = None  # folder whose files all belong to it; None: the file only
    problem: str = ""  # why it cannot be run

    @property
    def files(self) -> Iterator[Path]:
        """All files of the submission."""
        inside = [self.file] if self.folder is None else sorted(self.folder.rglob("*"))
        return (path for path in inside if path.is_file() or path.is_symlink())

    def digest(self) -> str:
        """Return a SHA-256 over all files of the submission."""
        whole = hashlib.sha256()
        if not self.problem:
            for path in self.files:
                name = os.fsencode(path.relative_to(self.folder or self.file.parent).as_posix())
                whole.update(b"%b\0%d\0" % (name, path.stat().st_size) + path.read_bytes())
        return whole.hexdigest()


def find_submissions(folder: str | Path) -> list[Submission]:
    """Return all submissions in a folder, sorted by name."""
    root = Path(folder)
    if not root.is_dir():
        raise PaddockError(
            f"{root}: no such folder: expected a folder with a file NAME.py or a folder NAME per student"
        )
    entries = [path for path in sorted(root.iterdir()) if not path.name.startswith((".", "_"))]
    found = [find_submission(path) for path in entries if path.is_dir() or path.suffix == ".py"]
    if not found:
        raise PaddockError(f"{root}: there are no submissions: expected a file NAME.py or a folder NAME per student")
    names = [submission.name for submission in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PaddockError(f"{root}: there are both {twice}.py and {twice}/: remove or rename one of them")
    return found


def printable_name(path: Path) -> str:
    """Return a file's name as text; bytes that are not UTF-8, as in archives of old systems, are replaced."""
    return os.fsencode(path.name).decode(errors="replace")


def find_submission(path: Path) -> Submission:
    """Return the submission that is a Python file or a folder."""
    if path.suffix == ".py" and not path.is_dir():
        return _check_submission(Submission(name=printable_name(path.with_suffix("")), file=path))
    numbered = sorted(path.glob(NUMBERED))
    if numbered:
        return _check_submission(Submission(name=printable_name(path), file=numbered[-1]))
    programs = sorted(path.glob("*.py"))
    main = path / MAIN if path / MAIN in programs or len(programs) != 1 else programs[0]
    return _check_submission(Submission(name=printable_name(path), file=main, folder=path))


def _check_submission(submission: Submission) -> Submission:
    """Return the submission with its `problem` set if its files are not acceptable."""
    files = list(submission.files)
    problem = ""
    if any(path.is_symlink() for path in (submission.file, submission.folder or submission.file, *files)):
        problem = "it contains a symbolic link: expected regular files only"
    elif any(not path.is_file() and not path.is_dir() for path in (submission.folder or submission.file).rglob("*")):
        problem = "it contains a pipe or a device: expected regular files only"
    elif not submission.file.is_file():
        problem = f"there is neither {MAIN} nor a single Python file of another name"
    elif len(files) > MAX_FILES or sum(path.stat().st_size for path in files) > MAX_BYTES:
        problem = f"it is too large: expected at most {MAX_FILES} files and {MAX_BYTES >> 20} MB"
    return Submission(name=submission.name, file=submission.file, folder=submission.folder, problem=problem)
