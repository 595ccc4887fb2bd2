"""Light sensors: inverse square, cosine and shadows."""

from __future__ import annotations

import math

import pytest

import paddock
from paddock.simulation.sensors.light import LightSpec
from paddock.simulation.worlds.world_spec import Cylinder, Light, RobotPlacement, Wall
from scenes import alone, puck, world

EYE = LightSpec(name="light", mounts=((0, 0, 0.05, 0),))


@pytest.mark.parametrize("away", [0.2, 0.5, 1.0, 1.9])
def test_light_falls_with_the_square_of_the_distance(away):
    _arena, robot = alone(EYE, lights=(Light(at=(away, 0), height=0.05, intensity=3.0),))
    assert robot.light.read() == pytest.approx(3.0 / away**2)


@pytest.mark.parametrize("bearing", [0, 30, 80, 100, 180])
def test_light_falls_with_the_cosine_and_is_zero_from_behind(bearing):
    at = (math.cos(math.radians(bearing)), math.sin(math.radians(bearing)))
    _arena, robot = alone(EYE, lights=(Light(at=at, height=0.05),))
    assert robot.light.read() == pytest.approx(max(0.0, math.cos(math.radians(bearing))), abs=1e-12)


def test_raised_lamp_is_farther_and_more_oblique():
    _arena, robot = alone(EYE, lights=(Light(at=(0.4, 0), height=0.35),))
    assert robot.light.read() == pytest.approx(0.8 / 0.25)


def test_lamps_add_up():
    lamps = (Light(at=(1, 0), height=0.05), Light(at=(0.5, 0), height=0.05, intensity=0.25))
    _arena, robot = alone(EYE, lights=lamps)
    assert robot.light.read() == pytest.approx(2.0)


# The ray from the sensor at 0.05 m to the lamp at 0.45 m, 1 m away, passes 0.25 m above the floor half way.
LAMP = (Light(at=(1.0, 0.0), height=0.45),)
OPEN = 1.0 / math.hypot(1.0, 0.4) ** 3


@pytest.mark.parametrize(("height", "seen"), [(0.24, True), (0.26, False)])
def test_tall_wall_casts_a_shadow_and_a_low_one_does_not(height, seen):
    wall = Wall(points=((0.5, -1), (0.5, 1)), thickness=0.0, height=height)
    _arena, robot = alone(EYE, walls=(wall,), lights=LAMP)
    assert robot.light.read() == pytest.approx(OPEN if seen else 0.0)


def test_wall_behind_the_lamp_casts_no_shadow():
    wall = Wall(points=((1.2, -1), (1.2, 1)), height=2.0)
    _arena, robot = alone(EYE, walls=(wall,), lights=LAMP)
    assert robot.light.read() == pytest.approx(OPEN)


def test_posts_and_other_robots_cast_shadows():
    arena, robot = alone(EYE, cylinders=(Cylinder(at=(0.5, 0.0), radius=0.1, height=0.3),), lights=LAMP)
    assert robot.light.read() == 0.0
    for tall, seen in ((0.1, OPEN), (0.3, 0.0)):
        robots = (
            RobotPlacement(name="eye", type=puck(EYE), at=(0, 0)),
            RobotPlacement(name="b", type=puck(height=tall), at=(0.5, 0)),
        )
        arena = paddock.open(world(*robots, lights=LAMP))
        arena["eye"].enable()
        assert arena["eye"].light.read() == pytest.approx(seen)
