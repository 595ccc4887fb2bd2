"""Following a line on the floor: fast, and with the line in the middle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paddock.evolve.config import Config
from paddock.evolve.tasks.base import Judgement, Task
from paddock.evolve.tasks.robots import only_robot
from paddock.metrics import Distance, Line
from paddock.policies.networks import Input
from paddock.rollouts.rollout import Rollout
from paddock.worlds import load_world

ON_LINE, SHARE = 0.95, 0.9  # of the time, and of the top speed, at least, to have done the task


def settings(config: Config) -> tuple[str, ...]:
    """What `paddock evolve line-follow` uses."""
    return ("world", "trials", "seconds", "hidden", "recurrent")


def configured(config: Config) -> Task:
    """As `paddock evolve line-follow` asks for it."""
    world = load_world(config.world or "line-track")
    robot = only_robot(world)
    speed = robot.drive.max_speed
    return Task(
        name="line-follow",
        worlds=(world,),
        seconds=config.seconds or 60.0,
        inputs=(Input(device="ground", values=robot.sensor("ground").channels, zero=0.5, gain=2.0),),
        speed=speed,
        judge=LineJudge(speed),
        metrics=(Line(), Distance()),
        trials=config.trials or 1,
        hidden=config.hidden if config.hidden is not None else (4,),
        recurrent=True if config.recurrent is None else config.recurrent,
        behaviours=("speed / top speed", "share of time on the line"),
    )


@dataclass(frozen=True)
class LineJudge:
    """Fitness: mean speed, relative to the top speed, times the share of time on the line, times its centring."""

    speed: float  # [m/s]

    def __call__(self, drive: Rollout) -> Judgement:
        """Judge every world."""
        speed = drive["mean_speed"][:, 0] / self.speed
        on_line, centred = drive["on_line"][:, 0], 1.0 - drive["off_centre"][:, 0]
        solved = (on_line >= ON_LINE) & (speed >= SHARE)
        behaviour = np.stack([np.clip(speed, 0, 1), on_line], axis=1)
        return Judgement(speed * on_line**2 * (0.5 + 0.5 * centred), solved.astype(np.float64), behaviour)
