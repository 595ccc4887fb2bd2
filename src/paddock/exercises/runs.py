"""run_exercise: one run of a student's program in an exercise, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paddock.arena import Arena
from paddock.arena.base import BaseArena
from paddock.arena.controllers import ANSWERING, load_controllers, telling_place
from paddock.core.errors import PaddockError
from paddock.core.observation import Observation, acting
from paddock.episodes import Episode
from paddock.exercises.figures import collect_figures
from paddock.exercises.spec import Exercise
from paddock.referees import officiate
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


def run_exercise(exercise: Exercise, file: str | Path, seed: int, *, speed: float | None = None) -> ExerciseRun:
    """Let a program drive the robots of an exercise. The same program and seed give the same figures, always.

    Args:
        exercise: what to run.
        file: a Python file as `paddock run -c` takes it.
        seed: decides the world, the starts and all noise.
        speed: 1 for real time; None for as fast as possible.
    """
    world = exercise.make_world(seed)
    with ExitStack() as stack:
        arena = stack.enter_context(Arena(build(world), seed=seed))
        game = stack.enter_context(officiate(arena, copy(exercise.referee))) if exercise.needs_referee else None
        failure = _drive(exercise, Path(file), arena, speed, None if game is None else game.is_over)
        episode = arena.episode
        figures = {} if episode is None else collect_figures(exercise, world, episode, game)
        return ExerciseRun(seed=seed, figures=figures, failure=failure, episode=episode)


def _drive(
    exercise: Exercise, file: Path, arena: Arena, speed: float | None, until: Callable[[BaseArena], str] | None
) -> RunFailure | None:
    """Let the program drive; why it failed, if it did."""
    try:
        with telling_place(file, *ANSWERING):
            controllers = load_controllers(file, arena)
            for robot in controllers:
                for device in exercise.devices:
                    arena[robot].device(device).enable()
            ticks = max(1, round((exercise.period or arena.dt) / arena.dt))
            drivers = {name: AllowedDevices(each, exercise.devices, ticks) for name, each in controllers.items()}
            arena.run(exercise.seconds, drivers, metrics=exercise.make_metrics(), speed=speed, until=until)
    except PaddockError as error:
        place, _, text = str(error).partition(": ")
        return RunFailure(kind="crash", place=place, text=text)
    return None


class AllowedDevices:
    """A controller that sees nothing but the devices that an exercise allows, once in some ticks."""

    def __init__(self, controller: Any, devices: tuple[str, ...], ticks: int) -> None:
        self._act, self._devices, self._ticks = acting(controller), devices, ticks
        self._asked = 0

    def act(self, observation: Observation) -> Any:
        """The answer of the controller; in between None, so that its command stays."""
        self._asked += 1
        return None if (self._asked - 1) % self._ticks else self._act(observation.only(self._devices))
