"""Drives through rooms with wheel errors that the robot does not model, shared by many tests."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, cycle, islice
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import paddock
from paddock.arena import Arena, make_motion_noise, make_range_reader, make_travel_sensors
from paddock.core.geometry import Pose, wrap
from paddock.perception.estimation import Estimate, TravelSensors
from paddock.perception.mapping import Mapper, RangeReader
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import WorldSpec, load_world

HALL = ((3.2, 2.2), (4.8, 2.2), (5.2, 4.2), (7.0, 4.2), (7.3, 1.2), (5.0, 1.0), (4.8, 2.2), (3.0, 2.2), (1.5, 3.5))
ALL_ROOMS = (
    (3.2, 2.2), (4.8, 2.2), (5.2, 4.4), (7.0, 4.2), (7.4, 1.2), (5.0, 1.0), (4.8, 3.6), (7.0, 3.6), (8.6, 3.55),
    (9.0, 4.6), (11.2, 4.6), (11.2, 2.6), (9.0, 2.6), (9.0, 3.6), (10.1, 4.6), (10.15, 6.0), (9.2, 6.4), (9.2, 8.2),
    (11.3, 8.3), (11.4, 6.4), (9.2, 6.4), (9.0, 7.5), (7.0, 7.6), (7.0, 8.3), (4.8, 8.2), (4.8, 6.8), (3.2, 6.8),
    (2.5, 8.2), (0.6, 8.3), (0.6, 6.0), (2.7, 6.0), (2.7, 3.5), (1.0, 3.5), (1.0, 1.0), (2.0, 1.6),
)  # fmt: skip
SPEC = load_robot("pioneer-p2dx")
EVERY = 5  # ticks between two looks


class Look(NamedTuple):
    """Sensor readings at one time, with the true pose."""

    time: float
    encoders: np.ndarray
    laser: np.ndarray
    pose: Pose

    def observe(self) -> Any:
        return SimpleNamespace(time=self.time, encoders=self.encoders, laser=self.laser)


@functools.cache
def drive_rooms(seconds: float = 45.0, way: tuple[tuple[float, float], ...] = HALL) -> tuple[Look, ...]:
    """Return all readings of repeated laps of a path, ten per second."""
    world = load_world("yellow-rooms")
    robot = replace(world.robots[0], wheel_diameter_error=(0.01, -0.005), wheel_separation_error=0.01, slip_noise=0.02)
    arena = paddock.open(replace(world, robots=(robot,)), seed=3)
    return tuple(islice(_drive(arena, cycle(way)), round(seconds / arena.dt / EVERY)))


def drive_once(world: WorldSpec, way: Sequence[tuple[float, float]], seed: int) -> Iterator[Look]:
    """Yield all readings of a drive to the end of a path."""
    return _drive(paddock.open(world, seed=seed), iter(way))


def _drive(arena: Arena, goals: Iterator[tuple[float, float]]) -> Iterator[Look]:
    robot = arena["pioneer"]
    robot.enable("laser", "encoders")
    goal: tuple[float, float] | None = next(goals)
    for tick in count():
        pose = robot.pose
        if tick % EVERY == 0:
            seen = robot.sense()
            yield Look(seen.time, np.array(seen.encoders), np.array(seen.laser), pose)
        if goal is not None and math.dist(goal, pose[:2]) < 0.3:
            goal = next(goals, None)
        if goal is None:
            return
        off = wrap(math.atan2(goal[1] - pose.y, goal[0] - pose.x) - pose.heading)
        robot.drive(0.4 * max(0.0, math.cos(off)) ** 3, max(-1.2, min(1.2, 2 * off)))
        arena.step()


def sensors_at(pose: Pose) -> tuple[TravelSensors, RangeReader]:
    """Return encoders and laser of a robot with nominal wheel parameters."""
    return make_travel_sensors(SPEC, pose, make_motion_noise(SPEC)), make_range_reader(SPEC)


def replay(method: str, looks: tuple[Look, ...], **options: Any) -> tuple[Mapper, np.ndarray]:
    """Return a mapper that processed all readings and its errors in x, y [m] and heading [rad]."""
    mapper = Mapper(*sensors_at(looks[0].pose), method=method, **options)
    return mapper, measure_errors([mapper.update(look.observe()) for look in looks], looks)


def measure_errors(estimates: Sequence[Estimate], looks: tuple[Look, ...]) -> np.ndarray:
    """Return the errors of estimates in x, y [m] and heading [rad]."""
    pairs = [(estimate.pose, look.pose) for estimate, look in zip(estimates, looks, strict=True)]
    return np.array([(found.x - true.x, found.y - true.y, wrap(found.heading - true.heading)) for found, true in pairs])
