"""A drive through two rooms with wheels that differ from what the robot takes them for: made once for many tests."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import paddock
from paddock.arena import Arena, motion_noise_of, range_reader_of, travel_sensors_of
from paddock.core.geometry import Pose, wrap
from paddock.estimate import TravelSensors
from paddock.mapping import Mapper, RangeReader
from paddock.robots import load_robot
from paddock.worlds import load_world

WAY = [(3.2, 2.2), (4.8, 2.2), (5.2, 4.2), (7.0, 4.2), (7.3, 1.2), (5.0, 1.0), (4.8, 2.2), (3.0, 2.2), (1.5, 3.5)]
SPEC = load_robot("pioneer-p2dx")


class Look(NamedTuple):
    """What the robot saw at a time, and where it was."""

    time: float
    encoders: np.ndarray
    laser: np.ndarray
    pose: Pose

    def observe(self) -> Any:
        return SimpleNamespace(time=self.time, encoders=self.encoders, laser=self.laser)


@functools.cache
def drive_rooms(seconds: float = 45.0) -> tuple[Look, ...]:
    """All looks of a drive, ten each second."""
    world = load_world("yellow-rooms")
    robot = replace(world.robots[0], wheel_diameter_error=(0.01, -0.005), wheel_separation_error=0.01, slip_noise=0.02)
    arena = paddock.open(replace(world, robots=(robot,)), seed=3)
    arena["pioneer"].enable("laser", "encoders")
    return tuple(_drive(arena, seconds))


def _drive(arena: Arena, seconds: float) -> Iterator[Look]:
    robot, goals = arena["pioneer"], list(WAY)
    for tick in range(round(seconds / arena.dt)):
        pose = robot.pose
        if tick % 5 == 0:
            seen = robot.sense()
            yield Look(seen.time, np.array(seen.encoders), np.array(seen.laser), pose)
        if len(goals) > 1 and math.dist(goals[0], pose[:2]) < 0.3:
            goals.pop(0)
        off = wrap(math.atan2(goals[0][1] - pose.y, goals[0][0] - pose.x) - pose.heading)
        robot.drive(0.4 * max(0.0, math.cos(off)) ** 3, max(-1.2, min(1.2, 2 * off)))
        arena.step()


def sensors_at(pose: Pose) -> tuple[TravelSensors, RangeReader]:
    """Encoders and laser of a robot that takes its wheels for those of the data sheet."""
    return travel_sensors_of(SPEC, pose, motion_noise_of(SPEC)), range_reader_of(SPEC)


def replay(method: str, looks: tuple[Look, ...], **options: Any) -> tuple[Mapper, np.ndarray]:
    """A mapper that took all looks, and its errors in x, y [m] and heading [rad]."""
    mapper = Mapper(*sensors_at(looks[0].pose), method=method, **options)
    errors = []
    for look in looks:
        found = mapper.update(look.observe()).pose
        errors.append((found.x - look.pose.x, found.y - look.pose.y, wrap(found.heading - look.pose.heading)))
    return mapper, np.array(errors)
