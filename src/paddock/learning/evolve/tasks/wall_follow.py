"""Wall following: at the right distance, with progress, and without contact."""

from __future__ import annotations

import numpy as np

from paddock.arena.batches.batch_result import BatchResult
from paddock.arena.metrics import ContactTime
from paddock.arena.run_spec import RunSpec
from paddock.core.errors import PaddockError
from paddock.core.geometry import Disc, bounding_radius
from paddock.learning.evolve.options import EvolutionConfig
from paddock.learning.evolve.tasks.evolution_task import Evaluation, EvolutionTask, Floats, TaskKind
from paddock.learning.evolve.tasks.robots import RANGING, get_only_robot, make_range_input
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.solids import solids

CLEARANCE = 0.25  # target distance between the robot and the wall [m]
TOLERANCE = 0.25  # tolerance of the distance [m]
CELL = 0.5  # [m]; new cells count as progress
TRACE_PERIOD = 0.5  # period of the trace [s]
NEAR, SHARE = 0.8, 0.4  # minimum shares of the time at the wall, and of the reachable cells, to solve the task
FAST = 0.6  # maximum wheel speed, as a share of the robot's top speed


def make_wall_follow_task(config: EvolutionConfig) -> EvolutionTask:
    """Return the task `wall-follow` with the options of a config."""
    world = load_world(config.world or "wall-loop")
    robot = get_only_robot(world)
    device = next((sensor.name for sensor in robot.sensors if isinstance(sensor, RANGING)), "sonar")
    seconds, speed = config.seconds or 120.0, FAST * robot.drive.max_speed
    wanted = bounding_radius(robot.body.shape) + CLEARANCE
    return EvolutionTask(
        name="wall-follow",
        runs=(RunSpec(world=world, seconds=seconds, metrics=(ContactTime(),)),),
        inputs=(make_range_input(robot, device, 1.5),),
        speed=speed,
        evaluate=WallFitness(world, wanted, seconds * speed / CELL),
        trace_every=TRACE_PERIOD,
        trials=config.trials or 1,
        hidden=config.hidden if config.hidden is not None else (6,),
        recurrent=bool(config.recurrent),
        behaviours=("new cells at walls / most possible", "share of time at a wall"),
    )


class WallFitness:
    """Fitness: new cells visited along walls, relative to those that the speed allows; less for contacts."""

    def __init__(self, world: WorldSpec, clearance: float, limit: float) -> None:
        self.wanted, self.most, self.bounds = clearance, limit, world.bounds
        pieces = [(a, b, 0.0) for solid in solids(world) for a, b in solid.edges]
        for disc in (solid.shape for solid in solids(world) if isinstance(solid.shape, Disc)):
            pieces.append(((disc.x, disc.y), (disc.x, disc.y), disc.radius))
        if not pieces:
            raise PaddockError(f"{world.name}: there is no wall to follow")
        self.from_, self.to = np.array([a for a, _, _ in pieces]), np.array([b for _, b, _ in pieces])
        self.radius = np.array([radius for _, _, radius in pieces])

    def distance(self, at: Floats) -> Floats:
        """Return the distances from positions (…, 2) to the nearest wall [m]."""
        way = self.to - self.from_
        share = ((at[..., None, :] - self.from_) * way).sum(axis=-1) / np.maximum((way * way).sum(axis=-1), 1e-12)
        nearest = self.from_ + np.clip(share, 0, 1)[..., None] * way
        away: Floats = (np.linalg.norm(at[..., None, :] - nearest, axis=-1) - self.radius).min(axis=-1)
        return away

    def __call__(self, batch_result: BatchResult) -> Evaluation:
        """Evaluate every world."""
        at = batch_result.trace[:, :, 0, :2]
        there = np.abs(self.distance(at) - self.wanted) <= TOLERANCE
        cells = np.floor(at / CELL).astype(np.int64)
        seen = np.array([len(np.unique(c[t], axis=0)) for c, t in zip(cells, there, strict=True)])
        onward = np.minimum(1.0, seen / max(1.0, self.most))
        touched = batch_result["contacts"][:, 0]
        near = there.mean(axis=1)
        solved = (touched == 0) & (near >= NEAR) & (onward >= SHARE)
        behaviour = np.stack([onward, near], axis=1)
        return Evaluation(onward * (0.5 + 0.5 * near) / (1 + touched), solved.astype(np.float64), behaviour)


TASK = TaskKind(make_wall_follow_task)
