"""The `paddock exercise` commands and their output."""

from __future__ import annotations

import json
import re
import zipfile
from itertools import islice
from pathlib import Path

import pytest

from command_line import paddock
from paddock.teaching.exercises import load_exercise, verify_exercise

WRONG = "def act(observation):\n    return 1 / 0\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An exercise with few seeds."""
    done = paddock("exercise", "new", "week-1", "--from", "first-drive", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    there = tmp_path / "week-1"
    text = (there / "exercise.toml").read_text(encoding="utf-8")
    (there / "exercise.toml").write_text(text.replace("seeds = [1, 2, 3, 4, 5]", "seeds = [2]"), encoding="utf-8")
    (there / "hidden.toml").write_text("seeds = [7]", encoding="utf-8")
    return there


def test_all_exercises_are_listed() -> None:
    done = paddock("exercise", "list")
    assert done.returncode == 0
    assert "two-robots-meet" in done.stdout


def test_text_and_checks_are_shown() -> None:
    done = paddock("exercise", "show", "line-following")
    assert "Make an e-puck follow a dark line" in done.stdout
    assert "drives a whole lap" in done.stdout
    assert "library" not in done.stdout.replace("\n", "")
    assert "site-packages" not in done.stdout.replace("\n", "")


def test_new_exercise_has_hidden_seeds_of_its_own(tmp_path: Path) -> None:
    assert paddock("exercise", "new", "week-1", "--from", "maze", folder=tmp_path).returncode == 0
    assert paddock("exercise", "new", "week-2", "--from", "maze", folder=tmp_path).returncode == 0
    first, second, shipped = (
        set(load_exercise(each).hidden_seeds) for each in (tmp_path / "week-1", tmp_path / "week-2", "maze")
    )
    assert len(first) == len(second) == len(shipped) == 15
    assert not (first & shipped)
    assert first != second
    assert (tmp_path / "week-1" / "solution.py").is_file()


def test_unknown_exercise_is_refused_with_suggestion() -> None:
    done = paddock("exercise", "show", "line-folowing")
    assert done.returncode == 2
    assert "did you mean 'line-following'" in done.stderr


@pytest.mark.heavy
def test_new_exercise_is_verified_and_handout_gives_same_marks(folder: Path) -> None:
    done = paddock("exercise", "verify", str(folder))
    assert done.returncode == 0, done.stdout
    assert "solution.py earns all points with all seeds: 10 of 10 points" in done.stdout
    assert "yes range sensors detect all obstacles" in done.stdout
    (folder / "solution.py").replace(folder / "wrong_1.py")
    done = paddock("exercise", "verify", str(folder))
    assert done.returncode == 1
    assert "NO solution.py exists" in done.stdout
    paddock("exercise", "handout", "week-1", folder=folder.parent)
    with zipfile.ZipFile(folder.parent / "week-1.zip") as archive:
        assert "week-1/solution.py" not in archive.namelist()
        archive.extractall(folder.parent / "student")
    arguments = "exercise", "check", "week-1", str(folder / "wrong_2.py"), "--json"
    here, there = (paddock(*arguments, folder=where) for where in (folder.parent, folder.parent / "student"))
    assert here.returncode == 1
    assert here.stdout == there.stdout
    assert json.loads(here.stdout.splitlines()[1])["points"] == 3.0


def test_walls_below_range_sensor_are_reported(folder: Path) -> None:
    room = folder / "room.toml"
    room.write_text(room.read_text(encoding="utf-8") + "[border]\nheight = 0.01\n", encoding="utf-8")
    found = {finding.what: finding for finding in islice(verify_exercise(load_exercise(folder)), 3)}
    told = found["range sensors detect all obstacles"]
    assert (told.holds, told.needed) == (False, False)
    assert "border is 0.01 m high, but proximity is mounted at 0.0" in told.detail


@pytest.mark.heavy
def test_failing_program_is_reported_with_line(folder: Path) -> None:
    file = folder.parent / "mine.py"
    file.write_text(WRONG, encoding="utf-8")
    done = paddock("exercise", "check", str(folder), str(file), "--report", str(folder / "checked"), columns=None)
    assert any("stands still at the end" in line and "before it │ 0 of 2" in line for line in done.stdout.splitlines())
    assert done.returncode == 1
    assert "failed: seed 2: mine.py line 2: ZeroDivisionError: division by zero (crash)" in done.stderr
    assert "0 of 10" in done.stdout
    assert "mine.py line 2" in (folder / "checked" / "report.html").read_text(encoding="utf-8")
    done = paddock("exercise", "check", str(folder), str(file), "--json")
    assert json.loads(done.stdout.splitlines()[1], parse_constant=pytest.fail)["results"] == {"2": None}
    done = paddock("exercise", "try", str(folder), "-c", str(file), "--headless")
    assert done.returncode == 1
    assert "failed: mine.py line 2" in done.stdout


def test_started_exercise_has_program_and_task_with_the_commands(folder: Path) -> None:
    done = paddock("exercise", "start", "first-drive", folder=folder.parent)
    assert done.returncode == 0, done.stderr
    assert "paddock exercise try first-drive -c first-drive/controller.py" in done.stdout
    mine = folder.parent / "first-drive"
    assert (mine / "controller.py").read_text(encoding="utf-8") == load_exercise("first-drive").read_starter()
    text = (mine / "text.md").read_text(encoding="utf-8")
    assert text.startswith(load_exercise("first-drive").read_text())
    commands = re.findall(r"^paddock (.*?)(?: +#.*)?$", text, re.MULTILINE)
    assert [command.split()[1] for command in commands] == ["try", "check", "submit"]
    done = paddock(*commands[0].split(), "--headless", folder=mine)
    assert done.returncode == 0, done.stderr
    assert "controller.py, seed 1" in done.stdout
    assert "0 of 2" in done.stdout
    again = paddock("exercise", "start", "first-drive", folder=folder.parent)
    assert "already exists" in again.stderr
    assert paddock("exercise", "start", "week-1", folder=folder.parent).returncode == 0  # its own folder has the name
    assert "exercise check ../week-1 controller.py" in (folder.parent / "my-week-1" / "text.md").read_text()


def test_folder_is_checked_as_in_grading(folder: Path) -> None:
    mine = folder.parent / "mine"
    mine.mkdir()
    command = ("exercise", "check", str(folder), str(mine), "--json")
    done = paddock(*command)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{mine}: there is neither controller.py nor a single Python file of another name" in done.stderr
    (mine / "drive.py").write_text("def act(seen):\n    return 0.1, 0.1\n", encoding="utf-8")
    points = {row["check"]: row["points"] for row in map(json.loads, paddock(*command).stdout.splitlines())}
    assert points["sets off"] == 1


REFEREE = """
from paddock.arena.referees import Referee

class Nearest(Referee):
    def start(self, arena):
        pass

    def tick(self, arena):
        arena.robots["red"].pos.x
"""


@pytest.mark.parametrize(
    ("score", "problem"),
    [("", "line 4: Nearest: missing: a method score"), ("    def score(self):\n        return {}\n", "line 9: ")],
)
def test_failing_referee_is_reported_with_line(folder: Path, score: str, problem: str) -> None:
    (folder / "referee.py").write_text(REFEREE + score)
    with (folder / "exercise.toml").open("a") as file:
        file.write('\n[referee]\nkind = "referee.py:Nearest"\n')
    done = paddock("exercise", "verify", str(folder))
    assert done.returncode != 0
    assert f"referee.py {problem}" in done.stdout + done.stderr
