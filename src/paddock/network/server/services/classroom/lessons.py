"""Lessons: the current exercise or world of a class, and the permissions of its students."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from paddock.arena.referees import Referee
from paddock.core.errors import PaddockError, SpecError, UnknownName
from paddock.core.files import write_text
from paddock.core.geometry import Pose
from paddock.core.spec import Spec, spec_from_table
from paddock.core.toml import read_toml_file
from paddock.core.user_limits import UserLimits
from paddock.network.server.core.access import Grant, Role
from paddock.network.server.services.heats import HeatSettings
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds import load_world, world_names
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.world_spec import WorldSpec
from paddock.teaching.classroom import ClassFolder, Student, seat_students
from paddock.teaching.classroom.class_results import ResultRow, next_heat
from paddock.teaching.exercises import Exercise, exercise_names, load_exercise
from paddock.teaching.exercises.class_starts import deal_places

OTHER_FILES = ("class.toml", "secrets.toml", "present.toml")  # files of a class folder that are not worlds
PRESENT = "present.toml"


@dataclass(frozen=True, kw_only=True, slots=True)
class PresentLesson(Spec):
    """The current lesson as stored in the class folder, for the next start of the server."""

    world: str = ""
    exercise: str = ""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A world for a class, with an exercise or without."""

    world: WorldSpec  # with its own robots
    exercise: Exercise | None = None
    robot: RobotSpec | None = None  # robot of the students; None: the robot of the world
    seed: int = 0
    own_referee: Referee | None = None  # for lessons without an exercise
    own_heats: HeatSettings | None = None  # for lessons without an exercise

    @property
    def name(self) -> str:
        """Name of the lesson in scores and results."""
        return self.exercise_name or self.world.name

    @property
    def referee(self) -> Referee | None:
        """Referee of the lesson; None: no referee."""
        return self.exercise.referee if self.exercise is not None else self.own_referee

    def heats(self, folder: ClassFolder, keep: Callable[[Sequence[ResultRow]], None]) -> HeatSettings:
        """Return the settings of heats, with the location of their results."""
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
        """Name of the exercise; empty: no exercise."""
        return self.exercise.name if self.exercise is not None else ""

    @property
    def title(self) -> str:
        """Title of the exercise, or of the world."""
        return self.exercise.title if self.exercise is not None else self.world.title or self.world.name

    def seat(self, robots: Sequence[str]) -> WorldSpec:
        """Return the world with the robots of all students at starts."""
        assign = None if self.exercise is None else self._deal_places
        return seat_students(self.world, robots, self.robot, assign=assign)

    def _deal_places(self, world: WorldSpec, robots: Mapping[str, RobotSpec]) -> dict[str, Pose]:
        assert self.exercise is not None
        return deal_places(self.exercise.randomise, world, robots, {}, lambda: Room(world), seed=self.seed)

    @property
    def is_shared(self) -> bool:
        """Whether the exercise lets all students' robots meet in one arena."""
        return self.exercise is not None and self.exercise.shared

    def make_private_world(self, robot: str, seed: int) -> WorldSpec:
        """Return the world of a student's private copy. In an exercise it is that of a run at home with this seed."""
        if self.exercise is None:
            return self.seat([robot])
        world = self.exercise.make_world(seed)
        first, *others = world.robots
        names = [robot, *(f"{robot}_{other.name}" for other in others)]
        return world.with_robots(
            *(replace(placed, name=name) for placed, name in zip((first, *others), names, strict=True))
        )

    def grant(self, student: Student, *, together: bool) -> Grant:
        """Return the permissions of a student. Students who are together in one arena see each other."""
        if self.exercise is None:
            return Grant(Role.CONTROLLER, frozenset({student.robot}), student.name)
        return Grant(
            role=Role.CONTROLLER,
            robots=frozenset({student.robot}),
            name=student.name,
            exercise=self.exercise.name,
            devices=frozenset(self.exercise.devices),
            shows="all" if together and self.exercise.shows == "own" else self.exercise.shows,
        )

    def limits(self, usual: UserLimits) -> UserLimits:
        """Return the limits of the class; an exercise determines whether programs may join the lock."""
        return usual if self.exercise is None else replace(usual, join_lock=self.exercise.lock_step)


def list_worlds(folder: Path) -> list[str]:
    """Return the names of the worlds in the class folder, and of the shipped worlds."""
    own = sorted(file.name for file in folder.glob("*.toml") if file.name not in OTHER_FILES)
    return [*own, *world_names()]


def list_exercises(folder: Path) -> list[str]:
    """Return the names of the exercises of the class, and of the shipped exercises."""
    own = sorted(file.parent.name for file in (folder / "exercises").glob("*/exercise.toml"))
    return [*own, *(name for name in exercise_names() if name not in own)]


def find_class_exercise(folder: Path, name: str) -> Exercise:
    """Load an exercise of the class, or a shipped one."""
    known = list_exercises(folder)
    if name not in known:
        raise UnknownName("exercise", name, known)
    own = folder / "exercises" / name
    return load_exercise(own if (own / "exercise.toml").is_file() else name)


def make_lesson(folder: ClassFolder, world: str = "", exercise: str = "", seed: int | None = None) -> Lesson:
    """Create a lesson from the name of a world or an exercise."""
    if bool(world) == bool(exercise):
        raise PaddockError("lesson: expected either a world or an exercise; an exercise has its own world")
    number = folder.spec.seed if seed is None else seed
    if exercise:
        found = find_class_exercise(folder.path, exercise)
        return Lesson(world=found.make_world(number), exercise=found, seed=number)
    known = list_worlds(folder.path)
    if world not in known:
        raise UnknownName("world", world, known)
    own = folder.path / world
    robot = load_robot(folder.spec.robot) if folder.spec.robot else None
    return Lesson(world=load_world(own if own.is_file() else world), robot=robot, seed=number)


def open_lesson(folder: ClassFolder) -> Lesson:
    """Return the lesson of the last server run, or that of `class.toml` if there is none or the file is newer."""
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
    """Store the current lesson for the next start of the server."""
    present = PresentLesson(world=world, exercise=lesson.exercise_name, seed=lesson.seed)
    write_text(folder / PRESENT, "# The current lesson of the class; written by its server.\n" + present.to_toml())
