"""Names of students, and the names of their robots."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.core.errors import PaddockError
from paddock.core.spec import Name, convert
from paddock.teaching.classroom import robot_name, robot_names
from paddock.teaching.classroom.student_names import read_names, tidy_name


@pytest.mark.parametrize(
    ("student", "robot"),
    [
        ("Zoë M.", "zoe-m"),
        ("Łukasz Strauß-Ørsted", "lukasz-strauss-orsted"),
        ("李雷", "李雷"),
        ("علی‌رضا", "علی-رضا"),
        ("Сергей", "сергей"),
        ("हिन्दी कुमार", "हिन्दी-कुमार"),
        ("김민수", "김민수"),
        ("🤖", "student"),
        ("  ", "student"),
        ("../../etc", "etc"),
        ("<b>Bo</b>", "b-bo-b"),
        ("Wolfeschlegelsteinhausenbergerdorff", "wolfeschlegelsteinhausen"),
    ],
)
def test_robot_name_is_derived_from_student_name(student: str, robot: str) -> None:
    assert robot_name(student) == robot


@given(st.lists(st.text(), unique=True))
def test_robot_names_are_unique_and_valid(students: list[str]) -> None:
    robots = robot_names(students)
    assert len(set(robots.values())) == len(students)
    for robot in robots.values():
        assert convert(robot, Name, "robot") == robot


def test_equal_robot_names_are_numbered_and_duplicate_students_refused() -> None:
    assert list(robot_names(["🤖", "?!", "student-2"]).values()) == ["student", "student-2", "student-2-2"]
    with pytest.raises(PaddockError, match="'Bo' is in the list twice"):
        robot_names(["Bo", "Bo"])


def test_student_name_is_normalised() -> None:
    assert tidy_name("  Zoe\u0308   M. ") == "Zoë M."
    assert tidy_name("علی\u200cرضا") == "علی\u200cرضا"


@pytest.mark.parametrize("name", ["", " ", "a\x1b[2J", "\u202eabc", "x" * 65, "=SUM(A1)", "\t+1", "-x", "@a", "＝1"])
def test_invalid_student_name_is_refused(name: str) -> None:
    with pytest.raises(PaddockError, match="a student's name"):
        tidy_name(name)


def test_name_list_is_read_and_errors_name_lines(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text('\ufeffAda # first row\r\n\r\nConor "Con" O\'Brien\r\n# 李雷 comes later\r\n', encoding="utf-8")
    assert read_names(file) == ["Ada", 'Conor "Con" O\'Brien']
    file.write_text("Ada\nBo\nAda\n")
    with pytest.raises(PaddockError, match=r"names\.txt, line 3: 'Ada' is already in line 1.*such as 'Ada \(2\)'"):
        read_names(file)
    file.write_text("Ada\nB\x07o\n")
    with pytest.raises(PaddockError, match=r"names\.txt, line 2: .*control characters"):
        read_names(file)
    file.write_text("Ada\n=1\nAda\n" + "@Bo\n" * 20)
    with pytest.raises(PaddockError) as caught:
        read_names(file)
    first, *lines = str(caught.value).splitlines()
    assert first.endswith("names.txt: 22 mistakes")
    assert [line.split(":")[0].strip() for line in lines[:3]] == ["line 2", "line 3", "line 4"]
    assert lines[10:] == ["  … and 12 more"]
    file.write_bytes("Zoë".encode("latin-1"))
    with pytest.raises(PaddockError, match="expected UTF-8 text"):
        read_names(file)
