"""Kernels for wheels and arcs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from paddock.simulation.engine.kernels import drive

travel = st.floats(-0.5, 0.5)


@settings(max_examples=200)
@given(travel, travel, st.floats(0.03, 0.6))
def test_arc_matches_the_numerically_integrated_path(left, right, wheel_separation):
    along, across, turn = drive.arc(left, right, 0.0, wheel_separation)
    x, y, naive_turn = naive.rolled(left, right, wheel_separation)
    assert turn == pytest.approx(naive_turn)
    assert (along, across) == pytest.approx((x, y), abs=2e-7)


@settings(max_examples=100)
@given(travel, st.floats(-3e-4, 3e-4), st.floats(0.03, 0.6))
def test_nearly_straight_arcs_are_continuous(mean, turn, wheel_separation):
    along, across, _ = drive.arc(
        mean - turn * wheel_separation / 2, mean + turn * wheel_separation / 2, 0.0, wheel_separation
    )
    x, y, _ = naive.rolled(
        mean - turn * wheel_separation / 2, mean + turn * wheel_separation / 2, wheel_separation, 200
    )
    assert (along, across) == pytest.approx((x, y), abs=1e-12)


@settings(max_examples=200)
@given(travel, travel, travel, st.floats(0.1, 0.6))
def test_travels_are_found_from_the_displacement(left, right, sideways, wheel_separation):
    displacement = drive.arc(left, right, sideways, wheel_separation)
    assert math.hypot(*displacement[:2]) <= abs(left + right) / 2 + abs(sideways) + 1e-12
    if abs(displacement[2]) < math.pi:  # of a longer turn, the shorter way round is found
        assert drive.find_travels(*displacement, wheel_separation) == pytest.approx((left, right, sideways), abs=1e-9)


@settings(max_examples=50)
@given(st.floats(-0.4, 0.4), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_swerve_matches_the_numerically_integrated_path(way, first, last):
    x, y, heading, steps = 0.0, 0.0, 0.0, 4000
    for i in range(steps):
        turn = way / steps * math.tan(first + (last - first) * (i + 0.5) / steps) / 0.33
        x += way / steps * math.cos(heading + turn / 2)
        y += way / steps * math.sin(heading + turn / 2)
        heading += turn
    assert drive.swerve(way, first, last, 0.33) == pytest.approx((x, y, heading), abs=2e-6)


@given(st.floats(-1000.0, 1000.0))
def test_wrapped_angle_is_equivalent(angle):
    turned = drive.wrap_angle(angle)
    assert -math.pi < turned <= math.pi
    assert math.cos(turned) == pytest.approx(math.cos(angle), abs=1e-9)
    assert math.sin(turned) == pytest.approx(math.sin(angle), abs=1e-9)


@pytest.mark.parametrize("angle", [math.pi, -math.pi, 3 * math.pi, -3 * math.pi, 0.0, -0.0])
def test_half_turn_wraps_to_plus_pi(angle):
    assert drive.wrap_angle(angle) == pytest.approx(math.pi if angle else 0.0)


@given(
    st.floats(-1, 1), st.floats(-9, 9), st.floats(0.1, 1), st.just(0.0) | st.floats(1e-6, 0.1), st.floats(0.001, 0.5)
)
def test_wheel_speed_change_is_limited(now, wanted, most, step, gain):
    assert abs(drive.wheel_speed(now, wanted, most, step, gain) - now) <= gain + 1e-15
