"""Sensor kinds in plain Python: their stages, their view, and the refusals of compiled runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.arena.python_sensors import SensorView
from paddock.control.policies import Braitenberg
from paddock.core.errors import DeviceRefused, SimulationError
from paddock.learning.gym import EnvSpec, make_vector_env
from paddock.simulation.sensors import CompassSpec, ProximitySpec, RangeSensorSpec, SensorSpec
from paddock.simulation.sensors.sensor_spec import Pivot
from paddock.testing import check_sensor, furnished_room
from scenes import alone, puck

STAGES: dict[str, Any] = {"period": 0.048, "delay": 0.016, "noise": 0.02, "noise_relative": 0.1, "resolution": 0.005}
FEELER = """
from paddock.simulation.sensors import RangeSensorSpec

class Feeler(RangeSensorSpec):
    def measure(self, view):
        return [self.range - min(self.range, view.distance(i)) for i in range(len(self.mounts))]
"""
ROBOT = """
name = "own"
body = { radius = 0.05, height = 0.1 }
drive = { wheel_separation = 0.08, wheel_diameter = 0.04, max_speed = 0.3 }
[[sensors]]
kind = "feeler.py:Feeler"
name = "feeler"
range = 0.5
mounts = [[0, 0, 0.02, 0], [0, 0, 0.02, 180]]
"""
WORLD = """
name = "room"
bounds = [0, 0, 2, 1]
robots = [{ name = "it", type = "own.toml", at = [1.7, 0.5], heading_deg = 0 }]
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class NorthSpec(SensorSpec):
    """The heading, as a compass measures it."""

    first_angle = 0
    look = CompassSpec.look

    def measure(self, view: SensorView) -> float:
        return view.pose.heading


@dataclass(frozen=True, kw_only=True, slots=True)
class RaySpec(RangeSensorSpec):
    """The distance along each mount."""

    def measure(self, view: SensorView) -> list[float]:
        return [view.distance(i) for i in range(len(self.mounts))]


@dataclass(frozen=True, kw_only=True, slots=True)
class WitnessSpec(SensorSpec):
    """Everything that a view has."""

    def measure(self, view: SensorView) -> list[float]:
        (other,) = view.others.values()
        lamp = view.world.lights[0].at
        return [view.time, view.wheels.left, other.x, lamp[0], *view.mount(1)[:2], view.mount(-1).heading]

    @property
    def channels(self) -> int:
        return 7


def test_kind_of_a_file_needs_no_kernel_and_no_decorator(tmp_path: Path) -> None:
    for name, text in (("feeler.py", FEELER), ("own.toml", ROBOT), ("room.toml", WORLD)):
        (tmp_path / name).write_text(text)
    with paddock.open(tmp_path / "room.toml") as arena:
        arena["it"].enable()
        assert arena["it"].feeler.read() == pytest.approx([0.2, 0.0])
        episode = arena.run(1.0, {"it": lambda seen: (0.3, 0.3)}, every=0.1)
        assert episode.trace.readings["feeler"].values[:, 0].max() > 0.3
        check_sensor(arena["it"].spec.sensors[0])


def test_stages_are_those_of_a_kind_with_a_kernel() -> None:
    ramp = ((-4.0, 0.0), (0.0, 30.0), (4.0, 500.0, 0.02))
    for more in ({}, {"scale": 100.0}, {"response": ramp}):
        readings = []
        for kind in (CompassSpec, NorthSpec):
            arena, robot = alone(kind(name="north", **STAGES, **more), noise=True, seed=5)
            robot.drive(0.1, 2.0)
            raw = bool(more)
            readings.append([])
            for _ in range(40):
                arena.step()
                readings[-1] += [robot.device("north").read(), robot.device("north").raw() if raw else 0.0]
        assert readings[0] == readings[1]
        assert len(set(readings[0])) > 10


def test_distances_are_those_of_a_pivoting_kernel() -> None:
    fan: dict[str, Any] = {
        "range": 1.0,
        "mounts": ((0.03, 0.02, 0.05, 0.0), (0.0, 0.0, 0.05, 120.0)),
        "pivot": Pivot(min_deg=-90, max_deg=90),
        "period": 0.064,
        "delay": 0.032,
    }
    arena, robot = alone(RaySpec(name="ray", **fan), ProximitySpec(name="echo", rays=1, **fan), at=(1.4, 1.2))
    for device in ("ray", "echo"):
        robot.device(device).pan(0.6)
    robot.drive(0.2, 1.0)
    for _ in range(60):
        arena.step()
        np.testing.assert_allclose(robot.ray.read(), robot.echo.read(), atol=1e-9)


def test_view_shows_the_world_at_the_time_of_the_sample() -> None:
    sensor = WitnessSpec(name="witness", delay=0.16, mounts=((0, 0, 0, 0), (0.1, 0.2, 0, 90)))
    room = furnished_room(puck(sensor), noise=False)
    other = replace(room.robots[0], name="other", at=(0.5, 0.5))
    with paddock.open(replace(room, robots=(*room.robots, other))) as arena:
        robot = arena["it"]
        robot.enable()
        robot.wheels.set(0.1, 0.1)
        arena["other"].wheels.set(0.2, 0.2)
        arena.step(10)
        time, x, other_x = arena.time, robot.pose.x, arena["other"].pose.x
        arena.step(round(0.16 / arena.dt))
        expected = [time, 0.1, other_x, 0.3, x + 0.1, 1.2, math.pi / 2]
        assert robot.witness.read() == pytest.approx(expected)


def test_policies_drive_in_python_and_runs_repeat() -> None:
    sensor = RaySpec(name="ray", range=0.5, noise=0.01, mounts=((0, 0, 0.05, 20), (0, 0, 0.05, -20)))
    drive = Braitenberg(device="ray", left=(0.0, 0.1), right=(0.1, 0.0), range=0.5)
    digests = set()
    for _ in range(2):
        arena, robot = alone(sensor, noise=True, seed=4)
        digests.add(arena.run(2.0, {robot.name: drive}).digest)
        assert robot.pose.x != 0.0
    assert len(digests) == 1


def test_compiled_runs_refuse_the_kind_by_name_if_they_read_it() -> None:
    robot = puck(RaySpec(name="ray", range=0.5), CompassSpec(name="compass"))
    message = r"\.ray is of the kind RaySpec in plain Python, .* write its measure as a kernel, or use another device"
    batch = paddock.batch(furnished_room(robot), 2)
    with pytest.raises(DeviceRefused, match=message):
        batch.run(0.1, Braitenberg(device="ray", left=(0.0,), right=(0.1,)))
    batch.run(0.1, Braitenberg(device="compass", left=(0.0,), right=(0.1,)))
    with pytest.raises(DeviceRefused, match=message):
        make_vector_env(EnvSpec(world=furnished_room(robot), robot=robot, observe=("ray",)))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda self, view: 1 / 0, r"test_python_sensors\.py line \d+: .*: ZeroDivisionError: division by zero"),
        (lambda self, view: [1.0, 2.0], r"^one\.wrong: measure of WrongSpec: expected a number, got \[1, 2\]"),
        (lambda self, view: math.nan, "expected a number, got .*nan"),
        (lambda self, view: None, "expected a number, got"),
        (lambda self, view: "far", "ValueError: could not convert"),
        (lambda self, view: view.distance(1), "IndexError: "),
    ],
)
def test_mistakes_in_measure_are_reported(measure: Any, message: str) -> None:
    kind = dataclass(frozen=True, kw_only=True)(type("WrongSpec", (SensorSpec,), {"measure": measure}))
    _, robot = alone(kind(name="wrong"))
    with pytest.raises(SimulationError, match=message):
        robot.device("wrong").read()
