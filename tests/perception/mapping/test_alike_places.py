"""Tests of particle and graph SLAM in worlds with similar places: no false loops."""

from __future__ import annotations

import numpy as np
import pytest

from paddock.perception.mapping import assess_map
from paddock.perception.mapping.graph_slam import GraphMapping
from perception.mapping.alike_places import PLACES, drive_alike
from perception.mapping.driven_rooms import replay
from perception.mapping.test_graph_slam import false_loops

pytestmark = pytest.mark.long
MOST = {"equal rooms": 0.5, "equal doors": 1.6, "bare corridor": 1.0}  # [m]: half of what lies between two places

LEAST_F1 = {("equal rooms", "graph"): 0.6}  # of its map, which bends a little; of all others 0.8


@pytest.mark.parametrize(
    ("name", "method", "options"),
    [
        *((name, "graph", {}) for name in PLACES),
        ("equal rooms", "particles", {"particles": 12}),
        *(pytest.param(name, "particles", {}, marks=pytest.mark.soak) for name in PLACES),
    ],
)
def test_similar_places_are_not_confused(name: str, method: str, options: dict[str, int]) -> None:
    looks, truth = drive_alike(name)
    mapper, errors = replay(method, looks, **options)
    assert np.hypot(*errors[:, :2].T).max() < MOST[name]
    if isinstance(mapper.method, GraphMapping):
        mapper.method.finish()
        between = looks[1].time - looks[0].time
        at_scans = [looks[round((scan.time - looks[0].time) / between)].pose for scan in mapper.method._scans]
        assert false_loops(mapper.method.slam, at_scans) == []
    assert assess_map(mapper.grid, truth, alignment=None).f1 > LEAST_F1.get((name, method), 0.8)
