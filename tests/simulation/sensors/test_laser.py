"""Laser scans compared with single brute-force rays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import paddock
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.worlds.world_spec import Box
from scenes import alone, crate, obstacles, puck, random_world


@settings(max_examples=30)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([10, 90, 180, 270, 359.5, 360]),
    st.sampled_from([2, 3, 36, 61]),
    st.sampled_from([0, 33, 90, 180, -150]),
)
def test_every_beam_matches_a_brute_force_ray(seed, fov, beams, mounted):
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


def test_full_circle_has_distinct_beams_and_a_sector_has_both_edges():
    full, part = (LaserSpec(name="laser", range=9, fov_deg=fov, beams=4).angles for fov in (360, 180))
    assert full == pytest.approx([-math.pi, -math.pi / 2, 0, math.pi / 2])
    assert part == pytest.approx([-math.pi / 2, -math.pi / 6, math.pi / 6, math.pi / 2])


def test_wall_distances_are_counter_clockwise():
    _arena, robot = alone(LaserSpec(name="laser", range=9, fov_deg=360, beams=4), at=(0.5, -0.3))
    assert robot.laser.read().tolist() == pytest.approx([2.5, 1.7, 1.5, 2.3])


def test_beams_out_of_range_read_the_range():
    _arena, robot = alone(LaserSpec(name="laser", range=1.0, fov_deg=180, beams=5))
    assert robot.laser.read().tolist() == [1.0] * 5


BEFORE_A_WALL = (Box(at=(1.0, 0.0), size=(0.2, 0.4)),)  # its front at 0.9 m, the wall behind it at 2 m


def test_mixed_pixels_lie_only_between_the_surfaces_of_an_edge():
    plain, mixed = (
        LaserSpec(name="laser", range=9, fov_deg=90, beams=91, mixed_pixels=share, mounts=((0.0, 0.0, 0.05, 0.0),))
        for share in (0.0, 1.0)
    )
    ideal = alone(plain, noise=True, boxes=BEFORE_A_WALL)[1].laser.read()
    arena, robot = alone(mixed, noise=True, boxes=BEFORE_A_WALL)
    edges = np.flatnonzero(np.abs(np.diff(ideal)) > 0.5)
    beside = np.union1d(edges, edges + 1)
    assert len(beside) == 4
    seen = np.array([(robot.laser.read(), arena.step())[0] for _ in range(50)])
    elsewhere = np.setdiff1d(np.arange(91), beside)
    assert np.array_equal(seen[:, elsewhere], np.tile(ideal[elsewhere], (50, 1)))
    near, far = 0.9, ideal[beside].max()
    assert ((seen[:, beside] > near) & (seen[:, beside] < far)).all()
    assert (np.ptp(seen[:, beside], axis=0) > 0.5).all()  # anywhere in between, another place each time
    assert (alone(mixed, noise=True, boxes=BEFORE_A_WALL)[1].laser.read() == seen[0]).all()  # from the seed alone
    assert (alone(mixed, noise=False, boxes=BEFORE_A_WALL)[1].laser.read() == ideal).all()


def test_mixed_pixels_have_the_specified_rate():
    spec = LaserSpec(name="laser", range=9, fov_deg=90, beams=91, mixed_pixels=0.25, mounts=((0.0, 0.0, 0.05, 0.0),))
    arena, robot = alone(spec, noise=True, boxes=BEFORE_A_WALL)
    ideal = alone(spec, boxes=BEFORE_A_WALL)[1].laser.read()
    changed = sum(int((robot.laser.read() != ideal).sum()) for _ in range(500) if arena.step() is None)
    assert changed == pytest.approx(0.25 * 4 * 500, abs=70)  # three standard deviations


def test_mixed_pixels_do_not_turn_walls_at_a_flat_angle():
    spec = LaserSpec(name="laser", range=9, fov_deg=180, beams=181, mixed_pixels=1.0, mounts=((0.0, 0.0, 0.05, 0.0),))
    sides = tuple(Box(at=(0.0, y), size=(3.9, 0.1)) for y in (-0.2, 0.2))
    arena, robot = alone(spec, noise=True, boxes=sides)
    ideal = alone(spec, boxes=sides)[1].laser.read()
    change = np.mean([robot.laser.read() - ideal for _ in range(300) if arena.step() is None], axis=0)
    right, left = change[:86].sum(), change[95:].sum()  # without the wall ahead
    assert abs(right) > 0.05
    assert right == pytest.approx(left, rel=0.2)


def test_beam_beside_one_without_a_hit_is_not_mixed():
    spec = LaserSpec(name="laser", range=1.5, fov_deg=90, beams=91, mixed_pixels=1.0, mounts=((0.0, 0.0, 0.05, 0.0),))
    ideal = alone(spec, boxes=BEFORE_A_WALL)[1].laser.read()
    assert (ideal == 1.5).any()
    assert (alone(spec, noise=True, boxes=BEFORE_A_WALL)[1].laser.read() == ideal).all()
