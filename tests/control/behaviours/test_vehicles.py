"""Tests of Braitenberg's four vehicles near a lamp and near an obstacle."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

import paddock
from paddock.control.policies.braitenberg import (
    DEVICES,
    VEHICLES,
    Braitenberg,
    aggression,
    explorer,
    fear,
    love,
    vehicle,
)
from paddock.simulation.worlds.world_spec import Cylinder, Light, RobotPlacement, WorldSpec

START, LAMP, PILLAR = (0.4, 1.0), (1.0, 1.15), (0.7, 1.02)  # lamp and pillar are ahead, a little to the left
TOUCHING = 0.05 + 0.037  # [m] from the pillar's centre


@dataclass(frozen=True)
class Drive:
    """Run of a vehicle for thirty seconds, sampled every half second."""

    distances: list[float]  # to the lamp or the pillar [m]
    speeds: list[float]  # forward [m/s]
    heading: float  # at the end [rad]


def drive(controller: Braitenberg, *, mirrored: bool = False) -> Drive:
    """Drive near a lamp if the vehicle senses light, else near a pillar; without noise, so that mirrored runs match."""
    y = -1.0 if mirrored else 1.0
    light = controller.device == "light"
    at = (LAMP if light else PILLAR)[0], 1.0 + y * ((LAMP if light else PILLAR)[1] - 1.0)
    world = WorldSpec(
        name="stage",
        bounds=(0, 0, 2, 2),
        lights=(Light(at=at, height=0.05, intensity=0.1),) if light else (),
        cylinders=() if light else (Cylinder(at=at, radius=0.05),),
        robots=(RobotPlacement(name="r", type="e-puck", at=START, noise=False),),
    )
    distances, speeds = [], []
    with paddock.open(world, seed=1) as arena:
        robot = arena["r"]
        robot.enable(controller.device)
        for _ in range(60):
            arena.run(0.5, controller)
            distances.append(math.dist(robot.pose[:2], at))
            speeds.append(sum(robot.wheels.speeds) / 2)
        return Drive(distances, speeds, robot.pose.heading)


@pytest.mark.parametrize("device", DEVICES)
def test_fear_turns_away_and_speeds_up_near_the_source(device: str) -> None:
    run = drive(fear(device=device))
    assert min(run.distances) > TOUCHING + 0.004
    assert run.distances[-1] > 2 * run.distances[0]
    assert run.heading < -0.5  # away from what was on the left
    assert max(run.speeds) > 1.2 * run.speeds[-1]  # faster near it than far from it


def test_aggression_drives_over_a_lamp_at_rising_speed() -> None:
    run = drive(aggression(device="light"))
    assert min(run.distances) < 0.02
    nearest = run.distances.index(min(run.distances))
    assert max(run.speeds[nearest - 3 : nearest + 1]) > 2 * run.speeds[0]


def test_aggression_drives_into_obstacle_and_pushes() -> None:
    run = drive(aggression())
    assert run.distances[-1] == pytest.approx(TOUCHING, abs=0.002)
    assert run.speeds[-1] > 2 * run.speeds[0]


@pytest.mark.parametrize("device", DEVICES)
def test_love_turns_to_the_source_and_stops_before_it(device: str) -> None:
    run = drive(love(device=device))
    assert run.speeds[-1] < 0.02 * run.speeds[0]
    assert TOUCHING + 0.005 < run.distances[-1] < run.distances[0]
    assert run.heading > 0.05  # turned to what was on the left


@pytest.mark.parametrize("device", DEVICES)
def test_explorer_slows_down_turns_away_and_drives_on(device: str) -> None:
    run = drive(explorer(device=device))
    assert min(run.speeds) < 0.7 * max(run.speeds)
    assert run.distances.index(min(run.distances)) < 10
    assert max(run.distances) > 0.9
    assert min(run.distances) > TOUCHING + 0.004


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", VEHICLES)
def test_mirrored_scenes_give_mirrored_runs(name: str, device: str) -> None:
    one, other = (drive(vehicle(name, device=device), mirrored=mirrored) for mirrored in (False, True))
    assert other.distances == pytest.approx(one.distances, abs=0.02)
    assert math.cos(other.heading) == pytest.approx(math.cos(one.heading), abs=0.1)


def test_vehicle_weights_scale_with_speed() -> None:
    slow, fast = fear(0.04), fear(0.08)
    assert [2 * weight for weight in (*slow.left, *slow.right, *slow.speed)] == [*fast.left, *fast.right, *fast.speed]


def test_unknown_vehicles_and_devices_suggest_closest_name() -> None:
    with pytest.raises(paddock.UnknownName, match="did you mean 'fear'"):
        vehicle("fera")
    with pytest.raises(paddock.UnknownName, match="did you mean 'light'"):
        love(device="ligt")


def test_light_vehicles_give_same_digest_compiled_and_interpreted() -> None:
    """A run of policies only is fused; a run with an `on_sense` callback calls `act` in every tick."""
    ends = []
    for watched in (False, True):
        world = WorldSpec(
            name="stage",
            bounds=(0, 0, 2, 2),
            lights=(Light(at=LAMP, height=0.05, intensity=0.1),),
            robots=(RobotPlacement(name="r", type="e-puck", at=START),),
        )
        with paddock.open(world, seed=3) as arena:
            arena["r"].enable("light")
            if watched:
                arena["r"].on_sense(lambda seen: None)
            arena.run(5.0, explorer(device="light"))
            ends.append(arena.digest())
    assert ends[0] == ends[1]
