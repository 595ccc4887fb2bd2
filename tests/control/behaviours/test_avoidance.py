"""Tests of the obstacle avoidances alone, in controllers and in scenarios."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.control.behaviours.avoidance import (
    AVOIDANCE,
    EPUCK_RING,
    AvoidingController,
    Distal,
    ObstacleAvoidance,
    Planning,
    Proximal,
    ProximityRing,
    find_avoidance,
    make_avoidance,
)
from paddock.control.behaviours.avoidance.memory import ObstacleMemory, find_path, is_open
from paddock.core.errors import PaddockError, SpecError, UnknownName
from paddock.core.geometry import Pose
from paddock.experiments.scenarios import load_scenario, run_scenario
from paddock.experiments.scenarios.scenario_body import find_ring
from paddock.simulation.robots import load_robot

FREE = [EPUCK_RING.range] * 8
ORIGIN = Pose(0.0, 0.0, 0.0)


def sees(**distances: float) -> list[float]:
    """Return the distances of the ring, e.g. `ps0=0.02`; unnamed sensors see nothing."""
    return [distances.get(f"ps{i}", EPUCK_RING.range) for i in range(8)]


def test_epuck_ring_matches_shipped_robot() -> None:
    assert find_ring(load_robot("e-puck")) == EPUCK_RING
    assert EPUCK_RING.right == (0, 1)
    assert EPUCK_RING.left == (7, 6)


@given(st.floats(0.0, 0.0699))
def test_counts_and_distances_are_inverse(distance: float) -> None:
    assert EPUCK_RING.find_distance(EPUCK_RING.find_counts(distance)) == pytest.approx(distance, abs=1e-9)


def test_no_echo_is_zero_counts_and_missing_response_is_refused() -> None:
    assert EPUCK_RING.find_counts(0.07) == 0.0
    assert EPUCK_RING.find_distances([0.0, 4095.0]) == [0.07, 0.0]
    bare = ProximityRing(mounts=EPUCK_RING.mounts, range=0.07, radius=0.037)
    with pytest.raises(PaddockError, match="response: missing"):
        bare.find_counts(0.02)


def test_obstacles_on_the_right_take_precedence() -> None:
    assert EPUCK_RING.find_obstacle(sees(ps0=0.015, ps7=0.015), 480) == -1.0
    assert EPUCK_RING.find_obstacle(sees(ps7=0.015), 480) == 1.0
    assert EPUCK_RING.find_obstacle(sees(ps2=0.001), 480) == 0.0


@pytest.mark.parametrize("name", AVOIDANCE.builtin)
def test_robot_reaches_goal_on_a_free_path(name: str) -> None:
    avoidance = make_avoidance(name, within=0.005)
    avoidance.reset(ORIGIN, (0.3, 0.1))
    pose, ticks = drive(avoidance, ORIGIN)
    assert avoidance.state == "reached"
    assert math.dist(pose[:2], (0.3, 0.1)) <= 0.005
    assert ticks * 0.02 < 12.0
    assert avoidance.moving_time == pytest.approx(ticks * 0.02, abs=0.03)
    assert avoidance.act(FREE, pose, 0.02) == (0.0, 0.0)


def drive(avoidance: ObstacleAvoidance, pose: Pose, most: int = 2000) -> tuple[Pose, int]:
    """Apply the wheel speeds exactly, in an empty world."""
    for tick in range(most):
        left, right = avoidance.act(FREE, pose, 0.02)
        if avoidance.state != "driving":
            return pose, tick
        turn, along = (right - left) * 0.02 / avoidance.wheel_separation, (left + right) / 2 * 0.02
        middle = pose.heading + turn / 2
        pose = Pose(pose.x + along * math.cos(middle), pose.y + along * math.sin(middle), pose.heading + turn)
    return pose, most


def test_distal_turns_45_degrees_and_counts_detections() -> None:
    distal = Distal(most_tries=1)
    distal.reset(ORIGIN, (1.0, 0.0))
    assert distal.act(FREE, ORIGIN, 0.02) == (distal.speed, distal.speed)
    left, right = distal.act(sees(ps0=0.01), ORIGIN, 0.02)
    assert left < 0 < right
    assert distal.detections == 1
    turned = Pose(0.0, 0.0, math.pi / 4)
    assert distal.act(FREE, turned, 0.02) == (distal.speed, distal.speed)
    distal.act(FREE, Pose(0.04, 0.04, math.pi / 4), 0.02)
    assert (distal.tries, distal.state) == (1, "gave up")


def test_proximal_matches_published_formula() -> None:
    proximal = Proximal(pull=1e-9, stretch=1.0)
    proximal.reset(ORIGIN, (9.0, 0.0))
    left, right = proximal.act(FREE, ORIGIN, 0.02)
    step = math.pi * 0.041 / 1000
    assert (left / step, right / step) == pytest.approx((250, 250), rel=1e-4)
    left, right = proximal.act(sees(ps0=EPUCK_RING.find_distance(512)), ORIGIN, 0.02)
    assert (left / step, right / step) == pytest.approx((100, 285), rel=1e-4)


def test_timeout_ends_avoidance_and_invalid_values_are_refused() -> None:
    avoidance = Planning(timeout=0.1)
    avoidance.reset(ORIGIN, (5.0, 0.0))
    drive(avoidance, ORIGIN, most=10)
    assert avoidance.state == "gave up"
    with pytest.raises(PaddockError, match="8 distances, got 3"):
        Planning().act([0.07] * 3, ORIGIN, 0.02)
    with pytest.raises(PaddockError, match=r"speed: expected m/s <= 0\.1288"):
        Planning(speed=1.0)
    with pytest.raises(PaddockError, match="within: expected a number > 0, got -1"):
        Distal(within=-1)
    with pytest.raises(PaddockError, match="8 pairs, one per sensor, got 1"):
        Proximal(weights=((1.0, 1.0),))


def test_unknown_avoidances_and_parameters_suggest_closest_name() -> None:
    with pytest.raises(UnknownName, match="did you mean 'planning'"):
        find_avoidance("planing")
    with pytest.raises(UnknownName, match="did you mean 'threshold'"):
        make_avoidance("distal", treshold=500)


def test_free_beam_clears_a_sighting() -> None:
    memory = ObstacleMemory(ring=EPUCK_RING)
    assert memory.add_readings(sees(ps0=0.03), ORIGIN, 0.0) == 1
    assert memory.closed
    assert memory.add_readings(FREE, ORIGIN, 1.0) == 0
    assert not memory.sightings
    assert not memory.closed
    assert not memory.tight


def test_path_avoids_sightings_and_stays_within_bounds() -> None:
    memory = ObstacleMemory(ring=EPUCK_RING, bounds=(-0.2, -0.2, 0.6, 0.3))
    for y in np.arange(-0.2, 0.15, 0.01):
        memory.add_sighting(0.2, float(y), 0.02, 0.0)
    path = find_path(memory, (0.0, 0.0), (0.4, 0.0))
    assert path is not None
    assert max(y for _, y in path.points) > 0.15
    assert path.cost > 0.5
    assert all(is_open(memory, a, b) for a, b in zip(path.points, path.points[1:], strict=False))
    for y in np.arange(0.14, 0.3, 0.01):
        memory.add_sighting(0.2, float(y), 0.02, 0.0)
    assert find_path(memory, (0.0, 0.0), (0.4, 0.0)) is None


SCENARIO = """
name = "around"
[world]
base = "empty"
walls = [{{ points = [[0.5, 0.9], [0.5, 0.1]] }}]
robots = [{{ name = "red", type = "{robot}", at = {at} }}]
[[tasks]]
task = "go-to"
x = 0.75
y = 0.5
avoid = "{avoid}"
"""


@pytest.mark.heavy
def test_scenario_go_to_uses_named_avoidance(tmp_path: Path) -> None:
    result = run_scenario(load_scenario(write(tmp_path, "planning")), seed=1)
    assert [(task.done, task.why) for task in result.tasks] == [(True, "(0.75, 0.5) reached")]
    assert result.episode.trace.contacts.max() == 0


def test_invalid_avoidance_is_refused_when_scenario_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"tasks\[0\]\.avoid: no avoidance called 'distel' \(did you mean 'distal'\?\)"):
        load_scenario(write(tmp_path, "distel"))
    with pytest.raises(SpecError, match=r"needs a proximity sensor: robot 'red' \(pioneer-p3dx\) has"):
        load_scenario(write(tmp_path, "planning", robot="pioneer-p3dx", at="[1.2, 1.2]"))


@pytest.mark.heavy
def test_scenario_loads_avoidance_from_user_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    result = run_scenario(load_scenario(write(tmp_path, "mine.py:Mine")), seed=1)
    assert [(task.done, task.why[:7]) for task in result.tasks] == [(False, "gave up")]


OWN = """from dataclasses import dataclass

from paddock.control.behaviours.avoidance import ObstacleAvoidance


@dataclass(kw_only=True)
class Mine(ObstacleAvoidance):
    def decide(self, proximity, pose, dt):
        return self.give_up() if min(proximity) < 0.03 else (self.speed, self.speed)
"""


def write(folder: Path, avoid: str, robot: str = "e-puck", at: str = "[0.25, 0.5]") -> Path:
    path = folder / "around.toml"
    path.write_text(SCENARIO.format(avoid=avoid, robot=robot, at=at), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: make_avoidance("planning", memory_time="long"),
            "Planning: memory_time: expected a finite number, got 'long'",
        ),
        (
            lambda: make_avoidance("distal", most_tries=math.nan),
            "Distal: most_tries: expected a finite number, got nan",
        ),
        (lambda: make_avoidance("planning", ring=3), "Planning: ring: expected a ProximityRing, got 3"),
        (lambda: AvoidingController("planning", ORIGIN, (1, 1)), "expected an avoidance such as Planning"),
        (
            lambda: AvoidingController(make_avoidance("distal"), ORIGIN, (1, 1, 1)),
            "Distal: goal: expected .x, y. in metres",
        ),
        (
            lambda: make_avoidance("planning").act([0.07] * 8, ORIGIN, -0.1),
            "Planning: dt: expected seconds >= 0, got -0.1",
        ),
    ],
)
def test_invalid_avoidances_are_refused(call: Any, message: str) -> None:
    with pytest.raises(PaddockError, match=message):
        call()
