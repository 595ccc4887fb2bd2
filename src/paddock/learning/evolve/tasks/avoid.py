"""Obstacle avoidance: fast, straight and far from obstacles, with the fitness of Floreano and Mondada (1994)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paddock.arena.batches.batch_result import BatchResult
from paddock.arena.metrics import Avoidance, ContactTime, Coverage, Distance
from paddock.arena.run_spec import RunSpec
from paddock.learning.evolve.options import EvolutionConfig
from paddock.learning.evolve.tasks.evolution_task import Evaluation, EvolutionTask, TaskKind
from paddock.learning.evolve.tasks.robots import get_only_robot, make_range_input
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.randomise import Randomise

RANGE = 0.07  # range of an e-puck's infrared sensors [m]
SHARE = 0.3  # minimum share of the top speed to solve the task
CELL = 0.1  # [m]
TRIALS = 5  # start poses and noise seeds: success from a single pose may be luck
EXPLORED = 0.3  # minimum share of new cells, of those that the top speed allows, to solve the task


def make_avoid_task(config: EvolutionConfig) -> EvolutionTask:
    """Return the task `avoid` with the options of a config."""
    world = load_world(config.world or "clutter")
    robot = get_only_robot(world)
    seconds, speed = config.seconds or 60.0, robot.drive.max_speed
    return EvolutionTask(
        name="avoid",
        runs=(
            RunSpec(
                world=world,
                randomise=Randomise(starts="anywhere"),
                seconds=seconds,
                metrics=(Avoidance(speed=speed, range=RANGE), ContactTime(), Distance(), Coverage(cell=CELL)),
            ),
        ),
        inputs=(make_range_input(robot, "proximity", RANGE),),
        speed=speed,
        evaluate=AvoidFitness(seconds, speed),
        trials=config.trials or TRIALS,
        hidden=config.hidden if config.hidden is not None else (4,),
        recurrent=bool(config.recurrent),
        behaviours=("speed / top speed", "new cells / most possible"),
    )


@dataclass(frozen=True)
class AvoidFitness:
    """Fitness: mean of V · (1 - √Δ) · (1 - nearness), less for contacts and for driving in circles."""

    seconds: float
    speed: float  # [m/s]

    def __call__(self, batch_result: BatchResult) -> Evaluation:
        """Evaluate every world."""
        free = 1.0 - batch_result["contact_time"][:, 0] / self.seconds
        speed = batch_result["mean_speed"][:, 0] / self.speed
        explored = np.clip(batch_result["visited"][:, 0] * CELL / (self.seconds * self.speed), 0, 1)
        onward = np.sqrt(np.minimum(1.0, explored / EXPLORED))
        fitness = batch_result["avoidance"][:, 0] * onward * free / (1.0 + 0.2 * batch_result["contacts"][:, 0])
        solved = (batch_result["contacts"][:, 0] == 0) & (speed >= SHARE) & (explored >= EXPLORED)
        behaviour = np.stack([np.clip(speed, 0, 1), explored], axis=1)
        return Evaluation(fitness, solved.astype(np.float64), behaviour)


TASK = TaskKind(make_avoid_task)
