"""Tests of the log reader with logs in the dialects of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import paddock
from marks import mostly
from paddock.core.geometry import relative
from paddock.perception.mapping import MAPPING_METHODS
from paddock.perception.mapping.logs import read_log
from perception.mapping.log_dialects import DIALECTS, WAY, take_drive, write_log, write_relations

BROKEN = {
    "rawlaser1": {"broken ODOM": 1, "broken RAWLASER1": 1},
    "g2o": {"broken EDGE_SE2": 1},
    "toro": {"broken EDGE2": 1},
    "dp-slam": {"broken Laser": 1},
}


@pytest.mark.parametrize("name", DIALECTS)
def test_log_restores_the_recorded_drive(name: str, tmp_path: Path) -> None:
    drive = take_drive(name)
    log = read_log(write_log(name, tmp_path))
    assert [scan.time for scan in log.scans] == pytest.approx([scan.time for scan in drive.scans])
    for found, true in zip(log.odometry, drive.odometry, strict=True):
        assert relative(log.odometry[0], found) == pytest.approx(relative(drive.odometry[0], true), abs=1e-3)
    for found, true in zip(log.scans, drive.scans, strict=True):
        assert found.points() == pytest.approx(true.points(), abs=1e-3)
    assert {kind: count for kind, count in log.skipped.items() if "broken" in kind} == BROKEN.get(name, {})
    assert len(log.problems) == sum(BROKEN.get(name, {}).values())


@pytest.mark.heavy
@pytest.mark.parametrize("method", mostly(["scan-to-map"], MAPPING_METHODS.builtin))
def test_every_method_maps_a_log(method: str, tmp_path: Path) -> None:
    path = write_log("robotlaser1", tmp_path)
    write_relations("robotlaser1", tmp_path / "true.relations")
    arguments = ("--method", method, "--relations", "true.relations", "--resolution", "0.1", "--out", "out", "--json")
    ended = paddock("map", "slam", path.name, *arguments, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    metrics = json.loads(ended.stdout)
    assert metrics["scans"] == len(WAY)
    error = metrics["relations"][method]["translation_m_mean"]
    assert np.isfinite(error)
    assert error < 0.05 or method in ("odometry", "scan-to-scan")


def test_clock_set_back_in_a_log_is_handled(tmp_path: Path) -> None:
    lines = write_log("flaser-180", tmp_path).read_text(encoding="utf-8").splitlines()
    scans = [line for line in lines if line.startswith("FLASER")]
    late = [line.replace(" 9760", " 9750") for line in scans[50:]]
    (tmp_path / "set.log").write_text("\n".join([*scans[:50], *late]), encoding="utf-8")
    log = read_log(tmp_path / "set.log")
    assert list(log.odometry) == read_log(tmp_path / "flaser-180.log").odometry
    assert log.duration == pytest.approx(len(scans) / 2 + 60, abs=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "VERTEX_SE2 0 0 0 0\nEDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\nVERTEX_SE2 1 1 0 0\n",
            "no laser scans.*2 vertices without",
        ),
        ("FLASER 3 80 80 80 0 0 0 0 0 0 1 h 1\n", "no beam of its 1 scans has a valid range"),
        ("FLASER 3 0 0 0 0 0 0 0 0 0 1 h 1\n", "no beam of its 1 scans has a valid range"),
    ],
)
def test_log_without_usable_data_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(text, encoding="utf-8")
    with pytest.raises(Exception, match=rf"a\.log: {message}"):
        read_log(tmp_path / "a.log")


def test_broken_vertex_drops_its_scan_and_broken_edge_is_reported(tmp_path: Path) -> None:
    lines = write_log("g2o", tmp_path).read_text(encoding="utf-8").splitlines()
    vertex = lines.index("VERTEX_SE2 7 9 9 0")
    (tmp_path / "a.g2o").write_text(
        "\n".join([*lines[:vertex], "VERTEX_SE2 ?", *lines[vertex + 1 :]]), encoding="utf-8"
    )
    log = read_log(tmp_path / "a.g2o")
    assert len(log.scans) == len(WAY) - 1
    assert [problem.split(": ")[0] for problem in log.problems[:2]] == [f"line {vertex + 1}", f"line {vertex + 2}"]
    edge = next(k for k, line in enumerate(lines) if line.startswith("EDGE_SE2 4 3 "))
    (tmp_path / "b.g2o").write_text(
        "\n".join([*lines[:edge], "EDGE_SE2 4 3 ? ?", *lines[edge + 1 :]]), encoding="utf-8"
    )
    with pytest.raises(Exception, match=rf"b\.g2o: expected an EDGE_SE2 from vertex 3 to 4.*line {edge + 1}: EDGE_SE2"):
        read_log(tmp_path / "b.g2o")


def test_relations_of_another_log_are_refused_before_computation(tmp_path: Path) -> None:
    path = write_log("flaser-180", tmp_path)
    (tmp_path / "other.relations").write_text("1.23 2.34 0 0 0 0 0 0\n", encoding="utf-8")
    ended = paddock("map", "slam", path.name, "--relations", "other.relations", "--out", "out", folder=tmp_path)
    assert ended.returncode != 0
    assert "other.relations: none of its 1 relations has both its times in flaser-180.log" in " ".join(
        ended.stderr.split()
    )
    assert not (tmp_path / "out").exists()
