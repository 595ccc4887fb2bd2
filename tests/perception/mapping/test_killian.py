"""Tests with MIT Killian Court, from scans and sequence edges alone: 1.9 km of similar corridors.

The scans come with the package rtb-data. The published relations are not included: the environment variable
`PADDOCK_KILLIAN_RELATIONS` names their file."""

from __future__ import annotations

import importlib.util
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from paddock.core.geometry import Pose
from paddock.perception.mapping.logs import (
    Relation,
    ScanLog,
    SlamResult,
    evaluate_relations,
    read_log,
    read_relations,
    run_slam,
)

RELATIONS = os.environ.get("PADDOCK_KILLIAN_RELATIONS", "")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(importlib.util.find_spec("rtbdata") is None, reason="needs the scans of rtb-data"),
]


def archive() -> Path:
    spec = importlib.util.find_spec("rtbdata")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "data" / "killian.g2o.zip"


def known_loops(log: ScanLog) -> list[Relation]:
    """Return the loop edges of the file, which the reader ignores."""
    with zipfile.ZipFile(archive()) as packed:
        edges = [line.split() for line in packed.read("killian.g2o").decode().splitlines() if line.startswith("EDGE")]
    times = [scan.time for scan in log.scans]
    return [
        Relation(times[int(edge[1])], times[int(edge[2])], Pose(*map(float, edge[3:6])))
        for edge in edges
        if abs(int(edge[1]) - int(edge[2])) > 1
    ]


@pytest.fixture(scope="module")
def log() -> ScanLog:
    return read_log(archive())


@pytest.fixture(scope="module")
def clean(log: ScanLog) -> SlamResult:
    return run_slam(log, resolution=0.2)


def test_all_published_loop_edges_are_consistent(log: ScanLog, clean: SlamResult) -> None:
    found = evaluate_relations(known_loops(log), clean.trajectory)
    assert found.left_out == 0
    assert np.median(found.translation) < 0.07
    assert np.quantile(found.translation, 0.9) < 0.4
    assert found.translation.max() < 2.0  # along bare corridors scans fit many places, the file's no better than ours


def test_injected_false_loops_do_not_change_the_trajectory(log: ScanLog, clean: SlamResult) -> None:
    result = run_slam(log, resolution=0.2, seed=5, false_loops=0.3)
    assert result.refused >= 0.3 * len(clean.loops)
    places = [np.array(run.trajectory.poses)[:, :2] for run in (clean, result)]
    assert np.hypot(*(places[0] - places[1]).T).max() < 0.1


@pytest.mark.skipif(not RELATIONS, reason="PADDOCK_KILLIAN_RELATIONS does not name the file of relations")
def test_published_relations_are_met(clean: SlamResult) -> None:
    found = evaluate_relations(read_relations(RELATIONS), clean.trajectory)
    assert len(found.translation) == 658
    assert found.translation.mean() <= 0.06
    assert found.translation.max() <= 0.5
