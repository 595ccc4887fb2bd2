"""Tests of experiment 1 of the E. coli walk with a calibrated robot and an overhead camera."""

from __future__ import annotations

import numpy as np
import pytest

from paddock.experiments.ecoli.walk.localisation import (
    TARGETS,
    calibrate_robot,
    faulty_robot_world,
    see_with_noise,
    walk,
)
from paddock.experiments.ecoli.walk.orders_runs import FITTED, WHEEL_DIAMETER
from paddock.perception.estimation import WheelCalibration

pytestmark = [pytest.mark.heavy, pytest.mark.long]

WHEELS = WheelCalibration(FITTED.wheel_separation, FITTED.wheel_diameter / WHEEL_DIAMETER, FITTED.wheel_ratio)


def test_calibrated_robot_with_camera_reaches_all_targets() -> None:
    wheels = calibrate_robot(faulty_robot_world())
    assert wheels == pytest.approx(WHEELS, rel=0.003)
    seen = walk("camera", wheels, camera=see_with_noise(0))
    assert len(seen.reached) == len(TARGETS) == 25
    assert seen.mean_error < 0.003
    assert seen.share_in_band > 0.9
    assert seen.refused > 30  # one picture in twenty is wrong
    estimated = seen.trace.estimated_pose[1:-1]
    assert np.linalg.norm(estimated[-500:, :2] - seen.trace.pose[1:-1][-500:, :2], axis=1).max() < 0.005


def test_initial_error_persists_without_camera_and_covariance_covers_it() -> None:
    blind = walk("calibrated", WHEELS)
    assert 0.03 < blind.mean_error < 0.08
    assert blind.share_in_band > 0.9
