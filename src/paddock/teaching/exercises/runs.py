"""run_exercise: one run of a student's program in an exercise, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from paddock.arena import Arena
from paddock.arena.controllers import Drivers
from paddock.arena.episodes import Episode
from paddock.teaching.exercises.exercise_spec import Exercise
from paddock.teaching.exercises.figures import collect_figures
from paddock.teaching.sandbox import SandboxedProgram, SubmissionFailure


@dataclass(frozen=True, kw_only=True)
class RunFailure:
    """Why a program did not reach the end of a run."""

    kind: str  # crash, answer-timeout, memory …
    place: str  # location of the mistake, such as `my.py line 4`; empty if unknown
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text


@dataclass(frozen=True, kw_only=True, eq=False)
class ExerciseRun:
    """The result of a run with one seed."""

    seed: int
    figures: Mapping[str, Mapping[str, float]]  # by robot, by name; for a failed run, up to the failure
    failure: RunFailure | None = None
    episode: Episode | None = None  # None: the run did not start
    output: str = ""  # printed output of the program


def run_exercise(
    exercise: Exercise,
    file: str | Path,
    seed: int,
    *,
    folder: Path | None = None,
    speed: float | None = None,
    watch: Callable[[Arena], AbstractContextManager[object]] | None = None,
) -> ExerciseRun:
    """Run a program that drives the robots of an exercise. The same program and seed always give the same figures.

    Each robot's controller runs in its own process, which receives only the readings of the allowed devices.

    Args:
        exercise: the exercise.
        file: a Python file as for `paddock run -c`.
        seed: seed of the world, the starts and all noise.
        folder: folder whose files all belong to the program; None: the file only.
        speed: 1 for real time; None for as fast as possible.
        watch: context manager that displays the arena during the run.
    """
    program = SandboxedProgram(file=Path(file), folder=folder, devices=exercise.devices)
    plan, drivers, failure = exercise.plan(seed, program), Drivers(controllers={}, devices={}), None
    with ExitStack() as stack:
        arena = stack.enter_context(plan.build())
        if watch is not None:
            stack.enter_context(watch(arena))
        try:
            drivers = program.make(arena)
            plan.run_in(arena, drivers, speed=speed)
        except SubmissionFailure as error:
            failure = RunFailure(kind=error.kind, place=error.place, text=error.text)
        finally:
            for controller in drivers.controllers.values():
                controller.close()
        figures = {} if arena.episode is None else collect_figures(exercise, arena.episode)
    output = "".join(dict.fromkeys(controller.output for controller in drivers.controllers.values()))
    return ExerciseRun(seed=seed, figures=figures, failure=failure, episode=arena.episode, output=output)
