"""Making a class: what it begins with is looked for before anything is written."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from paddock.classes.folder import ClassFolder
from paddock.classes.roster import Student
from paddock.classes.spec import ClassSpec
from paddock.robots import load_robot
from paddock.worlds import load_world, save_world

DEFAULT_WORLD = "line-track"


def make_class(path: str | Path, spec: ClassSpec, students: Iterable[str | Student] = ()) -> ClassFolder:
    """Make the folder of a new class.

    Args:
        path: where; there must be nothing yet.
        spec: how it is served. A world's TOML file and an exercise's folder, if it names such, are copied into the
            class; without any it begins in the world line-track.
        students: who is in it; their names will do.
    """
    from paddock.exercises import exercise_names, load_exercise  # takes a while

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
        save_world(own_world, folder.path / spec.world)
    if own_exercise is not None and own_exercise.name not in exercise_names():
        shutil.copytree(own_exercise.folder, folder.path / "exercises" / own_exercise.name)
    return folder
