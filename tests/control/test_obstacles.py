"""Detections are told apart: each source says what it can, and all together say what it was."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.control.avoidance import EPUCK_RING
from paddock.control.obstacles import (
    AmbientLight,
    CameraPicture,
    CauseScores,
    Detection,
    ObstacleClassifier,
    RobotReports,
    WallMap,
    measure_sensitivity,
)
from paddock.control.obstacles.evidence import cast_rays
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose

WALL = WallMap(walls=np.array([[0.0, 0.5, 1.0, 0.5]]))  # along y = 0.5
FACING = Pose(0.5, 0.44, math.pi / 2)  # 2.3 cm of air between nose and wall
FLOOR, BROWN, RED = (240, 230, 210), (160, 140, 110), (209, 73, 91)
CAMERA = CameraPicture(floor=FLOOR, wall=BROWN, robots=[RED])


def detect(distance: float = 0.03, **known: object) -> Detection:
    """A detection of ps0 at a distance [m]."""
    distances = [distance, *[EPUCK_RING.range] * 7]
    return Detection(distances=distances, side=-1.0, threshold=200.0, **known)  # type: ignore[arg-type]


def classify(source: object, detection: Detection) -> str | None:
    return ObstacleClassifier(source).classify(detection).cause  # type: ignore[arg-type]


def test_a_map_tells_walls_from_all_else() -> None:
    assert classify(WALL, detect(0.032, pose=FACING)) == "wall"
    assert classify(WALL, detect(0.032, pose=Pose(0.5, 0.2, math.pi / 2))) is None
    assert classify(WALL, detect(0.032)) is None  # it does not know where it is


def test_reports_of_other_robots_tell_robots_from_all_else() -> None:
    ahead = (0.5 + 0.03, 0.44 + 0.1)
    assert classify(RobotReports(), detect(0.035, pose=FACING, others=[(0.1, 0.1), ahead])) == "robot"
    assert classify(RobotReports(), detect(0.035, pose=FACING, others=[(0.1, 0.1)])) is None
    assert classify(RobotReports(), detect(0.035, pose=FACING)) is None


@pytest.mark.parametrize(
    ("level", "cause"), [(0.0, None), (0.2, None), (0.62, "light"), (0.74, "light"), (2.0, "light")]
)
def test_ambient_light_that_explains_the_whole_echo_is_the_cause(level: float, cause: str | None) -> None:
    echo = 1 / 0.03**2  # 0.74 W/m² feign as much
    assert echo == pytest.approx(1500 * 0.74, rel=0.01)
    assert classify(AmbientLight(sensitivity=1500), detect(0.03, light=[level] * 8)) == cause


def test_a_robot_that_stands_measures_its_sensitivity_to_light() -> None:
    light = np.array([0.9, 0.6, 0.1, 0.0, 0.0, 0.0, 0.4, 0.5])
    echo = 1400 * light
    echo[0] += 1 / 0.04**2  # something stands before the brightest sensor
    distances = np.minimum(np.maximum(echo, 1.0) ** -0.5, EPUCK_RING.range)
    assert measure_sensitivity([distances], [light]) == pytest.approx(1400)
    looks = distances * (1 + 0.02 * np.random.default_rng(1).normal(size=(25, 8)))
    assert measure_sensitivity(looks, np.tile(light, (25, 1))) == pytest.approx(1400, rel=0.03)


@pytest.mark.parametrize("light", [np.zeros(8), np.full(8, 2.0)], ids=["dark", "dazzled"])
def test_too_little_and_too_much_light_tells_no_sensitivity(light: np.ndarray) -> None:
    with pytest.raises(PaddockError, match=r"the light causes no echo .* turn the robot towards a lamp"):
        measure_sensitivity(np.full((5, 8), 0.02), np.tile(light, (5, 1)))
    with pytest.raises(PaddockError, match="of the same sensors"):
        measure_sensitivity(np.full((5, 8), 0.02), light[:3])


def test_a_picture_shows_what_hides_the_floor_just_ahead() -> None:
    def picture(low: tuple[int, int, int]) -> Detection:
        rows = np.empty((64, 64, 3), np.uint8)
        rows[:40], rows[40:] = (150, 190, 220), low
        return detect(picture=rows)

    assert classify(CAMERA, picture(FLOOR)) == "light"
    assert classify(CAMERA, picture(BROWN)) == "wall"
    assert classify(CAMERA, picture(RED)) == "robot"


def test_all_means_together_know_what_each_alone_does_not() -> None:
    classifier = ObstacleClassifier(WALL, RobotReports(), AmbientLight(sensitivity=1500))
    nowhere = Pose(0.5, 0.2, 0.0)
    lit = detect(0.03, pose=nowhere, others=[(0.1, 0.4)], light=[0.74] * 8)
    assert classifier.classify(lit).cause == "light"
    dark = detect(0.032, pose=FACING, others=[(0.1, 0.1)], light=[0.0] * 8)
    found = classifier.classify(dark)
    assert found.cause == "wall"
    assert found.probabilities["wall"] > 0.95
    assert sum(found.probabilities.values()) == pytest.approx(1.0)


def test_without_anything_to_go_by_nobody_knows() -> None:
    found = ObstacleClassifier(CAMERA).classify(detect())
    assert found.cause is None
    assert found.scores == CauseScores()
    with pytest.raises(PaddockError, match="at least one source of evidence"):
        ObstacleClassifier()
    with pytest.raises(PaddockError, match=r"shape \(n, 4\), x0, y0, x1, y1, got \(2,\)"):
        WallMap(walls=np.zeros(2))


def test_rays_meet_the_nearest_wall_or_none() -> None:
    walls = np.array([[1.0, -1.0, 1.0, 1.0], [2.0, -1.0, 2.0, 1.0]])
    assert cast_rays(0.0, 0.0, np.array([0.0, math.pi, math.pi / 4 - 1e-9]), walls) == pytest.approx(
        [1.0, math.inf, math.sqrt(2)]
    )
