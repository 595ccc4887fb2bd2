"""Tests of pose graphs: agreement of the solvers and robustness against false loops."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose, relative, wrap
from paddock.perception.mapping.loops import LOOP_LENGTH, find_shortest_paths, uncertainty
from paddock.perception.mapping.pose_graph import SOLVERS, PoseEdge, PoseGraph

SPREAD = np.diag([0.02, 0.02, 0.01]) ** 2
LOOP_SPREAD = np.diag([0.03, 0.03, 0.01]) ** 2


def ring(false_loops: int = 0, seed: int = 1) -> tuple[PoseGraph, list[Pose]]:
    """Return two rounds of a 10 m ring with heading bias; every second pose of the second round has a loop."""
    random = np.random.default_rng(seed)
    angles = np.linspace(0, 4 * math.pi, 121)
    truth = [Pose(5 * math.sin(a), 5 - 5 * math.cos(a), wrap(a)) for a in angles]
    graph = PoseGraph([truth[0]])
    for before, after in pairwise(truth):
        step = np.array(relative(before, after)) + random.normal(0, 1, 3) * (0.01, 0.01, 0.005) + (0, 0, 0.004)
        graph.extend(Pose(*step), SPREAD)
    for k in range(60, 121, 2):
        step = np.array(relative(truth[k - 60], truth[k])) + random.normal(0, 1, 3) * (0.02, 0.02, 0.005)
        graph.loops.append(PoseEdge(k - 60, k, Pose(*step), LOOP_SPREAD, True))
    for _ in range(false_loops):
        first, second = sorted(random.choice(121, 2, replace=False).tolist())
        wrong = Pose(*random.uniform(-1, 1, 3))
        graph.loops.append(PoseEdge(first, second, wrong, LOOP_SPREAD, True))
    return graph, truth


def largest_error(graph: PoseGraph, truth: list[Pose]) -> float:
    return max(math.hypot(a.x - b.x, a.y - b.y) for a, b in zip(graph.poses, truth, strict=True))


@pytest.mark.parametrize("solver", sorted(SOLVERS))
def test_loops_correct_a_drifted_ring(solver: str) -> None:
    graph, truth = ring()
    assert largest_error(graph, truth) > 1.0
    graph.solve(solver)
    assert largest_error(graph, truth) < 0.35
    assert graph.poses[0] == pytest.approx(truth[0])


def test_all_solvers_find_the_same_poses() -> None:
    found = []
    for solver in sorted(SOLVERS):
        graph, _ = ring()
        graph.solve(solver)
        found.append(np.array(graph.poses)[:, :2])
    assert found[0] == pytest.approx(found[1], abs=2e-3)
    assert found[0] == pytest.approx(found[2], abs=2e-3)


@pytest.mark.parametrize("solver", sorted(SOLVERS))
def test_false_loops_do_not_change_the_poses(solver: str) -> None:
    clean, _ = ring()
    clean.solve(solver)
    graph, _ = ring(false_loops=13)  # 30 % of all loops
    graph.poses = clean.poses.copy()
    graph.solve(solver)
    assert np.array(graph.poses)[:, :2] == pytest.approx(np.array(clean.poses)[:, :2], abs=0.1)


def test_unknown_solver_is_reported() -> None:
    graph, _ = ring()
    with pytest.raises(UnknownName, match=r"no solver called 'gtsan'.*gtsam"):
        graph.solve("gtsan")


def test_built_in_solver_refuses_large_graphs_and_names_the_extra() -> None:
    graph = PoseGraph([Pose(0, 0, 0)])
    for _ in range(600):
        graph.extend(Pose(1, 0, 0), SPREAD)
    with pytest.raises(PaddockError, match=r"601 poses needs a solver .*'\.\[slam\]"):
        graph.solve("own")


@pytest.mark.parametrize("seed", range(5))
def test_graph_paths_match_dijkstra(seed: int) -> None:
    networkx = pytest.importorskip("networkx")
    random = np.random.default_rng(seed)
    graph, _ = ring(false_loops=5, seed=seed)
    oracle = networkx.Graph()
    for edge in [*graph.steps, *graph.loops]:
        length = LOOP_LENGTH + uncertainty(edge) if edge.is_loop else math.hypot(edge.step.x, edge.step.y)
        known = oracle.get_edge_data(edge.first, edge.second, {"weight": math.inf})["weight"]
        oracle.add_edge(edge.first, edge.second, weight=min(length, known))
    start = int(random.integers(121))
    lengths = networkx.single_source_dijkstra_path_length(oracle, start)
    assert find_shortest_paths(graph, start) == pytest.approx([lengths[k] for k in range(121)])
