"""Contests of submitted files: in separate processes, recorded, repeatable, and resumed after an interruption."""

from __future__ import annotations

import compileall
import dataclasses
import math
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import paddock
from paddock.core.errors import PaddockError, SpecError
from paddock.core.observation import Observation
from paddock.report.recordings import Recording
from paddock.report.tables import Table
from paddock.teaching.classroom import ClassFolder, ClassSpec
from paddock.teaching.contests import (
    ContestResult,
    draw_bracket,
    find_entrants,
    load_contest,
    new,
    new_contest,
    run_contest,
)
from paddock.teaching.contests.contest_report import contest_report
from paddock.teaching.contests.new import GAMES
from paddock.teaching.sandbox import SandboxedController
from paddock.teaching.sandbox.fork_server import fork_server
from paddock.testing import wait_for

REFEREE = """
from dataclasses import dataclass
from typing import ClassVar
from paddock.arena.referees import Referee

@dataclass(kw_only=True)
class Height(Referee):
    label: ClassVar[str] = "height"
    unit: ClassVar[str] = "m"

    def start(self, arena):
        self.heights = {}
        self.tick(arena)

    def tick(self, arena):
        self.heights = {name: round(robot.pose.y, 3) for name, robot in arena.robots.items()}

    def score(self):
        return self.heights
"""
CONTEST = {"name": "up", "world": "race-track", "seconds": 0.4, "seed": 4, "devices": ["ground"]}
DRIVE = "def act(observation):\n    return {speed}, {speed}\n"
BURN = """
def act(observation):
    for _ in range(3_000_000):
        pass
    return 0.1, 0.1
"""
DIE = """
import signal

def act(observation):
    if observation.time > 0.2:
        signal.raise_signal(9)
    return 0.1, 0.1
"""
FORGE = """
import os, struct
import msgspec

def act(observation):
    data = msgspec.msgpack.encode({"leds": {"disco": 1.0}})
    os.write(3, struct.pack("<I", 1 + len(data)) + b"c" + data)
    return 0.1, 0.1
"""
CRASH = "def act(observation):\n    if observation.time > 0.2:\n        return 1 / 0\n    return 0.1, 0.1\n"


def write_submissions(tmp_path: Path) -> Path:
    folder = tmp_path / "submissions"
    folder.mkdir()
    (folder / "fast.py").write_text(DRIVE.format(speed=0.12))
    (folder / "slow.py").write_text(DRIVE.format(speed=0.03))
    (folder / "crash.py").write_text(CRASH)
    (folder / "typo.py").write_text("def act(observation:\n    return 0, 0\n")
    (tmp_path / "height.py").write_text(REFEREE)
    return folder


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    """Four controllers: a fast one, a slow one, one that crashes on the way and one that cannot be loaded."""
    return write_submissions(tmp_path)


def write_contest(folder: Path, **more: object) -> Path:
    spec = {**CONTEST, **more}
    lines = [f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}" for key, value in spec.items()]
    (folder / "contest.toml").write_text("\n".join(lines) + '\n[referee]\nkind = "height.py:Height"\n')
    return folder / "contest.toml"


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ContestResult]:
    """The folder of a league of all four, and its result."""
    folder = tmp_path_factory.mktemp("league")
    submissions = write_submissions(folder)
    return folder, run_contest(write_contest(folder), submissions, out=folder / "out", workers=1)


def read_all(folder: Path) -> dict[str, bytes]:
    """Return all files but the provenance, which has the time."""
    files = [path for path in sorted(folder.rglob("*.*")) if path.is_file() and path.name != "provenance.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_faster_controller_wins_and_failed_ones_are_reported(league: tuple[Path, ContestResult]) -> None:
    _, result = league
    assert [line.robot for line in result.standings] == ["fast", "crash", "slow", "typo"]
    assert [line.points for line in result.standings] == [3.0, 2.0, 1.0, 0.0]
    assert [line.failures for line in result.standings] == [0, 3, 0, 3]
    rows = {row.robot: row for row in result.rows if row.failure}
    assert rows["crash"].failure == "crash.py line 3: ZeroDivisionError: division by zero"
    assert rows["crash"].score > 0.515  # what it had until then counts
    assert rows["typo"].score == 0.5
    assert "typo.py line 1" in rows["typo"].failure
    fast = [row for row in result.rows if row.robot == "fast"]
    assert sorted(row.start for row in fast) in (["left", "left", "right"], ["left", "right", "right"])


def test_mean_of_non_finite_scores_is_nan(league: tuple[Path, ContestResult]) -> None:
    _, result = league
    signs = iter((math.inf, -math.inf))
    heats = tuple(
        dataclasses.replace(
            heat,
            results=[
                dataclasses.replace(each, score=next(signs, 1.0)) if each.robot == "fast" else each
                for each in heat.results
            ],
        )
        for heat in result.heats
    )
    lines = {line.robot: line for line in dataclasses.replace(result, heats=heats).standings}
    assert math.isnan(lines["fast"].score)
    assert lines["slow"].score == {line.robot: line for line in result.standings}["slow"].score


def test_robot_that_exceeds_limit_or_dies_stands_from_start_in_restarted_heat(tmp_path: Path) -> None:
    (tmp_path / "height.py").write_text(REFEREE)
    folder = tmp_path / "submissions"
    folder.mkdir()
    (folder / "burn.py").write_text(BURN)
    (folder / "die.py").write_text(DIE)
    contest = write_contest(tmp_path, seconds=3)
    contest.write_text(contest.read_text() + "[limits]\nrun_cpu_seconds = 1.0\n")
    result = run_contest(contest, folder, out=tmp_path / "out", workers=1)
    assert {row.robot: (row.score, row.failure) for row in result.rows} == {
        "burn": (0.5, "more than 1 s of CPU time in total"),
        "die": (0.5, "the process was killed by SIGKILL"),
    }
    told = [event for event in Recording(tmp_path / "out" / "heats" / "001.mcap").events if event.kind == "warning"]
    assert sorted((event.time, event.robot) for event in told) == [(0.0, "burn"), (0.0, "die")]


def test_any_error_of_entrant_is_its_own_failure_and_contest_continues(
    submissions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (submissions / "typo.py").write_text(FORGE)
    act = SandboxedController.act

    def break_down(self: SandboxedController, observation: Observation) -> object:
        if self.file.name == "slow.py" and observation.time > 0.2:
            raise OSError("the channel is broken")
        return act(self, observation)

    monkeypatch.setattr(SandboxedController, "act", break_down)
    result = run_contest(write_contest(tmp_path), submissions, out=tmp_path / "out", workers=1)
    rows = {row.robot: row for row in result.rows if row.failure}
    assert rows["slow"].failure == "OSError: the channel is broken"
    assert "disco" in rows["typo"].failure
    assert rows["slow"].score == rows["typo"].score == 0.5
    assert result.standings[0].robot == "fast"


def test_killed_fork_server_does_not_change_results(
    submissions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    act, killed = SandboxedController.act, []

    def kill_once(self: SandboxedController, observation: Observation) -> object:
        if observation.time > 0.1 and not killed:
            killed.append(fork_server()._process)
            killed[0].kill()
            killed[0].wait()
        return act(self, observation)

    quiet = run_contest(write_contest(tmp_path), submissions, out=tmp_path / "quiet", workers=1)
    monkeypatch.setattr(SandboxedController, "act", kill_once)
    result = run_contest(write_contest(tmp_path), submissions, out=tmp_path / "out", workers=1)
    assert killed
    assert result.rows == quiet.rows
    assert read_all(tmp_path / "out") == read_all(tmp_path / "quiet")


def test_warnings_about_programs_do_not_reach_the_terminal_of_a_contest(tmp_path: Path) -> None:
    """Every heat would repeat them. In tests a warning is an error."""
    folder = tmp_path / "submissions"
    folder.mkdir()
    for name in ("anna", "bert"):
        (folder / f"{name}.py").write_text("def act(observation):\n    pass\n")
    contest = CONTEST | {"seconds": 1.2, "referee": {"kind": "laps"}}
    result = run_contest(contest, folder, out=tmp_path / "out", workers=1)
    assert [row.failure for row in result.rows] == [""] * len(result.rows)
    assert result.rows


def test_folder_without_controller_takes_part_and_stands(submissions: Path, tmp_path: Path) -> None:
    (submissions / "empty").mkdir()
    result = run_contest(write_contest(tmp_path, heat_size=1), submissions, out=tmp_path / "out", workers=1)
    (row,) = (row for row in result.rows if row.robot == "empty")
    assert row.failure == "there is neither controller.py nor a single Python file of another name"
    assert row.score == 0.5
    assert result.standings[0].robot == "fast"


def test_every_heat_is_recorded_with_events(league: tuple[Path, ContestResult]) -> None:
    folder, result = league
    row = next(row for row in result.rows if row.robot == "crash")
    recording = Recording(folder / "out" / row.recording)
    recording.check()
    assert round(recording.replay(recording.end)["crash"].pose.y, 3) == row.score
    assert any("its controller failed: crash.py line 3" in event.text for event in recording.events)


def test_results_are_bit_identical_for_any_workers_and_interruptions(submissions: Path, tmp_path: Path) -> None:
    contest = write_contest(tmp_path, format="double-elimination", qualifying=1, legs=1)
    whole = run_contest(contest, submissions, out=tmp_path / "whole", workers=1)

    def stop(done: int, of: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_contest(contest, submissions, out=tmp_path / "again", workers=1, progress=stop)
    assert not (tmp_path / "again" / "results.csv").exists()
    told: list[tuple[int, int]] = []
    run_contest(contest, submissions, out=tmp_path / "again", workers=2, progress=lambda *now: told.append(now))
    assert told[0][0] == 2  # both heats of the qualifying
    assert told[-1] == (len(whole.heats), len(whole.heats))
    first, second = read_all(tmp_path / "whole"), read_all(tmp_path / "again")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name] and name != "finished.jsonl"] == []


@pytest.mark.long
def test_contest_resumes_after_kill(submissions: Path, tmp_path: Path) -> None:
    contest = write_contest(tmp_path, meetings=5)
    program = [sys.executable, "-m", "paddock", "class", "contest", "run", str(contest), "--workers", "2"]
    process = subprocess.Popen(program, start_new_session=True, stderr=subprocess.DEVNULL)
    finished = tmp_path / "results" / "finished.jsonl"
    wait_for(lambda: finished.exists() and finished.read_text().count("\n") > 3)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    told: list[int] = []
    run_contest(contest, submissions, out=tmp_path / "results", progress=lambda done, of: told.append(done))
    assert 3 <= told[0] < 30
    run_contest(contest, submissions, out=tmp_path / "whole")
    first, second = read_all(tmp_path / "whole"), read_all(tmp_path / "results")
    assert [name for name in first if first[name] != second[name] and name != "finished.jsonl"] == []


def test_changed_file_reruns_only_its_heats(league: tuple[Path, ContestResult], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(league[0], tmp_path / "copied"))
    submissions = folder / "submissions"
    (submissions / "slow.py").write_text(DRIVE.format(speed=0.128))
    told: list[int] = []
    result = run_contest(
        folder / "contest.toml", submissions, out=folder / "out", workers=1, progress=lambda done, of: told.append(done)
    )
    assert told[0] == 3  # of six heats
    assert result.standings[0].robot == "slow"


def test_single_robots_of_round_are_compared_by_score(submissions: Path, tmp_path: Path) -> None:
    contest = write_contest(tmp_path, heat_size=1, meetings=2)
    result = run_contest(contest, submissions, out=tmp_path / "out", workers=1)
    assert [(line.robot, line.points) for line in result.standings][:2] == [("fast", 2.0), ("crash", 4 / 3)]
    assert {row.start for row in result.rows} == {"left"}
    assert len({row.seed for row in result.rows if row.round == 1}) == 1


def test_alone_a_robot_starts_at_the_pose_of_the_robot_of_a_world_without_starts(
    submissions: Path, tmp_path: Path
) -> None:
    robot = '{name = "red", type = "e-puck", at = [0.5, 0.3], heading_deg = 90}'
    world = f'name = "plain"\nbounds = [0, 0, 1, 1]\nrobots = [{robot}]\n'
    (tmp_path / "plain.toml").write_text(world, encoding="utf-8")
    contest = write_contest(tmp_path, heat_size=1, world="plain.toml")
    result = run_contest(contest, submissions, out=tmp_path / "out", workers=1)
    assert {row.start for row in result.rows} == {"red"}
    assert result.standings[0].robot == "fast"
    first = Recording(tmp_path / "out" / result.heats[0].recording)
    x, y, heading = first.trace(first.robots[0]).pose[0]
    assert (x, y, heading) == pytest.approx((0.5, 0.3, math.pi / 2))


def test_a_contest_of_one_in_a_world_without_starts_and_robots_is_not_told_to_reduce_its_heats(tmp_path: Path) -> None:
    (tmp_path / "bare.toml").write_text('name = "bare"\nbounds = [0, 0, 1, 1]\n', encoding="utf-8")
    (tmp_path / "height.py").write_text(REFEREE)
    with pytest.raises(
        PaddockError, match=r"bare has 0 starts .none.: .*add \[\[starts\]\] or a robot to it \(at line \d+\)$"
    ):
        load_contest(write_contest(tmp_path, heat_size=1, world="bare.toml", robot="e-puck"))


def test_the_report_tells_in_which_heats_a_controller_failed(league: tuple[Path, ContestResult]) -> None:
    _, result = league
    (failures,) = (part for part in contest_report(result) if isinstance(part, Table) and "failure" in part.heads)
    assert failures.heads[-1] == "in heat no."


def test_elimination_has_champion_and_picture(submissions: Path, tmp_path: Path) -> None:
    contest = write_contest(tmp_path, format="single-elimination", qualifying=1, advance=3)
    result = run_contest(contest, submissions, out=tmp_path / "out", workers=1)
    assert result.standings[0].robot == "fast"
    assert result.standings[0].out == ""
    assert result.standings[1].out == "final"
    assert [line.place for line in result.standings] == [1, 2, 3, 4]
    assert {line.robot for line in result.standings} == {"fast", "slow", "crash", "typo"}
    assert (tmp_path / "out" / "bracket.png").stat().st_size > 5000
    assert result.bracket is not None
    texts = [text.get_text() for text in draw_bracket(result.bracket, {"fast": "Ada"}).texts]
    assert sum("Ada" in text for text in texts) == len([1 for row in result.rows if row.robot == "fast"]) // 2


# what people write


def test_class_contest_uses_student_names(tmp_path: Path) -> None:
    (tmp_path / "height.py").write_text(REFEREE)
    members = ClassFolder.create(tmp_path / "class", ClassSpec(title="R"), ["Ada Lovelace", "Grace Hopper"])
    members.receive("Ada Lovelace", "climb", "mine.py", DRIVE.format(speed=0.12).encode())
    members.receive("Grace Hopper", "climb", "other.py", DRIVE.format(speed=0.05).encode())
    contest = write_contest(tmp_path)
    done = paddock(
        "class", "contest", "run", str(contest), "--class", str(members.path), "--exercise", "climb", "--workers", "1"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("Ada Lovelace") < done.stdout.index("Grace Hopper")
    assert "wrote" in done.stderr
    shown = paddock("class", "contest", "show", str(tmp_path / "results"), "--heats")
    assert "heats/001.mcap" in shown.stdout
    page = (tmp_path / "results" / "report.html").read_text()
    assert "Grace Hopper" in page
    assert ">recording<" not in page  # with it the table would be too wide


def test_submissions_are_files_or_folders_and_robots_get_valid_names(tmp_path: Path) -> None:
    (tmp_path / "Anna Müller_42").mkdir()
    (tmp_path / "Anna Müller_42" / "line.py").write_text("")
    (tmp_path / "ben.py").write_text("")
    (tmp_path / "__pycache__").mkdir()
    assert [(each.robot, each.name) for each in find_entrants(tmp_path)] == [
        ("Anna-Müller_42", "Anna Müller_42"),
        ("ben", "ben"),
    ]
    (tmp_path / "Anna Müller_42.py").write_text("")
    with pytest.raises(PaddockError, match=r"both Anna Müller_42.py and Anna Müller_42/"):
        find_entrants(tmp_path)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"world": "line-track"}, "line-track has 0 starts"),
        ({"heat_size": 3}, "race-track has 2 starts .left, right."),
        ({"starts": ["rihgt"]}, "did you mean 'right'"),
        ({"format": "single-elimination", "heat_size": 1}, "an elimination needs heats of 2 robots"),
        ({"qualifying": 1}, "qualifying: not allowed in a league"),
        ({"format": "double-elimination", "advance": 4}, "qualifying: missing"),
        ({"refere": "laps"}, "refere"),
        ({"referee": {"kind": "lap"}}, "did you mean 'laps'"),
        ({"referee": {"kind": "laps", "lap": 3}}, "did you mean 'laps'"),
    ],
)
def test_errors_name_the_key(more: dict[str, object], problem: str) -> None:
    with pytest.raises((SpecError, PaddockError), match=problem):
        load_contest({**CONTEST, "referee": {"kind": "laps"}, **more})


def test_byte_code_of_installed_template_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(new.TEMPLATES, tmp_path / "templates")
    compileall.compile_dir(tmp_path / "templates", quiet=1)
    monkeypatch.setattr(new, "TEMPLATES", tmp_path / "templates")
    contest = new_contest(tmp_path / "mine")
    assert not list(contest.parent.rglob("*.pyc"))
    assert load_contest(contest).referee is not None


def test_missing_submissions_and_results_are_reported(tmp_path: Path) -> None:
    contest = new_contest(tmp_path / "mine")
    for file in (tmp_path / "mine" / "submissions").iterdir():
        file.unlink()
    done = paddock("class", "contest", "run", str(contest))
    assert done.returncode != 0
    assert "there are no submissions" in done.stderr
    assert "standings.csv" in paddock("class", "contest", "show", str(tmp_path)).stderr
    assert "not empty" in paddock("class", "contest", "new", str(tmp_path / "mine")).stderr
    assert "did you mean 'sumo'" in paddock("class", "contest", "new", str(tmp_path / "new"), "--game", "sumoo").stderr


@pytest.mark.parametrize("game", GAMES)
def test_every_template_is_valid_contest(game: str, tmp_path: Path) -> None:
    contest = new_contest(tmp_path / game, game)
    spec = load_contest(contest)
    assert spec.to_table() == load_contest(spec.to_table()).to_table()
    assert len(find_entrants(contest.parent / "submissions")) == 2
