"""Sweeps: one tidy table for any number of workers, reuse of finished runs, and a list of failures."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import paddock
from command_line import paddock as command
from experiments.sweeps.tables import read_tables
from paddock.arena.metrics import Distance
from paddock.control.policies import explorer
from paddock.core.locks import lock_folder
from paddock.experiments.sweeps import load_sweep, sweep

SMALL: dict[str, Any] = {
    "name": "small",
    "worlds": ["empty", "clutter"],
    "controllers": ["paddock.control.policies:explorer"],
    "seeds": 3,
    "seconds": 1,
    "metrics": ["distance"],
    "parameters": {"controller": {"speed": [0.05, 0.1]}},
}
FRAGILE = """
import os, signal

class Controller:
    def __init__(self, robot, speed=0.1):
        self.robot, self.speed = robot, speed

    def act(self, observation):
        if self.speed == 0.2 and self.robot.arena.seed == 1:
            return 1 / 0
        if self.speed == 0.3:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.speed, self.speed
"""


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_run_is_one_row_and_equals_arena_with_its_seed() -> None:
    done = sweep(SMALL, workers=1)
    assert (done.runs, done.fresh, done.failures) == (12, 12, ())
    assert done.axes == ("world", "robot", "controller", "controller.speed")
    assert [row["run"] for row in done.rows] == list(range(1, 13))
    row = done.rows[10]
    assert (row["world"], row["robot"], row["controller.speed"], row["seed"]) == ("clutter", "e-puck", 0.1, 1)
    with paddock.open("clutter", seed=1) as arena:
        arena["red"].proximity.enable()
        episode = arena.run(1.0, explorer(0.1), metrics=[Distance()])
    assert (row["digest"], row["distance"], row["ended"]) == (
        episode.digest,
        episode.metrics["distance"],
        episode.reason,
    )


def test_table_is_identical_for_any_workers_and_finished_runs_are_reused(tmp_path: Path) -> None:
    first = sweep(SMALL, out=tmp_path / "a", workers=1)
    sweep(SMALL, out=tmp_path / "b", workers=2)
    assert read_tables(tmp_path / "a") == read_tables(tmp_path / "b")
    assert pyarrow.parquet.read_table(tmp_path / "a" / "runs.parquet").to_pylist() == [dict(row) for row in first.rows]
    assert len(first.to_pandas()) == 12
    more = sweep({**SMALL, "seeds": 4}, out=tmp_path / "a", workers=1)
    assert (more.runs, more.fresh) == (16, 4)
    assert [row for row in more.rows if row["seed"] < 3] == [{**row, "run": n["run"]} for row, n in zip(
        first.rows, [row for row in more.rows if row["seed"] < 3], strict=True)]  # fmt: skip
    assert (tmp_path / "a" / "provenance.json").exists()
    with pytest.raises(paddock.PaddockError, match="results of 'sweep small', not of 'sweep other'"):
        sweep({**SMALL, "name": "other"}, out=tmp_path / "a")


def test_run_is_repeated_when_its_inputs_change(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    spec = {"name": "s", "worlds": ["empty"], "controllers": ["mine.py"], "seeds": 2, "seconds": 1}
    (tmp_path / "s.toml").write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in spec.items()))
    file.write_text("def act(observation):\n    return 0.1, 0.1\n")
    slow = sweep(tmp_path / "s.toml", out=tmp_path / "out", workers=1)
    assert sweep(tmp_path / "s.toml", out=tmp_path / "out", workers=1).fresh == 0
    file.write_text("def act(observation):\n    return 0.12, 0.12\n")
    fast = sweep(tmp_path / "s.toml", out=tmp_path / "out", workers=1)
    assert fast.fresh == 2
    assert fast.rows[0]["distance"] > slow.rows[0]["distance"]
    copies = json.loads((tmp_path / "out" / "provenance.json").read_text())["inputs"]
    assert set(copies) == {"inputs/s.toml", "inputs/mine.py"}


def test_failures_are_listed_with_command_that_repeats_them(tmp_path: Path) -> None:
    (tmp_path / "fragile.py").write_text(FRAGILE)
    (tmp_path / "s.toml").write_text(
        'name = "s"\nworlds = ["empty"]\ncontrollers = ["fragile.py"]\nseeds = 2\nseconds = 0.1\n'
        "[parameters]\ncontroller.speed = [0.1, 0.2, 0.3]\n"
    )
    printed = command("study", "sweep", "s.toml", "--workers", "2", "--out", "out", folder=tmp_path)
    assert printed.returncode == 1
    assert [(row["controller.speed"], row["seed"]) for row in read(tmp_path / "out" / "runs.csv")] == [
        ("0.1", "0"), ("0.1", "1"), ("0.2", "0"),
    ]  # fmt: skip
    zero, *killed = read(tmp_path / "out" / "failures.csv")
    assert zero["problem"].startswith("fragile.py line 10: ZeroDivisionError")
    assert zero["command"] == "paddock study sweep s.toml --run 4"
    assert [row["problem"] for row in killed] == ["the worker process died: killed by SIGKILL"] * 2
    assert "ZeroDivisionError" in (tmp_path / "out" / "report.html").read_text()
    again = command("study", "sweep", "s.toml", "--run", "4", folder=tmp_path)
    assert again.returncode == 1
    assert "return 1 / 0" in again.stderr
    alone = command("study", "sweep", "s.toml", "--run", "3", "--json", folder=tmp_path)
    assert (alone.returncode, json.loads(alone.stdout)["controller.speed"]) == (0, 0.2)


def test_impossible_combinations_fail_alone() -> None:
    spec = {**SMALL, "worlds": ["empty"], "robots": ["e-puck", "pioneer-p3dx"], "seeds": 2}
    done = sweep(spec, workers=1)
    assert {row["robot"] for row in done.rows} == {"e-puck"}
    assert {failed.labels["robot"] for failed in done.failures} == {"pioneer-p3dx"}
    assert len(done.failures) == 4


def test_scenario_is_swept_over_robots_and_parameters() -> None:
    spec = {
        "name": "s",
        "scenarios": ["turn-and-go"],
        "seeds": [7],
        "parameters": {"robot": {"drive": {"max_speed": [0.1, 0.13]}}, "scenario": {"safety": {"enabled": [False]}}},
    }
    done = sweep(spec, workers=1)
    assert [row["complete"] for row in done.rows] == [True, True]
    assert done.rows[0]["scenario"] == "turn-and-go"
    assert [row["robot.drive.max_speed"] for row in done.rows] == [0.1, 0.13]
    share = next(row for row in done.summary if row["figure"] == "complete")
    assert (share["mean"], share["high"]) == (1.0, 1.0)
    assert 0 < share["low"] < 1


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"worlds": []}, "worlds: missing: at least 1 world, 1 run or 1 scenario"),
        ({"worlds": ["clutter", "emtpy"]}, "no world called 'emtpy' .did you mean 'empty'"),
        ({"seed": 3}, "seed: unknown key .did you mean 'seeds'"),
        ({"seeds": 0}, "seeds: expected a list of seeds, or their number"),
        ({"worlds": ["empty", "empty"]}, "worlds: expected different entries"),
        ({"controllers": ["explorer"]}, "no controller called 'explorer': expected built-in, a Python file, a policy"),
        ({"controllers": ["mine.py"]}, "mine.py: no such file"),
        ({"metrics": ["distanse"]}, r"metrics\[0\]: no metric called 'distanse' .did you mean 'distance'"),
        ({"metrics": [{"metric": "coverage", "cel": 1}]}, r"metrics\[0\]: .*unexpected keyword argument 'cel'"),
        ({"parameters": {"controller": {"speed": 0.1}}}, r"parameters\.controller\.speed: expected a list of values"),
        ({"parameters": {"speed": [0.1]}}, r"parameters\.speed: expected a path that begins with controller, world"),
        ({"parameters": {"scenario.stop": [1]}}, r"parameters\.scenario\.stop: this sweep has no scenarios"),
        ({"parameters": {"world": {"dtt": [0.1]}}}, "dtt: unknown key .did you mean 'dt'"),
        ({"parameters": {"robot": {"sensors": {"proximty": {"range": [1]}}}}}, "no entry called 'proximty' .did you"),
    ],
)  # fmt: skip
def test_invalid_sweep_is_refused_before_running(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(paddock.PaddockError, match=problem):
        sweep({**SMALL, **change}, workers=1)


@pytest.mark.parametrize(
    ("controller", "problem"),
    [
        ("paddock.control.policies:explorer", r"explorer: unknown parameter 'sped' \(did you mean 'speed'\?\)"),
        ("mine.py", r"Controller: unknown parameter 'sped' \(did you mean 'speed'\?\)"),
        ("built-in", "built-in: unknown parameter 'sped': this controller has no parameters"),
    ],
)
def test_unknown_controller_parameter_is_refused_before_running(
    controller: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FRAGILE)
    wrong = {**SMALL, "controllers": [controller], "parameters": {"controller": {"sped": [1]}}}
    with pytest.raises(paddock.PaddockError, match=problem):
        sweep(wrong, out=tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()


def test_concurrent_sweeps_into_one_folder_are_refused(tmp_path: Path) -> None:
    with (
        lock_folder(tmp_path),
        pytest.raises(paddock.PaddockError, match="another process is using this folder"),
    ):
        sweep(SMALL, out=tmp_path, workers=1)


def test_charts_are_lines_over_numbers_and_rows_otherwise() -> None:
    lines = sweep(SMALL, workers=1).draw("distance")
    assert lines.get_xlabel() == "controller.speed"
    assert [text.get_text() for text in lines.get_legend().get_texts()] == ["empty", "clutter"]
    rows = sweep({**SMALL, "parameters": {}}, workers=1)
    assert [text.get_text() for text in rows.draw("distance").get_yticklabels()] == ["empty", "clutter"]
    with pytest.raises(paddock.UnknownName, match="no figure called 'distanse'"):
        rows.draw("distanse")


def test_example_sweep_runs() -> None:
    spec = load_sweep(Path(__file__).parents[3] / "examples" / "sweeps" / "avoid.toml")
    done = sweep(
        {**spec.to_table(), "seeds": 1, "seconds": 0.5, "controllers": ["paddock.control.policies:explorer"]}, workers=1
    )
    assert len(done.rows) == 6


def test_invalid_controllers_and_sizes_are_refused_before_running() -> None:
    told: list[int] = []
    wrong = {
        **SMALL,
        "controllers": ["paddock.control.policies:explorer", "paddock.control.policies:explored"],
        "parameters": {},
    }
    with pytest.raises(paddock.PaddockError, match=r"has no 'explored'.*did you mean 'explorer'"):
        sweep(wrong, workers=1, progress=lambda done, of: told.append(done))
    many = {"controller": {f"p{i}": list(range(10)) for i in range(9)}}
    with pytest.raises(paddock.PaddockError, match=r"6,000,000,000 runs are too many"):
        sweep({**SMALL, "parameters": many}, workers=1, progress=lambda done, of: told.append(done))
    assert told == []


def test_robots_that_scenario_does_not_drive_have_rows(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(
        'name = "one"\nworld = "line-crossing"\nrobot = "red"\n[[tasks]]\ntask = "wait"\nseconds = 0.1\n'
    )
    done = sweep({"name": "one", "scenarios": [str(tmp_path / "one.toml")], "seeds": 1}, workers=1)
    assert [(row["name"], row["robot"], row["tasks_done"]) for row in done.rows] == [
        ("red", "e-puck", 1), ("blue", "e-puck", 0),
    ]  # fmt: skip


OWN_METRICS = """
from dataclasses import dataclass
from paddock.arena.metrics import Distance

@dataclass(frozen=True, kw_only=True)
class Seed(Distance):
    def names(self):
        return "seed", "mean", "turned"

@dataclass(frozen=True, kw_only=True)
class Few(Distance):
    def names(self):
        return ("only",)
"""


def test_metric_names_and_figure_counts_are_checked(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_METRICS)
    (tmp_path / "own.toml").write_text(
        'name = "own"\nworlds = ["empty"]\nseeds = 1\nseconds = 0.1\nmetrics = ["own.py:Seed"]\n'
    )
    with pytest.raises(
        paddock.PaddockError, match=r"own\.toml: metrics\[0\]: a figure called 'seed' would replace the column"
    ):
        sweep(tmp_path / "own.toml", workers=1)
    few = f"{tmp_path / 'own.py'}:Few"
    with pytest.raises(paddock.PaddockError, match="Few: expected as many figures as names, 1, got 3 figures"):
        paddock.batch("empty", 2).run(0.1, explorer(), metrics=[few])
    with pytest.raises(paddock.PaddockError, match="Few: expected as many figures as names, 1, got 3 figures"):
        paddock.open("empty").run(0.1, lambda seen: (0, 0), metrics=[few])


@pytest.mark.parametrize("spec", [3, None, "small", "small.txt"])
def test_invalid_sweep_arguments_are_refused(spec: Any) -> None:
    with pytest.raises(paddock.PaddockError, match="the path of a TOML file"):
        sweep(spec)
    with pytest.raises(paddock.PaddockError, match="run: expected a number from 1 to 12, got '1'"):
        sweep(SMALL, run="1")  # type: ignore[arg-type]
