"""Tests of cost maps and footprints."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.control.navigation import CostMap, Footprint, Inflation, smooth_path
from paddock.control.navigation.grid_search import search_grid
from paddock.core.errors import PaddockError
from paddock.core.geometry import Disc, Pose, rectangle
from paddock.perception.mapping import GridFrame
from paddock.simulation.robots import RobotSpec
from paddock.simulation.robots.robot_spec import find_robot, read_robot

LONG = Footprint.of(rectangle(0.8, 0.3))  # turns about its middle
TIGHT = Inflation(margin=0.02)
FRAME = GridFrame(0.0, 0.0, 0.05, 40, 60)


def corridor() -> CostMap:
    """Return a corridor along x, first 2 m and then 0.6 m wide."""
    states = np.zeros(FRAME.shape, np.int8)
    states[[0, -1]] = 1
    states[:14, 30:] = states[26:, 30:] = 1
    return CostMap.of(states, FRAME, LONG, TIGHT)


def robot(name: str) -> RobotSpec:
    return read_robot(find_robot(name))


def test_footprint_radii_are_measured_from_the_turning_centre() -> None:
    assert (LONG.inscribed, LONG.half_width) == pytest.approx((0.15, 0.15))
    assert LONG.circumscribed == pytest.approx(math.hypot(0.4, 0.15))
    pioneer = Footprint.of(robot("pioneer-p2dx").body.shape)
    assert pioneer.inscribed < pioneer.half_width == 0.19 < pioneer.circumscribed == pytest.approx(0.264)
    disc = Footprint.of(Disc(0.0, 0.0, 0.035))
    assert disc.inscribed == disc.circumscribed == disc.half_width == 0.035
    gaps = np.hypot(*(LONG.outline - np.roll(LONG.outline, 1, axis=0)).T)
    assert gaps.max() <= LONG.spacing + 1e-12


def test_long_body_fits_a_narrow_corridor_but_cannot_turn_in_it() -> None:
    here = corridor()
    assert here.is_free(Pose(2.3, 1.0, 0.0))
    assert not here.is_free(Pose(2.3, 1.0, math.pi / 2))
    assert here.is_free(Pose(0.75, 1.0, math.pi / 2))
    row, column = FRAME.cell(2.3, 1.0)
    assert math.isfinite(here.costs[row, column])
    assert not here.turnable[row, column]
    assert here.turnable[FRAME.cell(0.75, 1.0)]


def test_cell_costs_increase_near_walls_and_are_at_least_one() -> None:
    here = corridor()
    column = here.costs[:, 10]
    passable = column[np.isfinite(column)]
    assert passable.min() >= 1.0
    middle = int(np.argmin(passable))
    assert (np.diff(passable[: middle + 1]) <= 0).all()
    assert np.isinf(column[:3]).all()


def test_unknown_cells_block_or_add_cost() -> None:
    states = np.zeros(FRAME.shape, np.int8)
    states[20, 30] = -1
    blocked = CostMap.of(states, FRAME, LONG)
    crossed = CostMap.of(states, FRAME, LONG, Inflation(unknown=3.0))
    assert math.isinf(blocked.costs[20, 30])
    assert crossed.costs[20, 30] == pytest.approx(crossed.costs[20, 31] + 3.0)
    with pytest.raises(PaddockError, match="falloff"):
        Inflation(falloff=0.0)


def test_path_is_shortened_where_cost_does_not_increase() -> None:
    here = corridor()
    start, goal = FRAME.cell(0.6, 0.6), FRAME.cell(2.8, 1.0)
    cells = search_grid(here.costs, start, goal).path_to(goal)
    path = smooth_path(cells, here)
    steps = np.hypot(*np.diff(path, axis=0).T)
    assert steps.max() <= 0.05 + 1e-9
    assert steps.sum() <= 0.05 * np.hypot(*np.diff(cells, axis=0).T).sum() + 1e-9
    assert path[0] == pytest.approx(FRAME.centre(*start))
    assert path[-1] == pytest.approx(FRAME.centre(*goal))
    assert np.isfinite(here.costs[tuple(FRAME.cells(path).T)]).all()
