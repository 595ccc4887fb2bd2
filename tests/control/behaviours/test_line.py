"""Tests of line following, distance keeping and robots that meet on a line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.arena import Arena
from paddock.arena.controllers import load_controllers
from paddock.control.behaviours.distance import KeepDistance, steer
from paddock.control.behaviours.line import LineFollower, LinePatrol
from paddock.core.observation import Observation, Slot
from paddock.experiments.reproductions.epuck_framework.controllers import FROM_LEFT, ImprovedCrossing, StockCrossing
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds.world_spec import Cylinder, RobotPlacement, WorldSpec

NOTHING = 0.07
BRIGHT, DARK = 0.95, 0.05


def seen(near: dict[int, float] | None = None, line: str = "...", time: float = 0.0) -> Observation:
    """Observation with proximity by framework index (others see nothing) and the line as ".#.": left, middle, right."""
    ring = [NOTHING] * 8
    for index, distance in (near or {}).items():
        ring[FROM_LEFT[index]] = distance
    ground = [DARK if mark == "#" else BRIGHT for mark in line]
    slots = {"proximity": Slot(0, 8, lambda values: values), "ground": Slot(8, 11, lambda values: values)}
    return Observation(time, np.array(ring + ground), slots)


def share_on_line(arena: Arena, controller: Any, seconds: float) -> float:
    (robot,) = arena.robots.values()
    robot.enable("ground", "proximity")
    dark = 0
    ticks = round(seconds / arena.dt)
    for _ in range(ticks):
        observation = robot.sense()
        dark += bool((observation.ground < 0.5).any())
        robot.apply(controller.act(observation))
        arena.step()
    return dark / ticks


# Line following


@pytest.mark.heavy
@pytest.mark.parametrize("make", [LineFollower, LinePatrol])
def test_robot_stays_on_line_through_bends(make: Callable[[], Any]) -> None:
    with paddock.open("line-track", seed=5) as arena:
        assert share_on_line(arena, make(), 80) > 0.97


def test_follower_turns_towards_last_seen_line() -> None:
    follower = LineFollower(0.08)
    assert follower.act(seen(line=".#.")) == (0.08, 0.08)
    left, right = follower.act(seen(line="##."))
    assert left < right
    assert follower.act(seen())[0] < 0  # lost: harder to the same side
    left, right = follower.act(seen(line="..#"))
    assert left > right
    assert follower.act(seen())[1] < 0


# Keeping a distance


@pytest.mark.heavy
@pytest.mark.parametrize("side", ["left", "right"])
def test_robot_circles_a_pillar_at_set_distance(side: Any) -> None:
    y = 1.0 - 0.12 if side == "left" else 1.0 + 0.12
    world = WorldSpec(
        name="pillar",
        bounds=(0, 0, 2, 2),
        cylinders=(Cylinder(at=(1.0, 1.0), radius=0.06),),
        robots=(RobotPlacement(name="r", type="e-puck", at=(0.9, y)),),
    )
    with paddock.open(world, seed=2) as arena:
        robot, keep = arena["r"], KeepDistance(0.06, 0.03, side)
        robot.enable("proximity")
        arena.run(6, keep)
        bearings, gaps = [], []
        for _ in range(200):
            arena.run(0.1, keep)
            x, y = robot.pose.x - 1.0, robot.pose.y - 1.0
            gaps.append(math.hypot(x, y) - 0.06 - 0.031)  # to the sensor at the side
            bearings.append(math.atan2(y, x))
    turned = float(np.diff(np.unwrap(bearings)).sum())
    assert abs(turned) > 2 * math.pi
    assert (turned > 0) == (side == "left")
    assert min(gaps) > 0.010
    assert max(gaps) < 0.055


def test_robot_passes_obstacle_ahead_before_turning_to_its_side() -> None:
    keep = KeepDistance(0.08, 0.03, "left")
    keep.act(seen({1: 0.04}, time=0.0))
    assert keep.act(seen(time=0.02)) == (0.08, 0.08)
    left, right = keep.act(seen(time=1.5))
    assert left < right


def test_robot_drives_straight_until_it_finds_a_wall() -> None:
    world = WorldSpec(
        name="hall", bounds=(0, 0, 3, 1), robots=(RobotPlacement(name="r", type="e-puck", at=(0.3, 0.5)),)
    )
    with paddock.open(world, seed=2) as arena:
        robot, keep = arena["r"], KeepDistance(0.1, 0.03)
        robot.enable("proximity")
        arena.run(15, keep)
        assert robot.pose.x > 1.5
        arena.run(25, keep)
        assert robot.proximity.read()[5] < 0.06  # along the wall


def test_robot_that_loses_wall_circles_once_then_drives_straight() -> None:
    keep = KeepDistance(0.08, 0.03, "left")
    keep.act(seen({0: 0.03}, time=0.0))
    wheels = [keep.act(seen(time=time)) for time in (0.1, 5.0, 10.0, 15.0)]
    assert [left < right for left, right in wheels] == [True, True, False, False]


def test_steering_ranges_from_straight_to_turn_in_place() -> None:
    assert steer(0.1, 0.0) == (0.1, 0.1)
    assert steer(0.1, 1.0) == (0.0, 0.1)
    assert steer(0.1, -2.0) == (0.1, -0.1)


# The framework's controllers


def test_framework_indices_run_clockwise_from_left() -> None:
    bearings = [mount[3] for mount in load_robot("e-puck").sensor("proximity").mounts]
    clockwise = [bearings[number] for number in FROM_LEFT]
    assert clockwise[:6] == pytest.approx([90, 45, 17, -17, -46, -90], abs=1)
    assert clockwise[6] < -90
    assert clockwise[7] > 90


def test_stock_robot_turns_away_by_braitenberg_but_drives_straight_head_on() -> None:
    stock = StockCrossing(1.0)
    left, right = stock.act(seen({2: 0.02}))
    assert left > right  # from the left to the right
    assert (stock.act(seen({2: 0.02, 3: 0.02})), stock.state) == ((1.0, 1.0), "front")


def test_stock_robot_slows_wheel_on_side_of_line() -> None:
    stock = StockCrossing(1.0)
    assert stock.act(seen(line=".##")) == (1.0, 0.25)
    assert stock.act(seen(line="#..")) == (0.25, 1.0)
    assert stock.act(seen({0: 0.02})) == pytest.approx((0.4, 1.0))  # keeps by what is beside it
    assert stock.act(seen({0: 0.01})) == (1.0, 1.0)  # but not when it is very close


@pytest.mark.parametrize(
    ("near", "line", "wheels"),
    [
        ({}, ".##", (1.0, -0.75)),
        ({}, "##.", (-0.75, 1.0)),
        ({}, "###", (-1.0, 1.0)),
        ({}, "#..", (0.2, 1.0)),
        ({}, "..#", (1.0, 0.2)),
        ({}, ".#.", (1.0, 1.0)),
        ({5: 0.02}, "...", (1.0, 0.4)),  # beside, right: 1 - 1 · (1 - 0.02 / 0.05)
        ({5: 0.0125}, "...", (1.0, 1.0)),
        ({0: 0.02}, "...", (1.0, 1.0)),  # the left side does not matter
        ({2: 0.03}, ".#.", (-0.5, 1.0)),  # always to the left, on the line or not
        ({3: 0.0125}, "...", (-0.5, 1.0)),  # the other centre sensor still reads beyond
        ({1: 0.04}, "...", (-0.5, 1.0)),
        ({2: 0.0125, 3: 0.0125}, "...", (1.0, 1.0)),  # 1 + 2 · 0.75 - 2 · 0.75
        ({1: 0.025, 2: 0.0125, 3: 0.0125}, "...", (1.5, 0.5)),
    ],
)
def test_improved_crossing_matches_framework(near: dict[int, float], line: str, wheels: tuple[float, float]) -> None:
    assert ImprovedCrossing(1.0).act(seen(near, line)) == pytest.approx(wheels)


def test_curve_option_turns_right_when_nothing_is_seen() -> None:
    assert ImprovedCrossing(1.0, curve=0.2).act(seen()) == (1.0, 0.8)
    assert ImprovedCrossing(1.0, curve=0.2).act(seen({5: 0.02})) == pytest.approx((1.0, 0.4))


# Line patrol


def test_patrol_turns_right_and_goes_around_obstacle() -> None:
    patrol = LinePatrol(0.08)
    assert patrol.act(seen(line=".#.")) == (0.08, 0.08)
    left, right = patrol.act(seen({2: 0.02, 3: 0.02}, ".#.", time=0.02))
    assert (patrol.state, left > 0 > right) == ("turn away", True)
    patrol.act(seen(time=0.04))
    assert patrol.state == "pass"


@pytest.mark.parametrize("seconds", [1.5, 1.9])  # about 180°, from either side
def test_patrol_turns_back_when_it_finds_line_in_wrong_direction(seconds: float) -> None:
    patrol, time = LinePatrol(0.08), 0.0
    turned = 0.0

    def let(until: float, near: dict[int, float], line: str) -> None:
        nonlocal time, turned
        while time < until:
            left, right = patrol.act(seen(near, line, time))
            time += 0.02
            turned += (right - left) / 0.053 * 0.02

    let(2.0, {}, ".#.")
    before = turned
    let(2.0 + seconds, {2: 0.02}, "...")  # boxed in: it turns and turns
    let(time + 1.6, {0: 0.0175}, "...")  # straight on, along something
    assert patrol.state == "pass"
    assert math.cos(turned - before) < -0.7
    let(time + 0.3, {}, "###")
    assert patrol.state == "cross"
    let(time + 0.1, {}, "...")
    let(time + 0.3, {}, ".#.")
    assert patrol.state == "align"  # a line, but it leads back
    let(time + 3.0, {}, ".#.")
    assert patrol.state == "follow"
    assert math.cos(turned - before) > -0.2


@pytest.mark.heavy
def test_two_patrols_pass_without_contact() -> None:
    with paddock.open("line-crossing", seed=1004) as arena:
        for robot in arena.robots.values():
            robot.enable("ground", "proximity")
        patrols = {name: LinePatrol() for name in arena}
        touched = 0
        for _ in range(100):
            arena.run(0.1, patrols)
            touched += any(robot.contacts for robot in arena.robots.values())
        assert touched == 0
        assert arena["red"].pose.x > arena["blue"].pose.x  # they have changed sides …
        assert {patrol.state for patrol in patrols.values()} == {"follow"}  # … and are back on the line


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LineFollower("fast"), "LineFollower: speed: expected a finite number > 0, got 'fast'"),  # type: ignore[arg-type]
        (lambda: LinePatrol(math.nan), "LinePatrol: speed: expected a finite number > 0, got nan"),
        (lambda: LinePatrol(-1), "LinePatrol: speed: expected a finite number > 0, got -1"),
        (lambda: KeepDistance(side="lft"), r"no side called 'lft' \(did you mean 'left'\?\)"),  # type: ignore[arg-type]
        (lambda: KeepDistance(distance=0), "KeepDistance: distance: expected a finite number > 0, got 0"),
        (lambda: StockCrossing(math.inf), "StockCrossing: speed: expected a finite number > 0, got inf"),
        (lambda: ImprovedCrossing(None), "ImprovedCrossing: speed: expected a finite number > 0, got None"),  # type: ignore[arg-type]
        (lambda: ImprovedCrossing(curve="x"), "ImprovedCrossing: curve: expected a number from 0 to 1, got 'x'"),  # type: ignore[arg-type]
    ],
)
def test_invalid_arguments_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(paddock.PaddockError, match=message):
        make()


def test_controller_files_of_docs_page_run(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "experiments/line-crossing.md").read_text(encoding="utf-8")
    files = re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert [name for name, _ in files] == ["stock.py", "curving.py"]
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
        with paddock.open("line-crossing", seed=3) as arena:
            controllers = load_controllers(tmp_path / name, arena)
            assert isinstance(controllers["red"], StockCrossing)
            for robot in arena.robots.values():
                robot.enable("ground", "proximity")
            start = arena.poses
            arena.run(1.0, controllers)
            assert (np.abs(arena.poses - start).max(axis=1) > 0.01).all()
