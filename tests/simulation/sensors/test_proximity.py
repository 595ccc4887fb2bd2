"""Infrared proximity: rays compared with brute force, and the sum of echoes and lamps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import paddock
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.worlds.world_spec import Light, RobotPlacement, Wall
from scenes import alone, crate, obstacles, puck, random_world, world

RING = tuple((0.03, 0.01, 0.02, heading) for heading in range(0, 360, 45))


def expected(spec: ProximitySpec, origin, angle: float, segments, discs, grow: float) -> float:
    """Return the mean of the rays' inverse squares, as a distance."""
    offs = [0.0] if spec.rays == 1 else np.radians(np.linspace(-0.5, 0.5, spec.rays) * spec.aperture_deg)
    hits = [naive.first_hit(origin, angle + off, segments, discs, grow) for off in offs]
    echo = sum(max(hit, 1e-6) ** -2 for hit in hits if hit <= spec.range + grow) / spec.rays
    return min(spec.range, echo**-0.5) if echo > 0 else spec.range


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 5]), st.sampled_from([0.07, 0.5, 1.5]))
def test_readings_match_brute_force_rays_in_any_scene(seed, rays, reach):
    rng = np.random.default_rng(seed)
    spec = ProximitySpec(name="proximity", mounts=RING, range=reach, rays=rays, aperture_deg=20)
    kinds = [puck(spec), crate(spec), puck(radius=0.08, height=0.03), crate(spec, height=0.01)]
    arena = paddock.open(random_world(rng, kinds))
    for robot in arena.robots.values():
        if "proximity" not in robot.devices:
            continue
        robot.enable()
        x, y, heading = robot.pose
        segments, discs = obstacles(arena, arena.numbers[robot.name], above=0.02)
        c, s = math.cos(heading), math.sin(heading)
        origin = (x + c * 0.03 - s * 0.01, y + s * 0.03 + c * 0.01)
        for (*_, degrees), got in zip(RING, robot.proximity.read(), strict=True):
            angle = heading + math.radians(degrees)
            low, high = (expected(spec, origin, angle, segments, discs, grow) for grow in (1e-7, -1e-7))
            # A ray at the very edge of something may count or not; otherwise both bounds agree.
            assert min(low, high) - 1e-5 <= got <= max(low, high) + 1e-5


def test_no_obstacle_in_range_reads_the_range():
    _arena, robot = alone(ProximitySpec(name="proximity", mounts=RING, range=0.5))
    assert robot.proximity.read().tolist() == [0.5] * 8


def test_wall_ahead_reads_its_distance():
    _arena, robot = alone(ProximitySpec(name="proximity", range=0.5, mounts=((0.05, 0, 0.02, 0),)), at=(1.8, 0))
    assert robot.proximity.read() == pytest.approx(0.15)


def test_walls_lower_than_the_sensor_are_not_detected():
    wall = Wall(points=((0.3, -1), (0.3, 1)), thickness=0.0, height=0.05)
    low = ProximitySpec(name="low", range=1.0, mounts=((0, 0, 0.04, 0),))
    high = ProximitySpec(name="high", range=1.0, mounts=((0, 0, 0.06, 0),))
    _arena, robot = alone(low, high, walls=(wall,))
    assert robot.low.read() == pytest.approx(0.3)
    assert robot.high.read() == 1.0


def test_thin_wall_seen_edge_on_is_detected():
    wall = Wall(points=((0.3, 0), (1, 0)), thickness=0.0)
    _arena, robot = alone(ProximitySpec(name="proximity", range=1.0), walls=(wall,))
    assert robot.proximity.read() == pytest.approx(0.3)


def test_lamp_causes_a_false_echo_only_with_ambient_sensitivity():
    plain = ProximitySpec(name="plain", range=0.5)
    blinded = ProximitySpec(name="blinded", range=0.5, ambient=5.0)
    _arena, robot = alone(plain, blinded, lights=(Light(at=(0.5, 0), height=0.0, intensity=1.0),))
    assert robot.plain.read() == 0.5
    assert robot.blinded.read() == pytest.approx((5.0 / 0.25) ** -0.5)


def test_lamps_do_not_extend_the_reach_of_insensitive_sensors():
    spec = ProximitySpec(name="proximity", range=0.5)
    (dark, _), (lit, _) = alone(spec), alone(spec, lights=(Light(at=(1, 1)),))
    assert (lit.model.stages == dark.model.stages).all(), "a longer reach than needed makes every reading slower"


def test_robot_moved_in_front_of_another_is_detected_immediately():
    kind = puck(ProximitySpec(name="proximity", range=0.1), radius=0.03)
    robots = [
        RobotPlacement(name=f"r{i}", type=kind, at=(-1.9 + 0.1 * (i % 30), -1.9 + 0.1 * (i // 30))) for i in range(120)
    ]
    arena = paddock.open(world(*robots))
    arena.step()
    watcher, mover = arena["r119"], arena["r0"]
    watcher.set_pose(1.0, 1.0)
    mover.set_pose(1.1, 1.0)
    watcher.enable()
    assert watcher.proximity.read() == pytest.approx(0.07)
