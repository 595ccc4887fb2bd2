"""Avoiding obstacles: swift, straight and far from everything, as Floreano and Mondada (1994) judged it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paddock.evolve.config import Config
from paddock.evolve.tasks.base import Judgement, Task
from paddock.evolve.tasks.robots import only_robot, sight
from paddock.metrics import Avoidance, ContactTime, Coverage, Distance
from paddock.rollouts.rollout import Rollout
from paddock.worlds import load_world

RANGE = 0.07  # [m] of an e-puck's infrared
SHARE = 0.3  # of the top speed, at least, to have done the task
CELL = 0.1  # [m]
TRIALS = 5  # starts and noises: one that is safe from a single place is not careful, but lucky
EXPLORED = 0.3  # new cells, of those that its speed allows, to have done the task


def settings(config: Config) -> tuple[str, ...]:
    """What `paddock evolve avoid` uses."""
    return ("world", "trials", "seconds", "hidden", "recurrent")


def configured(config: Config) -> Task:
    """As `paddock evolve avoid` asks for it."""
    world = load_world(config.world or "clutter")
    robot = only_robot(world)
    seconds, speed = config.seconds or 60.0, robot.drive.max_speed
    return Task(
        name="avoid",
        worlds=(world,),
        seconds=seconds,
        inputs=(sight(robot, "proximity", RANGE),),
        speed=speed,
        judge=AvoidJudge(seconds, speed),
        metrics=(Avoidance(speed=speed, range=RANGE), ContactTime(), Distance(), Coverage(cell=CELL)),
        trials=config.trials or TRIALS,
        starts="random",
        hidden=config.hidden if config.hidden is not None else (4,),
        recurrent=bool(config.recurrent),
        behaviours=("speed / top speed", "new cells / most possible"),
    )


@dataclass(frozen=True)
class AvoidJudge:
    """Fitness: mean of V · (1 - √Δ) · (1 - nearness), less for contacts and for going round in circles."""

    seconds: float
    speed: float  # [m/s]

    def __call__(self, drive: Rollout) -> Judgement:
        """Judge every world."""
        free = 1.0 - drive["contact_time"][:, 0] / self.seconds
        speed = drive["mean_speed"][:, 0] / self.speed
        explored = np.clip(drive["visited"][:, 0] * CELL / (self.seconds * self.speed), 0, 1)
        onward = np.sqrt(np.minimum(1.0, explored / EXPLORED))
        fitness = drive["avoidance"][:, 0] * onward * free / (1.0 + 0.2 * drive["contacts"][:, 0])
        solved = (drive["contacts"][:, 0] == 0) & (speed >= SHARE) & (explored >= EXPLORED)
        behaviour = np.stack([np.clip(speed, 0, 1), explored], axis=1)
        return Judgement(fitness, solved.astype(np.float64), behaviour)
