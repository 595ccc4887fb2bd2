"""verify_exercise: whether an exercise is fit for students: its solution, its wrong programs, its seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

from paddock.arena import Arena
from paddock.exercises.marks import CheckMark, Marks, check_exercise
from paddock.exercises.runs import run_exercise
from paddock.exercises.spec import HIDDEN_FILE, SOLUTION, STARTER, TEXT_FILE, Exercise
from paddock.referees import Referee, officiate
from paddock.sensors.base import RangeSensorSpec
from paddock.worlds.build import build
from paddock.worlds.solids import solids

TRIED = 50  # ticks for which a referee is tried


class ExerciseFinding(NamedTuple):
    """Something that should hold of an exercise, and whether it does."""

    holds: bool
    what: str
    detail: str = ""
    needed: bool = True  # or it is just pointed out


def verify_exercise(
    exercise: Exercise, *, on_file: Callable[[str], object] = lambda _: None
) -> Iterator[ExerciseFinding]:
    """Look at all that a lecturer would find out in class otherwise; one finding after the other.

    Args:
        exercise: it needs a solution; wrong programs are those called `wrong_*.py`.
        on_file: told which program is tried next.
    """
    for name, use in ((TEXT_FILE, "the text for students"), (STARTER, "what they begin with"), (SOLUTION, "")):
        if not exercise.path(name).is_file():
            yield ExerciseFinding(False, f"there is {name}", use)
            return
    yield ExerciseFinding(bool(exercise.hidden_seeds), f"there are hidden seeds in {HIDDEN_FILE}")
    worlds = {repr(exercise.make_world(seed).to_table()) for seed in exercise.all_seeds}
    told = f"{len(worlds)} different worlds and starts for {len(exercise.all_seeds)} seeds"
    yield ExerciseFinding(len(worlds) == len(exercise.all_seeds), "every seed is another run", told)
    overlooked = find_overlooked(exercise)
    yield ExerciseFinding(not overlooked, "range sensors see all obstacles", overlooked, needed=False)
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
    for path in sorted(Path(exercise.folder).glob("wrong_*.py")):
        on_file(path.name)
        marks = check_exercise(exercise, path)
        told = _describe_points(exercise, marks) + (": expected a check that it does not meet" if marks.full else "")
        yield ExerciseFinding(not marks.full, f"{path.name} loses points", told)


def find_overlooked(exercise: Exercise) -> str:
    """Which obstacles are too low for a range sensor that students may use, with the heights; empty: none."""
    world = exercise.make_world(exercise.seeds[0])
    things = solids(world)
    found: dict[tuple[float, str], str] = {}
    for robot in build(world).robots:
        for sensor in robot.sensors:
            if sensor.name in exercise.devices and isinstance(sensor, RangeSensorSpec):
                high = max(mount[2] for mount in sensor.mounts)
                for thing in things:
                    if thing.height <= high:
                        told = f"{thing.path} is {thing.height:g} m high, {sensor.name} looks over it at {high:g} m"
                        found.setdefault((thing.height, sensor.name), told)
    return "; ".join(found.values())


def try_referee(exercise: Exercise, referee: Referee) -> str:
    """What goes wrong while a referee looks at the world for some ticks; empty: nothing."""
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
