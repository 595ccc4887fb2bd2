"""The `paddock class` commands."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from command_line import paddock
from paddock.simulation.worlds import load_world, save_world
from paddock.teaching.classroom import ClassFolder, ResultRow


def run(*arguments: object) -> str:
    """The output of a command, including its error message."""
    printed = paddock(*map(str, arguments), columns=100)
    assert (printed.returncode == 0) == (not printed.stderr)
    return printed.stdout or printed.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "names.txt").write_text("Ada\nZoë M.\n李雷\n", encoding="utf-8")
    run("class", "new", tmp_path / "r101", "--names", tmp_path / "names.txt", "--title", "Robotics 101")
    return tmp_path / "r101"


def test_class_is_created_changed_and_listed(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == [
        *("exercises", "log", "results", "submissions"),
    ]
    assert "robot bo: http://" in run("class", "add", folder, "Bo")
    link = run("class", "rename", folder, "Zoë M.", "Zoë Meyer").splitlines()[1]
    assert "#token=" in link
    assert "locked out" in run("class", "lock-out", folder, "Ada")
    run("class", "remove", folder, "bo")
    rows = [line.split("│")[1:4] for line in run("class", "list", folder).splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["Ada", "ada", "locked-out"],
        ["Zoë Meyer", "zoe-m", "active"],
        ["李雷", "李雷", "active"],
        ["Bo", "bo", "removed"],
    ]
    assert "robot ada: http://" in run("class", "lock-out", folder, "Ada", "--off")
    assert run("class", "new-token", folder, "zoe-m").splitlines()[1] != link


def test_several_names_are_added_all_or_none_with_all_errors(folder: Path) -> None:
    run("class", "remove", folder, "Ada")
    told = run("class", "add", folder, "Bo", "=1+1", "Zoë M.", "Ada")
    assert "no student was added" in told
    assert "'=1+1'" in told
    assert "'Zoë M.' is already in the class" in told
    assert [student.name for student in ClassFolder.load(folder).students] == ["Zoë M.", "李雷"]
    run("class", "add", folder, "Bo", "Ada")
    assert [student.name for student in ClassFolder.load(folder).students] == ["Ada", "Zoë M.", "李雷", "Bo"]


def test_links_are_written_as_csv(folder: Path) -> None:
    output = run("class", "links", folder, "--address", "https://robots.example.org/")
    with (folder / "links.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == ["Ada", "Zoë M.", "李雷"]
    token = ClassFolder.load(folder).keys.students["zoe-m"]
    assert rows[1]["link"] == f"https://robots.example.org/#token={token}&robot=zoe-m"
    for row in rows:
        assert row["link"] in output
    assert "projector: https://robots.example.org/#view=projector&token=" in output
    (folder / ".server").write_text("http://127.0.0.1:8700\nhttp://192.0.2.7:8700/\n")
    assert f"lecturer: http://192.0.2.7:8700/#token={ClassFolder.load(folder).keys.supervisor}" in run(
        "class", "links", folder
    )
    for damaged in (b"", b"http://\xe4"):  # by a power failure
        (folder / ".server").write_bytes(damaged)
        assert ":8642/#token=" in run("class", "links", folder)
    assert "wrote" in run("class", "sheet", folder)
    assert "links.csv is out of date; update it with: paddock class links" in run("class", "lock-out", folder, "Zoë M.")
    assert "without Zoë M., who is locked out" in run("class", "links", folder)
    assert (folder / "sheet.html").read_text(encoding="utf-8").count("<svg") == 3


def test_loopback_links_give_warning(folder: Path) -> None:
    file, warning = folder / "class.toml", "links to 127.0.0.1 work on this machine only"
    for command in ("links", "sheet"):
        assert warning not in run("class", command, folder)
    assert warning not in (folder / "sheet.html").read_text(encoding="utf-8")
    file.write_text(file.read_text().replace('# host = "0.0.0.0"', 'host = "127.0.0.1"'))
    for command in ("links", "sheet"):
        assert warning not in run("class", command, folder, "--address", "http://192.0.2.7:8642")
        assert warning in run("class", command, folder)
    assert warning in (folder / "sheet.html").read_text(encoding="utf-8")


def test_submissions_are_collected_and_missing_students_are_listed(folder: Path, tmp_path: Path) -> None:
    ClassFolder.load(folder).receive("Ada", "maze", "mine.py", b"a = 1\n")
    output = run("class", "collect", folder, "maze")
    assert "no submission from 李雷" in output
    assert (folder / "collected" / "maze" / "ada.py").read_bytes() == b"a = 1\n"
    run("class", "collect", folder, "maze")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "ada.py").write_text("my own")
    assert "overwrite it with --force" in run("class", "collect", folder, "maze", "--out", tmp_path / "mine")
    assert (tmp_path / "mine" / "ada.py").read_text() == "my own"
    assert "maze (1)" in run("class", "list", folder)


def test_results_are_shown_by_student(folder: Path) -> None:
    common = {"time": "2030-01-01T10:00:00+00:00", "exercise": "maze", "unit": "s"}
    heats = [(1, "ada", 1, 12.5, 0), (1, "zoe-m", 2, None, 1), (2, "ada", 2, 14.0, 2), (2, "zoe-m", 1, 11.0, 0)]
    ClassFolder.load(folder).record_results(
        ResultRow(heat=heat, student="", robot=robot, place=place, score=score, fouls=fouls, **common)
        for heat, robot, place, score, fouls in heats
    )
    rows = [line.split("│")[1:-1] for line in run("class", "results", folder).splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["Ada", "maze", "2", "1", "1.50", "2", "14 s"],
        ["Zoë M.", "maze", "2", "1", "1.50", "1", "11 s"],
    ]


def test_options_of_new_class_are_checked_before_writing(tmp_path: Path) -> None:
    for option, value in (("--world", "cluter"), ("--exercise", "maez"), ("--robot", "e-pukc")):
        assert f"called {value!r}" in run("class", "new", tmp_path / "c", option, value)
        assert not (tmp_path / "c").exists()
    save_world(load_world("clutter"), tmp_path / "mine.toml")
    run("class", "new", tmp_path / "c", "--world", tmp_path / "mine.toml")
    assert load_world(tmp_path / "c" / ClassFolder.load(tmp_path / "c").spec.world).name
