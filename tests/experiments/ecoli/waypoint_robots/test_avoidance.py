"""Obstacle avoidance of a robot: the published strategy and replacements."""

from __future__ import annotations

import math

import pytest

from experiments.ecoli.waypoint_robots.lines import Bench
from paddock.control.behaviours.avoidance import ObstacleAvoidance
from paddock.control.behaviours.avoidance.avoidance_strategy import bearing_to
from paddock.control.behaviours.avoidance.proximity_ring import Distances
from paddock.core.geometry import Point, Pose
from paddock.experiments.ecoli.waypoint_robots import DistalAvoidance, Manoeuvre, Sight, SteeredAvoidance
from paddock.experiments.ecoli.waypoint_robots.frames import write_checked


def see(*proximity: int, target: Point = (1.0, 0.0)) -> Sight:
    return Sight(proximity, 500.0, Pose(0.0, 0.0, 0.0), target, 0.01)


def test_published_strategy_turns_away_from_the_detecting_side() -> None:
    strategy = DistalAvoidance()
    assert strategy.react(see(250, 250, 0, 0, 0, 0, 250, 250)) is None
    right = strategy.react(see(300, 201, 0, 0, 0, 0, 400, 400))
    left = strategy.react(see(0, 0, 4000, 4000, 4000, 4000, 300, 201))
    assert isinstance(right, Manoeuvre)
    assert isinstance(left, Manoeuvre)
    assert (right.turn, left.turn) == (math.pi / 4, -math.pi / 4)
    assert strategy.detections == 2


def test_checked_mode_ignores_obstacles_close_to_the_target() -> None:
    wall = see(900, 900, 0, 0, 0, 0, 900, 900, target=(0.02, 0.0))
    assert DistalAvoidance(approach=0.03).react(wall) is None
    assert DistalAvoidance().react(wall) is not None


class Circler(ObstacleAvoidance):
    """A strategy that turns towards a goal before it drives, and gives up distant goals."""

    def reset(self, start: Pose, goal: Point) -> None:
        super().reset(start, goal)
        self.state = "driving" if math.dist(start[:2], goal) < 1 else "gave up"

    def decide(self, proximity: Distances, pose: Pose, dt: float) -> tuple[float, float]:
        self.seen, self.detections = proximity, 1
        off = bearing_to(pose, self.goal)
        return 0.05 - 0.05 * off, 0.05 + 0.05 * off


def test_strategy_can_steer_and_the_robot_completes_the_approach() -> None:
    circler = Circler()
    strategy = SteeredAvoidance(circler)
    bench = Bench(avoidance=strategy)
    bench.agree()
    bench.send(write_checked(1, "P4.;3.5"))
    for number, target in ((2, "20.;20."), (3, "4.;10.")):
        assert b"GO_TO_AVOIDING(" in bench.send(write_checked(number, f"O{target}"))
        x, y = (float(part) / 100 for part in target.split(";"))
        assert bench.robot.pose[:2] == pytest.approx((x, y), abs=3e-3)
    assert circler.seen == pytest.approx([0.07] * 8)  # nothing in sight, in metres
    assert strategy.detections == 2
    assert b"OBSTACLES_DETECTED(2)" in bench.send(write_checked(4, "U"))


def test_strategy_can_give_up() -> None:
    bench = Bench(avoidance=SteeredAvoidance(Circler()))
    bench.agree()
    assert b"STOPS_AT(" in bench.send(write_checked(1, "O500.;0."))
    assert bench.robot.speeds == (0, 0)
