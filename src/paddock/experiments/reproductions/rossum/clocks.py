"""Two clocks: one that waits for a slow controller, and one that does not."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import paddock
from paddock.control.policies.networks import Network
from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds
from paddock.experiments.reproductions.rossum.evolutions import serve_world
from paddock.learning.evolve.tasks.evolution_task import EvolutionTask
from paddock.learning.evolve.tasks.maze_task import REACHED, MazeFitness

THINKING = 0.004  # wall-clock time of the controller per decision [s]
ROBOT = "scout"

Trail = list[Pose]


@dataclass(frozen=True)
class MeasuredDrive:
    """One drive of the champion."""

    clock: str  # "here", "lock-step" or "free-running"
    speed: float | None  # of the clock; None: as fast as possible
    part: float  # fraction of the path to the exit that was driven, 0 … 1
    reached: bool  # whether the exit was reached
    ticks: int
    decisions: int
    digest: str  # of the arena at the end
    wall: float  # [s]
    trail: Trail

    @property
    def name(self) -> str:
        """Name of the drive in tables."""
        return self.clock if self.clock == "here" else f"{self.clock}, {_times(self.speed)}"


def _times(speed: float | None) -> str:
    return "as fast as possible" if speed is None else f"{speed:g}×"


@dataclass
class SlowController:
    """The champion, which takes some wall-clock time for each decision."""

    policy: Network
    thinking: float  # [s]
    decisions: int = 0

    def act(self, seen: paddock.Observation) -> WheelSpeeds:
        """Wait, then return the wheel speeds."""
        time.sleep(self.thinking)
        self.decisions += 1
        return self.policy.act(seen)


def drive_here(task: EvolutionTask, champion: Network, seed: int) -> MeasuredDrive:
    """Drive in this process; a drive with a clock that waits must be bit-identical to it."""
    with paddock.open(task.worlds[0], seed=seed) as arena:
        return _drive(arena, task, champion, "here", None, 0.0)


def drive_locked(
    task: EvolutionTask, champion: Network, seed: int, *, speed: float | None, thinking: float = THINKING
) -> MeasuredDrive:
    """Drive over the network in lock-step: the clock waits until the controller has decided."""
    with (
        serve_world(task.worlds[0], seed=seed, speed=speed, lock_step=True) as url,
        paddock.connect(url, name="thinker", lock_step=True, timeout=60.0) as arena,
    ):
        return _drive(arena, task, champion, "lock-step", speed, thinking)


def drive_free(
    task: EvolutionTask, champion: Network, seed: int, *, speed: float, thinking: float = THINKING
) -> MeasuredDrive:
    """Drive over the network with a clock that continues while the controller computes."""
    with (
        serve_world(task.worlds[0], seed=seed, speed=speed, lock_step=False) as url,
        paddock.connect(url, name="thinker", lock_step=False, timeout=60.0) as arena,
    ):
        arena.pause()
        arena.reset(seed)
        arena.play()
        return _drive(arena, task, champion, "free-running", speed, thinking)


def _drive(
    arena: Any, task: EvolutionTask, champion: Network, clock: str, speed: float | None, thinking: float
) -> MeasuredDrive:
    """Drive until the exit is reached, or the time is over."""
    fitness = task.evaluate
    assert isinstance(fitness, MazeFitness)
    (x, y), robot = fitness.exits[0], arena[ROBOT]
    controller = SlowController(champion.copy(), thinking)
    controller.policy.forget()
    robot.enable(*champion.devices)

    def at_exit(arena: Any) -> bool:
        return math.dist(robot.pose[:2], (x, y)) <= REACHED

    started = time.perf_counter()
    episode = arena.run(task.seconds, {ROBOT: controller}, every=arena.dt, until=at_exit)
    wall = time.perf_counter() - started
    poses = episode.robots[ROBOT].trace.pose
    reached = math.dist(poses[-1, :2], (x, y)) <= REACHED
    left = fitness.measure_distance_to_exit(poses[None, :, :2], np.zeros(1, np.int64)).min()
    return MeasuredDrive(
        clock=clock,
        speed=speed,
        part=1.0 if reached else float(np.clip(1.0 - left / fitness.whole[0], 0.0, 1.0)),
        reached=reached,
        ticks=episode.ticks,
        decisions=controller.decisions,
        digest=episode.digest if clock != "free-running" else "",
        wall=wall,
        trail=[Pose(*pose) for pose in poses.tolist()],
    )
