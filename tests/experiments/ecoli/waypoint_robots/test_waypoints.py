"""Waypoint files."""

from __future__ import annotations

from pathlib import Path

import pytest

from paddock import PaddockError
from paddock.experiments.ecoli.waypoint_robots import Waypoint, read_waypoints, write_waypoints


def test_waypoints_round_trip_in_the_published_format(tmp_path: Path) -> None:
    file = tmp_path / "walk.txt"
    points = [Waypoint("e-puck_2479", 0.39, 0.95), Waypoint("b", 0.29, -0.0123456)]
    write_waypoints(file, points)
    assert file.read_text() == "e-puck_2479;39.0;95.0\nb;29.0;-1.23456\n"
    assert [(name, pytest.approx(x), pytest.approx(y)) for name, x, y in points] == read_waypoints(file)


def test_empty_lines_and_comments_are_ignored(tmp_path: Path) -> None:
    file = tmp_path / "walk.txt"
    file.write_text("# a walk\n\n a ; 1 ; 2.5 \n")
    assert read_waypoints(file) == [Waypoint("a", 0.01, 0.025)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a;1;2\na;1\n",
            r"walk\.txt:2: expected name;x;y in centimetres, such as 'e-puck_2479;39\.0;95\.0', got 'a;1'",
        ),
        (";1;2\n", r"walk\.txt:1: expected name;x;y"),
        ("a;1,5;2\n", r"walk\.txt:1: x: expected centimetres, got '1,5'; numbers have a decimal point"),
        ("a;1;nan\n", r"walk\.txt:1: y: expected centimetres, got 'nan'"),
        ("a;1;2\na;1e300;2\n", r"walk\.txt:2: x: expected centimetres up to 100000, got '1e300'"),
        ("\n", r"walk\.txt: expected lines such as .* found none"),
    ],
)
def test_invalid_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "walk.txt"
    file.write_text(text)
    with pytest.raises(PaddockError, match=message):
        read_waypoints(file)


def test_missing_or_binary_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PaddockError, match="cannot be read: No such file"):
        read_waypoints(tmp_path / "nothing.txt")
    (tmp_path / "noise").write_bytes(b"\xff\xfe\x80")
    with pytest.raises(PaddockError, match="UTF-8"):
        read_waypoints(tmp_path / "noise")


@pytest.mark.parametrize(
    "point", [Waypoint("a;b", 0, 0), Waypoint("", 0, 0), Waypoint("a", float("inf"), 0), Waypoint("a", 1e4, 0)]
)
def test_unreadable_waypoints_are_not_written(tmp_path: Path, point: Waypoint) -> None:
    with pytest.raises(PaddockError, match=r"waypoints\[0\]: expected"):
        write_waypoints(tmp_path / "walk.txt", [point])
    assert not (tmp_path / "walk.txt").exists()
