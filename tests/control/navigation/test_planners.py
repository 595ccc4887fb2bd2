"""Tests of A* and D* Lite against scipy's Dijkstra on random grids."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from paddock.control.navigation import DStarLite, search_grid
from paddock.core.errors import PaddockError

Floats = NDArray[np.float64]
STEPS = [(0, 1), (1, 1), (1, 0), (1, -1)]  # and back


def random_costs(rng: np.random.Generator, rows: int = 12, columns: int = 16) -> Floats:
    """Return costs of 1 … 5, some equal, some blocked; the corners are free."""
    costs = np.where(rng.random((rows, columns)) < 0.5, 1.0, 1.0 + 4.0 * rng.random((rows, columns)))
    costs[rng.random((rows, columns)) < rng.uniform(0, 0.45)] = math.inf
    costs[0, 0] = costs[-1, -1] = 1.0
    return costs


def independent_costs(costs: Floats, start: tuple[int, int]) -> Floats:
    """Return path costs from a start by scipy, on a graph made in plain numpy."""
    rows, columns = costs.shape
    numbers = np.arange(costs.size).reshape(costs.shape)
    heads, tails, weights = [], [], []
    for dr, dc in STEPS:
        here = np.s_[: rows - dr, max(0, -dc) : columns - max(0, dc)]
        there = np.s_[dr:, max(0, dc) : columns + min(0, dc)]
        cost = (costs[here] + costs[there]) / 2 * math.hypot(dr, dc)
        if dr and dc:  # both cells beside a diagonal step must be free
            beside = (there[0], here[1]), (here[0], there[1])
            cost = np.where(np.isfinite(costs[beside[0]]) & np.isfinite(costs[beside[1]]), cost, math.inf)
        free = np.isfinite(cost)
        heads.append(numbers[here][free])
        tails.append(numbers[there][free])
        weights.append(cost[free])
    graph = coo_array(
        (np.concatenate(weights), (np.concatenate(heads), np.concatenate(tails))), shape=(costs.size,) * 2
    )
    found: Floats = dijkstra(graph.tocsr(), directed=False, indices=numbers[start])
    return found.reshape(costs.shape)


def path_cost(costs: Floats, path: NDArray[np.int64]) -> float:
    """Return the cost of a path, added up step by step."""
    total = 0.0
    for (r0, c0), (r1, c1) in zip(path[:-1].tolist(), path[1:].tolist(), strict=True):
        assert max(abs(r1 - r0), abs(c1 - c0)) == 1
        assert math.isfinite(costs[r0, c1])
        assert math.isfinite(costs[r1, c0])
        total += (costs[r0, c0] + costs[r1, c1]) / 2 * math.hypot(r1 - r0, c1 - c0)
    return total


@pytest.mark.heavy
def test_astar_dijkstra_and_dstar_lite_match_scipy_on_random_grids() -> None:
    reached = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        costs = random_costs(rng)
        goal = (costs.shape[0] - 1, costs.shape[1] - 1)
        expected = independent_costs(costs, (0, 0))
        everywhere, found = search_grid(costs, (0, 0)), search_grid(costs, (0, 0), goal)
        assert everywhere.costs == pytest.approx(expected)
        assert found.costs[goal] == pytest.approx(expected[goal])
        assert found.settled <= everywhere.settled
        planner = DStarLite(costs, (0, 0), goal)
        assert planner.cost == pytest.approx(expected[goal])
        if math.isfinite(expected[goal]):
            reached += 1
            assert path_cost(costs, found.path_to(goal)) == pytest.approx(expected[goal])
            assert path_cost(costs, planner.path()) == pytest.approx(expected[goal])
        else:
            assert not len(found.path_to(goal))
            assert not len(planner.path())
    assert 90 < reached < 300


@pytest.mark.heavy
def test_dstar_lite_stays_optimal_while_robot_and_walls_change() -> None:
    expanded = fresh = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        costs = random_costs(rng, 16, 16)
        cell, goal = (0, 0), (15, 15)
        planner = DStarLite(costs, cell, goal)
        for _ in range(12):
            path = planner.path()
            if len(path) > 1:
                cell = (int(path[1, 0]), int(path[1, 1]))
            spots = rng.integers(0, 16, (3, 2))
            costs[spots[:, 0], spots[:, 1]] = rng.choice([1.0, 3.0, math.inf], 3)
            costs[cell] = costs[goal] = 1.0
            planner.update(costs, cell)
            expected = independent_costs(costs, cell)[goal]
            assert planner.cost == pytest.approx(expected)
            if math.isfinite(expected):
                assert path_cost(costs, planner.path()) == pytest.approx(expected)
            expanded += planner.expanded
            fresh += search_grid(costs, cell, goal).settled
    assert expanded < fresh


def test_dstar_lite_replans_when_the_minimum_cost_falls() -> None:
    costs = random_costs(np.random.default_rng(3)) + 0.5
    planner = DStarLite(costs, (0, 0), (11, 15))
    costs[5] = 1.0  # a wall is gone
    assert planner.update(costs, (1, 1)) == 16
    assert planner.cost == pytest.approx(independent_costs(costs, (1, 1))[11, 15])
    assert path_cost(costs, planner.path()) == pytest.approx(planner.cost)


def test_paths_cut_no_corners_and_stay_in_the_grid() -> None:
    costs = np.ones((3, 3))
    costs[0, 1] = costs[1, 2] = math.inf  # around the upper right corner
    assert not len(search_grid(costs, (0, 0), (0, 2)).path_to((0, 2)))
    costs[1, 2] = 1.0
    assert search_grid(costs, (0, 0), (0, 2)).path_to((0, 2)).tolist() == [[0, 0], [1, 0], [1, 1], [1, 2], [0, 2]]


@pytest.mark.parametrize(("costs", "start", "text"), [
    (np.full((2, 2), -1.0), (0, 0), "numbers >= 0"),
    (np.ones((2, 2)), (0, 2), "row 0, column 2"),
])  # fmt: skip
def test_invalid_grids_and_cells_are_refused(costs: Floats, start: tuple[int, int], text: str) -> None:
    with pytest.raises(PaddockError, match=text):
        search_grid(costs, start)
    with pytest.raises(PaddockError, match=text):
        DStarLite(costs, start, (0, 0))
