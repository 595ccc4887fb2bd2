"""Find and load exercises by name or from folders; what students may know of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.packages import find_lecturers, install_extra
from paddock.core.registry import Registry, library_folder
from paddock.core.spec import Spec, spec_from_table
from paddock.core.toml import read_toml_file
from paddock.core.user_code import code_beside
from paddock.teaching.exercises.exercise_spec import FILE, HIDDEN_FILE, Exercise, Seeds

PACKAGE = "paddock.teaching.exercises"


@dataclass(frozen=True, kw_only=True, slots=True)
class HiddenSeeds(Spec):
    """The file `hidden.toml`, which students do not get."""

    seeds: Seeds


@cache
def exercise_folders() -> Registry[Path]:
    """Return the folders of all exercises by name; other packages add theirs through the entry-point group."""
    shipped = {file.parent.name: file.parent for file in sorted(library_folder(PACKAGE).glob(f"*/{FILE}"))}
    return Registry("exercise", group="paddock.exercises", builtin=shipped, base=Path)


def exercise_names() -> list[str]:
    """Return the names of the shipped exercises."""
    return exercise_folders().names()


def find_exercise(name_or_folder: str | Path) -> Path:
    """Return the folder of an exercise, given as an existing folder or the name of a shipped exercise."""
    folder = Path(name_or_folder)
    if (folder / FILE).is_file():
        return folder
    if str(name_or_folder) in exercise_folders():
        return exercise_folders().get(str(name_or_folder))
    if folder.is_dir():
        raise UnknownName("exercise", str(name_or_folder), (), expected=f"a folder with the file {FILE}")
    if folder.suffix == ".zip" and folder.is_file():
        raise PaddockError(f"{folder}: expected the folder of an exercise: unpack the archive, and use its folder")
    if folder.suffix == ".py":
        raise PaddockError(f"{folder}: expected the folder or name of an exercise first, and the program after it")
    if Path(FILE).is_file() and folder.name == Path.cwd().name:
        raise UnknownName("exercise", str(name_or_folder), (), expected="'.': you are in the folder of that name")
    neighbours = [str(file.parent) for file in folder.parent.glob(f"*/{FILE}")]
    raise UnknownName("exercise", str(name_or_folder), [*exercise_folders(), *neighbours])


def is_shipped(folder: str | Path) -> bool:
    """Return whether a folder is that of a shipped exercise."""
    return Path(folder).resolve().parent == library_folder(PACKAGE).resolve()


def find_lecturers_folder(folder: Path) -> Path:
    """Return the folder of an exercise's solution and hidden seeds: its own; for a shipped one, that of lecturers."""
    package = find_lecturers()
    return package / folder.resolve().name if package is not None and is_shipped(folder) else folder


def read_hidden_seeds(folder: Path) -> tuple[int, ...]:
    """Return the hidden seeds in a folder; none if it has no such file."""
    file = folder / HIDDEN_FILE
    return spec_from_table(HiddenSeeds, read_toml_file(file), file=str(file)).seeds if file.is_file() else ()


def load_exercise(name_or_folder: str | Path) -> Exercise:
    """Load a shipped exercise by name, or one from a folder, and check its world, robot, devices and measures."""
    place = find_exercise(name_or_folder)
    folder, own = place.resolve(), find_lecturers_folder(place)
    hidden = read_hidden_seeds(own)
    with code_beside(folder):
        found = spec_from_table(Exercise, read_toml_file(folder / FILE), file=str(place / FILE))
        folders = {"folder": str(folder), "lecturers_folder": str(own.resolve()), "name": folder.name}
        exercise = replace(found, hidden_seeds=hidden, **folders)  # type: ignore[arg-type]
        exercise.check_names()
    return exercise


def explain_publicity(exercise: Exercise) -> str:
    """Return why students may know the seeds or the solution of an exercise, and the remedy; empty if they do not."""
    if is_shipped(exercise.folder):
        there = "and hidden seeds are" if exercise.hidden_seeds else "is"
        known = (
            ""
            if exercise.hidden_seeds
            else f"; without its hidden seeds ({install_extra('lecturers')}) only the public ones count"
        )
        mine = f"make one with seeds of its own: `paddock exercise new my-{exercise.name} --from {exercise.name}`"
        return f"this exercise is public: its solution {there} published with Paddock{known}; {mine}"
    if not exercise.hidden_seeds:
        return f"students know all seeds of this exercise: write further ones into {HIDDEN_FILE}"
    for name, folder in exercise_folders().load_all().items():
        if set(exercise.hidden_seeds) <= set(read_hidden_seeds(find_lecturers_folder(folder))):
            return f"the hidden seeds are those of the exercise {name}, which is public: change them in {HIDDEN_FILE}"
    return ""
