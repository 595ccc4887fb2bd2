"""Tests of wall following with eight sonars, a laser scanner or infrared sensors."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from paddock.control.behaviours.tasks.following import find_ring
from paddock.control.behaviours.wall import Side, WallRing, follow_wall, make_wall_follower
from paddock.control.behaviours.wall.estimate import RING
from paddock.control.behaviours.wall.wall_ring import PLACES
from paddock.experiments.scenarios import prepare, run_scenario
from paddock.experiments.scenarios.scenario_body import make_task_context
from paddock.experiments.scenarios.scenario_spec import OdometrySpec, Safety, ScenarioSpec
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds.world_spec import Border, RobotPlacement, Wall, WorldSpec

ORIGIN = paddock.Pose(0.0, 0.0, 0.0)
SHRINK = 0.16  # an e-puck among Pioneers


def make_ring(robot: RobotSpec, kind: str) -> WallRing:
    context = make_task_context(robot, dt=0.05, safety=Safety(), odometry=OdometrySpec(), start=ORIGIN)
    ring = find_ring(context.rangers[kind], context.wheel_separation)
    assert ring is not None
    return ring


def room(size: float) -> WorldSpec:
    """Build a room with four inner corners and a wall end with two outer corners."""
    stub = Wall(points=((3.0 * size, 0.0), (3.0 * size, 1.6 * size)), thickness=0.1 * size, height=0.8)
    border = Border(height=0.8, thickness=0.1 * size)
    return WorldSpec(name="room", bounds=(0, 0, 6 * size, 5 * size), border=border, walls=(stub,))


class Walk(NamedTuple):
    home: bool
    contacts: int
    error: float  # [m] mean


def walk(type: str, kind: str, follower: str, side: Side, clearance: float, **sensor: Any) -> Walk:
    """Follow the wall once around the room."""
    robot = load_robot(type)
    eyes = next(replace(each, **sensor) for each in robot.sensors if each.kind == kind)
    robot = replace(robot, sensors=(eyes, robot.sensor("encoders")))
    ring = make_ring(robot, kind)
    size = SHRINK if type == "e-puck" else 1.0
    at = (1.5 * size, clearance + (0.031 if type == "e-puck" else 0.137))
    placed = RobotPlacement(name="p", type=robot, at=at, heading_deg=180 if side == "left" else 0)
    arena = paddock.open(room(size).with_robots(placed), seed=1, dt=0.05)
    body = arena["p"]
    body.enable()
    follow = follow_wall(make_wall_follower(follower, robot={"clearance": clearance}), side, ring=ring)
    start, travel, errors, contacts, home = body.pose, body.encoders.read(), [], 0, False
    while arena.time < 200 and not home:
        seen, encoders = body.devices[eyes.name].read(), body.encoders.read()
        body.wheels.set(*follow(seen, 0.05, tuple((encoders - travel) / 0.05)))
        travel = encoders
        errors.append(abs(min(ring.read(seen)[:8]) * ring.scale - clearance))
        arena.step()
        contacts += len(body.contacts) > 0
        home = arena.time > 10 and math.dist(start[:2], body.pose[:2]) < 0.07 * max(size, 0.2)
    return Walk(home, contacts, float(np.median(errors)))


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("type", "kind", "follower", "side", "clearance", "error", "sensor"),
    [
        ("pioneer-p2dx", "sonar", "pid", "right", 0.23, 0.02, {}),
        ("pioneer-p2dx", "sonar", "tuned", "left", 0.23, 0.015, {}),
        pytest.param("pioneer-p2dx", "sonar", "fuzzy", "left", 0.23, 0.02, {}, marks=pytest.mark.long),
        pytest.param("pioneer-p2dx", "sonar", "geometry", "right", 0.23, 0.015, {}, marks=pytest.mark.long),
        pytest.param("pioneer-p2dx", "laser", "pid", "left", 0.23, 0.03, {}, marks=pytest.mark.long),
        ("pioneer-p2dx", "laser", "fuzzy", "right", 0.23, 0.03, {}),
        ("pioneer-p2dx", "laser", "geometry", "left", 0.23, 0.02, {"period": 0.05}),
        ("e-puck", "proximity", "pid", "right", 0.02, 0.008, {}),
        ("e-puck", "proximity", "fuzzy", "left", 0.03, 0.008, {}),
    ],
)
def test_robots_with_other_sensors_round_inner_and_outer_corners(
    type: str, kind: str, follower: str, side: Side, clearance: float, error: float, sensor: dict[str, Any]
) -> None:
    done = walk(type, kind, follower, side, clearance, **sensor)
    assert done.home
    assert done.contacts == 0
    assert done.error < error


def test_ring_places_match_pioneer_sonar_mounts() -> None:
    sonar = load_robot("pioneer-p3dx").sensor("sonar")
    for place, (x, y, _, heading) in zip(PLACES, sonar.mounts, strict=True):
        assert (place.x, place.y, math.degrees(place.heading)) == pytest.approx((x, y, heading), abs=2e-3)
    assert [place for place in RING if place.number < 15] == list(PLACES[:7])


@settings(max_examples=30)
@given(st.lists(st.floats(0.05, 4.9), min_size=8, max_size=8))
def test_eight_sonars_fill_the_front_of_the_ring(readings: list[float]) -> None:
    ring = make_ring(load_robot("pioneer-p2dx"), "sonar")
    assert (ring.scale, set(ring.chosen)) == (1.0, set(range(8)))
    seen = ring.read(readings)
    assert seen[:8] == readings
    assert seen[9:15] == [5.0] * 6
    assert all(0 <= reading <= 10 for reading in seen)
    mirrored = ring.read(readings[::-1])
    assert (mirrored[15], mirrored[8]) == (seen[8], seen[15])


@given(st.floats(0.3, 1.5), st.floats(-0.1, 0.1))
def test_scanner_beams_give_equivalent_sonar_readings(distance: float, slope: float) -> None:
    ring = make_ring(load_robot("pioneer-p2dx"), "laser")
    x0, y0, headings = np.array(ring.rays).T
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # a wall on the left, y = distance + slope x
        ranges = (distance + slope * x0 - y0) / (np.sin(headings) - slope * np.cos(headings))
    seen = ring.read(np.where((ranges > 0) & (ranges < 20), ranges, 20.0))
    beside, behind = PLACES[0], PLACES[15]
    square = (distance + slope * beside.x - beside.y) * math.cos(math.atan(slope))
    assert seen[0] == pytest.approx(square, abs=0.02)
    assert seen[15] == pytest.approx(distance + slope * behind.x - behind.y, abs=0.05)
    assert seen[7] == 20.0


def test_infrared_readings_are_scaled_by_robot_size() -> None:
    ring = make_ring(load_robot("e-puck"), "proximity")
    assert ring.scale == pytest.approx(0.053 / 0.33)
    seen = ring.read([0.07, 0.07, 0.07, 0.07, 0.07, 0.03, 0.07, 0.05])
    assert (seen[0], seen[3]) == pytest.approx((0.03 / ring.scale, 0.05 / ring.scale))
    assert seen[7] == pytest.approx(0.07 / ring.scale)


def test_unsuitable_sensors_are_refused() -> None:
    small, pioneer = make_ring(load_robot("e-puck"), "proximity"), make_ring(load_robot("pioneer-p2dx"), "sonar")
    with pytest.raises(paddock.PaddockError, match="with a range of 1 m; pid and fuzzy need less"):
        follow_wall(make_wall_follower("geometry", robot={"clearance": 0.03}), "left", ring=small)
    with pytest.raises(paddock.PaddockError, match=r"clearance: expected less than the sensor range of 0\.07 m, got"):
        follow_wall(make_wall_follower("min"), "left", ring=small)
    with pytest.raises(paddock.PaddockError, match="reverse: needs the sixteen sonars"):
        follow_wall(make_wall_follower("min"), "left", reverse=True, ring=pioneer)


@pytest.mark.heavy
@pytest.mark.parametrize("sensor", [None, "laser"])
def test_scenario_selects_sensor_for_wall_follow(sensor: str | None) -> None:
    follow = {"task": "wall-follow", "follower": "pid", "clearance": 0.25, "after": 2, "within": 20}
    table = {
        "name": "corridor",
        "world": "yellow-rooms",
        "robot": {"name": "pioneer", "at": [2.0, 0.45], "heading_deg": 180},
        "tasks": [follow | ({"sensor": sensor} if sensor else {})],
    }
    result = run_scenario(prepare(ScenarioSpec.from_table(table)), seed=1)
    assert result.tasks[0].why.startswith("loop closed")
    assert result.episode.trace.reading(sensor or "sonar").shape[1] == (181 if sensor else 8)


@pytest.mark.heavy
def test_docs_example_turns_the_corner() -> None:
    page = (Path(__file__).parents[3] / "docs" / "experiments/wall-follower.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page.split("## Other robots")[1].split("\n## ")[0], re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["robot"].pose.heading == pytest.approx(math.pi / 2, abs=0.3)
    assert names["robot"].contacts == ()
