"""Lessons: what a class does at present, an exercise or just a world, and what that means for its students."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from paddock.classes import ClassFolder, Student, seat_students
from paddock.classes.results import ResultRow, next_heat
from paddock.core.errors import PaddockError, SpecError, UnknownName
from paddock.core.files import write_text
from paddock.core.geometry import Pose
from paddock.core.limits import ClassLimits
from paddock.core.spec import Spec, read_toml_file, spec_from_table
from paddock.exercises import Exercise, exercise_names, load_exercise
from paddock.exercises.class_starts import deal_places
from paddock.referees import Referee
from paddock.referees.starts import assign_places
from paddock.robots import RobotSpec, load_robot
from paddock.server.access import Grant, Role
from paddock.server.heat_desk import HeatSettings
from paddock.worlds import load_world, world_names
from paddock.worlds.placement import Room
from paddock.worlds.spec import WorldSpec

OTHER_FILES = ("class.toml", "secrets.toml", "present.toml")  # of a class folder, which are no worlds
PRESENT = "present.toml"


@dataclass(frozen=True, kw_only=True, slots=True)
class PresentLesson(Spec):
    """What the class does, as its folder remembers it after the server was stopped."""

    world: str = ""
    exercise: str = ""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A world for a class, with an exercise or without."""

    world: WorldSpec  # with its own robots
    exercise: Exercise | None = None
    robot: RobotSpec | None = None  # what students get; None: what the world has
    seed: int = 0
    own_referee: Referee | None = None  # for worlds; an exercise brings its own
    own_heats: HeatSettings | None = None  # the same

    @property
    def name(self) -> str:
        """What scores and results are filed under."""
        return self.exercise_name or self.world.name

    @property
    def referee(self) -> Referee | None:
        """Who counts; None: nobody."""
        return self.exercise.referee if self.exercise is not None else self.own_referee

    def heats(self, folder: ClassFolder, keep: Callable[[Sequence[ResultRow]], None]) -> HeatSettings:
        """How heats go, and where their results are kept."""
        if self.own_heats is not None and self.exercise is None:
            return self.own_heats
        results = folder.path / "results"
        return HeatSettings(
            seconds=self.exercise.seconds if self.exercise is not None else None,
            exercise=self.name,
            first=next_heat(results, results / "recordings"),
            keep=keep,
            recordings=results / "recordings",
        )

    @property
    def exercise_name(self) -> str:
        """Empty where there is none."""
        return self.exercise.name if self.exercise is not None else ""

    @property
    def title(self) -> str:
        """Of the exercise, or of the world."""
        return self.exercise.title if self.exercise is not None else self.world.title or self.world.name

    def seat(self, robots: Sequence[str]) -> WorldSpec:
        """The world with the students' robots, as if all of them were to drive."""
        assign = assign_places if self.exercise is None else self._deal_places
        return seat_students(self.world, robots, self.robot, assign=assign)

    def _deal_places(self, world: WorldSpec, robots: Mapping[str, RobotSpec]) -> dict[str, Pose]:
        assert self.exercise is not None
        return deal_places(self.exercise.randomise, world, robots, {}, lambda: Room(world), seed=self.seed)

    def grant(self, student: Student) -> Grant:
        """What a student may do."""
        if self.exercise is None:
            return Grant(Role.CONTROLLER, frozenset({student.robot}), student.name)
        return Grant(
            role=Role.CONTROLLER,
            robots=frozenset({student.robot}),
            name=student.name,
            exercise=self.exercise.name,
            devices=frozenset(self.exercise.devices),
            shows=self.exercise.shows,
        )

    def limits(self, usual: ClassLimits) -> ClassLimits:
        """The limits of the class; an exercise decides whether programs may join the lock."""
        return usual if self.exercise is None else replace(usual, join_lock=self.exercise.lock_step)


def list_worlds(folder: Path) -> list[str]:
    """What a lesson may take place in: worlds in the folder of the class, and the shipped ones."""
    own = sorted(file.name for file in folder.glob("*.toml") if file.name not in OTHER_FILES)
    return [*own, *world_names()]


def list_exercises(folder: Path) -> list[str]:
    """Exercises of the class, and the shipped ones."""
    own = sorted(file.parent.name for file in (folder / "exercises").glob("*/exercise.toml"))
    return [*own, *(name for name in exercise_names() if name not in own)]


def find_exercise_of(folder: Path, name: str) -> Exercise:
    """An exercise of the class, or a shipped one; nothing else."""
    known = list_exercises(folder)
    if name not in known:
        raise UnknownName("exercise", name, known)
    own = folder / "exercises" / name
    return load_exercise(own if (own / "exercise.toml").is_file() else name)


def make_lesson(folder: ClassFolder, world: str = "", exercise: str = "", seed: int | None = None) -> Lesson:
    """A lesson by the names of its parts."""
    if bool(world) == bool(exercise):
        raise PaddockError("a lesson: expected either a world, or an exercise, which brings its world")
    number = folder.spec.seed if seed is None else seed
    if exercise:
        found = find_exercise_of(folder.path, exercise)
        return Lesson(world=found.make_world(number), exercise=found, seed=number)
    known = list_worlds(folder.path)
    if world not in known:
        raise UnknownName("world", world, known)
    own = folder.path / world
    robot = load_robot(folder.spec.robot) if folder.spec.robot else None
    return Lesson(world=load_world(own if own.is_file() else world), robot=robot, seed=number)


def open_lesson(folder: ClassFolder) -> Lesson:
    """What the class did when its server was stopped; else, or if its file was changed since, what that says."""
    spec, remembered = folder.spec, folder.path / PRESENT
    present = PresentLesson(world=spec.world, exercise=spec.exercise, seed=spec.seed)
    if remembered.is_file() and remembered.stat().st_mtime_ns > (folder.path / "class.toml").stat().st_mtime_ns:
        present = spec_from_table(PresentLesson, read_toml_file(remembered), file=str(remembered))
    try:
        return make_lesson(folder, present.world, present.exercise, present.seed)
    except SpecError:
        raise
    except PaddockError as error:
        raise PaddockError(f"{folder.path / 'class.toml'}: {error}") from None


def remember_lesson(folder: Path, lesson: Lesson, world: str) -> None:
    """Note what the class does, for the next start of its server."""
    present = PresentLesson(world=world, exercise=lesson.exercise_name, seed=lesson.seed)
    write_text(folder / PRESENT, "# What the class does; written by its server.\n" + present.to_toml())
