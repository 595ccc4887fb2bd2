"""Tests of the Rossum reproduction on short runs, with lock-step and free-running clocks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from paddock.cli import study_runs as command
from paddock.core.geometry import Pose
from paddock.experiments.reproductions.rossum import report
from paddock.experiments.reproductions.rossum.claims import check_claims
from paddock.experiments.reproductions.rossum.clocks import MeasuredDrive, drive_free, drive_here, drive_locked
from paddock.experiments.reproductions.rossum.evolutions import EvolutionRun, TurretWalk, learn, walk
from paddock.experiments.reproductions.rossum.reproduce import RossumFindings, reproduce
from paddock.learning.evolve.evolution import Evolution
from paddock.learning.evolve.options import EvolutionConfig

pytestmark = pytest.mark.long

WALK = TurretWalk(True, 46, 90, 200.0, False, 2, [Pose(0.125, 0.125, 1.57), Pose(1.875, 1.875, 0.0)])
DRIVES = (
    MeasuredDrive("here", None, 1.0, True, 700, 700, "abc", 0.2, WALK.trail),
    MeasuredDrive("lock-step", 50.0, 1.0, True, 700, 700, "abc", 9.0, WALK.trail),
    MeasuredDrive("free-running", 500.0, 0.2, False, 1200, 20, "", 0.2, WALK.trail),
)


@pytest.fixture(scope="module")
def learned() -> EvolutionRun:
    """Return a short evolution that reaches the exit."""
    return learn(0, generations=15)


def test_short_evolution_reaches_the_exit(learned: EvolutionRun) -> None:
    assert learned.solved
    assert learned.solved_in is not None
    assert learned.solved_in <= 15


def test_lock_step_drive_is_bit_identical_and_free_running_is_worse(learned: EvolutionRun) -> None:
    evolution = learned.evolution
    champion, task, seed = evolution.champion, evolution.task, evolution.config.seed
    here = drive_here(task, champion, seed)  # type: ignore[arg-type]
    assert here.reached
    locked = drive_locked(task, champion, seed, speed=500.0, thinking=0.001)  # type: ignore[arg-type]
    assert (locked.digest, locked.ticks, locked.trail) == (here.digest, here.ticks, here.trail)
    free = drive_free(task, champion, seed, speed=500.0, thinking=0.01)  # type: ignore[arg-type]
    assert not free.reached
    assert free.part < 1
    assert free.decisions < free.ticks / 2


def test_single_polled_beam_finds_the_exit() -> None:
    walked = walk()
    assert walked.reached
    assert walked.looks > 0
    assert (walked.in_sense, walked.refused) == (False, 2)


def test_claims_hold_only_for_valid_results(learned: EvolutionRun) -> None:
    fast = [replace(learned, wall=2.0, processor=4.0)]
    held = {(row.row, row.metric): row.holds for row in check_claims(fast, WALK, DRIVES)}
    assert [key for key, holds in held.items() if not holds] == [
        ("evolution", "runs of 1 that reach generation 200"),
        ("evolution", "individuals evaluated"),
    ]
    other = [DRIVES[0], replace(DRIVES[1], digest="abd"), replace(DRIVES[2], reached=True, part=1.0)]
    slow = [replace(learned, wall=100.0, processor=30.0)]
    lazy = replace(WALK, reached=False, in_sense=True, refused=1)
    assert sum(row.holds for row in check_claims(slow, lazy, other)) == sum(held.values()) - 7


def test_report_and_rows_are_written(
    learned: EvolutionRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = RossumFindings([learned], WALK, DRIVES)
    monkeypatch.setattr(command, "reproduction_called", lambda name: lambda **_: findings)
    assert not command.print_reproductions("rossum", json_lines=True, out=tmp_path)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(set(line) == {"row", "metric", "paper", "ours", "holds"} for line in lines)
    assert next(line["paper"] for line in lines if line["metric"].startswith("time of a run")) == 540
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "failed (crashed after generation 90, every run)" in text
    assert {path.name for path in tmp_path.glob("*.png")} == {
        "learning.png", "here.png", "free-running-500.png", "turret.png",
    }  # fmt: skip


def test_zero_seeds_are_refused() -> None:
    with pytest.raises(Exception, match="seeds: expected at least 1"):
        reproduce(seeds=0)


def test_picture_titles_name_clock_seed_and_duration(learned: EvolutionRun, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str]] = []
    drawn = report.draw_trail
    monkeypatch.setattr(report, "draw_trail", lambda trail, *words: told.append(words) or drawn(trail, *words))
    list(report.list_parts(RossumFindings([learned], WALK, DRIVES)))
    assert told[1] == ("Clock: free-running, 500×", "champion of seed 0 · drives 20% of the path · 60.0 simulated s")
    assert [title for title, _ in told] == ["Clock: here", told[1][0], "One turning beam, polled when needed"]


def test_task_matches_the_thesis() -> None:
    evolution = Evolution(EvolutionConfig(task="maze"))
    assert sum(part.values for part in evolution.task.inputs) == 3
    assert evolution.policy.weights.shape[1] == (1 + 3) * 4 + (1 + 4) * 2
    assert evolution.task.seconds >= 60
