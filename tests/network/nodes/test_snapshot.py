"""Tests of the mapper's snapshots."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path

import numpy as np
import pytest

from network.nodes.rooms import configure
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.network.nodes.journal import load_snapshot, save_snapshot
from paddock.network.nodes.mapper import MapperModule
from paddock.network.nodes.node import start_module
from paddock.network.nodes.node_messages import RoundMessage
from paddock.perception.mapping import GridFrame, OccupancyGrid


def test_objects_survive_save_and_load_with_identity(tmp_path: Path) -> None:
    grid = OccupancyGrid.of(GridFrame(0.0, 0.5, 0.1, 2, 3), np.arange(6, dtype=np.float32).reshape(2, 3))
    state = [
        grid,
        {"pose": Pose(1.0, float("inf"), 0.1), (1, 2): deque([b"ab", None], 3)},
        grid,
        RoundMessage(number=7),
    ]
    save_snapshot(tmp_path / "s.npz", {"method": "odometry"}, state)
    first, table, again, message = load_snapshot(tmp_path / "s.npz", {"method": "odometry"})
    assert first is again
    assert first.digest() == grid.digest()
    assert table == {"pose": Pose(1.0, float("inf"), 0.1), (1, 2): deque([b"ab", None], 3)}
    assert isinstance(table["pose"], Pose)
    assert message == RoundMessage(number=7)


def test_snapshot_of_another_method_is_refused_with_the_fix(tmp_path: Path) -> None:
    options = {"mapper": {"method": "odometry"}}
    first = start_module("mapper", configure(tmp_path, "sensor", "mapper", state="state", options=options))
    assert isinstance(first, MapperModule)
    first.journal.snapshot(0, (first.latest_round, first.mapper, first.builder.readings))
    first.bus.close()
    options = {"mapper": {"method": "scan-to-map"}}
    other = start_module("mapper", configure(tmp_path, "sensor", "mapper", state="state", options=options))
    with pytest.raises(PaddockError, match=r"method: expected 'scan-to-map', got 'odometry': delete the file"):
        other.on_resume()
    other.bus.close()


@pytest.mark.parametrize(
    "name", ["os:system", "subprocess:Popen", "paddock.core.files:whole_file", "paddock.core.files:Path"]
)
def test_snapshot_with_foreign_class_names_is_refused(name: str, tmp_path: Path) -> None:
    tree = {"header": {}, "state": {"number": 0, "object": name, "state": {}}}
    with (tmp_path / "s.npz").open("wb") as file:
        np.savez(file, tree=np.frombuffer(json.dumps(tree).encode(), np.uint8))
    with pytest.raises(PaddockError, match="written by another version of Paddock"):
        load_snapshot(tmp_path / "s.npz", {})


def test_truncated_snapshot_is_refused(tmp_path: Path) -> None:
    save_snapshot(tmp_path / "s.npz", {}, [1, 2, 3])
    whole = (tmp_path / "s.npz").read_bytes()
    (tmp_path / "s.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(PaddockError, match="not a snapshot"):
        load_snapshot(tmp_path / "s.npz", {})


def test_invalid_snapshot_files_and_objects_are_refused(tmp_path: Path) -> None:
    (tmp_path / "s.npz").write_bytes(b"garbage")
    with pytest.raises(PaddockError, match="not a snapshot"):
        load_snapshot(tmp_path / "s.npz", {})
    with pytest.raises(PaddockError, match=r"only objects of Paddock's own classes, not builtins\.complex"):
        save_snapshot(tmp_path / "s.npz", {}, 1j)
