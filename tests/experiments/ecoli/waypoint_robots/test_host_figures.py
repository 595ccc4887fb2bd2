"""Values that the host program computes: proximity thresholds and odometry errors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

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


def stay(distance: float) -> None:
    raise AssertionError("the readings do not depend on the heading: no second place is needed")


def test_threshold_is_the_mean_of_the_larger_sums_plus_six_sigma() -> None:
    readings, asked = draw_sums(1), []

    def read_front(heading: float) -> list[float]:
        asked.append(heading)
        return list(readings[len(asked) - 1])

    result = calibrate_threshold(read_front, stay, 0.5)
    larger = np.maximum(readings[:36, 0] + readings[:36, 1], readings[:36, 2] + readings[:36, 3])
    assert result.sums == tuple(larger.astype(int))
    assert result.threshold == math.ceil(larger.mean() + 6 * larger.std(ddof=1))
    assert result.threshold > result.largest
    assert np.allclose(np.unwrap(asked), 0.5 + np.radians([*range(0, 360, 10), 360]))  # once around, back to the start


class Surroundings:
    """Something at 90° … 230° that raises the readings by 300, and by a share of that 10 cm away."""

    def __init__(self, seed: int, left: float) -> None:
        self.left, self.moves = left, list[float]()
        self._readings = itertools.cycle(draw_sums(seed))

    def read_front(self, heading: float) -> np.ndarray:
        there = 85 <= math.degrees(heading) % 360 <= 235
        return next(self._readings) + there * 300 * (self.left if self.moves else 1.0)

    def drive(self, distance: float) -> None:
        self.moves.append(distance)


@pytest.mark.parametrize(("left", "clutter"), [(0.1, range(90, 240, 10)), (0.8, ())])
def test_walls_are_clutter_because_their_readings_disappear_and_those_of_light_do_not(
    left: float, clutter: Sequence[int]
) -> None:
    for seed in range(50):
        place = Surroundings(seed, left)
        result = calibrate_threshold(place.read_front, place.drive)
        assert np.allclose(np.degrees(np.unwrap(result.clutter)), [*clutter])
        assert place.moves == [0.05] * 4  # there and back
        assert result.threshold > 1.09 * result.largest


def test_noise_is_neither_light_nor_a_wall() -> None:
    for seed in range(50):
        rows = iter(draw_sums(seed))
        assert calibrate_threshold(lambda _, rows=rows: next(rows), stay).clutter == ()  # type: ignore[misc]


def test_constant_readings_get_the_minimum_margin() -> None:
    result = calibrate_threshold(lambda heading: (0, 0, 0, 0), stay)
    assert (result.threshold, result.varies_too_little, result.clutter) == (50, True, ())
    with pytest.raises(PaddockError, match="steps: expected 2 or more, got 1"):
        calibrate_threshold(lambda heading: (0, 0, 0, 0), stay, steps=1)


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
