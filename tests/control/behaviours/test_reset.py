"""Tests that `reset` restores the initial state of controllers."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import paddock.control.behaviours
from paddock.control.behaviours.arbitration import Blackboard, Source, Subsumption
from paddock.control.behaviours.avoidance import AvoidingController, ObstacleAvoidance, make_avoidance
from paddock.control.behaviours.distance import KeepDistance
from paddock.control.behaviours.line import LineFollower, LinePatrol
from paddock.core.geometry import Pose
from paddock.core.observation import Observation, Slot

SLOTS = {
    "proximity": Slot(0, 8, lambda values: values),
    "ground": Slot(8, 11, lambda values: values),
    "encoders": Slot(11, 13, lambda values: values),
}


def make_board() -> Blackboard:
    def count(seen: list[int]) -> dict[str, Any]:
        seen.append(len(seen))  # changes the entry itself
        return {"seen": seen, "wheels": (0.01 * len(seen), 0.0)}

    return Blackboard(Source(name="count", reads=("seen",), writes=("seen", "wheels"), work=count), memory={"seen": []})


def make_avoiding(name: str) -> Callable[[], AvoidingController]:
    return lambda: AvoidingController(make_avoidance(name), Pose(0.0, 0.0, 0.0), (0.5, 0.1))


MAKERS: dict[str, Callable[[], Any]] = {
    "KeepDistance": lambda: KeepDistance(side="right"),
    "LineFollower": LineFollower,
    "LinePatrol": LinePatrol,
    "Subsumption": lambda: Subsumption(low=LinePatrol(), high=lambda seen: None),
    "Blackboard": make_board,
    "AvoidingController": make_avoiding("planning"),
    "AvoidingController, distal": make_avoiding("distal"),
    "AvoidingController, proximal": make_avoiding("proximal"),
}


def observations(seed: int) -> Iterator[Observation]:
    """Yield observations of a robot on a line with occasional obstacles ahead."""
    rng = np.random.default_rng(seed)
    travel = np.zeros(2)
    for tick in range(400):
        near = rng.uniform(0.02, 0.08, 8) if tick % 50 < 10 else np.full(8, 0.1)
        travel = travel + rng.uniform(-0.0005, 0.002, 2)
        yield Observation(0.02 * tick, np.concatenate([near, rng.uniform(0.0, 1.0, 3), travel]), SLOTS)


@pytest.mark.parametrize("name", MAKERS)
def test_reset_controller_acts_like_a_new_one(name: str) -> None:
    used, new = MAKERS[name](), MAKERS[name]()
    for seen in observations(1):
        used.act(seen)
    used.reset()
    assert [used.act(seen) for seen in observations(2)] == [new.act(seen) for seen in observations(2)]


def test_every_controller_of_the_package_is_tested_for_reset() -> None:
    for info in pkgutil.walk_packages(paddock.control.behaviours.__path__, "paddock.control.behaviours."):
        if ".tasks" in info.name or ".wall" in info.name or info.name.endswith(".crossing"):
            continue  # tasks and wall followers are started anew
        module = importlib.import_module(info.name)
        for name, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ == info.name and hasattr(kind, "act") and not issubclass(kind, ObstacleAvoidance):
                assert name in MAKERS
