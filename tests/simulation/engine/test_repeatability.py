"""The same seed gives a bit-identical run, with any observers and in any process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from marks import rarely
from paddock.arena import Arena
from paddock.control.policies.braitenberg import Braitenberg, explorer
from paddock.simulation.sensors.accelerometer import AccelerometerSpec
from paddock.simulation.sensors.bumper import BumperSpec
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.chemical import ChemicalSpec
from paddock.simulation.sensors.compass import CompassSpec
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.ground import GroundSpec
from paddock.simulation.sensors.gyroscope import GyroscopeSpec
from paddock.simulation.sensors.inertial import InertialSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.light import LightSpec
from paddock.simulation.sensors.microphone import MicrophoneSpec
from paddock.simulation.sensors.position import PositionSpec
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.sensors.sonar import SonarSpec
from paddock.simulation.worlds.world_spec import (
    Box,
    Cylinder,
    Field,
    Floor,
    Light,
    RobotPlacement,
    Sound,
    Stroke,
    Wall,
    WorldSpec,
)
from scenes import crate, puck, world

RING = tuple((0.0, 0.0, 0.03, heading) for heading in (-15, -45, -90, -150, 150, 90, 45, 15))
EVERYTHING = (
    ProximitySpec(name="proximity", mounts=RING, range=0.3, aperture_deg=6, rays=3, noise=0.002, period=0.04),
    GroundSpec(name="ground", noise=0.01),
    LightSpec(name="light", noise=0.01),
    SonarSpec(name="sonar", range=2.0, cone_deg=30, noise=0.01, delay=0.08),
    LaserSpec(name="laser", range=3.0, fov_deg=180, beams=19, noise=0.01, period=0.1, delay=0.04),
    BumperSpec(name="bumper", width_deg=90),
    AccelerometerSpec(name="accelerometer", noise=0.1),
    GyroscopeSpec(name="gyroscope", noise=0.01),
    CompassSpec(name="compass", noise=0.01),
    EncodersSpec(name="encoders", scale=1000, resolution=1),
    InertialSpec(name="inertial"),
    PositionSpec(name="position", noise=0.01),
    ChemicalSpec(name="chemical", noise=0.01),
    MicrophoneSpec(name="microphone", noise=0.01),
    CameraSpec(name="camera", width=8, height=6, fov_deg=60, noise=4.0),
)


def busy_world() -> WorldSpec:
    """A world with all kinds of objects and sensors, with noise."""
    kind = puck(*EVERYTHING, slip_noise=0.05, speaker=True)
    robots = [RobotPlacement(name=f"r{i}", type=kind, at=(-0.6 + 0.3 * i, -0.5), heading_deg=70 * i) for i in range(5)]
    robots.append(RobotPlacement(name="box", type=crate(*EVERYTHING, slip_noise=0.05), at=(0.5, 0.5), heading_deg=200))
    return world(
        *robots,
        bounds=(-1, -1, 1, 1),
        boxes=(Box(at=(0, 0), size=(0.2, 0.1), heading_deg=20),),
        cylinders=(Cylinder(at=(-0.5, 0.5), radius=0.1),),
        walls=(Wall(points=((-0.9, 0.0), (-0.4, 0.0)), thickness=0.0),),
        floor=Floor(strokes=(Stroke(points=((-1, -0.4), (1, -0.4))),)),
        lights=(Light(at=(0.5, 0.5)),),
        sounds=(Sound(at=(-0.5, -0.5)),),
        fields=(Field(name="food", shape="gaussian", at=(0, 0), radius=0.3),),
    )


AVOID = Braitenberg(
    left=(-0.9, -0.6, 0, 0, 0, 0.5, 0.6, -0.9), right=(0.4, 0.6, 0.5, 0, 0, 0, -0.6, 0.4), speed=(0.4, 0.4), range=0.3
)


def wander(arena: Arena, ticks: int, *, look: bool = False) -> None:
    """Send commands that depend only on the tick."""
    for _ in range(ticks):
        for i, robot in enumerate(arena.robots.values()):
            phase = 0.3 * arena.tick + i
            robot.wheels.set(0.6 + 0.4 * np.sin(phase), 0.6 + 0.4 * np.cos(1.7 * phase))
            if look:
                robot.enable()
                robot.sense()
                robot.camera.depth()
        arena.step()


def run_once(seed: int, ticks: int = 120, **how: Any) -> str:
    arena = paddock.open(busy_world(), seed=seed)
    wander(arena, ticks, **how)
    return arena.digest()


def readings(arena: Arena) -> dict[str, Any]:
    found = {}
    for name, robot in arena.robots.items():
        robot.enable()
        found |= {f"{name}.{device.name}": np.array(device.read()) for device in robot.devices.values()}
    return found


def assert_equal(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert a.keys() == b.keys()
    for name in a:
        assert np.array_equal(a[name], b[name]), name


def test_run_is_deterministic_in_its_seed():
    assert run_once(7) == run_once(7)
    assert run_once(7) != run_once(8)


@pytest.mark.heavy
def test_reading_devices_does_not_change_the_run():
    assert run_once(3, 60) == run_once(3, 60, look=True)


def test_repeated_reads_in_a_tick_are_identical():
    arena = paddock.open(busy_world(), seed=1)
    wander(arena, 33)
    first = readings(arena)
    assert_equal(first, readings(arena))
    arena.step()
    later = readings(arena)
    changed = [name for name in first if not np.array_equal(first[name], later[name])]
    assert "r0.compass" in changed
    assert "r0.camera" in changed


def test_sense_matches_the_readings_of_each_device():
    arena = paddock.open(busy_world(), seed=1)
    wander(arena, 20)
    for robot in arena.robots.values():
        robot.enable()
        seen = robot.sense()
        for name in seen:
            assert np.array_equal(np.array(getattr(seen, name)), np.array(robot.device(name).read())), name


def test_reset_repeats_the_same_run():
    arena = paddock.open(busy_world(), seed=5)
    first = arena.digest()
    wander(arena, 80)
    then, seen = arena.digest(), readings(arena)
    arena.reset()
    assert arena.digest() == first
    assert arena.tick == 0
    wander(arena, 80)
    assert arena.digest() == then
    assert_equal(readings(arena), seen)
    arena.reset(6)
    wander(arena, 80)
    assert arena.digest() != then


@pytest.mark.parametrize("at", [0, 1, 37, 50])
def test_restored_snapshot_has_the_same_readings_and_continuation(at):
    arena = paddock.open(busy_world(), seed=2)
    wander(arena, at)
    kept, seen, digest = arena.snapshot(), readings(arena), arena.digest()
    wander(arena, 61)
    future, future_seen = arena.digest(), readings(arena)
    arena.restore(kept)
    assert arena.digest() == digest
    assert_equal(readings(arena), seen)
    wander(arena, 61)
    assert arena.digest() == future
    assert_equal(readings(arena), future_seen)


def test_snapshot_continues_identically_in_another_arena():
    arena, other = paddock.open(busy_world(), seed=2), paddock.open(busy_world(), seed=99)
    wander(arena, 40)
    wander(other, 7)
    other.restore(arena.snapshot())
    wander(arena, 30)
    wander(other, 30)
    assert other.digest() == arena.digest()
    assert_equal(readings(other), readings(arena))


def test_many_single_steps_equal_one_long_step():
    arena, other = (paddock.open(busy_world(), seed=4) for _ in range(2))
    for one in (arena, other):
        for i, robot in enumerate(one.robots.values()):
            robot.wheels.set(0.5, 0.1 * i)
    arena.step(90)
    for _ in range(90):
        other.step()
    assert arena.digest() == other.digest()


@pytest.mark.parametrize("controller", [AVOID, explorer(0.4)], ids=["within the cap", "beyond the cap"])
def test_compiled_controller_is_bit_identical_to_python(controller):
    digests = []
    for wrap in (lambda c: c, lambda c: lambda seen: c.act(seen)):
        arena = paddock.open(busy_world(), seed=11)
        for robot in arena.robots.values():
            robot.proximity.enable()
        arena.run(2.0, {name: wrap(controller) for name in arena.robots})
        digests.append(arena.digest())
    assert digests[0] == digests[1]


def test_commands_of_a_compiled_controller_are_capped():
    fast = Braitenberg(left=(0,) * 8, right=(0,) * 8, speed=(9.0, -9.0), range=0.3)
    digests = []
    for controller in (fast, lambda seen: fast.act(seen)):
        arena = paddock.open(busy_world(), seed=1)
        arena["r0"].proximity.enable()
        arena.run(0.1, {"r0": controller})
        digests.append(arena.digest())
    assert digests[0] == digests[1]


def test_robot_is_independent_of_distant_robots():
    def path(*others: RobotPlacement) -> tuple[list[Any], dict[str, Any]]:
        kind = puck(*(s for s in EVERYTHING if s.name != "microphone"), slip_noise=0.1)
        one = RobotPlacement(name="one", type=kind, at=(0, 0))
        arena = paddock.open(world(one, *others, bounds=(-60, -60, 60, 60)), seed=3)
        poses = []
        for _ in range(60):
            arena["one"].wheels.set(0.5, 0.3)
            for name in arena.robots:
                arena[name].wheels.set(0.5, 0.3)
            arena.step()
            poses.append(arena["one"].pose)
        arena["one"].enable()
        return poses, {d.name: np.array(d.read()) for d in arena["one"].devices.values()}

    far = [
        RobotPlacement(name=f"far{i}", type=crate() if i % 2 else puck(radius=0.3), at=(50, i - 20)) for i in range(40)
    ]
    (alone, seen), (among, seen_among) = path(), path(*far)
    assert alone == among
    assert_equal(seen, seen_among)


SCRIPT = """
import sys
sys.path[:0] = sys.argv[1:3]
import test_repeatability as here
print(here.run_once(7, 40, look=True))
"""


@pytest.mark.heavy
@pytest.mark.parametrize("threads", ["2", *rarely("1")])
def test_digest_is_identical_across_processes_and_thread_counts(threads):
    here = Path(__file__).resolve().parent
    environment = {**os.environ, "NUMBA_NUM_THREADS": threads, "PYTHONHASHSEED": threads}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(here), str(here.parents[1])],
        env=environment, capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    assert run.stdout.strip() == run_once(7, 40)
