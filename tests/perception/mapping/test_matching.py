"""Tests of scan matching and of its covariance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.perception.mapping import LikelihoodField, ScanMatch, SearchWindow, match_scan, trace_surfaces
from paddock.perception.mapping.matching import find_peaks
from paddock.perception.mapping.scan import transform
from perception.mapping.floor_plans import CORRIDOR, ROOM, see

AT = Pose(2.0, 3.0, 0.2)


def make_field(walls: np.ndarray, *poses: Pose) -> LikelihoodField:
    return LikelihoodField.from_points(np.vstack([transform(trace_surfaces(see(walls, p, 9), 0.05), p) for p in poses]))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.05, 0.6), st.floats(0.0, 0.3), st.sampled_from([0.0, 0.2]))
def test_search_matches_brute_force(seed: int, distance: float, angle: float, pull: float) -> None:
    random = np.random.default_rng(seed)
    points, surface = random.uniform(-1, 1, (7, 2)), random.uniform(-1, 1, (9, 2))
    field = LikelihoodField.from_points(surface, 0.05, 0.1)
    guess, turn = Pose(*random.uniform(-0.3, 0.3, 3)), 0.07
    reach, turns = math.ceil(distance / 0.05), math.ceil(angle / turn)

    def score(row: int, column: int, a: int) -> float:
        turned = guess._replace(heading=guess.heading + a * turn)
        cells = np.add(field.frame.cells(transform(points, turned)), (row, column))
        inside = [field.values[i, j] for i, j in cells if field.frame.holds(i, j)]
        far = (row**2 + column**2) / max(reach, 1) ** 2 + a**2 / max(turns, 1) ** 2
        return sum(map(float, inside)) / len(points) - pull * far

    found = find_peaks(points, field, guess, SearchWindow(distance, angle, pull), turn)[0].pose
    row, column = round((found.y - guess.y) / 0.05), round((found.x - guess.x) / 0.05)
    across, around = range(-reach, reach + 1), range(-turns, turns + 1)
    best = max(score(i, j, a) for i in across for j in across for a in around)
    assert score(row, column, round((found.heading - guess.heading) / turn)) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_scan_in_a_room_finds_its_pose(seed: int) -> None:
    offset = np.random.default_rng(seed).uniform(-1, 1, 3) * (0.25, 0.25, 0.2)
    truth = Pose(AT.x + offset[0], AT.y + offset[1], AT.heading + offset[2])
    match = match_scan(see(ROOM, truth, seed).points(), make_field(ROOM, AT), AT, SearchWindow(0.3, 0.25))
    error = np.array(match.pose) - truth
    assert np.hypot(*error[:2]) < 0.03
    assert abs(error[2]) < math.radians(0.6)
    assert match.score > 0.85
    assert not match.degenerate
    assert error @ np.linalg.solve(match.covariance, error) < 12.8  # chi², 3 dimensions, 99.5 %


def test_scan_finds_its_pose_from_metres_away() -> None:
    truth = Pose(3.8, 4.2, 0.9)
    match = match_scan(see(ROOM, truth).points(), make_field(ROOM, AT, Pose(5, 3, 2)), AT, SearchWindow(2.5, 1.0))
    assert match.pose == pytest.approx(truth, abs=0.03)


def corridor_match(heading: float, pull: float = 0.0) -> ScanMatch:
    """Match a scan taken 0.1 m further along a corridor of a given direction."""
    c, s = math.cos(heading), math.sin(heading)
    walls = (CORRIDOR.reshape(-1, 2) @ [[c, s], [-s, c]]).reshape(-1, 4)
    middle = Pose(-s, c, heading)
    points = see(walls, middle._replace(x=middle.x + 0.1 * c, y=middle.y + 0.1 * s), 3).points()
    return match_scan(points, make_field(walls, middle), middle, SearchWindow(0.3, 0.1, pull))


@pytest.mark.parametrize("heading", [0.0, 0.7, math.pi / 2, -2.0])
def test_corridor_match_is_degenerate_only_along_the_corridor(heading: float) -> None:
    match = corridor_match(heading)
    along = np.array([math.cos(heading), math.sin(heading)])
    across = np.array([-along[1], along[0]])
    place = match.covariance[:2, :2]
    assert match.degenerate
    assert math.sqrt(along @ place @ along) > 5.0
    assert math.sqrt(across @ np.linalg.inv(np.linalg.inv(match.covariance)[:2, :2]) @ across) < 0.6
    assert across @ (np.array(match.pose[:2]) - across) == pytest.approx(0.0, abs=0.03)


def test_guess_decides_along_degenerate_directions() -> None:
    assert abs(corridor_match(0.0, pull=0.2).pose.x) <= 0.1


def test_empty_scan_returns_the_guess() -> None:
    match = match_scan(np.empty((0, 2)), make_field(ROOM, AT), AT, SearchWindow(0.3, 0.2))
    assert (match.pose, match.score, match.degenerate) == (AT, 0.0, True)


def test_field_is_one_on_surfaces_and_decays_with_distance() -> None:
    field = LikelihoodField.from_points(np.array([[0.025, 0.025]]), 0.05, 0.1)
    row, column = field.frame.cell(0.025, 0.025)
    assert field.values[row, column] == pytest.approx(1.0)
    assert field.values[row, column + 2] == pytest.approx(math.exp(-0.5))
    assert field.tables(3)[3, row - 7, column - 7] == pytest.approx(1.0)


def test_field_without_width_is_refused() -> None:
    with pytest.raises(PaddockError, match=r"sigma and resolution > 0, got 0, 0\.05"):
        LikelihoodField.from_points(np.zeros((1, 2)), 0.05, 0)


def test_surfaces_are_filled_along_walls_but_not_across_gaps() -> None:
    walls = np.array([[-20, -1, 20, -1], [5, 1, 7, 1], [9, 1, 20, 1]], float)  # a wall, and one with a gap of 2 m
    filled = trace_surfaces(see(walls, Pose(0, 0, 0), noise=0.0), 0.1)
    right = np.sort(filled[filled[:, 1] < 0, 0])
    assert np.diff(right[right < 15]).max() <= 0.1 + 1e-9
    assert not ((filled[:, 1] > 0.5) & (filled[:, 0] > 7.1) & (filled[:, 0] < 8.9)).any()
