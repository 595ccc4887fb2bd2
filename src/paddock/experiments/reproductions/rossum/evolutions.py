"""The thesis' evolution in one maze, and the walk with a single beam on a servo."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import paddock
from paddock.arena.base_arena import BaseArena
from paddock.arena.robot import Robot
from paddock.core.errors import DeviceRefused
from paddock.core.geometry import Pose
from paddock.learning.evolve.evaluators import LocalEvaluator
from paddock.learning.evolve.evolution import Evolution, Generation
from paddock.learning.evolve.options import EvolutionConfig
from paddock.network.server.process import PaddockProcess
from paddock.simulation.worlds import WorldSpec, load_world, save_world

POPULATION, GENERATIONS, SECONDS = 20, 200, 60.0
INPUTS, OUTPUTS = 3, 2
CELL = 0.25  # [m]
OPEN = 0.2  # [m] there is a passage if the reading is larger
SPEED = 0.2  # [m/s]
LOOKS = (math.pi / 2, 0.0, -math.pi / 2)  # directions in the order in which they are tried
MAX_CELLS = 100


@contextmanager
def serve_world(world: WorldSpec, *, seed: int, speed: float | None, lock_step: bool) -> Iterator[str]:
    """Run a server with a world and provide its URL; speed None: as fast as possible."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "world.toml"
        save_world(world, file)
        lock = ["--lock-step"] if lock_step else []
        arguments = [str(file), "--seed", str(seed), "--speed", f"{speed or 0:g}", *lock]
        with PaddockProcess("serve", *arguments) as server:
            yield server.url


@dataclass(frozen=True)
class EvolutionRun:
    """The result of one evolution."""

    evolution: Evolution
    wall: float  # [s], without compilation
    processor: float  # [s], total of all cores

    @property
    def history(self) -> list[Generation]:
        return self.evolution.history

    @property
    def solved(self) -> bool:
        """Whether the champion reaches the exit."""
        return self.history[-1].solved >= 1.0

    @property
    def solved_in(self) -> int | None:
        """First generation in which an individual reached the exit; None: none did."""
        return self.evolution.solved_in


def learn(seed: int, *, generations: int = GENERATIONS, threads: int | None = None) -> EvolutionRun:
    """Run one evolution from a seed."""
    config = EvolutionConfig(task="maze", population=POPULATION, generations=generations, seed=seed, seconds=SECONDS)
    evolution = Evolution(config, make_evaluator=partial(LocalEvaluator, threads=threads))
    evolution.evaluator.compile()
    wall, processor = time.perf_counter(), time.process_time()
    evolution.run()
    return EvolutionRun(evolution, time.perf_counter() - wall, time.process_time() - processor)


@dataclass(frozen=True)
class TurretWalk:
    """One walk through the maze with the turret alone."""

    reached: bool  # whether the exit was reached
    cells: int  # number of cells driven through
    looks: int  # number of polls of the sensor
    seconds: float  # simulated
    in_sense: bool  # whether a polled sensor is part of sense()
    refused: int  # of two invalid requests: to turn a fixed sensor, to poll a sensor that cannot be polled
    trail: list[Pose]
    seed: int = 0


def walk(seed: int = 0) -> TurretWalk:
    """Drive through the shipped maze, over the network and in lock-step."""
    world = load_world("maze")
    with (
        serve_world(world, seed=seed, speed=None, lock_step=True) as url,
        paddock.connect(url, name="turret", lock_step=True, timeout=60.0) as arena,
    ):
        robot = arena["scout"]
        robot.enable("turret", "encoders")
        refused = _refusals(robot)
        in_sense = "turret" in robot.sense()
        trail, looks, cells = [robot.pose], 0, 0
        while cells < MAX_CELLS and not at_exit(world, trail[-1][:2]):
            for angle in LOOKS:
                looks += 1
                if look(arena, robot, angle) > OPEN:
                    break
            else:
                angle = math.pi
            turn(arena, robot, angle)
            ahead(arena, robot, CELL)
            cells += 1
            trail.append(robot.pose)
        return TurretWalk(at_exit(world, trail[-1][:2]), cells, looks, arena.time, in_sense, refused, trail, seed)


def look(arena: BaseArena, robot: Robot, angle: float) -> float:
    """Turn the beam, wait until it has reached the angle, and poll it once [m]."""
    turret = robot.turret
    turret.pan(angle)
    while abs(turret.pan_angle - angle) > 1e-6:
        arena.step()
    return float(turret.read())


def turn(arena: BaseArena, robot: Robot, angle: float) -> None:
    """Turn on the spot by an angle [rad], measured by the encoders."""
    way = angle * robot.spec.drive.wheel_separation / 2
    _roll(arena, robot, -way, way)


def ahead(arena: BaseArena, robot: Robot, distance: float) -> None:
    """Drive straight for a distance [m], measured by the encoders."""
    _roll(arena, robot, distance, distance)


def _roll(arena: BaseArena, robot: Robot, left: float, right: float) -> None:
    """Turn each wheel by a distance [m], slower towards the end."""
    start = robot.encoders.read()
    while True:
        now = robot.encoders.read()
        missing = left - (now[0] - start[0]), right - (now[1] - start[1])
        if max(map(abs, missing)) < 0.0004:
            break
        robot.wheels.set(*(math.copysign(min(SPEED, max(0.01, 4.0 * abs(way))), way) for way in missing))
        arena.step()
    robot.stop()
    arena.step(5)


def at_exit(world: WorldSpec, at: tuple[float, float]) -> bool:
    """Return whether the robot is in the cell of the exit."""
    place = next(start.at for start in world.starts if start.name == "exit")
    return math.dist(at, place) < CELL / 2


def _refusals(robot: Robot) -> int:
    """Return how many of two invalid requests raise an error."""
    refused = 0
    requests: tuple[Callable[[], None], ...] = (lambda: robot.range.pan(0.5), robot.encoders.poll_only)
    for request in requests:
        try:
            request()
        except DeviceRefused:
            refused += 1
    return refused
