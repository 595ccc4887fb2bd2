"""verify_exercise: check the solution, the wrong programs and the seeds of an exercise before students use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

from paddock.arena import Arena
from paddock.arena.referees import Referee, officiate
from paddock.core.packages import install_extra
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec
from paddock.simulation.worlds.build import build
from paddock.simulation.worlds.solids import solids
from paddock.teaching.exercises.exercise_spec import HIDDEN_FILE, SOLUTION, STARTER, TEXT_FILE, Exercise
from paddock.teaching.exercises.loader import is_shipped
from paddock.teaching.exercises.marks import CheckMark, Marks, check_exercise
from paddock.teaching.exercises.runs import run_exercise

TRIED = 50  # ticks for which a referee is tested


class ExerciseFinding(NamedTuple):
    """A requirement on an exercise, and whether it holds."""

    holds: bool
    what: str
    detail: str = ""
    needed: bool = True  # False: only a warning


def verify_exercise(
    exercise: Exercise, *, on_file: Callable[[str], object] = lambda _: None
) -> Iterator[ExerciseFinding]:
    """Verify an exercise before it is used in class; yield one finding after the other.

    Args:
        exercise: the exercise, with a solution; wrong programs are called `wrong_*.py`.
        on_file: called with the name of the next program to run.
    """
    where = f"for lecturers only: {install_extra('lecturers')}" if is_shipped(exercise.folder) else ""
    for name, use in ((TEXT_FILE, "the text for students"), (STARTER, "the starter code"), (SOLUTION, where)):
        if not exercise.path(name).is_file():
            yield ExerciseFinding(False, f"{name} exists", use)
            return
    yield ExerciseFinding(bool(exercise.hidden_seeds), f"{HIDDEN_FILE} contains hidden seeds")
    worlds = {repr(exercise.make_world(seed).to_table()) for seed in exercise.all_seeds}
    text = f"{len(worlds)} different worlds and starts for {len(exercise.all_seeds)} seeds"
    yield ExerciseFinding(len(worlds) == len(exercise.all_seeds), "every seed gives a different run", text)
    overlooked = find_overlooked(exercise)
    yield ExerciseFinding(not overlooked, "range sensors detect all obstacles", overlooked, needed=False)
    on_file(STARTER)
    started = run_exercise(exercise, exercise.path(STARTER), exercise.seeds[0])
    yield ExerciseFinding(started.failure is None, f"{STARTER} runs", str(started.failure or ""))
    if exercise.referee is not None:
        problem = try_referee(exercise, exercise.referee)
        yield ExerciseFinding(not problem, "the referee works", problem)
    on_file(SOLUTION)
    solved = check_exercise(exercise, exercise.path(SOLUTION), exercise.all_seeds)
    yield ExerciseFinding(
        solved.full, f"{SOLUTION} earns all points with all seeds", _describe_points(exercise, solved)
    )
    for path in sorted(Path(exercise.lecturers_folder).glob("wrong_*.py")):
        on_file(path.name)
        marks = check_exercise(exercise, path)
        text = _describe_points(exercise, marks) + (": expected a check that it does not meet" if marks.full else "")
        yield ExerciseFinding(not marks.full, f"{path.name} loses points", text)


def find_overlooked(exercise: Exercise) -> str:
    """Return which obstacles are too low for an allowed range sensor, with the heights; empty if there are none."""
    world = exercise.make_world(exercise.seeds[0])
    things = solids(world)
    found: dict[tuple[float, str], str] = {}
    for robot in build(world).robots:
        for sensor in robot.sensors:
            if sensor.name in exercise.devices and isinstance(sensor, RangeSensorSpec):
                high = max(mount[2] for mount in sensor.mounts)
                for thing in things:
                    if thing.height <= high:
                        text = f"{thing.path} is {thing.height:g} m high, but {sensor.name} is mounted at {high:g} m"
                        found.setdefault((thing.height, sensor.name), text)
    return "; ".join(found.values())


def try_referee(exercise: Exercise, referee: Referee) -> str:
    """Run a referee for some ticks and return its error; empty if there is none."""
    seed = exercise.seeds[0]
    with Arena(build(exercise.make_world(seed)), seed=seed) as arena:
        with officiate(arena, deepcopy(referee)) as game:
            arena.step(TRIED)
        return game.error


def _describe_points(exercise: Exercise, marks: Marks) -> str:
    lost = [f"{mark.check.name}: seed {_list_missed(marks, mark)}" for mark in marks.checks if not mark.full]
    failures = {str(run.failure) for run in marks.runs if run.failure is not None}
    return "; ".join([f"{marks.points:g} of {exercise.points:g} points", *lost, *sorted(failures)])


def _list_missed(marks: Marks, mark: CheckMark) -> str:
    return ", ".join(str(seed) for seed, met in zip(marks.seeds, mark.met, strict=True) if not met)
