"""Folders of exercises: create one from a template, and write the handout for students."""

from __future__ import annotations

import fnmatch
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.files import make_new_folder, whole_file, write_text
from paddock.core.provenance import read_folder, write_copies
from paddock.core.terminal_text import shell_word
from paddock.teaching.exercises.exercise_spec import HIDDEN_FILE, OWN_FILES, TEXT_FILE, Exercise
from paddock.teaching.exercises.loader import is_shipped, load_exercise

LEFT_OUT = ("__pycache__", ".*", "*.part")
PROGRAM = "controller.py"  # the student's program; submissions that are folders have it, too
HIDDEN_SEEDS, HIGHEST_SEED = 15, 1_000_000  # number of hidden seeds unless the template has its own, and their range


def new_exercise(folder: Path, template: str | Path = "line-following") -> list[Path]:
    """Create a folder with all files of another exercise as a starting point; return its files.

    The hidden seeds are new, because those of the other exercise may be known. The solution and the wrong programs of a
    shipped exercise are copied if the package for lecturers is installed.
    """
    source = load_exercise(template)
    make_new_folder(folder)
    template_folder = Path(source.folder)
    write_copies(folder, read_folder(template_folder, _list_files(template_folder)))
    if source.lecturers_folder != source.folder:
        shutil.copytree(source.lecturers_folder, folder, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
    write_text(folder / HIDDEN_FILE, f"seeds = {draw_hidden_seeds(source)} # for grading only\n")
    return sorted(path for path in folder.rglob("*") if path.is_file())


def start_exercise(exercise: Exercise, folder: Path) -> list[Path]:
    """Create a student's folder with the starter code as `controller.py`, and the task with the commands to run it."""
    make_new_folder(folder)
    name = exercise.name if is_shipped(exercise.folder) else os.path.relpath(exercise.folder, folder)
    texts = {PROGRAM: exercise.read_starter(), TEXT_FILE: f"{exercise.read_text().rstrip()}\n\n{explain_start(name)}"}
    for file, text in texts.items():
        write_text(folder / file, text)
    return [folder / file for file in texts]


def explain_start(name: str) -> str:
    """Return the section of a student's text with the commands for an exercise, to be run in the student's folder."""
    word = shell_word(name)
    return f"""\
## How to run it

Write your program in `{PROGRAM}`, and run these commands in this folder:

```sh
paddock exercise try {word} -c {PROGRAM}      # watch one run on the page, and see its points
paddock exercise check {word} {PROGRAM}       # the points with all public seeds
paddock class submit {PROGRAM} --link "YOUR LINK"      # hand it in, with the link that you got for your class
```
"""


def draw_hidden_seeds(exercise: Exercise) -> list[int]:
    """Return new hidden seeds, as many as the exercise has, which nobody can guess."""
    known, drawn = {*exercise.all_seeds}, set[int]()
    while len(drawn) < (len(exercise.hidden_seeds) or HIDDEN_SEEDS):
        drawn |= {secrets.randbelow(HIGHEST_SEED)} - known
    return sorted(drawn)


def _list_files(folder: Path) -> list[Path]:
    """Return all files of an exercise's folder, except caches and hidden ones."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(fnmatch.fnmatch(part, hidden) for part in path.relative_to(folder).parts for hidden in LEFT_OUT)
    ]


def list_handout(exercise: Exercise) -> Iterator[Path]:
    """Yield the files for students: all except the solution, the hidden seeds and the wrong programs."""
    for path in _list_files(Path(exercise.folder)):
        parts = path.relative_to(exercise.folder).parts
        if not any(fnmatch.fnmatch(part, pattern) for part in parts for pattern in OWN_FILES):
            yield path


def write_handout(exercise: Exercise, out: Path, *, force: bool = False) -> list[str]:
    """Write the files for students into a new folder, or into an archive if `out` ends in .zip; return their names.

    Args:
        exercise: the exercise.
        out: path of the folder or archive.
        force: replace an existing archive.
    """
    files = read_folder(Path(exercise.folder), list_handout(exercise))
    if out.suffix == ".zip":
        if out.exists() and not (force and out.is_file()):
            raise PaddockError(f"{out}: already exists: choose another name")
        with whole_file(out, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(f"{exercise.name}/{name}", data)
    else:
        make_new_folder(out)
        write_copies(out, files)
    return [f"{exercise.name}/{name}" for name in files]
