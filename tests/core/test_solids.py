"""Walls as solids: mitred corners, round joints, screens, arcs and the border."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paddock.core.geometry import Disc, Point, overlap
from paddock.simulation.worlds.solids import ARC_TOLERANCE, LONGEST_MITRE, Solid, solids
from paddock.simulation.worlds.world_spec import Arc, Box, Cylinder, Wall, WorldSpec


def pieces(**obstacles: object) -> list[Solid]:
    return solids(WorldSpec(name="w", bounds=(-5, -5, 5, 5), open=True, **obstacles))  # type: ignore[arg-type]


def rounded(point: Point) -> Point:
    return (round(point[0], 9) + 0.0, round(point[1], 9) + 0.0)


def outer_corners(found: list[Solid]) -> Counter[Point]:
    """Return the number of edges at each end point."""
    return Counter(rounded(point) for piece in found for edge in piece.edges for point in edge)


def covers(found: list[Solid], x: float, y: float) -> bool:
    return any(overlap(piece.shape, Disc(x, y, 1e-9)) > 0 for piece in found)


def test_right_angle_has_one_sharp_corner() -> None:
    found = pieces(walls=(Wall(points=((0, 0), (1, 0), (1, 1)), thickness=0.2),))
    assert len(found) == 2
    assert {(1.1, -0.1), (0.9, 0.1)} <= set(outer_corners(found))


def test_wall_edges_form_one_closed_line() -> None:
    found = pieces(walls=(Wall(points=((0, 0), (1, 0), (1, 1), (2, 1.5)), thickness=0.1),))
    assert set(outer_corners(found).values()) == {2}


def test_closed_wall_has_an_outer_and_an_inner_line_and_no_ends() -> None:
    found = pieces(walls=(Wall(points=((0, 0), (2, 0), (2, 2), (0, 2)), closed=True, thickness=0.2),))
    corners = outer_corners(found)
    assert set(corners) == {
        (-0.1, -0.1),
        (2.1, -0.1),
        (2.1, 2.1),
        (-0.1, 2.1),
        (0.1, 0.1),
        (1.9, 0.1),
        (1.9, 1.9),
        (0.1, 1.9),
    }
    assert set(corners.values()) == {2}


def test_a_closed_wall_may_repeat_its_first_point() -> None:
    points = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
    once = pieces(walls=(Wall(points=points, closed=True),))
    again = pieces(walls=(Wall(points=(*points, points[0]), closed=True),))
    assert once == again


def test_very_sharp_corner_gets_a_round_joint() -> None:
    found = pieces(walls=(Wall(points=((0, 0), (1, 0), (0, 0.1)), thickness=0.02),))
    assert Disc(1, 0, 0.01) in [piece.shape for piece in found]
    assert max(x for x, _ in outer_corners(found)) < 1.02


def test_wall_without_thickness_is_its_line() -> None:
    found = pieces(walls=(Wall(points=((0, 0), (1, 0), (1, 1)), thickness=0),))
    assert [piece.edges for piece in found] == [(((0, 0), (1, 0)),), (((1, 0), (1, 1)),)]


@given(
    st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 2)), min_size=2, max_size=5),
    st.floats(0.01, 0.3),
    st.booleans(),
    st.floats(0, 1),
    st.floats(0, math.tau),
)
def test_wall_covers_half_its_thickness_on_both_sides_and_little_more(
    points: list[Point], thickness: float, closed: bool, along: float, angle: float
) -> None:
    ends = [*points, points[0]] if closed and len(points) > 2 else points
    assume(all(math.dist(a, b) > 0.05 for a, b in pairwise(ends)))
    found = pieces(walls=(Wall(points=tuple(points), thickness=thickness, closed=closed and len(points) > 2),))
    for a, b in pairwise(ends):
        x, y = a[0] + along * (b[0] - a[0]), a[1] + along * (b[1] - a[1])
        length = math.dist(a, b)
        side = 0.499 * thickness * math.cos(angle)
        assert covers(found, x - side * (b[1] - a[1]) / length, y + side * (b[0] - a[0]) / length)
    for corner in outer_corners(found):
        away = min(_distance(corner, a, b) for a, b in pairwise(ends))
        assert away <= LONGEST_MITRE * thickness / 2 + 1e-9


def _distance(p: Point, a: Point, b: Point) -> float:
    ex, ey = b[0] - a[0], b[1] - a[1]
    t = min(1.0, max(0.0, ((p[0] - a[0]) * ex + (p[1] - a[1]) * ey) / (ex * ex + ey * ey)))
    return math.hypot(p[0] - a[0] - t * ex, p[1] - a[1] - t * ey)


def test_full_circle_is_closed_with_the_given_thickness() -> None:
    found = pieces(arcs=(Arc(at=(1, 2), radius=1, thickness=0.2),))
    corners = outer_corners(found)
    assert set(corners.values()) == {2}
    for x, y in corners:
        away = math.hypot(x - 1, y - 2)
        assert abs(away - 1) == pytest.approx(0.1, abs=2 * ARC_TOLERANCE)


def test_half_circle_has_two_ends() -> None:
    found = pieces(arcs=(Arc(at=(0, 0), radius=1, to_deg=180, thickness=0.2),))
    corners = set(outer_corners(found))
    assert min(y for _, y in corners) == pytest.approx(0, abs=0.01)
    assert set(outer_corners(found).values()) == {2}


def test_inner_faces_of_the_border_lie_on_the_bounds() -> None:
    found = solids(WorldSpec(name="w", bounds=(0, 0, 3, 2)))
    assert outer_corners(found) == Counter({(0, 0): 2, (3, 0): 2, (3, 2): 2, (0, 2): 2})
    assert {piece.path for piece in found} == {"border"}


def test_open_world_has_no_border() -> None:
    assert not solids(WorldSpec(name="w", bounds=(0, 0, 3, 2), open=True))


def test_rotated_box_has_rotated_corners() -> None:
    (box,) = pieces(boxes=(Box(at=(1, 1), size=(2, 1), heading_deg=90),))
    assert set(outer_corners([box])) == {(0.5, 0), (1.5, 0), (1.5, 2), (0.5, 2)}


def test_cylinder_is_a_disc_with_height_colour_and_path() -> None:
    (disc,) = pieces(cylinders=(Cylinder(at=(1, 2), radius=0.5, height=0.3, color="red"),))
    assert disc == Solid(Disc(1, 2, 0.5), (), 0.3, "red", "cylinders[0]")
