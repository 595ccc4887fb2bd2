"""Tests of loop closure in graph SLAM."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.core.geometry import Pose, relative, wrap
from paddock.perception.mapping.graph_slam import GraphOptions, GraphSlam
from perception.mapping.drives import along, follow, place_errors, record
from perception.mapping.floor_plans import equal_rooms, ring_corridor

pytestmark = pytest.mark.heavy

ROUND = [(1.0, 1.0), (19.0, 1.0), (19.0, 13.0), (1.0, 13.0)]


def false_loops(slam: GraphSlam, truth: list[Pose]) -> list[tuple[int, int, float]]:
    """Return accepted loops whose error exceeds their covariance (chi², 3 dimensions, 99.99 %)."""
    first = {key: k for k, (key, _) in reversed(list(enumerate(slam._places)))}
    at = [truth[first[key]] for key in range(len(slam.scans))]  # of the key scans, the poses of the graph
    found = []
    for loop in slam.graph.loops:
        step = relative(at[loop.first], at[loop.second])
        error = np.array([loop.step.x - step.x, loop.step.y - step.y, wrap(loop.step.heading - step.heading)])
        squared = float(error @ np.linalg.solve(loop.covariance, error))
        if squared > 21.1:
            found.append((loop.first, loop.second, squared))
    return found


@pytest.fixture(scope="module")
def two_rounds() -> tuple[GraphSlam, list[Pose], list[Pose]]:
    truth = along(*ROUND, *ROUND, (1.0, 1.0), (10.0, 1.0))
    log = record(ring_corridor(), truth)
    return follow(log), truth, list(log.odometry)


def test_loop_around_a_block_is_closed(two_rounds: tuple[GraphSlam, list[Pose], list[Pose]]) -> None:
    slam, truth, odometry = two_rounds
    assert place_errors(odometry, truth).max() > 3.0
    errors = place_errors(slam.poses(), truth)
    assert len(slam.graph.loops) >= 20
    assert errors.mean() < 0.06
    assert errors.max() < 0.1
    assert false_loops(slam, truth) == []


@pytest.mark.long
def test_graph_slam_is_deterministic() -> None:
    log = record(ring_corridor(), along(*ROUND, (1.0, 1.0), (19.0, 1.0)))
    assert follow(log).poses() == follow(log).poses()


@pytest.mark.long
def test_injected_false_loops_are_refused(two_rounds: tuple[GraphSlam, list[Pose], list[Pose]]) -> None:
    clean, truth, _ = two_rounds
    slam = follow(record(ring_corridor(), truth), GraphOptions(false_loops=0.3, seed=2))
    made = slam.false_loops.made
    assert made >= 0.3 * len(clean.graph.loops)
    assert len(slam.checks.refused) >= made
    assert place_errors(slam.poses(), truth).mean() < 0.1


@pytest.mark.long
def test_similar_rooms_are_not_confused() -> None:
    way = [(1.0, 1.0)]
    for k in range(6):
        x = 4.0 * k + 2.0
        way += [(x, 1.0), (x, 3.2), (x + 1.0, 4.0), (x, 3.0), (x, 1.0)]
    truth = along(*way)
    slam = follow(record(equal_rooms(), truth))
    assert false_loops(slam, truth) == []
    assert place_errors(slam.poses(), truth).max() < 1.0


@pytest.mark.long
def test_bare_corridor_closes_no_false_loop() -> None:
    walls = np.array([[0, 0, 50, 0], [0, 2, 50, 2], [0, 0, 0, 2], [50, 0, 50, 2]], float)
    truth = along((1.0, 1.0), (48.0, 1.0), (2.0, 1.0))
    slam = follow(record(walls, truth, bias=math.radians(0.2)))
    assert false_loops(slam, truth) == []
    assert place_errors(slam.poses(), truth).max() < 1.2
