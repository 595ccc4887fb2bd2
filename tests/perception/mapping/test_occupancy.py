"""Tests of occupancy grids."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.perception.mapping import FREE, OCCUPIED, UNKNOWN, BeamModel, MapView, OccupancyGrid, Scan

HERE = Pose(0.012, 0.013, 0.3)


def make_scan(ranges: list[float], angles: list[float], max_range: float = 5.0) -> Scan:
    return Scan(0.0, np.array(angles), np.array(ranges), max_range)


def state(grid: OccupancyGrid, distance: float, angle: float = 0.0) -> int:
    direction = HERE.heading + angle
    row, column = grid.frame.cell(HERE.x + distance * math.cos(direction), HERE.y + distance * math.sin(direction))
    return int(grid.states()[row, column]) if grid.frame.holds(row, column) else UNKNOWN


def test_beam_clears_its_path_and_marks_its_end() -> None:
    grid = OccupancyGrid()
    grid.add_scan(make_scan([2.0], [0.0]), HERE)
    assert [state(grid, d) for d in (0.1, 1.0, 1.9, 2.0, 2.1)] == [FREE, FREE, FREE, OCCUPIED, UNKNOWN]
    assert state(grid, 1.0, 0.2) == UNKNOWN


def test_beam_without_hit_clears_up_to_range_and_marks_nothing() -> None:
    grid = OccupancyGrid()
    grid.add_scan(make_scan([math.inf, 5.0, math.nan], [0.0, 1.0, 2.0]), HERE)
    assert (grid.states() == OCCUPIED).sum() == 0
    assert [state(grid, 4.9), state(grid, 4.9, 1.0), state(grid, 1.0, 2.0)] == [FREE, FREE, UNKNOWN]
    short = OccupancyGrid()
    short.add_scan(make_scan([math.inf], [0.0]), HERE, BeamModel(clears=2.0))
    assert [state(short, 1.9), state(short, 2.2)] == [FREE, UNKNOWN]


def test_hit_cell_is_not_cleared_by_other_beams_of_the_scan() -> None:
    grid = OccupancyGrid()
    grid.add_scan(make_scan([2.0, 2.4, 2.4], [0.0, 0.004, -0.004]), HERE)
    assert state(grid, 2.0) == OCCUPIED


def test_cell_changes_once_per_scan_and_log_odds_are_clamped() -> None:
    grid = OccupancyGrid()
    many = make_scan([2.0] * 50, list(np.linspace(-0.001, 0.001, 50)))
    grid.add_scan(many, HERE)
    assert grid.log_odds.max() == pytest.approx(0.85)
    assert grid.log_odds.min() == pytest.approx(-0.4)
    for _ in range(30):
        grid.add_scan(many, HERE)
    assert (grid.log_odds.min(), grid.log_odds.max()) == (-4.0, 4.0)
    assert grid.probability().max() == pytest.approx(1 / (1 + math.exp(-4)))


def test_grid_grows_in_whole_tiles_and_keeps_its_content() -> None:
    grid = OccupancyGrid()
    grid.add_scan(make_scan([2.0], [0.0]), HERE)
    before = grid.states().sum()
    grid.add_scan(make_scan([2.0], [0.0]), Pose(-7.0, -9.0, 0.0))
    assert state(grid, 2.0) == OCCUPIED
    assert all(size % 64 == 0 for size in grid.frame.shape)
    assert (grid.frame.x, grid.frame.y) == (-3 * 64 * 0.05, -3 * 64 * 0.05)
    assert grid.version == 2
    assert before != grid.states().sum()


def test_copy_is_equal_until_one_changes() -> None:
    grid = OccupancyGrid()
    grid.add_scan(make_scan([2.0], [0.0]), HERE)
    other = grid.copy()
    assert other.digest() == grid.digest()
    other.add_scan(make_scan([1.0], [0.0]), HERE)
    assert other.digest() != grid.digest()
    assert state(grid, 1.0) == FREE


def test_sonar_clears_its_cone_and_marks_the_arc() -> None:
    grid = OccupancyGrid()
    for _ in range(4):
        grid.add_cones(make_scan([2.0], [0.0]), HERE, math.radians(20))
    assert [state(grid, 1.5), state(grid, 1.5, 0.12), state(grid, 1.5, 0.2)] == [FREE, FREE, UNKNOWN]
    assert [state(grid, 2.0), state(grid, 2.0, 0.1), state(grid, 2.2)] == [OCCUPIED, OCCUPIED, UNKNOWN]
    echo = OccupancyGrid()
    echo.add_cones(make_scan([math.inf], [0.0]), HERE, math.radians(20))
    assert (echo.states() == OCCUPIED).sum() == 0
    assert [state(echo, 2.8), state(echo, 3.5)] == [FREE, UNKNOWN]


def test_ring_beams_start_at_their_sensors() -> None:
    ring = Scan(0.0, np.array([0.0, math.pi]), np.array([1.0, 1.0]), 5.0, origins=np.array([[0.5, 0.0], [-0.5, 0.0]]))
    assert ring.points() == pytest.approx(np.array([[1.5, 0.0], [-1.5, 0.0]]))
    grid = OccupancyGrid()
    grid.add_scan(ring, HERE)
    assert [state(grid, d) for d in (0.2, 1.0, 1.5, -1.5)] == [UNKNOWN, FREE, OCCUPIED, OCCUPIED]


def test_map_view_has_percentages_and_last_scan() -> None:
    grid = OccupancyGrid()
    scan = make_scan([2.0], [0.0])
    grid.add_scan(scan, HERE)
    view = MapView.of(grid, scan, HERE)
    assert {*np.unique(view.cells).tolist()} == {40, 70, 255}
    assert view.scan == pytest.approx(np.array([[0.012 + 2 * math.cos(0.3), 0.013 + 2 * math.sin(0.3)]]))


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(PaddockError, match="resolution"):
        OccupancyGrid(0.0)
    with pytest.raises(PaddockError, match="finite pose"):
        OccupancyGrid().add_scan(make_scan([1.0], [0.0]), Pose(math.nan, 0.0, 0.0))
    with pytest.raises(PaddockError, match="too many"):
        OccupancyGrid(0.001).add_scan(make_scan([1000.0], [0.5], 2000.0), HERE)
    with pytest.raises(PaddockError, match="lowest < miss"):
        BeamModel(hit=-1.0)
