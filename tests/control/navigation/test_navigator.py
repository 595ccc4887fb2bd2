"""Tests of navigation goals: reached, changed and refused."""

from __future__ import annotations

import math

import pytest

from command_line import paddock
from control.navigation.rooms import TWO_ROOMS, open_rooms
from paddock import open as paddock_open
from paddock.arena import Arena, make_mapper
from paddock.control.navigation import Navigator
from paddock.core.errors import PaddockError
from paddock.core.geometry import wrap
from paddock.simulation.worlds.world_spec import WorldSpec


def navigator_in(arena: Arena, goal: tuple[float, float] | None = None, heading: float | None = None) -> Navigator:
    robot = arena["pioneer"]
    return Navigator(make_mapper(robot, pose=robot.pose), robot.spec, goal, heading)


@pytest.mark.heavy
def test_goal_in_the_next_room_is_reached_with_given_heading() -> None:
    with open_rooms() as arena:
        navigator = navigator_in(arena, (5.3, 1.0), math.pi / 2)
        episode = arena.run(90, navigator)
        pose = arena["pioneer"].pose
    assert math.dist(pose[:2], (5.3, 1.0)) < 0.2
    assert abs(wrap(pose.heading - math.pi / 2)) < 0.25
    assert episode.reason == "(5.30, 1.00) reached"
    assert episode.trace.contacts.max() == 0
    assert navigator.refusal == ""


@pytest.mark.heavy
def test_goal_at_the_current_position_is_reached_with_unchanged_map() -> None:
    with open_rooms() as arena:
        robot = arena["pioneer"]
        navigator = Navigator(make_mapper(robot, method="particles", pose=robot.pose), robot.spec, robot.pose[:2])
        episode = arena.run(4, navigator)
    assert episode.reason == "(1.00, 1.00) reached"


@pytest.mark.heavy
def test_robot_stops_without_laser_data_and_resumes(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_rooms() as arena:
        robot = arena["pioneer"]
        navigator = navigator_in(arena, (1.0, 2.7))
        arena.run(1.5, navigator)
        assert robot.wheels.speeds[0] > 0.2
        with monkeypatch.context() as patch:
            patch.setattr(navigator.mapper.reader, "read", lambda *_: None)
            arena.run(2.0, navigator)
            assert robot.wheels.speeds == pytest.approx((0.0, 0.0), abs=1e-3)
            assert robot.pose.y < 2.3
            arena.run(6.0, navigator)
        assert navigator.driver.recoveries == 0
        assert arena.run(15, navigator).reason == "(1.00, 2.70) reached"


@pytest.mark.heavy
def test_goals_can_be_changed_or_cancelled_and_invalid_ones_are_refused() -> None:
    with open_rooms() as arena:
        navigator = navigator_in(arena)
        assert navigator.state == "waiting for a goal"
        told: list[str] = []

        def change(arena: Arena) -> None:
            if arena.tick == 20:
                assert navigator.set_goal(2.0, 2.8)
            elif arena.tick == 200:
                told.append(navigator.state)
                assert navigator.set_goal(1.0, 2.0)
            elif arena.tick == 500:
                assert not navigator.set_goal(0.0, 2.0)
                told.append(navigator.refusal)
                assert not navigator.set_goal(4000.0, 40.0)
                told.append(navigator.refusal)

        arena.run(10.4, navigator, on_step=change)
        assert math.dist(arena["pioneer"].pose[:2], (1.0, 2.0)) < 0.5
    assert told[0] in ("driving", "turning")
    assert told[1] == "(0.00, 2.00) is in an obstacle"
    assert told[2] == "(4000.00, 40.00) is more than 50 m beyond the known map"
    assert navigator.state == f"refused: {told[2]}"
    assert not navigator.done
    with pytest.raises(PaddockError, match="finite"):
        navigator.set_goal(math.nan, 0.0)


@pytest.mark.heavy
def test_unreachable_goal_is_refused_once_known() -> None:
    with open_rooms() as arena:
        arena["pioneer"].set_pose(4.0, 0.8, 1.0)
        navigator = navigator_in(arena, (4.6, 1.9))  # inside the pillar
        episode = arena.run(60, navigator)
    assert navigator.refusal
    assert episode.reason == f"refused: {navigator.refusal}"


@pytest.mark.heavy
def test_robot_avoids_an_obstacle_that_appears_in_its_path() -> None:
    extra = {"name": "other", "type": "e-puck", "at": [5.5, 3.0]}
    tall = {"base": "e-puck", "name": "tall", "body": {"height": 1.0}}
    table = TWO_ROOMS.to_table()
    table["robots"] = [*table["robots"], {**extra, "type": tall}]
    with paddock_open(WorldSpec.from_table(table), seed=1) as arena:
        pioneer, other = arena["pioneer"], arena["other"]
        navigator = navigator_in(arena, (1.0, 2.9))
        stepped: list[float] = []

        def step_into_the_way(arena: Arena) -> None:
            if pioneer.pose.y > 1.6 and not stepped:
                other.set_pose(pioneer.pose.x, pioneer.pose.y + 0.75)
                stepped.append(pioneer.wheels.speeds[0])

        episode = arena.run(20, {"pioneer": navigator}, on_step=step_into_the_way)
    assert stepped[0] > 0.3
    assert episode.robots["pioneer"].trace.contacts.max() == 0
    assert episode.reason == "(1.00, 2.90) reached"


@pytest.mark.heavy
def test_command_reports_whether_the_goal_was_reached() -> None:
    done = paddock("map", "goto", "yellow-rooms", "2.5", "2.5", "--headless", "--mapping", "odometry")
    assert (done.returncode, "(2.50, 2.50) reached" in done.stdout) == (0, True)
    done = paddock("map", "goto", "yellow-rooms", "-900", "1", "--headless", "--mapping", "odometry")
    assert (done.returncode, "(-900.00, 1.00) is more than 50 m beyond" in done.stdout) == (1, True)
    done = paddock("map", "goto", "yellow-rooms", "4", "0.8", "--headless", "--mapping", "odometry")  # in a wall
    assert (done.returncode, "refused: (4.00, 0.80) is" in done.stdout) == (1, True)
