"""Tests of the classification of detections as wall, robot or light."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.control.behaviours.avoidance import EPUCK_RING
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.experiments.ecoli.obstacles import (
    AmbientLight,
    CameraPicture,
    CauseScores,
    Detection,
    ObstacleClassifier,
    RobotReports,
    WallMap,
    find_light,
    measure_sensitivity,
)
from paddock.experiments.ecoli.obstacles.obstacle_classifier import cast_rays
from paddock.simulation.robots import load_robot
from paddock.simulation.sensors.response import convert_to_si

WALL = WallMap(walls=np.array([[0.0, 0.5, 1.0, 0.5]]))  # along y = 0.5
FACING = Pose(0.5, 0.44, math.pi / 2)  # 2.3 cm of air between nose and wall
FLOOR, BROWN, RED = (240, 230, 210), (160, 140, 110), (209, 73, 91)
CAMERA = CameraPicture(floor=FLOOR, wall=BROWN, robots=[RED])


def detect(distance: float = 0.03, **known: object) -> Detection:
    """Return a detection of ps0 at a distance [m]."""
    distances = [distance, *[EPUCK_RING.range] * 7]
    return Detection(distances=distances, side=-1.0, threshold=200.0, **known)  # type: ignore[arg-type]


def classify(source: object, detection: Detection) -> str | None:
    return ObstacleClassifier(source).classify(detection).cause  # type: ignore[arg-type]


def test_wall_map_recognises_walls_only() -> None:
    assert classify(WALL, detect(0.032, pose=FACING)) == "wall"
    assert classify(WALL, detect(0.032, pose=Pose(0.5, 0.2, math.pi / 2))) is None
    assert classify(WALL, detect(0.032)) is None  # it does not know where it is


def test_robot_reports_recognise_robots_only() -> None:
    ahead = (0.5 + 0.03, 0.44 + 0.1)
    assert classify(RobotReports(), detect(0.035, pose=FACING, others=[(0.1, 0.1), ahead])) == "robot"
    assert classify(RobotReports(), detect(0.035, pose=FACING, others=[(0.1, 0.1)])) is None
    assert classify(RobotReports(), detect(0.035, pose=FACING)) is None


@pytest.mark.parametrize(
    ("level", "cause"), [(0.0, None), (0.2, None), (0.62, "light"), (0.74, "light"), (2.0, "light")]
)
def test_ambient_light_that_explains_whole_echo_is_the_cause(level: float, cause: str | None) -> None:
    echo = 1 / 0.03**2  # 0.74 W/m² feign as much
    assert echo == pytest.approx(1500 * 0.74, rel=0.01)
    assert classify(AmbientLight(sensitivity=1500), detect(0.03, light=[level] * 8)) == cause


def test_stationary_robot_measures_light_sensitivity() -> None:
    light = np.array([0.9, 0.6, 0.1, 0.0, 0.0, 0.0, 0.4, 0.5])
    echo = 1400 * light
    echo[0] += 1 / 0.04**2  # something stands before the brightest sensor
    distances = np.minimum(np.maximum(echo, 1.0) ** -0.5, EPUCK_RING.range)
    assert measure_sensitivity([distances], [light]) == pytest.approx(1400)
    looks = distances * (1 + 0.02 * np.random.default_rng(1).normal(size=(25, 8)))
    assert measure_sensitivity(looks, np.tile(light, (25, 1))) == pytest.approx(1400, rel=0.03)


@pytest.mark.parametrize("light", [np.zeros(8), np.full(8, 2.0)], ids=["dark", "dazzled"])
def test_too_little_or_too_much_light_gives_no_sensitivity(light: np.ndarray) -> None:
    with pytest.raises(PaddockError, match=r"the light causes no echo .* turn the robot towards a lamp"):
        measure_sensitivity(np.full((5, 8), 0.02), np.tile(light, (5, 1)))
    with pytest.raises(PaddockError, match="of the same sensors"):
        measure_sensitivity(np.full((5, 8), 0.02), light[:3])


def test_camera_classifies_what_covers_the_floor_ahead() -> None:
    def picture(low: tuple[int, int, int]) -> Detection:
        rows = np.empty((64, 64, 3), np.uint8)
        rows[:40], rows[40:] = (150, 190, 220), low
        return detect(picture=rows)

    assert classify(CAMERA, picture(FLOOR)) == "light"
    assert classify(CAMERA, picture(BROWN)) == "wall"
    assert classify(CAMERA, picture(RED)) == "robot"


def test_combined_sources_identify_the_cause() -> None:
    classifier = ObstacleClassifier(WALL, RobotReports(), AmbientLight(sensitivity=1500))
    nowhere = Pose(0.5, 0.2, 0.0)
    lit = detect(0.03, pose=nowhere, others=[(0.1, 0.4)], light=[0.74] * 8)
    assert classifier.classify(lit).cause == "light"
    dark = detect(0.032, pose=FACING, others=[(0.1, 0.1)], light=[0.0] * 8)
    found = classifier.classify(dark)
    assert found.cause == "wall"
    assert found.probabilities["wall"] > 0.95
    assert sum(found.probabilities.values()) == pytest.approx(1.0)


def test_no_evidence_gives_no_cause_and_invalid_sources_are_refused() -> None:
    found = ObstacleClassifier(CAMERA).classify(detect())
    assert found.cause is None
    assert found.scores == CauseScores()
    with pytest.raises(PaddockError, match="at least one source of evidence"):
        ObstacleClassifier()
    with pytest.raises(PaddockError, match=r"shape \(n, 4\), x0, y0, x1, y1, got \(2,\)"):
        WallMap(walls=np.zeros(2))


def test_rays_return_nearest_wall_or_infinity() -> None:
    walls = np.array([[1.0, -1.0, 1.0, 1.0], [2.0, -1.0, 2.0, 1.0]])
    assert cast_rays(0.0, 0.0, np.array([0.0, math.pi, math.pi / 4 - 1e-9]), walls) == pytest.approx(
        [1.0, math.inf, math.sqrt(2)]
    )


def test_raw_light_is_converted_as_the_shipped_e_puck_responds() -> None:
    (spec,) = (sensor for sensor in load_robot("e-puck").sensors if sensor.name == "light")
    raw = np.array([4095.0, 3000.0, 100.0, 0.0])
    assert np.allclose(find_light(raw.tolist()), convert_to_si(spec, raw))
