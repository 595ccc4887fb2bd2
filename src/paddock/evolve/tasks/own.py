"""A user's own fitness: any function that judges a rollout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError, shown
from paddock.evolve.config import Config
from paddock.evolve.tasks.base import PLACE, Judgement, Task
from paddock.evolve.tasks.robots import all_inputs, only_robot
from paddock.metrics import ContactTime, Coverage, Distance
from paddock.rollouts.rollout import Rollout
from paddock.worlds import load_world


def settings(config: Config) -> tuple[str, ...]:
    """What a user's fitness uses."""
    return ("world", "trials", "seconds", "hidden", "recurrent")


def judged_by(function: Callable[[Rollout], Any], config: Config) -> Task:
    """A task in `--world`, with all sensors of its robot; the function tells the fitness of every world."""
    if config.world is None:
        raise PaddockError(f"{config.task}: where is it to drive? Name a world with one robot, --world")
    world = load_world(config.world)
    robot = only_robot(world)
    return Task(
        name=config.task,
        worlds=(world,),
        seconds=config.seconds or 60.0,
        inputs=all_inputs(robot),
        speed=robot.drive.max_speed,
        judge=OwnJudge(function, config.task, world.bounds),
        metrics=(Distance(), ContactTime(), Coverage()),
        trace_every=0.5,
        trials=config.trials or 1,
        hidden=config.hidden if config.hidden is not None else (6,),
        recurrent=bool(config.recurrent),
        behaviours=PLACE,
    )


@dataclass(frozen=True)
class OwnJudge:
    """Asks the function; nothing is known of when a task is done."""

    function: Callable[[Rollout], Any]
    name: str
    bounds: tuple[float, float, float, float]

    def __call__(self, drive: Rollout) -> Judgement:
        """Judge every world."""
        worlds, told = len(drive.ticks), self.function(drive)
        try:
            fitness = np.asarray(told, np.float64)
        except (TypeError, ValueError):
            raise PaddockError(
                f"{self.name}: expected a fitness for each of {worlds} worlds, got {shown(told)}"
            ) from None
        if fitness.shape != (worlds,):
            raise PaddockError(
                f"{self.name}: expected a fitness for each of {worlds} worlds, shape ({worlds},), got {fitness.shape}"
            )
        x0, y0, x1, y1 = self.bounds
        behaviour = (drive.poses[:, 0, :2] - (x0, y0)) / (x1 - x0, y1 - y0)
        return Judgement(fitness, np.zeros(worlds), np.clip(behaviour, 0.0, 1.0))
