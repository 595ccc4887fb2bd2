"""run_exercise: one run of a student's program in an exercise, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paddock.arena import Arena
from paddock.arena.controllers import ANSWERING, load_controllers, telling_place
from paddock.core.errors import PaddockError
from paddock.core.observation import Observation, acting
from paddock.episodes import Episode
from paddock.exercises.spec import Exercise
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
    path, failure = Path(file), None
    with Arena(build(exercise.make_world(seed)), seed=seed) as arena:
        try:
            with telling_place(path, *ANSWERING):
                controllers = load_controllers(path, arena)
                for robot in controllers:
                    for device in exercise.devices:
                        arena[robot].device(device).enable()
                drivers = {name: AllowedDevices(each, exercise.devices) for name, each in controllers.items()}
                arena.run(exercise.seconds, drivers, metrics=exercise.make_metrics(), speed=speed)
        except PaddockError as error:
            place, _, text = str(error).partition(": ")
            failure = RunFailure(kind="crash", place=place, text=text)
        return ExerciseRun(seed=seed, figures=_figures(arena.episode), failure=failure, episode=arena.episode)


def _figures(episode: Episode | None) -> dict[str, dict[str, float]]:
    if episode is None:
        return {}
    return {name: {**record.metrics, "seconds": episode.seconds} for name, record in episode.robots.items()}


class AllowedDevices:
    """A controller that sees nothing but the devices that an exercise allows."""

    def __init__(self, controller: Any, devices: tuple[str, ...]) -> None:
        self._act, self._devices = acting(controller), devices

    def act(self, observation: Observation) -> Any:
        """The answer of the controller."""
        return self._act(observation.only(self._devices))
