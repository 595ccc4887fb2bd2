"""Traces of the compiled loop and of the Python loop are identical for any set of enabled devices."""

from __future__ import annotations

import numpy as np
import pytest

import paddock
from paddock.arena.episodes.trace import Trace
from paddock.control.policies.braitenberg import explorer


def run(world: str, devices: tuple[str, ...], *, compiled: bool) -> Trace:
    with paddock.open(world, seed=5) as arena:
        robot = next(iter(arena.robots.values()))
        robot.enable("proximity", *devices)
        if "microphones" in devices:
            robot.microphones.enable(0, 2)
        watch = None if compiled else lambda _: None
        episode = arena.run(3.0, {robot.name: explorer()}, every=0.1, on_step=watch)
        return episode.trace


@pytest.mark.parametrize("devices", [(), ("ground", "accelerometer"), ("encoders",), ("microphones",)])
def test_both_loops_record_the_same_rows(devices: tuple[str, ...]) -> None:
    here, there = (run("clutter", devices, compiled=compiled) for compiled in (True, False))
    assert len(here) == len(there) == 31
    np.testing.assert_array_equal(here.numbers, there.numbers)
    assert here.readings.keys() == there.readings.keys() == {"proximity", *devices}
    for name, readings in here.readings.items():
        assert readings.labels == there.readings[name].labels
        np.testing.assert_array_equal(readings.values, there.readings[name].values)


def test_trace_that_exceeds_memory_is_refused() -> None:
    with paddock.open("clutter") as arena:
        arena["red"].enable("proximity")
        with pytest.raises(paddock.PaddockError, match=r"the traces of this run need \d+ GiB of memory"):
            arena.run(1e12, {"red": explorer()}, every=0.02)
