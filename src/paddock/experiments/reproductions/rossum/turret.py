"""A sensor that is computed only when polled, and that turns: one beam is enough for the whole maze.

The robot stops in the middle of a cell, polls the beam of its turret to the left, ahead and to the right, and
drives to the next cell by the left-hand rule. The wheel encoders measure the distance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import paddock
from paddock.arena.base_arena import BaseArena
from paddock.arena.robot import Robot
from paddock.core.errors import DeviceRefused
from paddock.core.geometry import Pose
from paddock.experiments.reproductions.rossum.serve import serve_world
from paddock.simulation.worlds import WorldSpec, load_world

CELL = 0.25  # [m]
OPEN = 0.2  # [m] there is a passage if the reading is larger
SPEED = 0.2  # [m/s]
LOOKS = (math.pi / 2, 0.0, -math.pi / 2)  # directions in the order in which they are tried
MAX_CELLS = 100


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


def ahead(arena: BaseArena, robot: Robot, way: float) -> None:
    """Drive straight for a distance [m], measured by the encoders."""
    _roll(arena, robot, way, way)


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
