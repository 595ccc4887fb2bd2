"""Two clocks: one that waits for a slow controller, and one that does not."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

import paddock
from paddock.core.geometry import Pose
from paddock.evolve.tasks.base import EvolutionTask
from paddock.evolve.tasks.maze import REACHED, MazeFitness
from paddock.experiments.rossum.serve import serve_world
from paddock.policies.networks import Network

THINKING = 0.004  # wall seconds that the controller takes for a decision
ROBOT = "scout"

Trail = list[Pose]


@dataclass(frozen=True)
class Drive:
    """One drive of the champion."""

    clock: str  # "here", "lock-step" or "free-running"
    speed: float | None  # of the clock; None: flat out
    part: float  # of the way to the exit that it got along, 0 … 1
    reached: bool  # the exit
    ticks: int
    decisions: int
    digest: str  # of the arena at the end
    wall: float  # [s]
    trail: Trail

    @property
    def name(self) -> str:
        """For tables."""
        return self.clock if self.clock == "here" else f"{self.clock}, {_times(self.speed)}"


def _times(speed: float | None) -> str:
    return "flat out" if speed is None else f"{speed:g}×"


def drive_here(task: EvolutionTask, champion: Network, seed: int) -> Drive:
    """In this process: what any clock that waits must give, to the last bit."""
    with paddock.open(task.worlds[0], seed=seed) as arena:
        return _in_lock(arena, task, champion.copy(), "here", None, round(task.seconds / arena.dt), 0.0)


def drive_locked(
    task: EvolutionTask, champion: Network, seed: int, *, speed: float | None, thinking: float = THINKING
) -> Drive:
    """Over the network, in lock-step: the clock waits until the controller has decided."""
    with (
        serve_world(task.worlds[0], seed=seed, speed=speed, lock_step=True) as url,
        paddock.connect(url, name="thinker", lock_step=True, timeout=60.0) as arena,
    ):
        most = round(task.seconds / arena.dt)
        return _in_lock(arena, task, champion.copy(), "lock-step", speed, most, thinking)


def drive_free(task: EvolutionTask, champion: Network, seed: int, *, speed: float, thinking: float = THINKING) -> Drive:
    """Over the network, with a clock that goes on while the controller thinks."""
    controller = champion.copy()
    controller.forget()
    trail: Trail = []
    with (
        serve_world(task.worlds[0], seed=seed, speed=speed, lock_step=False) as url,
        paddock.connect(url, name="thinker", lock_step=False, timeout=60.0) as arena,
    ):
        robot = arena[ROBOT]
        robot.enable(*controller.devices)
        arena.pause()
        arena.reset(seed)
        started, decisions, now = time.perf_counter(), 0, 0.0
        arena.play()
        while now < task.seconds and not _at_exit(task, trail):
            seen = robot.sense()
            time.sleep(thinking)
            robot.wheels.set(*controller.act(seen))
            trail.append(robot.pose)
            decisions, now = decisions + 1, seen.time
        wall = time.perf_counter() - started
        return _make_drive(task, "free-running", speed, trail, round(now / arena.dt), decisions, "", wall)


def _in_lock(
    arena: paddock.Arena,
    task: EvolutionTask,
    controller: Network,
    clock: str,
    speed: float | None,
    most: int,
    thinking: float,
) -> Drive:
    """Sense, think, act, step."""
    controller.forget()
    robot = arena[ROBOT]
    robot.enable(*controller.devices)
    trail: Trail = [robot.pose]
    started, ticks = time.perf_counter(), 0
    while ticks < most and not _at_exit(task, trail):
        seen = robot.sense()
        time.sleep(thinking)
        robot.wheels.set(*controller.act(seen))
        arena.step()
        ticks += 1
        trail.append(robot.pose)
    return _make_drive(task, clock, speed, trail, ticks, ticks, arena.digest(), time.perf_counter() - started)


def _at_exit(task: EvolutionTask, trail: Trail) -> bool:
    return bool(trail) and math.dist(trail[-1][:2], _fitness(task).exits[0]) <= REACHED


def _make_drive(
    task: EvolutionTask,
    clock: str,
    speed: float | None,
    trail: Trail,
    ticks: int,
    decisions: int,
    digest: str,
    wall: float,
) -> Drive:
    fitness = _fitness(task)
    left = fitness.measure_way_left(np.array(trail)[None, :, :2], np.zeros(1, np.int64)).min()
    part = float(np.clip(1.0 - left / fitness.whole[0], 0.0, 1.0))
    reached = _at_exit(task, trail)
    return Drive(clock, speed, 1.0 if reached else part, reached, ticks, decisions, digest, wall, trail)


def _fitness(task: EvolutionTask) -> MazeFitness:
    assert isinstance(task.evaluate, MazeFitness)
    return task.evaluate
