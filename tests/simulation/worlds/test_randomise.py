"""Randomisation by seed: starts on lines, at named starts or anywhere, and wheel errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from paddock.core.errors import PaddockError
from paddock.simulation.worlds import RobotPlacement, Start, load_world
from paddock.simulation.worlds.placement import check_placement, robot_types
from paddock.simulation.worlds.randomise import Randomise
from paddock.simulation.worlds.starts import FloorLine

LINE = load_world("line-crossing")
POINTS = FloorLine(LINE).sample(np.arange(1000) / 1000)


@pytest.mark.parametrize("seed", range(10))
def test_two_robots_on_line_start_opposite_and_facing_each_other(seed: int) -> None:
    robots = Randomise(starts="line").apply(replace(LINE, cylinders=(), boxes=()), seed).robots
    places = np.array([robot.at for robot in robots])
    nearest = np.hypot(*(places[:, None] - POINTS[:, :2]).transpose(2, 0, 1)).argmin(axis=1)
    assert abs((nearest[1] - nearest[0]) % 1000 - 500) <= 2
    along = np.cos(np.radians([robot.heading_deg for robot in robots]) - POINTS[nearest, 2])
    assert along[0] * along[1] < -0.9


@pytest.mark.parametrize("seed", range(5))
def test_random_starts_are_free_deterministic_and_within_limits(seed: int) -> None:
    world = load_world("clutter")
    made = Randomise(starts="anywhere", wheel_error=0.02).apply(world, seed)
    check_placement(made, robot_types(made))
    assert made == Randomise(starts="anywhere", wheel_error=0.02).apply(world, seed)
    near = Randomise(position=0.02, heading_deg=5).apply(world, seed).robots[0]
    assert max(abs(a - b) for a, b in zip(near.at, world.robots[0].at, strict=True)) <= 0.02
    assert abs(near.heading_deg - 90) <= 5
    assert all(abs(error) <= 0.02 for error in made.robots[0].wheel_diameter_error)


def test_named_starts_are_permuted_and_must_suffice() -> None:
    starts = tuple(Start(name=f"s{k}", at=(0.2 + 0.3 * k, 0.5)) for k in range(3))
    world = replace(load_world("empty"), starts=starts)
    robots = tuple(
        RobotPlacement(name=name, type="e-puck", at=(0.5, 0.2 + 0.1 * k)) for k, name in enumerate(("a", "b"))
    )
    chosen = {
        tuple(robot.at for robot in Randomise(starts="named").apply(world.with_robots(*robots), seed).robots)
        for seed in range(40)
    }
    assert len(chosen) == 6
    with pytest.raises(PaddockError, match="has 1 starts for 2 robots"):
        Randomise(starts="named").apply(replace(world, starts=starts[:1]).with_robots(*robots), 0)
