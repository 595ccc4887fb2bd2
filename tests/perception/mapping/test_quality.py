"""Tests of map quality against the surfaces that the robot can see."""

from __future__ import annotations

import numpy as np
import pytest

from paddock.arena import make_map_truth
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.perception.mapping import MapTruth, OccupancyGrid, assess_map
from paddock.perception.mapping.quality import fill, look_around, nearest_points
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import load_world

pytestmark = pytest.mark.heavy


def rectangle(x0: float, y0: float, x1: float, y1: float) -> list[tuple[float, float, float, float]]:
    return [(x0, y0, x1, y0), (x1, y0, x1, y1), (x1, y1, x0, y1), (x0, y1, x0, y0)]


# A room, a closet that nobody gets into, and a box in the room.
WALLS = np.array([*rectangle(0.0, 0.0, 3.0, 2.0), *rectangle(3.1, 0.0, 4.0, 2.0), *rectangle(1.3, 0.9, 1.62, 1.2)])


@pytest.fixture(scope="module")
def truth() -> MapTruth:
    return MapTruth.of(WALLS, (0.5, 0.5), 0.2)


def make_scans(walls: np.ndarray, views: list[tuple[float, float]]) -> OccupancyGrid:
    return look_around(walls, np.array(views), 20.0, 0.05)[0]


EVERYWHERE = [(0.3, 0.3), (2.7, 0.3), (2.7, 1.7), (0.3, 1.7)]


def test_only_visible_surfaces_count(truth: MapTruth) -> None:
    assert truth.surfaces[:, 0].max() < 3.01  # no closet
    inside = ((truth.surfaces > (1.32, 0.92)) & (truth.surfaces < (1.6, 1.18))).all(axis=1)
    assert not inside.any()  # nothing in the box
    assert not truth.reachable[truth.frame.cell(0.1, 1.0)]  # too near a wall
    assert truth.free[truth.frame.cell(0.1, 1.0)]
    assert truth.reachable[truth.frame.cell(2.5, 1.0)]
    assert not truth.free[truth.frame.cell(3.5, 1.0)]


def test_map_from_everywhere_is_perfect(truth: MapTruth) -> None:
    quality = assess_map(make_scans(WALLS, EVERYWHERE), truth)
    assert quality.precision == 1.0
    assert quality.recall == 1.0
    assert quality.f1 == 1.0
    assert quality.iou > 0.97
    assert quality.mapped > 0.99
    assert quality.adnn_map < 0.04
    assert quality.adnn_truth < 0.04


def test_map_of_half_the_room_has_lower_recall(truth: MapTruth) -> None:
    quality = assess_map(make_scans(WALLS, [(0.3, 1.05)]), truth)
    assert quality.precision == 1.0
    assert 0.3 < quality.recall < 0.9
    assert 0.3 < quality.mapped < 0.95


def test_shifted_map_scores_low_until_aligned(truth: MapTruth) -> None:
    grid = make_scans(WALLS + np.array([0.15, -0.1, 0.15, -0.1]), [(x + 0.15, y - 0.1) for x, y in EVERYWHERE])
    as_it_is, aligned = assess_map(grid, truth), assess_map(grid, truth, alignment=None)
    assert as_it_is.f1 < 0.5
    assert aligned.f1 == 1.0
    assert aligned.alignment == pytest.approx(Pose(-0.15, 0.1, 0.0), abs=0.01)
    assert aligned.offset[0] == pytest.approx(0.18, abs=0.01)


def test_false_wall_reduces_precision(truth: MapTruth) -> None:
    grid = make_scans(np.concatenate((WALLS, [[0.8, 0.0, 0.8, 0.8]])), EVERYWHERE)
    quality = assess_map(grid, truth)
    assert 0.8 < quality.precision < 0.97
    assert quality.recall > 0.95


def test_flood_fill_follows_bends_and_stops_at_walls() -> None:
    free = np.array([[1, 1, 1, 0, 1], [0, 0, 1, 0, 1], [1, 1, 1, 0, 1], [1, 0, 0, 0, 1]], bool)
    reached = np.zeros(free.shape, bool)
    reached[0, 0] = True
    expected = free.copy()
    expected[:, 4] = False
    assert (fill(reached, free) == expected).all()


def test_robot_without_space_at_its_start_is_refused() -> None:
    with pytest.raises(PaddockError, match="no room at its start"):
        MapTruth.of(WALLS, (0.1, 0.1), 0.2)


def test_empty_map_scores_zero(truth: MapTruth) -> None:
    for alignment in (Pose(0, 0, 0), None):
        quality = assess_map(OccupancyGrid(), truth, alignment=alignment)
        assert (quality.f1, quality.precision, quality.recall, quality.mapped) == (0, 0, 0, 0)


@pytest.mark.parametrize(("points", "others"), [(1, 1), (5, 40), (700, 900)])
def test_nearest_points_match_brute_force(points: int, others: int) -> None:
    chance = np.random.default_rng(1)
    here, there = chance.normal(0, 3, (points, 2)), chance.normal(1, 2, (others, 2))
    distances, which = nearest_points(here, there)
    apart = np.linalg.norm(here[:, None] - there, axis=2)
    assert which.tolist() == apart.argmin(axis=1).tolist()
    assert distances == pytest.approx(apart.min(axis=1))


def test_truth_of_a_short_range_robot_has_all_walls() -> None:
    world, robot = load_world("empty"), load_robot("e-puck")
    truth = make_map_truth(world, robot, Pose(1.0, 1.0, 0.0))
    (x0, y0), (x1, y1) = truth.surfaces.min(axis=0), truth.surfaces.max(axis=0)
    assert (x0, y0, x1, y1) == pytest.approx(world.bounds, abs=0.01)
    corner = np.hypot(*(truth.surfaces - (0.0, 0.0)).T).min()
    assert corner < 0.1  # all along the walls


def test_walls_out_of_range_are_refused() -> None:
    walls = np.array([[0.0, 0.0, 4.0, 0.0], [0.0, 4.0, 4.0, 4.0], [0.0, 0.0, 0.0, 4.0], [4.0, 0.0, 4.0, 4.0]])
    with pytest.raises(PaddockError, match=r"no wall is within 0\.1 m of a reachable position"):
        MapTruth.of(walls, (2.0, 2.0), 0.5, max_range=0.1)
