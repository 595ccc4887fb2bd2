"""Folders of exercises: create one from a template, and write the handout for students."""

from __future__ import annotations

import fnmatch
import secrets
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.files import make_new_folder, whole_file, write_text
from paddock.teaching.exercises.exercise_spec import HIDDEN_FILE, OWN_FILES, Exercise
from paddock.teaching.exercises.loader import load_exercise

LEFT_OUT = ("__pycache__", ".*", "*.part")
HIDDEN_SEEDS, HIGHEST_SEED = 15, 1_000_000  # number of hidden seeds unless the template has its own, and their range


def new_exercise(folder: Path, template: str | Path = "line-following") -> list[Path]:
    """Create a folder with all files of another exercise as a starting point; return its files.

    The hidden seeds are new, because those of the other exercise may be known. The solution and the wrong programs of a
    shipped exercise are copied if the package for lecturers is installed.
    """
    source = load_exercise(template)
    make_new_folder(folder)
    shutil.copytree(source.folder, folder, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
    if source.lecturers_folder != source.folder:
        shutil.copytree(source.lecturers_folder, folder, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
    write_text(folder / HIDDEN_FILE, f"seeds = {draw_hidden_seeds(source)} # for grading only\n")
    return sorted(path for path in folder.rglob("*") if path.is_file())


def draw_hidden_seeds(exercise: Exercise) -> list[int]:
    """Return new hidden seeds, as many as the exercise has, which nobody can guess."""
    known, drawn = {*exercise.all_seeds}, set[int]()
    while len(drawn) < (len(exercise.hidden_seeds) or HIDDEN_SEEDS):
        drawn |= {secrets.randbelow(HIGHEST_SEED)} - known
    return sorted(drawn)


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
