"""The work of a step is bounded for any robot."""

from __future__ import annotations

import numpy as np
import pytest

import paddock
from paddock.simulation.engine.model import MAX_SPEED
from paddock.simulation.sensors.compass import CompassSpec
from paddock.simulation.worlds.world_spec import Cylinder, RobotPlacement
from scenes import alone, crate, puck, world

PILLARS = tuple(Cylinder(at=(0.2 * i - 1.5, 0.3 * j - 1.4), radius=0.02) for i in range(16) for j in range(10))
FLEA = {"radius": 0.001, "wheel_separation": 0.01, "wheel_diameter": 0.01}
THIN = ((-0.5, -0.0005), (0.5, -0.0005), (0.5, 0.0005), (-0.5, 0.0005))


def test_robot_that_sweeps_too_far_in_a_tick_is_refused_with_a_fix() -> None:
    kind = puck(**FLEA, max_speed=100.0)
    with pytest.raises(paddock.SpecError) as refused:
        paddock.open(world(RobotPlacement(name="flea", type=kind, at=(0, 0))))
    assert str(refused.value) == (
        "robots[0].type: robot 'flea' may sweep 2 m in a tick of 0.02 s; expected at most 0.1 m for a body of "
        "this size: lower its max_speed (or slip_noise) to 0.05 of its value, or shorten dt"
    )
    arena = paddock.open(world(RobotPlacement(name="flea", type=kind, at=(0, 0))), dt=0.0005)
    arena["flea"].wheels.set(100.0, 100.0)
    arena.step(200)
    assert np.isfinite(arena.poses).all()


@pytest.mark.parametrize("kind", [puck(**FLEA), crate(outline=THIN, max_speed=0.1)], ids=["round", "angular"])
@pytest.mark.parametrize("speed", [1e3, 1e9, 1e300])
def test_sweep_terminates_at_any_speed(kind: paddock.RobotSpec, speed: float) -> None:
    arena, robot = alone(robot=kind, cylinders=PILLARS, at=(0.1, 0.05))
    arena.model.robots[:, MAX_SPEED] = speed
    arena.commands[0, 0, :2] = speed, -0.7 * speed
    arena.step(3)
    assert max(abs(robot.pose.x), abs(robot.pose.y)) <= 2


def test_excessive_sensor_delays_are_refused_before_allocation() -> None:
    kind = puck(CompassSpec(name="compass", delay=60.0))
    robots = [RobotPlacement(name=f"robot{i}", type=kind, at=(0.2 * i - 1.8, 0)) for i in range(18)]
    with pytest.raises(
        paddock.SpecError, match=r"^robots: expected periods and delays of sensors of at most \d+ ticks"
    ):
        paddock.open(world(*robots), dt=0.0001)
