"""Bumpers are pressed on the side of the contact."""

from __future__ import annotations

import math

import pytest

import paddock
from paddock.simulation.sensors.bumper import BumperSpec
from paddock.simulation.worlds.world_spec import RobotPlacement
from scenes import alone, crate, puck, world

RING = BumperSpec(name="bumper", width_deg=90, mounts=tuple((0, 0, 0, heading) for heading in (0, 90, 180, -90)))


def test_no_bumper_is_pressed_without_contact():
    arena, robot = alone(RING)
    robot.wheels.set(0.5, 0.5)
    arena.step(10)
    assert robot.bumper.read().tolist() == [False] * 4


@pytest.mark.parametrize(("heading", "speed", "side"), [(0, 1, 0), (0, -1, 2), (60, 1, 3), (-60, 1, 1), (180, -1, 2)])
@pytest.mark.parametrize("kind", [puck, crate])
def test_only_the_bumper_at_the_wall_is_pressed(heading, speed, side, kind):
    x = 1.85 if (abs(heading) < 90 and speed > 0) or heading == 180 else -1.85
    arena, robot = alone(robot=kind(RING), at=(x, 0.0), heading_deg=heading)
    robot.wheels.set(0.3 * speed, 0.3 * speed)
    arena.step(60)
    pressed = robot.bumper.read().tolist()
    assert pressed == [i == side for i in range(4)]


def test_two_bumpers_are_pressed_in_a_corner():
    arena, robot = alone(robot=puck(RING), at=(1.9, 1.9), heading_deg=0)
    robot.set_pose(1.95, 1.95)
    arena.step()
    assert robot.bumper.read().tolist() == [True, True, False, False]


def test_robots_press_each_others_bumpers():
    arena = paddock.open(
        world(
            RobotPlacement(name="a", type=puck(RING), at=(0, 0)), RobotPlacement(name="b", type=puck(RING), at=(0.3, 0))
        )
    )
    arena["a"].wheels.set(0.3, 0.3)
    arena.step(60)
    for name, side in (("a", 0), ("b", 2)):
        arena[name].enable()
        assert arena[name].bumper.read().tolist() == [i == side for i in range(4)]


def test_box_that_cannot_turn_further_presses_a_bumper():
    skirt = BumperSpec(name="bumper", width_deg=360)
    arena, robot = alone(robot=crate(skirt), at=(1.92, 0.0), dt=0.05)
    robot.drive(0.3, 0.0)
    arena.step(3)
    robot.drive(0.0, 3.0)
    arena.step(40)
    before = robot.pose
    arena.step()
    assert robot.pose != before or robot.bumper.read().all()


def test_bumper_delay_is_applied():
    late = BumperSpec(name="bumper", width_deg=360, delay=0.1)
    arena, robot = alone(late, at=(1.5, 0))
    robot.wheels.set(0.5, 0.5)
    while not robot.contacts:
        arena.step()
    assert not any(robot.bumper.read())
    arena.step(5)
    assert all(robot.bumper.read())
    assert math.isclose(robot.pose.x, 1.95, abs_tol=1e-4)
