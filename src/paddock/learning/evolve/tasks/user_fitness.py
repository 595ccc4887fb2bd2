"""User-defined fitness: any function of a batch result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddock.arena.batches.batch_result import BatchResult
from paddock.arena.metrics import ContactTime, Coverage, Distance
from paddock.arena.run_spec import RunSpec
from paddock.core.errors import PaddockError, format_value
from paddock.learning.evolve.options import EvolutionConfig
from paddock.learning.evolve.tasks.evolution_task import PLACE, Evaluation, EvolutionTask
from paddock.learning.evolve.tasks.robots import get_only_robot, make_all_inputs
from paddock.simulation.worlds import load_world

USUAL_METRICS = (Distance(), ContactTime(), Coverage())


def make_fitness_task(function: Callable[[BatchResult], Any], config: EvolutionConfig) -> EvolutionTask:
    """Return a task in the config's world, with all sensors of its robot; the function returns a fitness per world."""
    if config.world is None:
        raise PaddockError(f"world: missing: the task {config.task} needs a world with one robot")
    run = RunSpec(world=load_world(config.world), seconds=config.seconds or 60.0, metrics=USUAL_METRICS)
    return make_run_task(
        config.task,
        [run],
        function,
        trials=config.trials or 1,
        hidden=config.hidden if config.hidden is not None else (6,),
        recurrent=bool(config.recurrent),
    )


def make_run_task(
    name: str,
    runs: Sequence[RunSpec],
    fitness: Callable[[BatchResult], Any],
    *,
    trials: int = 1,
    hidden: tuple[int, ...] = (6,),
    recurrent: bool = False,
) -> EvolutionTask:
    """Return the task to drive some runs with the highest fitness, such as those of an exercise.

    Args:
        name: name of the task.
        runs: the runs; a network reads their devices, or all range and ground sensors if they name none.
        fitness: returns the fitness of every world of a batch result.
        trials: drives in every world.
        hidden: units of the network's hidden layers.
        recurrent: whether the network is recurrent.
    """
    world = runs[0].make_world()
    robot = get_only_robot(world)
    return EvolutionTask(
        name=name,
        runs=tuple(runs),
        inputs=make_all_inputs(robot, runs[0].devices),
        speed=robot.drive.max_speed,
        evaluate=UserFitness(fitness, name, world.bounds),
        trace_every=0.5,
        trials=trials,
        hidden=hidden,
        recurrent=recurrent,
        behaviours=PLACE,
    )


def reports_solved(task: EvolutionTask) -> bool:
    """Whether the evaluation of a task reports that it is solved; a user's fitness function does not."""
    return not isinstance(task.evaluate, UserFitness)


@dataclass(frozen=True)
class UserFitness:
    """Evaluation by a user's function, which does not report whether the task is solved."""

    function: Callable[[BatchResult], Any]
    name: str
    bounds: tuple[float, float, float, float]

    def __call__(self, batch_result: BatchResult) -> Evaluation:
        """Evaluate every world."""
        worlds, values = len(batch_result.ticks), self.function(batch_result)
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
        behaviour = (batch_result.poses[:, 0, :2] - (x0, y0)) / (x1 - x0, y1 - y0)
        return Evaluation(fitness, np.zeros(worlds), np.clip(behaviour, 0.0, 1.0))
