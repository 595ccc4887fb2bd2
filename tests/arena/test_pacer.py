"""Pacing of simulated time, with a simulated wall clock."""

from __future__ import annotations

import pytest

import paddock
from paddock.arena.episode_plan import Pacer


class Clock:
    """A clock that advances only by sleeping or by assignment."""

    def __init__(self) -> None:
        self.time = 100.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def pacer(self, speed: float | None) -> Pacer:
        return Pacer(speed, now=self.now, sleep=self.sleep)


@pytest.mark.parametrize(("speed", "wall"), [(1, 1.0), (50, 0.02), (0.5, 2.0)])
def test_pacer_scales_wall_time_by_the_speed(speed: float, wall: float) -> None:
    clock = Clock()
    pacer = clock.pacer(speed)
    for tick in range(51):
        pacer.wait(tick * 0.02)
    assert clock.time - 100 == pytest.approx(wall)


def test_pacer_without_a_speed_never_sleeps() -> None:
    clock = Clock()
    pacer = clock.pacer(None)
    for tick in range(100):
        pacer.wait(tick * 0.02)
    assert clock.slept == []


def test_first_call_never_sleeps() -> None:
    clock = Clock()
    clock.pacer(1).wait(3600.0)
    assert clock.slept == []


def test_time_is_counted_from_the_first_call() -> None:
    clock = Clock()
    pacer = clock.pacer(2)
    pacer.wait(3600.0)
    pacer.wait(3601.0)
    assert clock.slept == pytest.approx([0.5])


def test_pacer_catches_up_after_a_slow_controller() -> None:
    clock = Clock()
    pacer = clock.pacer(1)
    pacer.wait(0.0)
    clock.time += 0.05  # of work in the first of five ticks
    for tick in range(1, 6):
        pacer.wait(tick * 0.02)
    assert clock.time - 100 == pytest.approx(0.1)
    assert len(clock.slept) == 3


@pytest.mark.parametrize("speed", [0, -1, float("nan")])
def test_invalid_speed_factor_is_refused(speed: float) -> None:
    with pytest.raises(paddock.SimulationError) as caught:
        Pacer(speed)
    assert str(caught.value) == f"speed: expected a factor > 0, or None for as fast as possible, got {speed!r}"
