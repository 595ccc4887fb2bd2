"""Tests of `paddock map slam`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import paddock
from marks import rarely
from paddock.core.geometry import relative
from paddock.perception.mapping import load_map
from paddock.perception.mapping.logs import read_tum
from perception.mapping.drives import along, place_errors, record
from perception.mapping.floor_plans import ROOM

pytestmark = pytest.mark.heavy

TRUTH = along((1.0, 3.0), (6.0, 3.0), (6.0, 4.0), (1.5, 4.0), (1.5, 2.5), spacing=0.25)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a CARMEN log of a drive in a room and its relations."""
    folder = tmp_path_factory.mktemp("drive")
    log = record(ROOM, TRUTH)
    lines = ["PARAM laser_type SICK\n"]
    for scan, pose in zip(log.scans, log.odometry, strict=True):
        ranges = " ".join(f"{value:.3f}" for value in np.where(np.isfinite(scan.ranges), scan.ranges, 81.9))
        at = " ".join(f"{value:.6f}" for value in pose)
        lines.append(f"FLASER {len(scan.ranges)} {ranges} {at} {at} {1e9 + scan.time:.3f} host {scan.time:.3f}\n")
    (folder / "room.log").write_text("".join(lines), encoding="utf-8")
    relations = []
    for k in range(0, len(TRUTH) - 30, 3):
        x, y, heading = relative(TRUTH[k], TRUTH[k + 30])
        relations.append(f"{1e9 + k / 2:.3f} {1e9 + (k + 30) / 2:.3f} {x} {y} 0 0 0 {heading}\n")
    (folder / "room.relations").write_text("".join(relations), encoding="utf-8")
    return folder


def test_log_gives_map_trajectory_metrics_and_pictures(folder: Path) -> None:
    ended = paddock("map", "slam", "room.log", "--relations", "room.relations", "--out", "room", folder=folder)
    assert ended.returncode == 0, ended.stderr
    assert "× real time" in ended.stdout
    metrics = json.loads((folder / "room" / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["scans"] == len(TRUTH)
    assert metrics["skipped_lines"] == {"PARAM": 1}
    errors = metrics["relations"]
    assert errors["graph"]["left_out"] == 0
    assert errors["graph"]["translation_m_mean"] < 0.05
    assert errors["graph"]["translation_m_mean"] < 0.5 * errors["odometry"]["translation_m_mean"]
    assert place_errors(read_tum(folder / "room" / "trajectory.tum").poses, TRUTH).max() < 0.15
    grid = load_map(folder / "room" / "map.yaml")
    states = grid.states()
    assert states[grid.frame.cell(4.0, 3.0)] == 0
    assert 1 in [states[grid.frame.cell(8.0 + offset, 3.5)] for offset in (-0.06, -0.02, 0.02, 0.06)]
    assert all((folder / "room" / name).stat().st_size > 10_000 for name in ("map.png", "paths.png", "errors.png"))


@pytest.mark.parametrize("method", ["scan-to-map", *rarely("odometry")])
def test_every_method_is_deterministic(folder: Path, method: str) -> None:
    digests = []
    for _ in range(2):
        arguments = ("--method", method, "--resolution", "0.1", "--out", method, "--force", "--json")
        ended = paddock("map", "slam", "room.log", *arguments, folder=folder)
        assert ended.returncode == 0, ended.stderr
        metrics = json.loads(ended.stdout)
        digests.append((metrics["trajectory_digest"], metrics["map_digest"]))
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.log", "--out", "x"), "none.log: cannot be read"),
        (("room.relations", "--out", "x"), "no laser scans"),
        (("room.log", "--out", "."), "already exists"),
        (("room.log", "--out", "x", "--method", "grpah"), "did you mean"),
        (
            ("room.log", "--out", "x", "--method", "odometry", "--false-loops", "0.3"),
            "--false-loops: only method graph",
        ),
    ],
)
def test_invalid_arguments_are_refused_with_the_reason(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = paddock("map", "slam", *arguments, folder=folder)
    assert ended.returncode != 0
    assert message in " ".join(ended.stderr.split())
    assert not (folder / "x").exists()
