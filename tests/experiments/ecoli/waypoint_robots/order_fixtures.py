"""A room with rows of e-pucks that accept orders, and an arena that runs in a thread at 50 times real time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import paddock
from paddock.arena import Arena
from paddock.core.geometry import Pose
from paddock.experiments.ecoli.waypoint_robots import RobotPlan
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

APART = 0.25  # [m]


def open_room(robots: int, dt: float = 0.02) -> Arena:
    """Open a room with this many robots, ten per row, with space for a small square each."""
    placed = tuple(RobotPlacement(name=f"r{i}", type="e-puck", at=place(i)) for i in range(robots))
    height = APART * (robots // 10 + 1)
    return paddock.open(WorldSpec(name="room", bounds=(0, 0, 10 * APART, height), robots=placed), dt=dt)


def place(i: int) -> tuple[float, float]:
    return APART * (i % 10 + 0.5), APART * (i // 10 + 0.5)


def plan_square(i: int) -> RobotPlan:
    """Return four targets around a robot's start position."""
    x, y = place(i)
    targets = [(x + dx, y + dy) for dx, dy in ((0.04, 0.04), (-0.04, 0.04), (-0.04, -0.04), (0.04, -0.04))]
    return RobotPlan(name=f"r{i}", start=Pose(x, y, 0.0), threshold=6000, targets=targets)


class RunningArena:
    """Steps an arena in a thread; `pause` and `resume` control it."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self._may_run, self._stopped = threading.Event(), threading.Event()
        self._may_run.set()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stopped.wait(0.002):
            self._may_run.wait()
            self.arena.step(5)

    def pause(self) -> None:
        self._may_run.clear()

    def resume(self) -> None:
        self._may_run.set()

    def close(self) -> None:
        self._stopped.set()
        self._may_run.set()
        self._thread.join()


@contextmanager
def running(arena: Arena) -> Iterator[RunningArena]:
    clock = RunningArena(arena)
    try:
        yield clock
    finally:
        clock.close()
