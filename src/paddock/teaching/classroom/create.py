"""Create a class; its world, exercise and robot are checked before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.core.errors import PaddockError
from paddock.core.provenance import name_copies, read_copies, read_folder, write_copies
from paddock.core.user_code import is_users
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import load_world, save_world
from paddock.simulation.worlds.placement import source_files
from paddock.teaching.classroom.class_spec import ClassSpec
from paddock.teaching.classroom.folder import ClassFolder
from paddock.teaching.classroom.roster import Student

if TYPE_CHECKING:
    from paddock.teaching.exercises import Exercise

DEFAULT_WORLD = "line-track"


def make_class(path: str | Path, spec: ClassSpec, students: Iterable[str | Student] = ()) -> ClassFolder:
    """Create the folder of a new class.

    Args:
        path: path of the folder, which must be new or empty.
        spec: settings of the class. A TOML file of a world or a folder of an exercise is copied into the class. Without
            a world or exercise, the world is line-track.
        students: the students, or their names.
    """
    from paddock.teaching.exercises import exercise_names, load_exercise  # takes a while

    own_world = own_exercise = None
    if spec.robot:
        load_robot(spec.robot)
    if spec.exercise:
        own_exercise = load_exercise(spec.exercise)
        spec = replace(spec, exercise=own_exercise.name)
    else:
        own_world = load_world(spec.world or DEFAULT_WORLD)
        spec = replace(spec, world=Path(spec.world or DEFAULT_WORLD).name)
    folder = ClassFolder.create(path, spec, students)
    if own_world is not None and spec.world.endswith(".toml"):
        names = {path: name for path, name in name_copies(source_files(own_world)).items() if is_users(path)}
        names.pop(own_world.resolve_path(own_world.file).resolve(), None)
        write_copies(folder.path, read_copies(names))
        save_world(own_world, folder.path / spec.world, {path: folder.path / name for path, name in names.items()})
    if own_exercise is not None and own_exercise.name not in exercise_names():
        copy_exercise(folder, own_exercise)
    return folder


def import_exercise(folder: ClassFolder, exercise: str) -> str:
    """Return the name of an exercise for an existing class; copy an exercise from another folder into the class."""
    from paddock.teaching.exercises import exercise_names, load_exercise  # takes a while

    known = (folder.path / "exercises" / exercise).is_dir() or exercise in exercise_names()
    if (Path(exercise).name == exercise and known) or not Path(exercise).is_dir():
        return exercise
    found = load_exercise(exercise)
    copy_exercise(folder, found)
    return found.name


def copy_exercise(folder: ClassFolder, exercise: Exercise) -> None:
    """Copy an exercise into a class; refuse to replace a different one of the same name."""
    source, target = Path(exercise.folder), folder.path / "exercises" / exercise.name
    files = read_folder(source, _list_files(source))
    if not target.exists():
        write_copies(target, files)
    elif files != {path.relative_to(target).as_posix(): path.read_bytes() for path in _list_files(target)}:
        raise PaddockError(f"{target}: the class already has a different exercise of this name: rename or remove it")


def _list_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
