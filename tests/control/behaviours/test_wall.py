"""Tests of wall followers: formulas, symmetry, and loops along walls of every kind."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paddock
from marks import rarely
from paddock.control.behaviours.wall import (
    WALL_FOLLOWERS,
    Side,
    WallFollower,
    follow_wall,
    list_numbers,
    make_wall_follower,
)
from paddock.control.behaviours.wall.estimate import RING, WallEstimate
from paddock.control.behaviours.wall.geometry import GeometryFollower, SlowGeometryFollower
from paddock.control.behaviours.wall.pid import PidFollower
from paddock.control.behaviours.wall.wall_follower import mirror_ranges, mirror_wheels
from paddock.core.errors import PaddockError
from paddock.experiments.reproductions.wall_follower.followers import CLEARANCE, StudyFollower
from paddock.experiments.reproductions.wall_follower.tune import search
from paddock.simulation.robots import load_robot
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.sensors.sonar import SonarSpec
from paddock.simulation.worlds.world_spec import Arc, Border, Box, RobotPlacement, Wall, WorldSpec

ring = st.lists(st.floats(0.05, 5.0), min_size=16, max_size=16)
SIDES: tuple[Side, ...] = ("left", "right")


def make(name: str) -> WallFollower:
    return make_wall_follower(name, robot={"clearance": CLEARANCE})


@given(ring)
def test_min_follower_matches_its_formula(readings: list[float]) -> None:
    nearest = min(1.0, *readings[:8])
    root = math.sqrt(abs(nearest - 0.23)) * (1 if nearest < 0.23 else -1)  # too near: the wall-side wheel is faster
    expected = [0.5 * min(1.2, max(-1.2, 1.3 * nearest + turn)) for turn in (root, -root)]
    assert StudyFollower(gain=1.3, multi=False).update(readings, 0.05) == pytest.approx(expected)


def test_multi_follower_weights_front_sonars_and_clips_at_one_metre() -> None:
    follower = StudyFollower(gain=6.1, multi=True, speed_slip=1.0)
    everything_far = 6.1 * math.radians(2 * (0.75 + 0.55 + 0.5 + 0.25))
    root = math.sqrt(1 - 0.23)
    assert follower.update([5.0] * 16, 0.05) == pytest.approx((everything_far - root, min(1.2, everything_far + root)))


def test_speed_slip_is_applied_after_the_speed_limit() -> None:
    fast = StudyFollower(gain=100, multi=False)
    assert fast.update([0.5] * 16, 0.05) == (0.6, 0.6)
    assert replace(fast, speed_slip=1.0).update([0.5] * 16, 0.05) == (1.2, 1.2)


@pytest.mark.parametrize("name", WALL_FOLLOWERS)
@given(readings=ring)
def test_every_follower_is_left_right_symmetric(name: str, readings: list[float]) -> None:
    mirrored = readings[7::-1] + readings[:7:-1]
    left, right = follow_wall(make(name), "left"), follow_wall(make(name), "right")
    for _ in range(3):  # followers have memories
        a, b = left(np.array(readings), 0.05, None), right(np.array(mirrored), 0.05, None)
        assert a == (b.right, b.left)
        assert all(math.isfinite(speed) and abs(speed) <= 1.2 + 1e-9 for speed in a)


@given(ring)
def test_reverse_uses_rear_sonars_and_reversed_wheels(readings: list[float]) -> None:
    ahead = follow_wall(make("min"), "left")(np.array(readings), 0.05, None)
    behind = follow_wall(make("min"), "left", reverse=True)(np.array(readings[8:] + readings[:8]), 0.05, None)
    assert behind == (-ahead.right, -ahead.left)


@given(ring, st.sampled_from(SIDES), st.booleans())
def test_mirroring_twice_changes_nothing(readings: list[float], side: Side, reverse: bool) -> None:
    once = mirror_ranges(readings, side, reverse)
    assert mirror_ranges(once, side, reverse) == readings
    assert mirror_wheels(*mirror_wheels(0.1, 0.2, side, reverse), side, reverse) == (0.1, 0.2)


def test_unknown_follower_suggests_closest_name() -> None:
    with pytest.raises(paddock.UnknownName, match=r"^no wall follower called 'mulit' \(did you mean 'multi'\?\)$"):
        make_wall_follower("mulit")


@pytest.mark.parametrize("name", WALL_FOLLOWERS)
def test_start_resets_the_follower(name: str) -> None:
    follower, rng = make(name), np.random.default_rng(1)
    rows = rng.uniform(0.1, 1.5, (20, 16))

    def drive() -> list[tuple[float, float]]:
        follower.start()
        return [follower.update(row.tolist(), 0.05) for row in rows]

    assert drive() == drive()


@pytest.mark.parametrize("name", WALL_FOLLOWERS)
def test_robots_that_share_a_follower_are_independent(name: str) -> None:
    shared, rows = make(name), np.random.default_rng(2).uniform(0.1, 1.5, (20, 16))
    alone = [follow(row, 0.05, None) for follow in [follow_wall(shared, "left")] for row in rows]
    first, second = follow_wall(shared, "left"), follow_wall(shared, "right")
    together = [(first(row, 0.05, None), second(row, 0.05, None)) for row in rows]
    assert [pair[0] for pair in together] == alone


def test_clearance_comes_from_robot_unless_follower_defines_it() -> None:
    robot = {"clearance": 0.4}
    assert make_wall_follower("pid", robot=robot).clearance == 0.4  # type: ignore[attr-defined]
    assert make_wall_follower("pid", {"clearance": 0.3}, robot=robot).clearance == 0.3  # type: ignore[attr-defined]
    assert make_wall_follower("min", robot=robot).clearance == 0.23  # type: ignore[attr-defined]
    with pytest.raises(paddock.SpecError, match=r"^clearance: missing: pid has no default for it$"):
        make_wall_follower("pid")


def test_follower_parameters_are_checked_by_name_and_value() -> None:
    assert {"gain", "clearance", "speed_slip"} <= set(list_numbers("min"))
    assert make_wall_follower("min", {"gain": 2}).gain == 2.0  # type: ignore[attr-defined]
    with pytest.raises(paddock.SpecError, match=r"^gian: unknown key \(did you mean 'gain'\?\)$"):
        make_wall_follower("min", {"gian": 2})
    with pytest.raises(paddock.SpecError, match=r"^gain: expected"):
        make_wall_follower("min", {"gain": -1})


def test_slow_geometry_follower_equals_fast_one_at_its_speed() -> None:
    at_speed = GeometryFollower(clearance=0.25).at_speed(0.15)
    assert vars(SlowGeometryFollower(clearance=0.25)) == vars(at_speed)


class Mute(WallFollower):
    def update(self, ranges: Any, dt: float, wheel_speeds: Any = None) -> Any:
        return None


def test_follower_without_wheel_speeds_is_reported_with_file_and_line() -> None:
    line = Mute.update.__code__.co_firstlineno
    said = rf"test_wall.py line {line}: Mute.update: expected wheel speeds \(left, right\) \[m/s\], got None$"
    with pytest.raises(paddock.PaddockError, match=said):
        follow_wall(Mute(), "left")(np.ones(16), 0.05, None)


@given(st.floats(-5, 60), st.floats(0.35, 1.5))
def test_two_adjacent_sonars_locate_a_flat_wall(bearing_deg: float, distance: float) -> None:
    bearing, half_cone = math.radians(bearing_deg), math.radians(15)
    seen = [5.0] * 16
    for sonar in RING:
        aside = max(0.0, abs(bearing - sonar.heading) - half_cone)
        seen[sonar.number] = (distance - sonar.reach(bearing)) / math.cos(aside)
    k = 3 if bearing_deg < 10 else 2 if bearing_deg < 40 else 1
    found = WallEstimate(RING, half_cone, 0.001).fit_flat_wall(k, seen)
    assert found is not None
    assert found == pytest.approx((distance, bearing), abs=0.02)


def test_parameter_search_is_deterministic_and_finds_the_minimum() -> None:
    def bowl(numbers: dict[str, float]) -> float:
        return (numbers["a"] - 0.3) ** 2 + (numbers["b"] + 0.6) ** 2

    limits = {"a": (-1.0, 1.0), "b": (-1.0, 1.0)}
    runs = [list(search(bowl, limits, {"a": 0.0, "b": 0.0}, rounds=15, seed=4)) for _ in range(2)]
    assert runs[0] == runs[1]
    costs = [found.cost for found in runs[0]]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < 1e-3


# Whole walks. The robot's sonars are fresh every 50 ms, with noise.


def pioneer(**sonar: Any) -> RobotSpec:
    robot = load_robot("pioneer-p3dx")
    kept = []
    for sensor in robot.sensors:
        if isinstance(sensor, SonarSpec):
            kept.append(replace(sensor, **{"period": 0.05, "noise": 1.0, **sonar}))
        elif sensor.name == "encoders":
            kept.append(sensor)
    return replace(robot, sensors=tuple(kept))


def walk(
    world: str | WorldSpec,
    follower: WallFollower,
    side: Side,
    at: tuple[float, float],
    heading_deg: float,
    seconds: float,
    *,
    robot: RobotSpec | None = None,
    reverse: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Follow the wall for one loop: time [s], way [m], mean error [m], contacts, and whether the loop closed."""
    spec = paddock.simulation.worlds.load_world(world) if isinstance(world, str) else world
    placed = RobotPlacement(name="p", type=robot or pioneer(), at=at, heading_deg=heading_deg)
    arena = paddock.open(spec.with_robots(placed), seed=seed, dt=0.05)
    body = arena["p"]
    body.enable("sonar", "encoders")
    follow = follow_wall(follower, side, reverse)
    start, before, travel = body.pose, body.pose, body.encoders.read()
    errors, way, contacts, home = [], 0.0, 0, False
    while arena.time < seconds and not home:
        sonar, encoders = body.sonar.read(), body.encoders.read()
        body.wheels.set(*follow(sonar, 0.05, tuple((encoders - travel) / 0.05)))
        travel = encoders
        errors.append(abs(min(sonar[8:] if reverse else sonar[:8]) - CLEARANCE))
        arena.step()
        contacts += len(body.contacts) > 0
        way += math.dist(before[:2], body.pose[:2])
        before = body.pose
        home = arena.time > 10 and math.dist(start[:2], before[:2]) < 0.07
    return {"time": arena.time, "way": way, "error": float(np.mean(errors)), "contacts": contacts, "home": home}


def room(*walls: Wall, arcs: tuple[Arc, ...] = ()) -> WorldSpec:
    return WorldSpec(name="room", bounds=(0, 0, 6, 5), border=Border(height=0.8, thickness=0.1), walls=walls, arcs=arcs)


STUB = Wall(points=((3.0, 0.0), (3.0, 1.6)), thickness=0.1, height=0.8)
HOOK = Wall(points=((0.0, 3.0), (1.5, 3.0), (1.5, 2.0)), thickness=0.1, height=0.8)
SLANT = Wall(points=((4.6, 5.0), (6.0, 3.8)), thickness=0.1, height=0.8)
BULGE = Arc(at=(3.0, 0.0), radius=1.2, from_deg=0, to_deg=180, thickness=0.1, height=0.8)
HOLLOW = Arc(at=(4.0, 2.0), radius=2.05, from_deg=-90, to_deg=0, thickness=0.1, height=0.8)


@pytest.mark.heavy
@pytest.mark.parametrize("side", ["left", *rarely("right")])
@pytest.mark.parametrize("name", ["min", "multi", "pid", "fuzzy", "geometry", "tuned"])
def test_every_follower_rounds_room_with_corners_and_wall_ends(name: str, side: Side) -> None:
    done = walk(room(STUB), make(name), side, (1.5, 0.37), 180 if side == "left" else 0, 300)
    assert done["home"]
    assert done["contacts"] == 0
    assert done["error"] < 0.02


@pytest.mark.heavy
@pytest.mark.parametrize("side", ["left", *rarely("right")])
@pytest.mark.parametrize(
    "world", [room(STUB, HOOK, SLANT), room(arcs=(BULGE, HOLLOW))], ids=["hook and slant", "curved"]
)
@pytest.mark.parametrize("name", ["geometry", "tuned", *rarely("geometry-slow", "tuned-slow")])
def test_better_followers_handle_hooks_slants_and_curves(name: str, world: WorldSpec, side: Side) -> None:
    done = walk(world, make(name), side, (1.2, 0.37), 180 if side == "left" else 0, 300)
    assert done["home"]
    assert done["contacts"] == 0
    assert done["error"] < 0.016


@pytest.mark.heavy
@pytest.mark.parametrize("side", ["left", *rarely("right")])
def test_tuned_follower_is_faster_and_more_accurate_than_the_study(side: Side) -> None:
    done = walk("wall-loop", make("tuned"), side, (0.37, 7.0), 90 if side == "left" else -90, 120)
    assert done["home"]
    assert done["contacts"] == 0
    assert done["time"] <= 110
    assert done["way"] / done["time"] >= 0.80
    assert done["error"] <= 0.013


@pytest.mark.heavy
def test_study_follower_matches_published_figures() -> None:
    robot = pioneer(range=1.0, nothing_seen=1.0, cone_deg=20.0, max_incidence_deg=45.0)
    done = walk("wall-loop", make("multi-fast"), "left", (0.37, 7.0), 90, 700, robot=robot)
    assert done["home"]
    assert done["time"] / 3 == pytest.approx(155, rel=0.2)
    assert done["way"] == pytest.approx(89.07, rel=0.05)
    assert 0.0131 / 1.5 < done["error"] < 0.0131 * 1.5


@pytest.mark.heavy
@pytest.mark.parametrize("side", ["left", *rarely("right")])
@pytest.mark.parametrize("name", WALL_FOLLOWERS)
def test_every_follower_rounds_corners_and_wall_ends_in_reverse(name: str, side: Side) -> None:
    heading = 0 if side == "left" else 180
    done = walk(room(STUB), make(name), side, (1.5, 0.38), heading, 300, reverse=True, robot=pioneer(noise=2.0))
    assert done["home"]
    assert done["contacts"] == 0


def steps(gap: float) -> WorldSpec:
    """Build a room whose border has 5 cm steps at a given spacing."""
    places = [1.0 + i * (0.8 + gap) for i in range(4)]
    boxes = tuple(Box(at=(x + 0.4, 4.975), size=(0.8, 0.05), height=0.8) for x in places if x < 5)
    return replace(room(), boxes=boxes)


@pytest.mark.heavy
@pytest.mark.parametrize("side", ["left", *rarely("right")])
@pytest.mark.parametrize("gap", [0.3, *rarely(0.1, 0.6)])
@pytest.mark.parametrize("name", ["geometry", "tuned", *rarely("geometry-slow", "tuned-slow")])
def test_better_followers_pass_steps_of_5_cm(name: str, gap: float, side: Side) -> None:
    done = walk(steps(gap), make(name), side, (1.5, 0.37), 180 if side == "left" else 0, 300, robot=pioneer(noise=2.0))
    assert done["home"]
    assert done["contacts"] == 0
    assert done["error"] < 0.03


def slits() -> WorldSpec:
    """Build a room with a wall of blocks, 0.6 m deep, separated by slits that are too narrow for the robot."""
    blocks = ((1.6, 2.4), (2.5, 3.1), (3.4, 4.4))
    boxes = tuple(Box(at=((a + b) / 2, 4.7), size=(b - a, 0.6), height=0.8) for a, b in blocks)
    return replace(room(), boxes=boxes)


@pytest.mark.heavy
@pytest.mark.parametrize("side", ["left", *rarely("right")])
@pytest.mark.parametrize("name", ["geometry", "tuned", *rarely("geometry-slow", "tuned-slow")])
def test_better_followers_pass_slits_too_narrow_to_enter(name: str, side: Side) -> None:
    done = walk(slits(), make(name), side, (1.5, 0.37), 180 if side == "left" else 0, 300, robot=pioneer(noise=2.0))
    assert done["home"]
    assert done["contacts"] == 0


@pytest.mark.heavy
@pytest.mark.parametrize("side", ["left", *rarely("right")])
@pytest.mark.parametrize("name", ["geometry", "tuned"])
def test_better_followers_turn_back_in_corners_of_45_degrees(name: str, side: Side) -> None:
    wedge = Wall(points=((4.0, 5.0), (6.0, 3.0)), thickness=0.1, height=0.8)
    other = Wall(points=((6.0, 2.6), (4.0, 2.6)), thickness=0.1, height=0.8)
    done = walk(room(wedge, other), make(name), side, (1.5, 0.37), 180 if side == "left" else 0, 120)
    assert done["home"]
    assert done["contacts"] == 0


@pytest.mark.heavy
@pytest.mark.parametrize("side", ["left", *rarely("right")])
@pytest.mark.parametrize("name", ["geometry", "tuned"])
def test_robot_can_start_beside_a_wall_end(name: str, side: Side) -> None:
    x = 3.0 + 0.416 * (1 if side == "left" else -1)
    for y in (1.4, 1.5, 1.7):  # the wall ends at 1.6
        done = walk(room(STUB), make(name), side, (x, y), 90, 60)
        assert done["home"]
        assert done["contacts"] == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: make_wall_follower("fuzzy", {"clearance": 0.2, "distance_width": 0}),
            "distance_width: expected a number > 0",
        ),
        (
            lambda: make_wall_follower("pid", {"clearance": 0.2, "turn_most": 0}),
            "turn_most: expected a number > 0, got 0",
        ),
        (
            lambda: make_wall_follower("geometry", {"clearance": 0.2, "acceleration": 0}),
            "acceleration: expected a number > 0",
        ),
        (lambda: follow_wall(PidFollower, "left"), "expected a wall follower such as PidFollower"),
        (lambda: follow_wall(PidFollower(clearance=0.2), "up"), "no side called 'up'"),
        (
            lambda: follow_wall(PidFollower(clearance=0.2), "left")(np.ones(8), 0.1, None),
            "expected 16 distances, got 8",
        ),
    ],
)
def test_invalid_followers_are_refused(call: Any, message: str) -> None:
    with pytest.raises(PaddockError, match=message):
        call()
