"""Laser: the fan against single naive rays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import paddock
from paddock.sensors.laser import LaserSpec
from scenes import alone, crate, obstacles, puck, random_world


@settings(max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([10, 90, 180, 270, 359.5, 360]),
    st.sampled_from([2, 3, 36, 61]),
    st.sampled_from([0, 33, 90, 180, -150]),
)
def test_every_beam_reads_what_a_single_naive_ray_does(seed, fov, beams, mounted):
    rng = np.random.default_rng(seed)
    spec = LaserSpec(name="laser", range=1.2, fov_deg=fov, beams=beams, mounts=((0.02, -0.01, 0.06, mounted),))
    arena = paddock.open(random_world(rng, [puck(spec, height=0.05), puck(radius=0.1), crate(), crate(height=0.06)]))
    if "r0" not in arena.robots:
        return
    robot = arena["r0"]
    robot.enable()
    x, y, heading = robot.pose
    c, s = math.cos(heading), math.sin(heading)
    origin = (x + c * 0.02 + s * 0.01, y + s * 0.02 - c * 0.01)
    segments, discs = obstacles(arena, 0, above=0.06)
    gaps = beams if fov == 360 else beams - 1
    for beam, got in enumerate(robot.laser.read()):
        angle = heading + math.radians(mounted - fov / 2 + fov * beam / gaps)
        low = naive.first_hit(origin, angle, segments, discs, 1e-7)
        high = naive.first_hit(origin, angle, segments, discs, -1e-7)
        assert min(low, 1.2) - 1e-4 <= got <= min(high, 1.2) + 1e-4
        if high - low < 1e-4:
            assert got == pytest.approx(min(low, 1.2), abs=1e-4)


def test_a_full_circle_has_no_beam_twice_and_a_part_of_one_has_both_edges():
    full, part = (LaserSpec(name="laser", range=9, fov_deg=fov, beams=4).angles for fov in (360, 180))
    assert full == pytest.approx([-math.pi, -math.pi / 2, 0, math.pi / 2])
    assert part == pytest.approx([-math.pi / 2, -math.pi / 6, math.pi / 6, math.pi / 2])


def test_the_walls_of_a_room_are_at_their_distances_counter_clockwise():
    _arena, robot = alone(LaserSpec(name="laser", range=9, fov_deg=360, beams=4), at=(0.5, -0.3))
    assert robot.laser.read().tolist() == pytest.approx([2.5, 1.7, 1.5, 2.3])


def test_beams_out_of_range_read_the_range():
    _arena, robot = alone(LaserSpec(name="laser", range=1.0, fov_deg=180, beams=5))
    assert robot.laser.read().tolist() == [1.0] * 5
