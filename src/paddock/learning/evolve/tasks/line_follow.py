"""Line following: fast, and with the line centred under the sensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paddock.arena.batches.batch_result import BatchResult
from paddock.arena.metrics import Distance, Line
from paddock.arena.run_spec import RunSpec
from paddock.control.policies.policy import Input
from paddock.learning.evolve.options import EvolutionConfig
from paddock.learning.evolve.tasks.evolution_task import Evaluation, EvolutionTask, TaskKind
from paddock.learning.evolve.tasks.robots import get_only_robot
from paddock.simulation.worlds import load_world

ON_LINE, SHARE = 0.95, 0.9  # minimum shares of the time and of the top speed to solve the task


def make_line_follow_task(config: EvolutionConfig) -> EvolutionTask:
    """Return the task `line-follow` with the options of a config."""
    world = load_world(config.world or "line-track")
    robot = get_only_robot(world)
    speed = robot.drive.max_speed
    return EvolutionTask(
        name="line-follow",
        runs=(RunSpec(world=world, seconds=config.seconds or 60.0, metrics=(Line(), Distance())),),
        inputs=(Input(device="ground", values=robot.sensor("ground").channels, zero=0.5, gain=2.0),),
        speed=speed,
        evaluate=LineFitness(speed),
        trials=config.trials or 1,
        hidden=config.hidden if config.hidden is not None else (4,),
        recurrent=True if config.recurrent is None else config.recurrent,
        behaviours=("speed / top speed", "share of time on the line"),
    )


@dataclass(frozen=True)
class LineFitness:
    """Fitness: mean speed relative to the top speed, times the squared share of time on the line, times centring."""

    speed: float  # [m/s]

    def __call__(self, batch_result: BatchResult) -> Evaluation:
        """Evaluate every world."""
        speed = batch_result["mean_speed"][:, 0] / self.speed
        on_line, centred = batch_result["on_line"][:, 0], 1.0 - batch_result["off_centre"][:, 0]
        solved = (on_line >= ON_LINE) & (speed >= SHARE)
        behaviour = np.stack([np.clip(speed, 0, 1), on_line], axis=1)
        return Evaluation(speed * on_line**2 * (0.5 + 0.5 * centred), solved.astype(np.float64), behaviour)


TASK = TaskKind(make_line_follow_task)
