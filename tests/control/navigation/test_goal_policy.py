"""Tests of policies that observe a goal: alone, on the page's way, and below a Navigator."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import paddock
from control.navigation.rooms import open_rooms
from paddock.arena import make_mapper
from paddock.arena.controllers import chosen_controllers
from paddock.arena.localisation import make_travel_sensors
from paddock.control.navigation import DriveLimits, GoalPolicy, Navigator, PolicyFollower
from paddock.control.navigation.goal_policy import add_goal
from paddock.control.policies import Input, Network
from paddock.core.geometry import Pose
from paddock.core.observation import Observation
from paddock.perception.estimation import EKF


def make_steering(speed: float = 0.1) -> Network:
    """Return a network without hidden layers that turns towards the goal: wheels = 0.5 · cosine ∓ sine."""
    inputs = (Input(device="goal_distance", values=1), Input(device="goal_direction", values=2))
    weights = [0.0, 0.0, 0.0, 0.0, 0.5, 0.5, -1.0, 1.0]  # biases, then distance, cosine, sine for left and right
    return Network(inputs=inputs, hidden=(), output="clip", speed=speed, weights=weights)


def make_controller(arena: paddock.Arena, **options: object) -> GoalPolicy:
    robot = arena["red"]
    robot.enable("encoders")
    return GoalPolicy(make_steering(), EKF(make_travel_sensors(robot.spec, robot.pose)), **options)  # type: ignore[arg-type]


def test_goal_is_seen_in_the_frame_of_the_robot() -> None:
    seen = add_goal(Observation(1.0, np.zeros(0), {}), Pose(1.0, 1.0, math.pi / 2), (0.0, 1.0))
    assert seen.goal_distance == 1.0
    assert seen.goal_direction == pytest.approx([0.0, 1.0])  # on its left


def test_policy_drives_to_a_goal_and_is_done() -> None:
    with paddock.open("empty", seed=1) as arena:
        goal = (arena["red"].pose.x + 0.3, arena["red"].pose.y - 0.3)
        episode = arena.run(30, {"red": make_controller(arena, goal=goal)})
        assert episode.reason == "(1.30, 0.70) reached"
        assert math.dist(arena["red"].pose[:2], goal) < 0.06


def test_goals_of_the_page_arrive_while_it_drives() -> None:
    with paddock.open("empty", seed=1) as arena:
        controller = make_controller(arena)
        answers: list[str] = []
        goal = (arena["red"].pose.x - 0.2, arena["red"].pose.y)

        def click(arena: paddock.Arena) -> None:
            if arena.tick == 10:
                arena.monitor.send_goal("red", *goal, answers.append)

        arena.run(20, {"red": controller}, on_step=click)
        assert answers == [""]
        assert math.dist(arena["red"].pose[:2], goal) < 0.06


def test_policy_without_a_goal_is_refused() -> None:
    network = Network(inputs=(Input(device="proximity", values=8),), hidden=())
    with (
        paddock.open("empty") as arena,
        pytest.raises(paddock.PaddockError, match="expected a policy with the devices"),
    ):
        GoalPolicy(network, EKF(make_travel_sensors(arena["red"].spec)))


def test_navigator_leads_the_policy_around_a_wall() -> None:
    with open_rooms() as arena:
        robot = arena["pioneer"]
        follower = PolicyFollower(limits=DriveLimits.of(robot.spec), policy=make_steering(speed=0.4), ahead=0.6)
        navigator = Navigator(make_mapper(robot, pose=robot.pose), robot.spec, (5.3, 1.0), follower=follower)
        episode = arena.run(120, navigator)
        assert episode.reason == "(5.30, 1.00) reached"
        assert episode.trace.contacts.max() == 0


def test_exported_policy_waits_for_goals_when_it_is_run(tmp_path: Path) -> None:
    make_steering().save(tmp_path / "steer.npz")
    with paddock.open("empty", seed=1) as arena:
        drivers = chosen_controllers(arena, None, tmp_path / "steer.npz")
        drivers.enable(arena)
        goal = (arena["red"].pose.x, arena["red"].pose.y + 0.2)
        drivers.controllers["red"].set_goal(*goal)
        arena.run(10, drivers.controllers)
        assert math.dist(arena["red"].pose[:2], goal) < 0.06
        assert drivers.controllers["red"].task == "waiting for a goal"
