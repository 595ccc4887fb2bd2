"""Ground truth."""

from __future__ import annotations

import pytest

import paddock
from paddock.sensors.position import PositionSpec
from scenes import alone


def test_the_position_is_the_pose():
    arena, robot = alone(PositionSpec(name="position"), at=(0.3, 0.4), heading_deg=33)
    robot.drive(0.3, 0.4)
    for _ in range(20):
        arena.step()
        assert robot.position.read() == robot.pose


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_robot_cannot_be_put_nowhere(bad):
    _arena, robot = alone(PositionSpec(name="position"))
    for pose in ((bad, 0.0, 0.0), (0.0, bad, 0.0), (0.0, 0.0, bad)):
        with pytest.raises(paddock.PaddockError):
            robot.set_pose(*pose)
