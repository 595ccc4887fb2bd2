"""run_exercise: one run of a student's program in an exercise, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paddock.arena import Arena
from paddock.arena.episodes import Episode
from paddock.core.observation import Observation
from paddock.simulation.worlds.build import build
from paddock.teaching.exercises.exercise_spec import Exercise
from paddock.teaching.exercises.figures import collect_figures
from paddock.teaching.referees import officiate
from paddock.teaching.sandbox import SandboxedController, SubmissionFailure


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
    world, failure, controllers = exercise.make_world(seed), None, list[SandboxedController]()
    with ExitStack() as stack:
        arena = stack.enter_context(Arena(build(world), seed=seed))
        referee = deepcopy(exercise.referee) if exercise.needs_referee else None
        game = None if referee is None else stack.enter_context(officiate(arena, referee))
        if watch is not None:
            stack.enter_context(watch(arena))
        try:
            for robot in arena.robots.values():
                robot.enable(*exercise.devices)
                controller = SandboxedController(file, robot, devices=exercise.devices, folder=folder)
                controllers.append(stack.enter_context(controller))
            ticks = max(1, round((exercise.period or arena.dt) / arena.dt))
            drivers = {name: EveryFewTicks(each, ticks) for name, each in zip(arena.robots, controllers, strict=True)}
            until = None if game is None else game.is_over
            arena.run(exercise.seconds, drivers, metrics=exercise.make_metrics(), speed=speed, until=until)
        except SubmissionFailure as error:
            failure = RunFailure(kind=error.kind, place=error.place, text=error.text)
        for controller in controllers:
            controller.close()
        episode = arena.episode
        figures = {} if episode is None else collect_figures(exercise, world, episode, game)
    output = "".join(dict.fromkeys(controller.output for controller in controllers))
    return ExerciseRun(seed=seed, figures=figures, failure=failure, episode=episode, output=output)


class EveryFewTicks:
    """A controller that is called once every few ticks; its command stays valid in between."""

    def __init__(self, controller: SandboxedController, ticks: int) -> None:
        self._controller, self._ticks, self._asked = controller, ticks, 0

    def act(self, observation: Observation) -> Any:
        """Return the controller's answer, or None between two calls."""
        self._asked += 1
        return None if (self._asked - 1) % self._ticks else self._controller.act(observation)

    def reset(self) -> None:
        """Restart the controller."""
        self._asked = 0
        self._controller.reset()
