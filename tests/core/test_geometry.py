"""Plane geometry compared with brute-force implementations."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.spec_strategies import outlines
from paddock.core.geometry import (
    Convex,
    Disc,
    Point,
    Shape,
    arc_points,
    bar,
    bounding_radius,
    compute_bounds,
    compute_distance,
    crosses_itself,
    inner_radius,
    is_convex,
    on_one_line,
    overlap,
    place_shape,
    rectangle,
    signed_area,
    smooth,
    wrap,
)

DIRECTIONS = [(math.cos(a), math.sin(a)) for a in (math.tau * i / 2000 for i in range(2000))]
angles = st.floats(-20, 20)
shapes = st.one_of(
    outlines(0.1, 1.0),
    st.builds(Disc, st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(0.05, 1)),
)


@st.composite
def shapes_somewhere(draw: st.DrawFn) -> Shape:
    return place_shape(draw(shapes), draw(st.floats(-1.5, 1.5)), draw(st.floats(-1.5, 1.5)), draw(angles))


def farthest(shape: Shape, dx: float, dy: float) -> float:
    """Return the extent of a shape in a direction."""
    if isinstance(shape, Disc):
        return shape.x * dx + shape.y * dy + shape.radius
    return max(x * dx + y * dy for x, y in shape)


def shortest_way_out(a: Shape, b: Shape) -> float:
    """Return the shortest displacement that separates a from b, by trying many directions; negative when disjoint."""
    return min(farthest(b, dx, dy) + farthest(a, -dx, -dy) for dx, dy in DIRECTIONS)


@given(shapes_somewhere(), shapes_somewhere())
def test_overlap_is_the_minimum_separating_displacement(a: Shape, b: Shape) -> None:
    tried = shortest_way_out(a, b)
    if tried > 0.01:
        assert overlap(a, b) == pytest.approx(tried, abs=0.005)
        assert overlap(a, b) <= tried + 1e-9
    if tried < -1e-9:
        assert overlap(a, b) <= 0


@given(shapes_somewhere(), shapes_somewhere())
def test_overlap_is_symmetric(a: Shape, b: Shape) -> None:
    assert overlap(a, b) == pytest.approx(overlap(b, a), abs=1e-12)


@given(shapes_somewhere(), shapes_somewhere())
def test_distance_is_the_widest_gap(a: Shape, b: Shape) -> None:
    gap = max(0.0, -shortest_way_out(a, b))
    assert gap - 1e-9 <= compute_distance(a, b) <= gap + 0.005
    assert compute_distance(a, b) == pytest.approx(compute_distance(b, a), abs=1e-12)


@given(shapes_somewhere(), st.floats(0, 1), st.floats(0, math.tau))
def test_shape_overlaps_a_point_iff_it_contains_it(shape: Shape, away: float, angle: float) -> None:
    x, y = away * math.cos(angle), away * math.sin(angle)
    dot = Disc(x, y, 1e-9)
    tried = shortest_way_out(dot, shape)
    assume(abs(tried) > 1e-3)
    assert (overlap(shape, dot) > 0) == (tried > 0)


@given(angles)
def test_wrapped_angle_is_equivalent(angle: float) -> None:
    wrapped = wrap(angle)
    assert -math.pi < wrapped <= math.pi
    assert math.cos(wrapped) == pytest.approx(math.cos(angle), abs=1e-9)
    assert math.sin(wrapped) == pytest.approx(math.sin(angle), abs=1e-9)


def test_minus_pi_wraps_to_pi() -> None:
    assert wrap(-math.pi) == math.pi


@given(outlines())
def test_outline_around_the_origin_is_convex_and_counter_clockwise(outline: Convex) -> None:
    assert signed_area(outline) > 0
    assert signed_area(outline[::-1]) == pytest.approx(-signed_area(outline))
    assert is_convex(outline)
    assert not is_convex(outline[::-1])
    assert not on_one_line(outline)
    assert not crosses_itself(outline)


def test_star_polygon_is_not_convex() -> None:
    star = [(math.cos(angle), math.sin(angle)) for angle in (2 * math.tau * i / 5 for i in range(5))]
    assert not is_convex(star)
    assert crosses_itself(star)


def test_collinear_corners_are_detected() -> None:
    assert on_one_line([(0, 0), (1, 1), (3, 3), (2, 2)])


@given(outlines(0.2, 1.0), st.integers(0, 6))
def test_outline_with_a_dent_is_not_convex(outline: Convex, which: int) -> None:
    assume(len(outline) >= 4)
    corner = which % len(outline)
    (x0, y0), (x1, y1) = outline[corner - 1], outline[(corner + 1) % len(outline)]
    inside = (0.45 * (x0 + x1), 0.45 * (y0 + y1))  # a little behind the middle of the neighbours
    assume(math.hypot(*inside) > 0.01)
    dented = (*outline[:corner], inside, *outline[corner + 1 :])
    assert not is_convex(dented)


@given(outlines(0.1, 1.0), st.floats(-2, 2), st.floats(-2, 2), angles)
def test_rigid_motion_keeps_area_and_width(outline: Convex, x: float, y: float, heading: float) -> None:
    moved = place_shape(outline, x, y, heading)
    assert not isinstance(moved, Disc)
    assert signed_area(moved) == pytest.approx(signed_area(outline))
    assert inner_radius(moved) == pytest.approx(inner_radius(outline))


@given(outlines(0.1, 1.0))
def test_inner_radius_is_half_the_minimum_width(outline: Convex) -> None:
    widths = [farthest(outline, dx, dy) + farthest(outline, -dx, -dy) for dx, dy in DIRECTIONS]
    assert 2 * inner_radius(outline) == pytest.approx(min(widths), abs=0.005)


@given(shapes_somewhere())
def test_shape_lies_within_its_box_and_bounding_circle(shape: Shape) -> None:
    left, bottom, right, top = compute_bounds(shape)
    assert (left, bottom) == pytest.approx((-farthest(shape, -1, 0), -farthest(shape, 0, -1)))
    assert (right, top) == pytest.approx((farthest(shape, 1, 0), farthest(shape, 0, 1)))
    assert bounding_radius(shape) == pytest.approx(max(farthest(shape, *d) for d in DIRECTIONS), abs=0.005)


def test_quarter_turn_maps_x_to_y() -> None:
    assert place_shape(Disc(1, 0, 0.5), 10, 20, math.pi / 2) == pytest.approx((10, 21, 0.5))


def test_bar_has_the_length_of_its_segment_and_the_given_width() -> None:
    assert bar((0, 0), (2, 0), 0.5) == ((0, -0.25), (2, -0.25), (2, 0.25), (0, 0.25))
    assert signed_area(bar((1, 1), (4, 5), 0.2)) == pytest.approx(5 * 0.2)


def test_rectangle_is_centred_on_the_origin() -> None:
    assert rectangle(2, 1) == ((-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5))


@given(st.floats(0.01, 5), st.floats(-7, 7), st.floats(0.01, math.tau), st.floats(1e-5, 0.02))
def test_arc_chords_stay_within_the_tolerance(radius: float, start: float, span: float, tolerance: float) -> None:
    points = arc_points((3.0, -2.0), radius, start, start + span, tolerance)
    assert points[0] == pytest.approx((3 + radius * math.cos(start), -2 + radius * math.sin(start)))
    assert points[-1] == pytest.approx((3 + radius * math.cos(start + span), -2 + radius * math.sin(start + span)))
    for (ax, ay), (bx, by) in pairwise(points):
        assert math.hypot(ax - 3, ay + 2) == pytest.approx(radius)
        middle = math.hypot((ax + bx) / 2 - 3, (ay + by) / 2 + 2)
        assert radius - middle <= min(tolerance, radius) + 1e-12


CORNERS: list[Point] = [(0.0, 0.0), (1.0, 0.2), (1.5, 1.0), (0.3, 1.4)]


@pytest.mark.parametrize("closed", [False, True])
def test_smooth_curve_passes_through_its_points(closed: bool) -> None:
    curve = smooth(CORNERS, closed=closed, pieces=10)
    assert [pytest.approx(point) for point in CORNERS] == curve[::10]
    assert len(curve) == (40 if closed else 31)
    longest = max(math.dist(a, b) for a, b in pairwise(curve))
    assert longest < 0.25  # of sides about 1 long: nothing jumps


def test_smooth_curve_through_collinear_points_is_straight() -> None:
    curve = smooth([(0, 0), (1, 1), (2, 2)], closed=False)
    assert all(x == pytest.approx(y) for x, y in curve)
