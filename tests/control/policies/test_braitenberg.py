"""Tests of Braitenberg vehicles, in Python and compiled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paddock
from paddock.control.policies.braitenberg import Braitenberg, explorer, fear
from paddock.core.observation import Observation, Slot

weights = st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 0.2)), min_size=1, max_size=8)


def seen(distances: list[float], device: str = "proximity") -> Observation:
    slot = Slot(0, len(distances), lambda values: values)
    return Observation(0.0, np.array(distances), {device: slot})


@given(weights)
def test_wheel_speed_is_weighted_sum_of_nearness(sensors: list[tuple[float, float, float]]) -> None:
    left, right, distances = (list(column) for column in zip(*sensors, strict=True))
    vehicle = Braitenberg(left=tuple(left), right=tuple(right), speed=(0.05, 0.06), range=0.1)
    near = [1 - min(1.0, distance / 0.1) for distance in distances]
    expected = (
        0.05 + sum(weight * n for weight, n in zip(left, near, strict=True)),
        0.06 + sum(weight * n for weight, n in zip(right, near, strict=True)),
    )
    assert vehicle.act(seen(distances)) == pytest.approx(expected)


def test_readings_out_of_range_have_no_effect() -> None:
    vehicle = Braitenberg(left=(9.0,), right=(-9.0,), speed=(0.1, 0.1), range=0.07)
    assert vehicle.act(seen([0.07])) == (0.1, 0.1)
    assert vehicle.act(seen([5.0])) == (0.1, 0.1)


def test_vehicle_reads_the_given_device() -> None:
    vehicle = Braitenberg(left=(1.0,), right=(0.0,), speed=(0, 0), range=1, device="sonar")
    assert vehicle.act(seen([0.0], "sonar")) == (1.0, 0.0)
    with pytest.raises(paddock.UnknownName, match="no enabled device called 'sonar'"):
        vehicle.act(seen([0.0]))


def test_unequal_numbers_of_weights_are_refused() -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        Braitenberg(left=(1.0,), right=(1.0, 2.0))
    assert str(caught.value) == "Braitenberg: 1 weights on the left, 2 on the right"


@pytest.mark.parametrize("sensors", [2, 20])
def test_weights_must_match_the_device(sensors: int) -> None:
    arena = paddock.open("clutter")
    arena["red"].enable("proximity")
    vehicle = Braitenberg(left=(0.0,) * sensors, right=(0.0,) * sensors)
    with pytest.raises(paddock.PaddockError, match=f"{sensors} weights, but red.proximity has 8 sensors"):
        arena.run(0.1, vehicle)
    with pytest.raises(paddock.PaddockError, match=f"{sensors} weights, but proximity has 8 sensors"):
        vehicle.act(arena["red"].sense())


def test_single_sensor_is_accepted() -> None:
    vehicle = Braitenberg(left=(1.0,), right=(0.0,), speed=(0, 0), range=1, device="sonar")
    alone = Observation(0.0, np.array([0.0]), {"sonar": Slot(0, 1, lambda values: float(values[0]))})
    assert vehicle.act(alone) == (1.0, 0.0)


def test_explorer_drives_straight_in_free_space_and_turns_before_a_wall() -> None:
    vehicle = explorer(0.08)
    assert vehicle.act(seen([0.07] * 8)) == (0.08, 0.08)
    left, right = vehicle.act(seen([0.01, *[0.07] * 6, 0.01]))
    assert left < 0 < right


def test_explorer_keeps_moving_among_obstacles() -> None:
    arena = paddock.open("clutter", seed=1)
    red = arena["red"]
    red.enable("proximity")
    corners = set()
    for _ in range(60):
        arena.run(2.0, explorer())
        corners.add((round(red.pose.x * 4), round(red.pose.y * 4)))
    assert len(corners) > 8


@pytest.mark.parametrize("speed", [(0.08,), (0.08, 0.08, 0.08), (0.08, float("nan")), ("a", "b")])
def test_invalid_speed_pair_is_refused(speed: tuple[float, float]) -> None:
    with pytest.raises(paddock.PaddockError, match="expected finite speeds of the left and right wheel"):
        Braitenberg(left=(1.0,), right=(1.0,), speed=speed)


def test_non_numeric_speed_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match="fear: expected a finite speed in m/s, got 'fast'"):
        fear("fast")  # type: ignore[arg-type]
