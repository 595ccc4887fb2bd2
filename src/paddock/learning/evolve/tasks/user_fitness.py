"""User-defined fitness: any function of a rollout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddock.arena.batches.rollout import Rollout
from paddock.arena.metrics import ContactTime, Coverage, Distance
from paddock.core.errors import PaddockError, format_value
from paddock.learning.evolve.options import EvolutionConfig
from paddock.learning.evolve.tasks.evolution_task import PLACE, Evaluation, EvolutionTask
from paddock.learning.evolve.tasks.robots import get_only_robot, make_all_inputs
from paddock.simulation.worlds import load_world


def make_fitness_task(function: Callable[[Rollout], Any], config: EvolutionConfig) -> EvolutionTask:
    """Return a task in the config's world, with all sensors of its robot; the function returns a fitness per world."""
    if config.world is None:
        raise PaddockError(f"world: missing: the task {config.task} needs a world with one robot")
    world = load_world(config.world)
    robot = get_only_robot(world)
    return EvolutionTask(
        name=config.task,
        worlds=(world,),
        seconds=config.seconds or 60.0,
        inputs=make_all_inputs(robot),
        speed=robot.drive.max_speed,
        evaluate=UserFitness(function, config.task, world.bounds),
        metrics=(Distance(), ContactTime(), Coverage()),
        trace_every=0.5,
        trials=config.trials or 1,
        hidden=config.hidden if config.hidden is not None else (6,),
        recurrent=bool(config.recurrent),
        behaviours=PLACE,
    )


def reports_solved(task: EvolutionTask) -> bool:
    """Whether the evaluation of a task reports that it is solved; a user's fitness function does not."""
    return not isinstance(task.evaluate, UserFitness)


@dataclass(frozen=True)
class UserFitness:
    """Evaluation by a user's function, which does not report whether the task is solved."""

    function: Callable[[Rollout], Any]
    name: str
    bounds: tuple[float, float, float, float]

    def __call__(self, rollout: Rollout) -> Evaluation:
        """Evaluate every world."""
        worlds, values = len(rollout.ticks), self.function(rollout)
        try:
            fitness = np.asarray(values, np.float64)
        except (TypeError, ValueError):
            raise PaddockError(
                f"{self.name}: expected a fitness for each of {worlds} worlds, got {format_value(values)}"
            ) from None
        if fitness.shape != (worlds,):
            raise PaddockError(
                f"{self.name}: expected a fitness for each of {worlds} worlds, shape ({worlds},), got {fitness.shape}"
            )
        x0, y0, x1, y1 = self.bounds
        behaviour = (rollout.poses[:, 0, :2] - (x0, y0)) / (x1 - x0, y1 - y0)
        return Evaluation(fitness, np.zeros(worlds), np.clip(behaviour, 0.0, 1.0))
