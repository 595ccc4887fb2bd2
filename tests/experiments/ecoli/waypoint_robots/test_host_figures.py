"""Values that the host program computes: proximity thresholds and odometry errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.experiments.ecoli.waypoint_robots import (
    MeasuredMotion,
    OdometryErrors,
    calibrate_threshold,
    measure_distance,
    measure_turn,
)


def draw_sums(seed: int, offset: float = 60.0, spread: float = 8.0) -> np.ndarray:
    """Draw readings of four sensors at 37 headings, without obstacles."""
    rng = np.random.Generator(np.random.Philox(key=np.array([seed, 0], np.uint64)))
    return np.round(rng.normal(offset, spread, (37, 4)))


def test_threshold_is_the_mean_of_the_larger_sums_plus_six_sigma() -> None:
    readings, asked = draw_sums(1), []

    def read_front(heading: float) -> list[float]:
        asked.append(heading)
        return list(readings[len(asked) - 1])

    result = calibrate_threshold(read_front, 0.5)
    larger = np.maximum(readings[:36, 0] + readings[:36, 1], readings[:36, 2] + readings[:36, 3])
    assert result.sums == tuple(larger.astype(int))
    assert result.threshold == math.ceil(larger.mean() + 6 * larger.std(ddof=1))
    assert result.threshold > result.largest
    assert np.allclose(np.unwrap(asked), 0.5 + np.radians([*range(0, 360, 10), 360]))  # once around, back to the start


def test_walls_are_reported_as_clutter_and_noise_is_not() -> None:
    for seed in range(50):
        readings = iter(draw_sums(seed))
        assert calibrate_threshold(lambda _, readings=readings: next(readings)).clutter == ()  # type: ignore[misc]
        walled = draw_sums(seed)
        walled[9:24] += 300
        rows = iter(walled)
        found = calibrate_threshold(lambda _, rows=rows: next(rows)).clutter  # type: ignore[misc]
        assert np.allclose(np.degrees(np.unwrap(found)), range(90, 240, 10))


def test_constant_readings_get_the_minimum_margin() -> None:
    result = calibrate_threshold(lambda heading: (0, 0, 0, 0))
    assert (result.threshold, result.varies_too_little, result.clutter) == (50, True, ())
    with pytest.raises(PaddockError, match="steps: expected 2 or more, got 1"):
        calibrate_threshold(lambda heading: (0, 0, 0, 0), steps=1)


@pytest.mark.parametrize("turn", [0.1, -2.0, math.pi, 2 * math.pi, -7.0])
def test_turns_beyond_half_a_turn_are_measured(turn: float) -> None:
    before, after = Pose(1, 2, 0.3), Pose(1, 2, math.remainder(0.3 + 1.02 * turn, math.tau))
    assert measure_turn(turn, before, after) == pytest.approx(1.02 * turn)


def test_measured_distance_has_the_sign_of_the_heading() -> None:
    assert measure_distance(Pose(0, 0, math.pi), Pose(-0.2, 0.0, 0)) == pytest.approx(0.2)
    assert measure_distance(Pose(0, 0, 0), Pose(-0.2, 0.0, 0)) == pytest.approx(-0.2)


def test_wheel_geometry_is_estimated_from_turns_and_distances() -> None:
    scale, separation = 0.986, 0.0522  # a robot as in 2012, whose program takes 41 and 53 mm for granted
    motions = [
        MeasuredMotion(kind="distance", commanded=0.5, measured=0.5 * scale, seconds=5),
        MeasuredMotion(kind="turn", commanded=-6.0, measured=-6.0 * scale * 0.053 / separation, seconds=1),
    ]
    errors = OdometryErrors(motions=motions)
    assert errors.wheel_diameter == pytest.approx(0.041 * scale)
    assert errors.wheel_separation == pytest.approx(separation)
    assert math.isnan(OdometryErrors(motions=motions[1:]).wheel_diameter)
