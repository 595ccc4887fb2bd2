"""Folders of exercises: a new one from a template, and what students get of it."""

from __future__ import annotations

import fnmatch
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.files import whole_file
from paddock.exercises.loader import find_exercise
from paddock.exercises.spec import OWN_FILES, Exercise

LEFT_OUT = ("__pycache__", ".*", "*.part")


def new_exercise(folder: Path, template: str | Path = "line-following") -> list[Path]:
    """Make a folder with all files of another exercise, to be changed; the files that it has then."""
    if folder.exists():
        raise PaddockError(f"{folder}: it is there already: choose another name")
    source = find_exercise(template)
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return sorted(path for path in folder.rglob("*") if path.is_file())


def list_handout(exercise: Exercise) -> Iterator[Path]:
    """The files that students get: all but the solution, the hidden seeds and the wrong programs."""
    for path in sorted(Path(exercise.folder).rglob("*")):
        name = path.relative_to(exercise.folder)
        hidden = any(fnmatch.fnmatch(part, pattern) for part in name.parts for pattern in (*LEFT_OUT, *OWN_FILES))
        if path.is_file() and not hidden:
            yield path


def write_handout(exercise: Exercise, out: Path, *, force: bool = False) -> list[str]:
    """Write what students get, as a new folder or as a file that ends in .zip; the names of the files in it.

    Args:
        exercise: of which.
        out: where to.
        force: replace an archive that is there already.
    """
    files = {path: f"{exercise.name}/{path.relative_to(exercise.folder).as_posix()}" for path in list_handout(exercise)}
    if out.exists() and not (force and out.is_file()):
        raise PaddockError(f"{out}: it is there already: choose another name")
    if out.suffix == ".zip":
        with whole_file(out, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, name in files.items():
                archive.write(path, name)
    else:
        for path in files:
            target = out / path.relative_to(exercise.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return list(files.values())
