"""Tests of log reading, relations and trajectories."""

from __future__ import annotations

import gzip
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, compose
from paddock.perception.mapping.logs import (
    Relation,
    Trajectory,
    evaluate_relations,
    read_log,
    read_relations,
    read_tum,
    write_tum,
)

RANGES = " ".join(["2.5"] * 170 + ["81.83"] * 10)
FLASER = "FLASER 180 {ranges} {x} 0 0 {x} 0 0 {time} nohost {logger}\n"
LASER = "0 -1.570796 3.141593 0.017453 50.0 0.1 0 180"


def flaser(k: int, ranges: str = RANGES) -> str:
    return FLASER.format(ranges=ranges, x=0.1 * k, time=976052857.25 + k, logger=0.5 * k)


def robot_laser(pose: str, time: float) -> str:
    return f"ROBOTLASER1 {LASER} {RANGES} 0 {pose} {pose} 0 0 0 0 0 {time} host 0.5\n"


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_carmen_log_is_read_with_times_and_odometry(tmp_path: Path) -> None:
    log = read_log(written(tmp_path / "a.log", "# a comment\n", "PARAM robot_width 0.5\n", flaser(0), flaser(1)))
    assert [scan.time for scan in log.scans] == [976052857.25, 976052858.25]
    assert log.logger_times == [0.0, 0.5]
    assert log.odometry == [Pose(0.0, 0.0, 0.0), Pose(0.1, 0.0, 0.0)]
    assert log.skipped == {"PARAM": 1}
    assert np.degrees(log.scans[0].angles[[0, -1]]) == pytest.approx([-90, 89])
    assert len(log.scans[0].points()) == 170  # what is 50 m away or more was not seen at all
    assert np.isnan(log.scans[0].ranges[-1])


def test_laser_with_361_beams_has_half_degree_steps(tmp_path: Path) -> None:
    line = FLASER.replace("180", "361").format(
        ranges=" ".join(f"{3 + 0.01 * k}" for k in range(361)), x=0, time=1, logger=1
    )
    scan = read_log(written(tmp_path / "a.log", line)).scans[0]
    assert np.degrees(scan.angles[[0, 180, 360]]) == pytest.approx([-90, 0, 90])


def test_range_shared_by_many_beams_is_treated_as_no_hit(tmp_path: Path) -> None:
    ranges = " ".join(["2.5"] * 150 + ["8.19"] * 30)
    scan = read_log(written(tmp_path / "a.log", flaser(0, ranges))).scans[0]
    assert len(scan.points()) == 150


def test_broken_lines_are_reported_and_skipped(tmp_path: Path) -> None:
    lines = [
        flaser(0),
        "FLASER 180 1 2 3\n",
        "FLASER x\n",
        flaser(1),
        flaser(2).replace("2.5", "2,5"),
        "\n",
        "\x00\xff\n",
    ]
    log = read_log(written(tmp_path / "a.log", *lines))
    assert len(log.scans) == 2
    assert [problem.split(":")[0] for problem in log.problems] == ["line 2", "line 3", "line 5"]
    assert "expected 180 words for ranges" in log.problems[0]
    assert log.skipped["broken FLASER"] == 3


def test_raw_laser_pose_is_interpolated_from_odometry(tmp_path: Path) -> None:
    odometry = "".join(f"ODOM {k} 0 0 0 0 0 {10 + k} host {k}\n" for k in range(3))
    raw = "".join(f"RAWLASER1 {LASER} {RANGES} 0 {time} host 1\n" for time in (9.0, 10.5, 11.0, 99.0))
    log = read_log(written(tmp_path / "a.log", odometry, raw))
    assert [pose.x for pose in log.odometry] == pytest.approx([0.5, 1.0])
    assert log.skipped == {"laser without odometry": 2}


def test_laser_mount_offset_is_preserved(tmp_path: Path) -> None:
    lines = [f"ROBOTLASER1 {LASER} {RANGES} 0 {k + 0.25} 1 0 {k} 1 0 0 0 0 0 0 {k} host {k}\n" for k in range(3)]
    log = read_log(written(tmp_path / "a.log", *lines))
    assert log.scans[0].mount == pytest.approx(Pose(0.25, 0.0, 0.0))


def test_corrected_poses_are_not_treated_as_mount(tmp_path: Path) -> None:
    lines = [f"FLASER 180 {RANGES} {2 * k} 1 0 {k} 0 0 {k} host {k}\n" for k in range(3)]
    log = read_log(written(tmp_path / "a.log", *lines))
    assert log.scans[0].mount == Pose(0.0, 0.0, 0.0)
    assert [pose.x for pose in log.odometry] == [0.0, 1.0, 2.0]


def test_byte_order_mark_does_not_hide_the_first_scan(tmp_path: Path) -> None:
    log = read_log(written(tmp_path / "a.log", "\ufeff", flaser(0), flaser(1)))
    assert len(log.scans) == 2


@pytest.mark.parametrize("pack", ["plain", "gz", "zip"])
def test_graph_gives_scans_and_chained_sequence_edges(tmp_path: Path, pack: str) -> None:
    lines = [f"VERTEX_SE2 {k} 99 99 0\n" + robot_laser("9 9 9", 100.0 + k) for k in range(3)]
    information = "500 0 0 500 0 5000\n"
    edges = [f"EDGE_SE2 1 2 1 0 0 {information}", f"EDGE_SE2 0 1 1 0.5 1.5707963 {information}"]
    text = "".join([*lines, "#LOOP EDGES\n", *edges, f"EDGE_SE2 0 2 7 7 7 {information}"])
    path = tmp_path / "graph.g2o"
    if pack == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("graph.g2o", text)
            archive.writestr("__MACOSX/._graph.g2o", b"\x00")
    else:
        path.write_bytes(gzip.compress(text.encode()) if pack == "gz" else text.encode())
    log = read_log(path)
    assert [scan.time for scan in log.scans] == [100.0, 101.0, 102.0]
    assert log.odometry[2] == pytest.approx(Pose(1.0, 1.5, math.pi / 2), abs=1e-6)
    assert log.skipped == {"loop edges": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no laser scans: expected lines FLASER.*found nothing else"),
        ("ODOM 0 0 0 0 0 0 1 h 1\nSONAR 1 2\n", "no laser scans.*1 SONAR"),
        ("FLASER 180 1 2\n", "no laser scans.*1 broken FLASER; broken: line 1: FLASER: expected 180 words"),
        ("VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 0 0 0\n", "no laser scans.*2 vertices without a scan"),
    ],
)
def test_log_without_scans_is_refused_with_the_reason(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PaddockError, match=rf"a\.log: {message}"):
        read_log(written(tmp_path / "a.log", text))


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PaddockError, match=r"none\.log: cannot be read: No such file"):
        read_log(tmp_path / "none.log")


def test_damaged_or_encrypted_archive_is_reported(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(flaser(0).encode()))
    packed[10] = 0xFF  # a block type that deflate does not have
    (tmp_path / "a.gz").write_bytes(packed)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.log", flaser(0))
    locked = bytearray((tmp_path / "a.zip").read_bytes())
    for sign, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        locked[locked.index(sign) + flags] |= 1  # "encrypted", in both headers
    (tmp_path / "a.zip").write_bytes(locked)
    with pytest.raises(PaddockError, match=r"a\.gz: cannot be read: .*invalid block type"):
        read_log(tmp_path / "a.gz")
    with pytest.raises(PaddockError, match=r"a\.zip: cannot be read: .*encrypted"):
        read_log(tmp_path / "a.zip")


@pytest.mark.parametrize(
    "broken",
    [
        LASER.replace("-1.570796", "nan"),
        LASER.replace("0.017453", "inf"),
        LASER.replace("0.017453", "1e308"),
        LASER.replace("-1.570796 3.141593 0.017453", "-90 180 1"),
    ],
)
def test_scan_with_invalid_angles_is_reported_and_skipped(tmp_path: Path, broken: str) -> None:
    good = robot_laser("0 0 0", 1.0)
    log = read_log(written(tmp_path / "a.log", good, good.replace(LASER, broken)))
    assert len(log.scans) == 1
    assert "line 2: ROBOTLASER1: start and step: expected radians" in log.problems[0]


@pytest.mark.parametrize(("pose", "time", "problem"), [("1e300 0 0", 2.0, "pose: "), ("0 0 0", 1e300, "time: ")])
def test_invalid_pose_or_time_is_reported_and_skipped(tmp_path: Path, pose: str, time: float, problem: str) -> None:
    log = read_log(written(tmp_path / "a.log", robot_laser("0 0 0", 1.0), robot_laser(pose, time)))
    assert len(log.scans) == 1
    assert problem in log.problems[0]


def test_file_that_is_not_a_log_gives_a_short_error(tmp_path: Path) -> None:
    words = "".join(f"word{k} and more\n" for k in range(1000))
    with pytest.raises(PaddockError, match=r"no laser scans.*981 other lines") as refusal:
        read_log(written(tmp_path / "a.log", words, "\x07bell\n"))
    assert len(str(refusal.value)) < 500
    assert str(refusal.value).isprintable()


def test_relation_errors_do_not_depend_on_the_frame(tmp_path: Path) -> None:
    poses = [Pose(0, 0, 0), Pose(1, 0, 0), Pose(1, 1, math.pi / 2)]
    moved = [compose(Pose(5, -3, 2.0), pose) for pose in poses]
    path = written(
        tmp_path / "a.relations", "10 11 1 0 0 0 0 0\n", "10.0001 12 1.3 1.4 0 0 0 1.5707963\n", "10 99 0 0 0 0 0 0\n"
    )
    errors = evaluate_relations(read_relations(path), Trajectory([10.0, 11.0, 12.0], moved))
    assert errors.translation == pytest.approx([0.0, 0.5], abs=1e-9)
    assert errors.rotation == pytest.approx([0.0, 0.0], abs=1e-6)
    results = errors.compute_results()
    assert (results["relations"], results["left_out"]) == (2, 1)
    assert results["translation_m_max"] == pytest.approx(0.5)
    assert results["squared_translation_m_mean"] == pytest.approx(0.125)


def test_invalid_relations_are_reported_with_line(tmp_path: Path) -> None:
    with pytest.raises(PaddockError, match=r"line 2: expected 8 words"):
        read_relations(written(tmp_path / "a.relations", "1 2 0 0 0 0 0 0\n", "1 2 3\n"))


def test_zero_matching_relations_give_empty_figures() -> None:
    errors = evaluate_relations([Relation(1, 2, Pose(0, 0, 0))], Trajectory([5.0], [Pose(0, 0, 0)]))
    assert errors.compute_results()["relations"] == 0


def test_trajectory_survives_write_and_read(tmp_path: Path) -> None:
    trajectory = Trajectory([976052857.25, 976052858.5], [Pose(1, -2, 3.1), Pose(0.5, 0.25, -1.5)])
    write_tum(trajectory, tmp_path / "a.tum")
    back = read_tum(tmp_path / "a.tum")
    assert back.times == trajectory.times
    for before, after in zip(trajectory.poses, back.poses, strict=True):
        assert after == pytest.approx(before, abs=1e-6)
