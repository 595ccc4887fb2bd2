"""Start poses of the robots of a whole class in an exercise, and the positions of those that do not drive."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.core.errors import SimulationError
from paddock.core.geometry import Pose
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.starts import FloorLine
from paddock.teaching.exercises import load_exercise
from paddock.teaching.exercises.class_starts import deal_places

EPUCK = load_robot("e-puck")


def deal(name: str, driving: int, aside: int = 0) -> tuple[list[Pose], list[Pose]]:
    """The poses of driving robots, and of the others."""
    exercise = load_exercise(name)
    world = exercise.make_world(1)
    drivers, others = ({f"{what}{k}": EPUCK for k in range(n)} for what, n in (("d", driving), ("o", aside)))
    places = deal_places(exercise.randomise, world, drivers, others, lambda: Room(world), seed=1)
    room = Room(world)
    for robot, pose in places.items():
        assert not room.problem(EPUCK, pose)
        room.add(EPUCK, pose, robot)
    return [places[robot] for robot in drivers], [places[robot] for robot in others]


def look_along(name: str, poses: list[Pose]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position along the line of an exercise, distance from it [m], and cosine of the heading relative to it."""
    line = FloorLine(load_exercise(name).make_world(1))
    points = line.sample(np.arange(5000) / 5000)
    away = np.hypot(*(np.array(poses)[:, None, :2] - points[:, :2]).transpose(2, 0, 1))
    nearest = away.argmin(axis=1)
    return nearest / 5000, away.min(axis=1), np.cos(np.array(poses)[:, 2] - points[nearest, 2])


def test_driving_robots_are_spread_along_line_and_others_stand_clear() -> None:
    driving, aside = deal("line-following", 12, 12)
    shares, away, along = look_along("line-following", driving)
    assert np.allclose(np.diff(np.sort(shares)), 1 / 12, atol=1e-3)
    assert away.max() < 1e-3
    assert abs(along.sum()) > 0.99 * len(along)  # all in the same direction
    assert look_along("line-following", aside)[1].min() > 2 * 0.037  # two bodies fit between


def test_robots_that_must_meet_face_alternating_directions() -> None:
    _, away, along = look_along("two-robots-meet", deal("two-robots-meet", 4)[0])
    assert away.max() < 1e-3
    assert np.sign(along).tolist() in ([1, -1, 1, -1], [-1, 1, -1, 1])


def test_other_exercises_use_their_starts_or_random_poses() -> None:
    (first, *others), _ = deal("first-drive", 5)
    world = load_exercise("first-drive").make_world(1)
    assert first[:2] == world.robots[0].at
    assert {pose.heading for pose in others} == {first.heading}  # the wall is ahead of everyone
    headings = [pose.heading for pose in deal("wall-following", 12)[0]]
    assert len(set(headings)) == 12
    assert max(headings) - min(headings) > math.pi
    (maze, *_), aside = deal("maze", 1, 8)
    start = load_exercise("maze").make_world(1).starts[0]
    assert maze[:2] == start.at
    assert len(aside) == 8


def test_full_world_is_reported() -> None:
    with pytest.raises(SimulationError, match="has room for 69 robots, not for 500"):
        deal("first-drive", 500)
