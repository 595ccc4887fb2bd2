"""Tests of path followers: limits, clearance and arrival."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.control.navigation import (
    FOLLOWERS,
    CostMap,
    DriveLimits,
    Follower,
    Footprint,
    Twist,
    make_follower,
    resample,
)
from paddock.control.navigation.vehicle import roll_on
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose, rectangle
from paddock.perception.mapping import GridFrame

LIMITS = DriveLimits(wheel_separation=0.32, max_speed=1.2, max_acceleration=1.0)
BODY = Footprint.of(rectangle(0.44, 0.38))
FRAME = GridFrame(-1.0, -1.0, 0.05, 80, 120)  # to x = 5, y = 3
PATH = resample(np.array([[0.0, 0.0], [2.0, 0.0], [3.0, 1.0], [3.0, 2.0]]), 0.05)


def map_with_walls(*boxes: tuple[float, float, float, float]) -> CostMap:
    states = np.zeros(FRAME.shape, np.int8)
    for x0, y0, x1, y1 in boxes:
        (r0, c0), (r1, c1) = FRAME.cell(x0, y0), FRAME.cell(x1, y1)
        states[r0 : r1 + 1, c0 : c1 + 1] = 1
    return CostMap.of(states, FRAME, BODY)


def drive(name: str, local: CostMap, pose: Pose, seconds: float) -> list[tuple[Pose, Twist]]:
    """Follow the path for some time with ideal wheels."""
    follower, twist, rows = make_follower(name, LIMITS), Twist(0.0, 0.0), []
    for _ in range(round(seconds / 0.1)):
        nearest = int(np.argmin(np.hypot(*(PATH - pose[:2]).T)))
        twist = LIMITS.approach(twist, follower.follow(pose, twist, PATH[nearest:], local), 0.1)
        pose = Pose(*roll_on(*pose, *twist, 0.1))
        rows.append((pose, twist))
    return rows


@pytest.mark.heavy
@pytest.mark.parametrize("name", FOLLOWERS.builtin)
def test_path_is_followed_to_its_end_within_wheel_limits(name: str) -> None:
    local = map_with_walls((-0.5, -0.55, 2.5, -0.5), (1.0, 0.55, 2.0, 2.5))
    rows = drive(name, local, Pose(0.0, 0.0, 2.0), 20.0)  # it looks away at first
    assert math.dist(rows[-1][0][:2], PATH[-1]) < 0.15
    wheels = np.array([LIMITS.wheels(twist) for _, twist in rows])
    assert np.abs(wheels).max() <= LIMITS.max_speed
    assert np.abs(np.diff(wheels, axis=0)).max() <= LIMITS.max_acceleration * 0.1 + 1e-9
    assert min(local.clearance(pose) for pose, _ in rows) > 0
    off = [np.hypot(*(PATH - pose[:2]).T).min() for pose, _ in rows]
    assert max(off) < 0.3


@pytest.mark.heavy
@pytest.mark.parametrize("name", FOLLOWERS.builtin)
def test_follower_stops_before_a_wall_across_the_path(name: str) -> None:
    local = map_with_walls((1.4, -1.0, 1.5, 2.9))
    rows = drive(name, local, Pose(0.0, 0.0, 0.0), 8.0)
    assert min(local.clearance(pose) for pose, _ in rows) > 0
    assert abs(rows[-1][1].linear) < 0.02


def test_mppi_is_deterministic_per_seed_and_each_path_has_its_own_noise() -> None:
    local = map_with_walls()

    def decide(follower: Follower) -> Twist:
        return follower.decide(Pose(0.0, 0.0, 0.0), Twist(0.0, 0.0), PATH, local)

    drawn = []
    for seed in (0, 1, 2**32, 2**63 - 1):
        follower = make_follower("mppi", LIMITS, seed=seed)
        drawn.append(decide(follower))
        follower.begin_path()
        assert decide(follower) != drawn[-1]
        follower.reset()
        assert decide(follower) == drawn[-1]
    assert len(set(drawn)) == 4


def test_turn_takes_the_long_direction_when_the_short_one_is_blocked() -> None:
    tail = Footprint.of(((-0.5, -0.15), (0.2, -0.15), (0.2, 0.15), (-0.5, 0.15)))
    free, post = np.zeros(FRAME.shape, np.int8), np.zeros(FRAME.shape, np.int8)
    post[FRAME.cell(0.42 * math.cos(2.53), 0.42 * math.sin(2.53))] = 1  # behind, on the left
    follower, pose = make_follower("pure-pursuit", LIMITS), Pose(0.0, 0.0, 0.0)
    assert follower.turn_to(pose, -1.2, CostMap.of(free, FRAME, tail)).angular < 0
    assert follower.turn_to(pose, -1.2, CostMap.of(post, FRAME, tail)).angular > 0
    assert follower.turn_to(pose, -0.9, CostMap.of(post, FRAME, tail)) == (0.0, 0.0)  # the post stands in the way there


def test_invalid_limits_and_parameters_are_refused_by_name() -> None:
    with pytest.raises(PaddockError, match=r"speed: expected at most 1\.2 m/s"):
        DriveLimits(wheel_separation=0.3, max_speed=1.2, speed=2.0)
    with pytest.raises(UnknownName, match=r"nearst.*did you mean 'nearest'"):
        make_follower("pure-pursuit", LIMITS, nearst=1.0)
    with pytest.raises(PaddockError, match="seed: expected"):
        make_follower("mppi", LIMITS, seed=-1)
    with pytest.raises(UnknownName, match="mppi"):
        make_follower("mmpi", LIMITS)
