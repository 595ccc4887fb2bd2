"""Sonar: the nearest echo in the cone, with occlusion by walls."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import paddock
from paddock.simulation.sensors.sonar import SonarSpec
from paddock.simulation.worlds.world_spec import Cylinder, Wall
from scenes import alone, crate, obstacles, puck, random_world


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.floats(5, 120), st.just(90.0) | st.floats(20, 90))
def test_reading_matches_the_brute_force_nearest_echo(seed, cone, incidence):
    rng = np.random.default_rng(seed)
    spec = SonarSpec(name="sonar", range=1.5, cone_deg=cone, max_incidence_deg=incidence, mounts=((0, 0, 0.06, 30),))
    arena = paddock.open(random_world(rng, [puck(spec, height=0.05), puck(), crate()], arcs=False))
    if "r0" not in arena.robots:
        return
    robot = arena["r0"]
    robot.enable()
    x, y, heading = robot.pose
    angle, half, steep = heading + math.pi / 6, math.radians(cone / 2), math.radians(incidence)
    segments, discs = obstacles(arena, 0, above=0.06)

    def nearest(leeway: float) -> float:
        echoes = [naive.cone_to_segment((x, y), angle, half + leeway, steep + leeway, s, 8001) for s in segments]
        echoes += [naive.cone_to_disc((x, y), angle, half + leeway, steep + leeway, d, 8001) for d in discs]
        return min([1.5, *echoes])

    reading = robot.sonar.read()
    assert nearest(2e-2) - 1e-3 <= reading
    if incidence == 90:  # else a wall that does not echo may hide the nearest echo
        assert reading <= nearest(0.0) + 1e-9


def test_sonar_reads_the_nearest_point_of_a_wall_not_the_one_ahead():
    _arena, robot = alone(SonarSpec(name="sonar", range=4, cone_deg=60), at=(0, 0), heading_deg=20)
    assert robot.sonar.read() == pytest.approx(2.0)


def test_sonar_reads_the_cone_edge_if_the_nearest_point_is_outside():
    _arena, robot = alone(SonarSpec(name="sonar", range=4, cone_deg=30), bounds=(-9, -9, 2, 9), heading_deg=40)
    assert robot.sonar.read() == pytest.approx(2.0 / math.cos(math.radians(25)))


def test_oblique_wall_gives_no_echo():
    spec = SonarSpec(name="sonar", range=4, cone_deg=10, max_incidence_deg=20, nothing_seen=5.0)
    _arena, robot = alone(spec, bounds=(-9, -9, 2, 9), heading_deg=30)
    assert robot.sonar.read() == 5.0
    robot.set_pose(0, 0, math.radians(20))
    assert robot.sonar.read() == pytest.approx(2 / math.cos(math.radians(15)))


def test_oblique_wall_hides_objects_behind_it():
    spec = SonarSpec(name="sonar", range=4, cone_deg=10, max_incidence_deg=20)
    screen = Wall(points=((0.2, -1.0), (1.8, 1.0)), thickness=0.0)
    _arena, robot = alone(spec, walls=(screen,))
    assert robot.sonar.read() == 4.0, "sound does not go through a wall"


def test_post_inside_the_cone_is_detected_and_one_outside_is_not():
    spec = SonarSpec(name="sonar", range=1.5, cone_deg=30)
    _arena, robot = alone(spec, cylinders=(Cylinder(at=(1.0, 0.2), radius=0.05),))
    assert robot.sonar.read() == pytest.approx(math.hypot(1.0, 0.2) - 0.05)
    _arena, robot = alone(spec, cylinders=(Cylinder(at=(1.0, 0.5), radius=0.05),))
    assert robot.sonar.read() == 1.5
