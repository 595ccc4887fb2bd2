"""run_exercise: one run of a student's program in an exercise, and its result."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paddock.arena import Arena
from paddock.arena.controller_choice import find_controller
from paddock.arena.controllers import Drivers
from paddock.arena.episodes import Episode
from paddock.arena.run_spec import DriverSource
from paddock.core.errors import PaddockError, format_value
from paddock.core.user_code import error_location, explain_error, is_path, load_path
from paddock.teaching.exercises.exercise_spec import Exercise
from paddock.teaching.sandbox import SandboxedController, SandboxedProgram, SubmissionFailure

GIVEN = ("trace", "episode", "world")  # possible parameters of a measuring function


@dataclass(frozen=True, kw_only=True)
class RunFailure:
    """Why a program did not reach the end of a run."""

    kind: str  # crash, answer-timeout, memory …
    location: str  # location of the mistake, such as `my.py line 4`; empty if unknown
    text: str

    def __str__(self) -> str:
        return f"{self.location}: {self.text}" if self.location else self.text


@dataclass(frozen=True, kw_only=True, eq=False)
class ExerciseRun:
    """The result of a run with one seed."""

    seed: int
    results: Mapping[str, Mapping[str, float]]  # by robot, by name; for a failed run, up to the failure
    failure: RunFailure | None = None
    episode: Episode | None = None  # None: the run did not start
    output: str = ""  # printed output of the program


def run_exercise(
    exercise: Exercise,
    file: str | Path | DriverSource,
    seed: int,
    *,
    folder: Path | None = None,
    speed: float | None = None,
    watch: Callable[[Arena], AbstractContextManager[Callable[[ExerciseRun], object]]] | None = None,
) -> ExerciseRun:
    """Run a program that drives the robots of an exercise. The same program and seed always give the same figures.

    Each robot's controller of a Python file runs in its own process, which receives only the readings of the allowed
    devices. A stored policy and other drivers run in this process.

    Args:
        exercise: the exercise.
        file: a Python file as for `paddock run -c`, a stored policy (.npz), or what creates the controllers.
        seed: seed of the world, the starts and all noise.
        folder: folder whose files all belong to the program; None: the file only.
        speed: 1 for real time; None for as fast as possible.
        watch: context manager that displays the arena during the run; it yields a function that receives the result.
    """
    program = _find_program(exercise, file, folder)
    plan, drivers, failure = exercise.plan(seed, program), Drivers(controllers={}, devices={}), None
    with ExitStack() as stack:
        arena = stack.enter_context(plan.build())
        receive = None if watch is None else stack.enter_context(watch(arena))
        try:
            drivers = program.make(arena)
            plan.run_in(arena, drivers, speed=speed)
        except SubmissionFailure as error:
            failure = RunFailure(kind=error.kind, location=error.location, text=error.text)
        finally:
            programs = [each for each in drivers.controllers.values() if isinstance(each, SandboxedController)]
            for each in programs:
                each.close()
        results = {} if arena.episode is None else collect_results(exercise, arena.episode)
        output = "".join(dict.fromkeys(each.output for each in programs))
        run = ExerciseRun(seed=seed, results=results, failure=failure, episode=arena.episode, output=output)
        if receive is not None:
            receive(run)
    return run


def _find_program(exercise: Exercise, file: str | Path | DriverSource, folder: Path | None) -> DriverSource:
    if not isinstance(file, str | Path):
        return file
    if Path(file).suffix == ".npz":
        return find_controller(str(file), "", {})
    return SandboxedProgram(file=Path(file), folder=folder, devices=exercise.devices)


def collect_results(exercise: Exercise, episode: Episode) -> dict[str, dict[str, float]]:
    """Return all figures of an episode by robot and name, whatever drove the robots."""
    results = {name: {**record.metrics, "seconds": episode.seconds} for name, record in episode.robots.items()}
    if episode.verdict is not None and exercise.referee is not None:
        for own in results.values():
            own[exercise.referee.label] = own["score"]
    for measure in dict.fromkeys(check.measure for check in exercise.checks if is_path(check.measure)):
        function = load_path(measure, exercise.folder, what="measuring function")
        for name, own in results.items():
            trace = episode.robots[name].trace
            given = {"trace": trace, "episode": episode, "world": episode.world}
            own[measure] = _call(measure, function, given) if len(trace) else math.nan
    return results


def _call(measure: str, function: Callable[..., Any], given: Mapping[str, Any]) -> float:
    wanted = list(inspect.signature(function).parameters)
    unknown = [name for name in wanted if name not in GIVEN]
    if unknown:
        raise PaddockError(f"{measure}: expected parameters among {', '.join(GIVEN)}, got {unknown[0]!r}")
    try:
        figure = function(**{name: given[name] for name in wanted})
    except Exception as error:
        raise PaddockError(f"{error_location(error) or measure}: {explain_error(error)}") from error
    try:
        return float(figure)
    except (TypeError, ValueError):
        raise PaddockError(f"{measure}: expected a number, got {format_value(figure)}") from None
