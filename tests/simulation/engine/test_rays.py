"""Rays and cones compared with brute force, in random scenes."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from paddock.simulation.engine.kernels import rays

HAIR = 1e-9
metre = st.floats(-2.0, 2.0)
point = st.tuples(metre, metre)
direction = st.floats(-math.pi, math.pi)
half_angle = st.floats(0.02, 1.5)
incidence_angle = st.one_of(st.just(math.pi / 2), st.floats(0.05, 1.5))
disc = st.tuples(metre, metre, st.floats(0.01, 1.0))


@given(point, direction, point, point)
def test_ray_to_segment_matches_brute_force(o, angle, a, b):
    assume(math.dist(a, b) > 1e-3)
    c, s = math.cos(angle), math.sin(angle)
    assume(abs(c * (b[1] - a[1]) - s * (b[0] - a[0])) > 1e-5 * math.dist(a, b))
    assume(naive.point_to_segment(o, a, b) > 1e-6)
    got = rays.ray_to_segment(*o, c, s, *a, *b)
    assert naive.ray_to_segment(o, angle, *naive.grown((a, b), HAIR)) - 1e-7 <= got
    assert got <= naive.ray_to_segment(o, angle, *naive.grown((a, b), -HAIR)) + 1e-7


@given(point, direction, disc)
def test_ray_to_disc_matches_brute_force(o, angle, round_thing):
    x, y, radius = round_thing
    got = rays.ray_to_disc(*o, math.cos(angle), math.sin(angle), *round_thing)
    assert naive.ray_to_disc(o, angle, (x, y, radius + HAIR)) - 1e-9 <= got
    assert got <= naive.ray_to_disc(o, angle, (x, y, radius - HAIR)) + 1e-9
    if math.isfinite(got) and got > 0.0:
        met = math.dist((o[0] + got * math.cos(angle), o[1] + got * math.sin(angle)), (x, y))
        assert met == pytest.approx(radius, abs=1e-9)


def test_ray_along_a_wall_hits_its_near_end():
    assert rays.ray_to_segment(0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 1.0, 0.0) == 1.0


@given(direction, st.floats(0.1, 3.0), st.floats(0.01, 3.0), point)
def test_ray_along_a_wall_of_any_direction_hits_its_near_end(angle, near, length, o):
    c, s = math.cos(angle), math.sin(angle)
    a, b = ((o[0] + t * c, o[1] + t * s) for t in (near, near + length))
    for start, end in ((a, b), (b, a)):
        assert rays.ray_to_segment(*o, c, s, *start, *end) == pytest.approx(near, abs=1e-6)
        assert rays.ray_to_segment(*o, -c, -s, *start, *end) == math.inf


@pytest.mark.parametrize("angle", [0.0, 0.3, math.pi / 2, 2.5, -1.1])
def test_rays_do_not_pass_between_adjoining_walls(angle):
    corner = (math.cos(angle), math.sin(angle))
    hits = [
        rays.ray_to_segment(0.0, 0.0, *corner, *corner, corner[0] + x, corner[1] + y)
        for x, y in ((0.3, 0.4), (-0.5, 0.2), (0.1, -0.7), (-0.2, -0.3))
    ]
    assert min(hits) == pytest.approx(1.0)


@settings(max_examples=50)
@given(point, direction, half_angle, incidence_angle, point, point)
def test_cone_finds_the_nearest_echo_of_a_segment(o, angle, half, incidence, a, b):
    assume(math.dist(a, b) > 1e-2 and naive.point_to_segment(o, a, b) > 0.02)
    got, *towards = rays.cone_to_segment(
        *o, math.cos(angle), math.sin(angle), math.cos(half), math.sin(half),
        math.inf if incidence == math.pi / 2 else math.tan(incidence), *a, *b,
    )  # fmt: skip
    near, leeway = 2 * math.dist(a, b) / 20000, 2e-2
    wide = naive.cone_to_segment(o, angle, half + leeway, incidence + leeway, (a, b))
    narrow = naive.cone_to_segment(o, angle, half, incidence, naive.grown((a, b), -HAIR))
    assert wide - near <= got <= narrow + HAIR
    if got < math.inf:
        echo = (o[0] + got * towards[0], o[1] + got * towards[1])
        assert naive.point_to_segment(echo, a, b) == pytest.approx(0.0, abs=1e-9)


@given(point, direction, half_angle, st.floats(0.2, math.pi / 2), disc)
def test_cone_finds_the_nearest_echo_of_a_disc(o, angle, half, incidence, round_thing):
    assume(math.dist(o, round_thing[:2]) > round_thing[2] + 0.02)
    got, *towards = rays.cone_to_disc(
        *o, math.cos(angle), math.sin(angle), math.cos(half), math.sin(half), math.sin(incidence), *round_thing
    )
    leeway = 2e-2
    wide = naive.cone_to_disc(o, angle, half + leeway, incidence + leeway, round_thing)
    narrow = naive.cone_to_disc(o, angle, half, incidence, round_thing)
    assert wide - 1e-3 <= got <= narrow + HAIR
    if got < math.inf:
        echo = (o[0] + got * towards[0], o[1] + got * towards[1])
        assert math.dist(echo, round_thing[:2]) == pytest.approx(round_thing[2], abs=1e-9)


@given(point, point, point)
def test_distance_to_segment_matches_brute_force(p, a, b):
    assume(math.dist(a, b) > 1e-6)
    assert rays.distance_to_segment(*p, *a, *b) == pytest.approx(naive.point_to_segment(p, a, b), abs=1e-9)
