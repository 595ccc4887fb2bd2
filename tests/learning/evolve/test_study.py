"""Tests of whole evolutions: output, files and resuming."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import paddock
import paddock.learning.evolve.evolution as evolution_module
from command_line import Printed
from command_line import paddock as command
from learning.evolve.small import SMALL
from paddock.cli.evolve import ProgressLines
from paddock.learning.evolve.champion_picture import drive_champion, extract_trail
from paddock.learning.evolve.checkpoint import load_checkpoint
from paddock.learning.evolve.evolution import Evolution, Generation
from paddock.learning.evolve.evolution_study import evolve, resume
from paddock.learning.evolve.folder import EvolutionFolder
from paddock.learning.evolve.options import EvolutionConfig, Execution


def paddock_evolve(folder: Path, *options: str) -> Printed:
    return command("study", "evolve", *options, folder=folder)


@pytest.mark.usefixtures("without_pictures")
def test_watch_hint_replays_the_evaluated_drive(tmp_path: Path) -> None:
    done = paddock_evolve(tmp_path, "maze", "--seed", "3", "--until-solved", "--out", "found")
    assert done.returncode == 0, done.stderr
    hint = re.search(r"Watch it:  paddock (run .*)", done.stdout)
    assert hint is not None
    assert hint[1].endswith("--seed 3 --seconds 60 --referee maze-race")
    summary = json.loads((tmp_path / "found" / "summary.json").read_text("utf-8"))
    assert summary["solved"]
    assert summary["generations"] == summary["solved_in_generation"] < 30
    watched = command(*shlex.split(hint[1]), "--headless", "--out", "watched", folder=tmp_path)
    assert watched.returncode == 0, watched.stderr
    assert re.search(r"time to the goal: \d+(\.\d+)? s", watched.stdout)  # it ends at the exit
    assert re.search(r"scout +[│|] +\d+\.\d{1,3} +[│|] +0 ", watched.stdout), watched.stdout
    (trace,) = (tmp_path / "watched").rglob("trace.csv")
    with trace.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    study = resume(tmp_path / "found", execution=Execution(until_solved=True))
    assert (study.generations, study.summary["generations"]) == (0, summary["generations"])
    drive, _, _ = drive_champion(study.evolution)
    x, y = drive.poses[0, 0, :2]
    reached = min(np.hypot(float(row["x"]) - x, float(row["y"]) - y) for row in rows)
    assert reached < 1e-9  # the robot comes to where it reached the exit when it was judged
    more = summary["generations"] + 1
    assert resume(tmp_path / "found", generations=more).summary["generations"] == more


def test_until_solved_is_refused_without_a_solved_criterion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "never_solved.py").write_text("def far(drive):\n    return drive['distance'][:, 0]\n", "utf-8")
    with pytest.raises(paddock.PaddockError, match="until_solved: never_solved:far returns a fitness, but not whether"):
        evolve(EvolutionConfig(task="never_solved:far", world="clutter"), execution=Execution(until_solved=True))


@pytest.mark.usefixtures("without_pictures")
def test_history_grows_by_one_line_per_generation(tmp_path: Path) -> None:
    lines: list[int] = []

    def watch(evolution: Evolution, now: Generation) -> None:
        lines.append(len((tmp_path / "history.csv").read_text(encoding="utf-8").splitlines()))

    evolve(SMALL, out=tmp_path, watch=watch)
    assert lines == [2, 3, 4, 5]


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("left", ["more", "half", "less", "nothing"])
def test_resumed_history_equals_uninterrupted_history(left: str, whole: Path, half: Path, tmp_path: Path) -> None:
    torn = shutil.copytree(half, tmp_path / "torn")
    path = torn / "history.csv"
    rows = path.read_bytes().splitlines(keepends=True)
    if left == "nothing":
        path.unlink()
    else:
        path.write_bytes(b"".join({"more": [*rows, rows[-1]], "half": [*rows, b"3,0.1"], "less": rows[:-1]}[left]))
    resume(torn, generations=4)
    assert path.read_bytes() == (whole / "history.csv").read_bytes()


@pytest.mark.usefixtures("without_pictures")
def test_times_accumulate_over_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = evolve(replace(SMALL, generations=2), out=tmp_path).summary
    step = Evolution.step

    def slow(evolution: Evolution) -> Generation:
        time.sleep(0.3)
        return step(evolution)

    monkeypatch.setattr(Evolution, "step", slow)
    second = resume(tmp_path, generations=3).summary
    assert second["wall_s"] >= 0.3
    monkeypatch.setattr(Evolution, "step", step)
    third = resume(tmp_path, generations=4).summary
    for name in ("wall_s", "cpu_s", "compile_s"):
        assert first[name] - 0.002 <= second[name] - 0.001 <= third[name]
    spent = load_checkpoint(tmp_path / "checkpoint.npz")["spent"]
    assert all(second[name] - 0.001 <= spent[name] <= third[name] + 0.001 for name in spent)
    assert resume(tmp_path).summary["compile_s"] == third["compile_s"]


@pytest.mark.usefixtures("without_pictures")
def test_resume_with_enough_generations_does_nothing(tmp_path: Path) -> None:
    evolve(SMALL, out=tmp_path / "out", execution=Execution(test=2))
    summary, kept = (
        json.loads((tmp_path / "out" / name).read_text("utf-8")) for name in ("summary.json", "config.json")
    )
    done = paddock_evolve(tmp_path, "--resume", "--out", "out", "--generations", "3", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "4 generations are already done: nothing to do; a larger number of --generations continues it\n"
    )
    again = json.loads(done.stdout)
    times = ("wall_s", "cpu_s")
    assert {**again, **dict.fromkeys(times)} == {**summary, **dict.fromkeys(times)}  # what was tested, too
    assert json.loads((tmp_path / "out" / "config.json").read_text("utf-8")) == kept
    tested = paddock_evolve(tmp_path, "maze", "--resume", "--out", "out", "--test", "3", "--json")
    assert tested.stderr == "4 generations are already done: nothing to do but the test\n"
    second = paddock_evolve(tmp_path, "maze", "--out", "out")
    assert second.stderr == (
        "paddock: out: there is an evolution already: choose another folder, or resume it: "
        "paddock study evolve --resume --out out\n"
    )
    assert json.loads(tested.stdout)["test_drives"] == 3


@pytest.mark.usefixtures("without_pictures")
def test_task_may_be_omitted_on_resume(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "out")
    done = paddock_evolve(tmp_path, "--resume", "--out", "out", "--generations", "5", "--json")
    assert (done.returncode, json.loads(done.stdout)["generations"]) == (0, 5)
    for options, message in (
        (["avoid", "--resume", "--out", "out"], "paddock: the task: the evolution to resume has 'maze', not 'avoid'"),
        (["--out", "new"], "paddock: the task: expected maze, avoid, wall-follow, line-follow or module:function"),
        (["--resume"], "paddock: --resume: expected the folder of an evolution, --out DIR"),
    ):
        done = paddock_evolve(tmp_path, *options)
        assert done.returncode == 2
        assert message in done.stderr


def test_progress_logs_first_and_last_generation_and_periodic_ones() -> None:
    said: list[str] = []
    now = 0.0
    evolution = Evolution(SMALL)
    lines = ProgressLines(said.append, clock=lambda: now)
    for number in range(1, 13):
        now += 1.0
        lines(evolution, Generation(number, 0.5, 0.25, 0.75, 0.5, 6 * number))
    lines.end()
    lines.end()
    assert [int(re.findall(r"generation (\d+) of 4", line)[0]) for line in said] == [1, 6, 11, 12]
    assert said[0] == "maze: generation 1 of 4: champion 0.75, mean 0.25, solved 50%"


@pytest.mark.usefixtures("without_pictures")
def test_progress_lines_are_printed_without_a_terminal(tmp_path: Path) -> None:
    options = ["maze", "--population", "6", "--seconds", "5", "--generations", "3"]
    done = paddock_evolve(tmp_path, *options, "--mazes", "4", "--size", "3", "--out", "the mazes")
    assert [line.partition(": champion")[0] for line in done.stderr.splitlines() if "generation" in line] == [
        "maze: generation 1 of 3",
        "maze: generation 3 of 3",
    ]
    files = "checkpoint.npz, config.json, history.csv, learning-curve.png, provenance.json, summary.json"
    wrote = f"{files}, world.toml … world-3.toml\n"
    assert f"wrote the mazes: champion.npz, champion.png, {wrote}" in done.stdout
    assert "paddock run 'the mazes/world.toml' --policy 'the mazes/champion.npz' --seed" in done.stdout
    assert "wall time [s]" in done.stdout
    assert "None" not in done.stdout


def test_picture_shows_the_evaluated_drives(whole: Path, tmp_path: Path) -> None:
    config = EvolutionConfig(task="maze", population=6, generations=2, mazes=5, size=(3, 3), seconds=8.0)
    study = evolve(config, out=tmp_path)
    drive, evaluation, dt = drive_champion(study.evolution)
    assert evaluation.fitness.mean() == study.summary["best_fitness"]
    assert evaluation.solved.mean() == study.summary["solved_share"]
    for world in range(5):
        points = extract_trail(drive, world)
        start = study.evolution.task.worlds[world].robots[0].at
        assert points[0] == pytest.approx(start or points[0])
        assert points[-1] == tuple(drive.poses[world, 0, :2])
        assert len(points) >= drive.ticks[world] * dt / 0.1
    with Image.open(tmp_path / "champion.png") as four:
        assert four.width == 1400  # two of four worlds side by side
    with Image.open(whole / "champion.png") as one:
        assert one.width == 1000


def test_picture_starts_at_the_random_start_pose() -> None:
    config = EvolutionConfig(task="avoid", population=4, generations=1, trials=1, seconds=3.0)
    study = evolve(config)
    drive, evaluation, _ = drive_champion(study.evolution)
    assert evaluation.fitness.tolist() == [study.summary["best_fitness"]]
    start = study.evolution.task.runs[0].load_world().robots[0].at
    assert start is not None
    assert extract_trail(drive, 0)[0] != pytest.approx(start, abs=0.01)


def test_unknown_strategy_is_refused_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def built(*arguments: Any) -> None:
        raise AssertionError("too late")

    monkeypatch.setattr(evolution_module, "make_task", built)
    monkeypatch.setattr(EvolutionFolder, "refuse_second", built)
    with pytest.raises(paddock.core.errors.UnknownName, match=r"no strategy called 'xx' \(there are: cma, es, ga"):
        evolve(replace(SMALL, strategy="xx"), out=tmp_path)


def test_evolution_without_folder_warns_that_nothing_is_saved(tmp_path: Path) -> None:
    done = paddock_evolve(tmp_path, "avoid", "--population", "4", "--generations", "1", "--seconds", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert "no files will be written: --out DIR saves the champion" in done.stderr
    assert list(tmp_path.iterdir()) == []
