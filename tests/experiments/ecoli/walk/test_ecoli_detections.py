"""Tests of false detections caused by light and of their classification."""

from __future__ import annotations

import math

import pytest

import paddock
from paddock.control.behaviours.avoidance import EPUCK_RING
from paddock.core.geometry import Pose
from paddock.experiments.ecoli.obstacles import CAUSES
from paddock.experiments.ecoli.walk import published
from paddock.experiments.ecoli.walk.detection_trials import (
    LAMP,
    SENSITIVITY,
    ConfusionMatrix,
    DetectionTrial,
    build_lit_dish,
    confuse,
    find_cause,
)
from paddock.experiments.ecoli.walk.detections import count_detections

pytestmark = pytest.mark.long

NAME = "e-puck_2478"
FACING_LAMP = Pose(LAMP.at[0], 0.3, -math.pi / 2)
ELSEWHERE = {"e-puck_2479": Pose(1.8, 0.8, 0.0), "e-puck_2481": Pose(1.6, 0.8, 0.0)}


def count_facing_lamp(level: float) -> float:
    with paddock.open(build_lit_dish(level), seed=1) as arena:
        arena[NAME].enable("proximity")
        arena[NAME].set_pose(*FACING_LAMP)
        return EPUCK_RING.add_counts(arena[NAME].proximity.read(), -1.0)


def test_bright_lamp_causes_false_detection() -> None:
    counts = [count_facing_lamp(level) for level in (0.0, 0.1, 0.3, 0.6)]
    assert counts[0] == 0.0
    assert counts == sorted(counts)
    assert counts[1] < 480 < counts[-1]


def test_true_cause_is_found_without_light() -> None:
    wall = Pose(1.0, 0.048, -math.pi / 2)
    assert find_cause({NAME: wall, **ELSEWHERE}, NAME, -1.0, 480) == "wall"
    meeting = ELSEWHERE | {NAME: Pose(1.0, 0.5, 0.3), "e-puck_2479": Pose(1.08, 0.5, 0.0)}
    assert find_cause(meeting, NAME, -1.0, 480) == "robot"
    assert find_cause({NAME: FACING_LAMP, **ELSEWHERE}, NAME, -1.0, 480) == "light"


@pytest.mark.heavy
def test_detections_increase_with_light_and_sheet_includes_published_ones() -> None:
    counts = count_detections([0.0, 0.36], seeds=[0], workers=1)
    robots = list(published.BY_LIGHT_2)
    dim, bright = (sum(counts.count(name, level, "light") for name in robots) for level in counts.levels)
    assert dim == 0 < bright
    assert counts.count(robots[0], 0.0, "wall", "robot") > 0
    assert counts.table.rows[-1] == ("published", "1", "2", "4", "7")
    assert counts.draw().get_xlabel().startswith("lamp")


@pytest.mark.heavy
def test_combined_sources_identify_95_percent_of_each_cause() -> None:
    matrices = confuse(DetectionTrial(each=25, seed=5))
    assert [cause for cause in CAUSES if matrices["all four"].share_right(cause) < 0.95] == []
    assert matrices["map"].share_right("wall") > 0.9
    assert matrices["link"].share_right("robot") > 0.9
    assert matrices["ambient"].share_right("light") > 0.9


@pytest.mark.heavy
@pytest.mark.parametrize("share", [0.8, 1.2])
def test_calibrated_sensitivity_gives_the_same_accuracy(share: float) -> None:
    matrices = confuse(DetectionTrial(each=25, seed=5, sensitivity=share * SENSITIVITY))
    assert [cause for cause in CAUSES if matrices["all four, light calibrated"].share_right(cause) < 0.95] == []


def test_confusion_matrix_counts_pairs() -> None:
    matrix = ConfusionMatrix.of([("wall", "wall"), ("wall", None), ("light", "robot")])
    assert matrix.counts == ((1, 0, 0, 1), (0, 0, 0, 0), (0, 1, 0, 0))
    assert matrix.share_right("wall") == 0.5
    assert math.isnan(matrix.share_right("robot"))
    assert matrix.table.rows[1] == ("robot", "0", "0", "0", "0", "-")
