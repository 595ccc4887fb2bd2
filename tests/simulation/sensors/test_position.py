"""The position sensor reads the true pose."""

from __future__ import annotations

import pytest

import paddock
from paddock.simulation.sensors.position import PositionSpec
from scenes import alone


def test_position_is_the_true_pose():
    arena, robot = alone(PositionSpec(name="position"), at=(0.3, 0.4), heading_deg=33)
    robot.drive(0.3, 0.4)
    for _ in range(20):
        arena.step()
        assert robot.position.read() == robot.pose


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_non_finite_pose_is_refused(bad):
    _arena, robot = alone(PositionSpec(name="position"))
    for pose in ((bad, 0.0, 0.0), (0.0, bad, 0.0), (0.0, 0.0, bad)):
        with pytest.raises(paddock.PaddockError):
            robot.set_pose(*pose)
