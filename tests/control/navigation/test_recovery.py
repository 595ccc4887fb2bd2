"""Tests of recovery behaviours."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.control.navigation import CostMap, DriveLimits, Footprint, RecoverySequence, Twist, make_follower
from paddock.control.navigation.costmap import crop
from paddock.control.navigation.path_driver import DEFAULT_RECOVERIES, Surroundings
from paddock.control.navigation.vehicle import roll_on
from paddock.core.errors import UnknownName
from paddock.core.geometry import Pose, rectangle
from paddock.perception.mapping import GridFrame, Scan

FRAME = GridFrame(-2.0, -2.0, 0.05, 80, 80)
FOLLOWER = make_follower("pure-pursuit", DriveLimits(wheel_separation=0.32, max_speed=1.2, max_acceleration=1.0))
ANGLES = np.radians(np.arange(-90.0, 91.0))


def run_recoveries(
    recoveries: tuple[str, ...], *walls: tuple[float, float, float, float]
) -> list[list[tuple[Pose, Twist]]]:
    """Return poses and twists of each recovery in order, from the origin, with the longest range on the left."""
    states = np.zeros(FRAME.shape, np.int8)
    for x0, y0, x1, y1 in walls:
        (r0, c0), (r1, c1) = FRAME.cell(x0, y0), FRAME.cell(x1, y1)
        states[r0 : r1 + 1, c0 : c1 + 1] = 1
    local = CostMap.of(states, FRAME, Footprint.of(rectangle(0.44, 0.38)))
    scan = Scan(0.0, ANGLES, np.where(ANGLES > 0.5, 3.0, 0.5), 5.0)
    sequence, pose, time, runs = RecoverySequence(recoveries), Pose(0.0, 0.0, 0.0), 0.0, []
    while sequence.start(time):
        rows: list[tuple[Pose, Twist]] = []
        while (twist := sequence.update(Surroundings(pose, time, local, scan, FOLLOWER))) is not None:
            pose, time = Pose(*roll_on(*pose, *twist, 0.1)), time + 0.1
            rows.append((pose, twist))
            assert local.clearance(pose) > 0
        runs.append(rows)
    return runs


def test_recoveries_run_in_order_and_then_end() -> None:
    look, back, aside, free = run_recoveries(DEFAULT_RECOVERIES)
    assert sum(abs(twist.angular) * 0.1 for _, twist in look) == pytest.approx(math.tau, abs=0.2)
    assert math.dist(back[0][0][:2], back[-1][0][:2]) == pytest.approx(0.31, abs=0.05)
    assert all(twist.linear < 0 and twist.angular == 0 for _, twist in back)
    assert sum(twist.angular * 0.1 for _, twist in aside) == pytest.approx(math.pi / 2, abs=0.1)  # to the left
    assert free[0][1].linear < 0 < free[-1][1].angular


def test_get_free_backs_and_turns_until_there_is_space_ahead() -> None:
    (rows,) = run_recoveries(("get-free",), (0.35, -1.0, 0.4, 1.0))
    backed = [pose for pose, twist in rows if twist.linear < 0]
    assert math.dist(backed[-1][:2], (0.0, 0.0)) == pytest.approx(0.17, abs=0.04)
    assert 0.5 < rows[-1][0].heading < math.pi


def test_robot_in_a_niche_neither_backs_nor_turns_into_walls() -> None:
    look, back = run_recoveries(
        ("look-round", "back-up"), (-1.0, -0.32, 1.0, -0.29), (-1.0, 0.29, 1.0, 0.32), (-0.4, -0.3, -0.37, 0.3)
    )
    assert sum(abs(twist.angular) for _, twist in look) * 0.1 < 0.3
    assert sum(math.hypot(*twist) for _, twist in back) * 0.1 < 0.1


@pytest.mark.parametrize("behind", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("beyond_the_map", [False, True])
def test_robot_backs_only_over_known_space(behind: float, beyond_the_map: bool) -> None:
    column = FRAME.cell(-behind, 0.0)[1]
    states, frame = np.zeros(FRAME.shape, np.int8), FRAME
    states[:, :column] = -1
    if beyond_the_map:
        states, frame = crop(states, FRAME, 2.0 - behind, 0.0, 2.0)
    local = CostMap.of(states, frame, Footprint.of(rectangle(0.44, 0.38)))
    sequence, pose, time = RecoverySequence(("back-up",)), Pose(0.0, 0.0, 0.0), 0.0
    sequence.start(time)
    while (twist := sequence.update(Surroundings(pose, time, local, None, FOLLOWER))) is not None:
        pose, time = Pose(*roll_on(*pose, *twist, 0.1)), time + 0.1
    assert pose.x - 0.22 > min(-behind, -0.22 - 1e-9)
    assert (pose.x < -0.3) == (behind == 0.7)


def test_unknown_recovery_is_refused_by_name() -> None:
    with pytest.raises(UnknownName, match="did you mean 'back-up'"):
        RecoverySequence(("back-upp",))
