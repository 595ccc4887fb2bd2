"""Folders of exercises: create one from a template, and write the handout for students."""

from __future__ import annotations

import fnmatch
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.files import make_new_folder, whole_file
from paddock.teaching.exercises.exercise_spec import OWN_FILES, Exercise
from paddock.teaching.exercises.loader import find_exercise

LEFT_OUT = ("__pycache__", ".*", "*.part")


def new_exercise(folder: Path, template: str | Path = "line-following") -> list[Path]:
    """Create a folder with all files of another exercise as a starting point; return its files."""
    source = find_exercise(template)
    make_new_folder(folder)
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
    return sorted(path for path in folder.rglob("*") if path.is_file())


def list_handout(exercise: Exercise) -> Iterator[Path]:
    """Yield the files for students: all except the solution, the hidden seeds and the wrong programs."""
    for path in sorted(Path(exercise.folder).rglob("*")):
        name = path.relative_to(exercise.folder)
        hidden = any(fnmatch.fnmatch(part, pattern) for part in name.parts for pattern in (*LEFT_OUT, *OWN_FILES))
        if path.is_file() and not hidden:
            yield path


def write_handout(exercise: Exercise, out: Path, *, force: bool = False) -> list[str]:
    """Write the files for students into a new folder, or into an archive if `out` ends in .zip; return their names.

    Args:
        exercise: the exercise.
        out: path of the folder or archive.
        force: replace an existing archive.
    """
    files = {path: f"{exercise.name}/{path.relative_to(exercise.folder).as_posix()}" for path in list_handout(exercise)}
    if out.suffix == ".zip":
        if out.exists() and not (force and out.is_file()):
            raise PaddockError(f"{out}: already exists: choose another name")
        with whole_file(out, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, name in files.items():
                archive.write(path, name)
    else:
        make_new_folder(out)
        for path in files:
            target = out / path.relative_to(exercise.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return list(files.values())
