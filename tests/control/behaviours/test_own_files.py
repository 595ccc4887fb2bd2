"""Tests of tasks and wall followers from user files through the command line."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from command_line import Printed
from command_line import paddock as command
from paddock.control.behaviours.tasks import TASKS
from paddock.control.behaviours.wall import WALL_FOLLOWERS
from paddock.core.errors import SpecError
from paddock.experiments.scenarios import load_scenario, run_scenario

SCENARIO = """
name = "mine"
world = "{world}"
[stop]
seconds = 20
[[tasks]]
{task}
"""
DANCE = """from dataclasses import dataclass

from paddock.control.behaviours.tasks import Duration, Task, TaskSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class DanceSpec(TaskSpec):
    seconds: Duration = 2.0


class Dance(Task[DanceSpec]):
    parameters = DanceSpec

    def decide(self, observation, elapsed):
        if elapsed >= self.spec.seconds:
            return self.end("danced")
        return 0.05, -0.05
"""
FOLLOWER = """from dataclasses import dataclass

from paddock.control.behaviours.wall import WallFollower


@dataclass
class Mine(WallFollower):
    clearance: float
    speed: float = 0.3
    gain: float = 2.0

    def update(self, ranges, dt, wheel_speeds=None):
        if min(ranges[2:5]) < 0.35:
            return 0.1, -0.1
        error = max(-0.1, min(0.1, min(ranges[0], ranges[1]) - self.clearance))
        return self.speed - self.gain * error, self.speed + self.gain * error
"""


def paddock(folder: Path, *arguments: str) -> Printed:
    """Run the command line in another folder than the scenario's."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    return command(*arguments, folder=elsewhere, columns=300)


def write(folder: Path, task: str, *, world: str = "empty", **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    path = folder / "my.toml"
    path.write_text(SCENARIO.format(world=world, task=task), encoding="utf-8")
    return path


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["dance:Dance", "dance.py:Dance"])
def test_user_task_runs_from_command_line(tmp_path: Path, name: str) -> None:
    done = paddock(
        tmp_path, "run", "--scenario", str(write(tmp_path, f'task = "{name}"\nseconds = 1', dance=DANCE)), "--headless"
    )
    assert done.returncode == 0, done.stderr
    assert "Dance" in done.stdout
    assert "danced" in done.stdout


@pytest.mark.heavy
def test_system_exit_in_user_task_is_reported_with_file_and_line(tmp_path: Path) -> None:
    leaving = DANCE.replace('return self.end("danced")', 'raise SystemExit("bye")')
    file = write(tmp_path, 'task = "dance:Dance"\nseconds = 1', dance=leaving)
    done = paddock(tmp_path, "run", "--scenario", str(file), "--headless", "--out", "runs")
    assert done.returncode == 1  # not all tasks are done
    assert "dance.py line 16: SystemExit: bye" in done.stderr
    (log,) = (tmp_path / "elsewhere" / "runs").rglob("run.log")
    assert "SystemExit: bye" in log.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_user_wall_follower_runs_from_command_line(tmp_path: Path) -> None:
    task = (
        'task = "move"\n[[tasks]]\ntask = "wall-follow"\nfollower = "my_law:Mine"\nspeed = 0.2\nafter = 0\nwithin = 50'
    )
    done = paddock(
        tmp_path, "run", "--scenario", str(write(tmp_path, task, world="wall-loop", my_law=FOLLOWER)), "--headless"
    )
    assert done.returncode == 0, done.stderr
    assert "loop closed" in done.stdout


@pytest.mark.heavy
def test_user_task_is_deterministic_per_seed(tmp_path: Path) -> None:
    spec = load_scenario(write(tmp_path, 'task = "dance:Dance"\nseconds = { random = [1, 3] }', dance=DANCE))
    first, second = (run_scenario(spec, seed=3) for _ in range(2))
    assert first.complete
    assert first.digest == second.digest
    assert [task.name for task in first.tasks] == ["Dance"]


@pytest.mark.heavy
def test_wall_follower_of_docs_page_follows_walls(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "experiments/wall-follower.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(# my_follower.*?)```", page, re.DOTALL)
    (task,) = re.findall(r"```toml\n\[\[tasks\]\]\n(.*?)```", page, re.DOTALL)
    spec = load_scenario(write(tmp_path, 'task = "move"\n[[tasks]]\n' + task, world="wall-loop", my_follower=code))
    result = run_scenario(replace(spec, stop=replace(spec.stop, seconds=90)), seed=0)
    assert result.contact_time == 0
    trace = result.episode.trace
    following = np.array(trace.tasks) == "wall-follow"
    assert np.median(abs(trace.errors[following])) < 0.05
    assert result.distance > 20


DANCING, FOLLOWING = 'task = "dance:Dance"', 'task = "wall-follow"\nfollower = "law:Mine"'

# A scenario's task, the files beside it, and what is said about the mistake.
MISTAKES: dict[str, tuple[str, dict[str, str], str]] = {
    "no such file": (
        'task = "dnace:Dance"',
        {},
        r"tasks\[0\]\.task: dnace:Dance: no module 'dnace'",
    ),
    "no such class": (
        'task = "dance:Dnace"',
        {"dance": DANCE},
        r"tasks\[0\]\.task: .*has no 'Dnace' \(did you mean 'Dance'",
    ),
    "unknown parameter": (
        DANCING + "\nsecond = 1",
        {"dance": DANCE},
        r"tasks\[0\]\.second: unknown key \(did you mean 'seconds'",
    ),
    "wrong value": (
        DANCING + "\nseconds = -1",
        {"dance": DANCE},
        r"tasks\[0\]\.seconds: expected seconds > 0, got -1",
    ),
    "syntax": (
        DANCING,
        {"dance": DANCE + "\ndef f(:\n"},
        r"dance\.py line 19: SyntaxError",
    ),
    "no task": (
        'task = "dance:Duration"',
        {"dance": DANCE},
        r"is not a valid task: expected a kind of Task",
    ),
    "no decide": (
        DANCING,
        {"dance": DANCE.replace("def decide", "def decid")},
        r"dance\.py line 11: Dance: missing: decide\(self, observation, elapsed\)",
    ),
    "no follower": (
        'task = "wall-follow"\nfollower = "law:dataclass"',
        {"law": FOLLOWER},
        r"tasks\[0\]\.follower: .*is not a valid wall follower: expected a kind of WallFollower",
    ),
    "no update": (
        FOLLOWING,
        {"law": FOLLOWER.replace("def update", "def step")},
        r"tasks\[0\]\.follower: .*law\.py line 6: Mine: missing: update\(self, ranges, dt, wheel_speeds\)",
    ),
    "number of a follower": (
        FOLLOWING + "\ngian = 1",
        {"law": FOLLOWER},
        r"tasks\[0\]\.gian: unknown key \(did you mean 'gain'\?\)",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_invalid_user_files_are_refused_when_scenario_is_loaded(tmp_path: Path, mistake: str) -> None:
    task, files, said = MISTAKES[mistake]
    world = "wall-loop" if "wall-follow" in task else "empty"
    with pytest.raises(SpecError, match=said):
        load_scenario(write(tmp_path, task, world=world, **files))


WHILE_RUNNING: dict[str, tuple[str, dict[str, str], str]] = {
    "error on import": (
        DANCING,
        {"dance": "1 / 0\n"},
        r"tasks\[0\]\.task: .*dance\.py line 1: ZeroDivisionError",
    ),
    "wrong answer": (
        DANCING,
        {"dance": DANCE.replace("return 0.05, -0.05", "pass")},
        r"dance\.py line 14: Dance\.decide: expected wheel speeds \(left, right\) \[m/s\] or self\.end\(why\), got N",
    ),
    "error in a task": (
        DANCING,
        {"dance": DANCE.replace("return 0.05, -0.05", "return 1 / 0")},
        r"dance\.py line 17: ZeroDivisionError: division by zero",
    ),
    "error in a follower": (
        FOLLOWING,
        {"law": FOLLOWER.replace("ranges[2:5]", "ranges[16]")},
        r"law\.py line 13: IndexError: list index out of range",
    ),
    "no such follower": (
        'task = "wall-follow"\nfollower = "mni"',
        {},
        r"my\.toml: tasks\[0\]\.follower: no wall follower called 'mni' \(did you mean 'min'\?\)",
    ),
}


@pytest.mark.heavy
@pytest.mark.parametrize("mistake", WHILE_RUNNING)
def test_command_line_reports_location_of_runtime_errors(tmp_path: Path, mistake: str) -> None:
    task, files, said = WHILE_RUNNING[mistake]
    world = "wall-loop" if "wall-follow" in task else "empty"
    done = paddock(tmp_path, "run", "--scenario", str(write(tmp_path, task, world=world, **files)), "--headless")
    assert done.returncode != 0
    assert re.search(said, done.stdout + done.stderr), done.stdout + done.stderr


def test_tasks_and_wall_followers_have_entry_point_groups() -> None:
    assert (TASKS.group, WALL_FOLLOWERS.group) == ("paddock.tasks", "paddock.wall_followers")
