"""Tests of a mapper in an arena."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.arena import Arena, make_mapper, make_range_reader
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose, wrap
from paddock.perception.mapping import FREE, OCCUPIED, UNKNOWN, Mapper
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds import load_world

pytestmark = pytest.mark.heavy

START = Pose(1.5, 2.0, 0.0)


def rooms_with(spec: RobotSpec, at: Pose = START) -> Arena:
    arena = paddock.open(replace(load_world("yellow-rooms"), robots=()))
    arena.spawn("pioneer", spec, at=at[:2], heading=at.heading)
    return arena


def delayed(spec: RobotSpec, delay: float) -> RobotSpec:
    """Return the robot with a delayed laser."""
    sensors = [replace(s, delay=delay, noise=0.0) if s.kind == "laser" else s for s in spec.sensors]
    return replace(spec, sensors=tuple(sensors))


def drive(arena: Arena, mapper: Mapper, seconds: float, left: float = 0.3, right: float = 0.4, every: int = 1) -> None:
    robot = arena["pioneer"]
    robot.wheels.set(left, right)
    for tick in range(round(seconds / arena.dt)):
        if tick % every == 0:
            mapper.update(robot.sense())
        arena.step()


def test_laser_sample_is_used_once() -> None:
    arena = rooms_with(load_robot("pioneer-p2dx"))
    mapper = make_mapper(arena["pioneer"], pose=arena["pioneer"].pose)
    drive(arena, mapper, 2.0)
    assert mapper.scans == 10  # every 0.2 s, though it looked every 0.02 s


def test_equal_samples_in_open_space_count_as_new() -> None:
    reader = make_range_reader(load_robot("pioneer-p2dx"))
    nothing: Any = SimpleNamespace(laser=np.full(181, 20.0))
    assert [reader.read(nothing, t) is not None for t in (0.0, 0.1, 0.2, 0.22, 0.41)] == [
        True,
        False,
        True,
        False,
        True,
    ]
    assert reader.read(SimpleNamespace(laser=np.full(181, np.nan)), 0.6) is None  # type: ignore[arg-type]
    with pytest.raises(PaddockError, match="expected 181 ranges"):
        reader.read(SimpleNamespace(laser=np.zeros(3)), 0.8)  # type: ignore[arg-type]


@pytest.mark.parametrize("every", [1, 7])
def test_delayed_scan_is_drawn_at_the_pose_of_its_time(every: int) -> None:
    arena = rooms_with(delayed(load_robot("pioneer-p2dx"), 0.3))
    robot = arena["pioneer"]
    mapper = make_mapper(robot, pose=robot.pose)
    drive(arena, mapper, 2.0, -0.3, 0.3, every)
    assert mapper.scan is not None
    then = mapper.scan.time
    assert then <= arena.time - 0.3
    turned = 2 * 0.3 / robot.spec.drive.wheel_separation
    off = wrap(mapper.method.pose.heading - robot.pose.heading + turned * (arena.time - then))
    assert off == pytest.approx(0.0, abs=0.03)


def test_long_travel_without_scans_gives_the_same_pose(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load_robot("pioneer-p2dx")
    slow = replace(spec, sensors=tuple(replace(s, period=1.0) if s.kind == "laser" else s for s in spec.sensors))
    mappers = []
    for most in (1000, 5):
        monkeypatch.setattr("paddock.perception.mapping.mapper.MAX_OBSERVATIONS", most)
        arena = rooms_with(slow)
        mapper = make_mapper(arena["pioneer"], pose=arena["pioneer"].pose)
        drive(arena, mapper, 2.5)
        mappers.append(mapper)
    assert mappers[1].estimate.pose == mappers[0].estimate.pose
    assert mappers[1].grid.digest() == mappers[0].grid.digest()
    assert (mappers[1].scans, len(mappers[1]._since)) == (3, 5)


def test_map_walls_match_world_walls() -> None:
    arena = rooms_with(delayed(load_robot("pioneer-p2dx"), 0.0))
    mapper = make_mapper(arena["pioneer"], pose=arena["pioneer"].pose)
    drive(arena, mapper, 4.0, -0.2, 0.2)
    states, frame = mapper.grid.states(), mapper.grid.frame
    for x, y, dx, dy in ((1.5, 0.0, 0.0, -1.0), (3.95, 3.5, 1.0, 0.0)):  # on a wall, and where it lies from here
        assert states[frame.cell(x - 0.1 * dx, y - 0.1 * dy)] == FREE
        assert OCCUPIED in (states[frame.cell(x + s * dx, y + s * dy)] for s in (-0.02, 0.02))
        assert states[frame.cell(x + 0.1 * dx, y + 0.1 * dy)] == UNKNOWN
    assert (mapper.map_view.cells == 255).any()


def test_mapper_chooses_the_best_available_sensor() -> None:
    assert make_range_reader(load_robot("pioneer-p2dx")).device == "laser"
    assert make_range_reader(load_robot("e-puck")).device == "proximity"
    with pytest.raises(UnknownName, match="laser"):
        make_range_reader(load_robot("pioneer-p2dx"), "lazer")
    blind = replace(load_robot("e-puck"), sensors=())
    with pytest.raises(PaddockError, match="which mapping requires"):
        make_range_reader(blind)


def test_sonars_and_infrared_sensors_make_maps() -> None:
    arena = rooms_with(load_robot("pioneer-p2dx"))
    mapper = make_mapper(arena["pioneer"], device="sonar", pose=arena["pioneer"].pose)
    drive(arena, mapper, 4.0)
    assert (mapper.grid.states() == FREE).sum() > 500
    arena = rooms_with(load_robot("e-puck"), Pose(0.05, 2.0, math.pi))
    mapper = make_mapper(arena["pioneer"], pose=arena["pioneer"].pose)
    drive(arena, mapper, 2.0, 0.0, 0.0)
    states, frame = mapper.grid.states(), mapper.grid.frame
    assert states[frame.cell(-0.005, 2.015)] == OCCUPIED
    assert frame.resolution == 0.01


def test_reset_clears_the_mapper() -> None:
    arena = rooms_with(load_robot("pioneer-p2dx"))
    mapper = make_mapper(arena["pioneer"])
    drive(arena, mapper, 1.0)
    spread = mapper.estimate.covariance
    assert np.linalg.eigvalsh(spread)[0] > 0
    mapper.reset(Pose(1.0, 2.0, 0.0))
    assert mapper.estimate.pose == (1.0, 2.0, 0.0)
    assert (mapper.grid.version, mapper.scans) == (0, 0)
    with pytest.raises(UnknownName, match="odometry"):
        make_mapper(arena["pioneer"], method="odometri")
