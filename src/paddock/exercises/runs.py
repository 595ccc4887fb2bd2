"""run_exercise: one run of a student's program in an exercise, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from paddock.arena import Arena
from paddock.episodes import Episode
from paddock.exercises.spec import Exercise
from paddock.sandbox import SandboxedController, SubmissionFailure
from paddock.worlds.build import build


@dataclass(frozen=True, kw_only=True)
class RunFailure:
    """Why a program did not reach the end of a run."""

    kind: str  # crash, answer-timeout, memory …
    place: str  # of the mistake: `my.py, line 4`; empty where it is not known
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text


@dataclass(frozen=True, kw_only=True, eq=False)
class ExerciseRun:
    """What came of one seed."""

    seed: int
    figures: Mapping[str, Mapping[str, float]]  # by robot, by name; of a run that failed, up to then
    failure: RunFailure | None = None
    episode: Episode | None = None  # None: it never began
    output: str = ""  # what the program printed


def run_exercise(
    exercise: Exercise, file: str | Path, seed: int, *, folder: Path | None = None, speed: float | None = None
) -> ExerciseRun:
    """Let a program drive the robots of an exercise. The same program and seed give the same figures, always.

    Args:
        exercise: what to run.
        file: a Python file as `paddock run -c` takes it.
        seed: decides the world, the starts and all noise.
        folder: all of it belongs to the program; None: the file alone.
        speed: 1 for real time; None for as fast as possible.
    """
    failure, outputs = None, []
    with Arena(build(exercise.make_world(seed)), seed=seed) as arena, ExitStack() as stack:
        try:
            controllers = {}
            for name, robot in arena.robots.items():
                robot.enable(*exercise.devices)
                guest = SandboxedController(file, robot, devices=exercise.devices, folder=folder)
                controllers[name] = stack.enter_context(guest)
            arena.run(exercise.seconds, controllers, metrics=exercise.make_metrics(), speed=speed)
        except SubmissionFailure as error:
            failure = RunFailure(kind=error.kind, place=error.place, text=error.text)
            outputs.append(error.output)
        stack.close()
        outputs += [controller.output for controller in controllers.values()]
        episode = arena.episode
    return ExerciseRun(
        seed=seed, figures=_figures(episode), failure=failure, episode=episode, output="".join(dict.fromkeys(outputs))
    )


def _figures(episode: Episode | None) -> dict[str, dict[str, float]]:
    if episode is None:
        return {}
    return {name: {**record.metrics, "seconds": episode.seconds} for name, record in episode.robots.items()}
