"""Submissions: what people handed in, as files or folders in one folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from paddock.core.errors import PaddockError

MAIN = "controller.py"  # of a submission that is a folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A controller that somebody handed in."""

    name: str
    file: Path
    folder: Path | None = None  # all of it is theirs; None: the file alone


def find_submissions(folder: str | Path) -> list[Submission]:
    """All submissions in a folder, by name: NAME.py, NAME/controller.py, or the only Python file in NAME/."""
    path = Path(folder)
    if not path.is_dir():
        raise PaddockError(f"{path}: there is no such folder of submissions")
    found = [_find(entry) for entry in sorted(path.iterdir()) if entry.name[0] not in "._"]
    submissions = [each for each in found if each is not None]
    names = [each.name for each in submissions]
    for name in names:
        if names.count(name) > 1:
            raise PaddockError(f"{path}: {name}.py and {name}/ are both there: leave one of them")
    return sorted(submissions, key=lambda each: each.name)


def _find(entry: Path) -> Submission | None:
    """What an entry of the folder is; None if it is no submission."""
    if not entry.is_dir():
        return Submission(name=entry.stem, file=entry) if entry.suffix == ".py" else None
    files = sorted(entry.glob("*.py"))
    main = entry / MAIN if entry / MAIN in files else None
    if main is None and len(files) == 1:
        main = files[0]
    if main is None:
        what = ", ".join(file.name for file in files) or "none"
        raise PaddockError(
            f"{entry}: which file is the controller? expected {MAIN} or a single Python file, got {what}"
        )
    return Submission(name=entry.name, file=main, folder=entry)
