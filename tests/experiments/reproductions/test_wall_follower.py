"""Tests of the wall follower reproduction on short runs: courses, loops, claims and report."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.arena.metrics import Distance
from paddock.cli import study_runs as command
from paddock.control.behaviours.wall import GeometryFollower
from paddock.experiments.reproductions.wall_follower.claims import check_claims
from paddock.experiments.reproductions.wall_follower.course import (
    BLOCK,
    BROKEN,
    PASSAGE,
    ROOMS,
    SLIT,
    STEP,
    WAYS,
    Way,
    build_broken_room,
    build_room,
    find_course,
)
from paddock.experiments.reproductions.wall_follower.followers import CLEARANCE
from paddock.experiments.reproductions.wall_follower.loop import (
    CLOCK,
    CURVED,
    FAST,
    OTHERS,
    ROUGH_FAST,
    STUDY,
    TICK,
    TRIALS,
    Loop,
    LoopJob,
    Trial,
    build_world,
    drive,
    load_body,
)
from paddock.experiments.reproductions.wall_follower.reproduce import WallFollowerFindings, reproduce
from paddock.experiments.reproductions.wall_follower.tune import LIMITS, cost, tune

pytestmark = pytest.mark.long

ROBOT_WIDTH = 0.381  # of the P3-DX [m]
ROWS = {trial.row for trial in TRIALS}
PUBLISHED = {trial.row: trial.published for trial in STUDY}


def loops_as_wanted(**changes: float) -> dict[str, list[Loop]]:
    """Return loops that meet every claim, published for the study and as required for ours; `row=…` sets errors."""
    found = {}
    for trial in TRIALS:
        paper, slow = trial.published, "slow" in trial.follower
        time, distance, error = (600.0, 90.0, 0.5) if slow else (105.0, 88.0, 1.0)
        if paper is not None:
            time, distance, error = CLOCK * paper.time, paper.distance, paper.error
        error = changes.get(trial.row, error) / 100
        found[trial.row] = [
            Loop(job=job, home=True, time=time, distance=distance, error=error, largest=0.1, contacts=0)
            for job in trial.jobs()
        ]
    return found


# Courses


@pytest.mark.parametrize(
    "name", ["wall-loop", "curved", *(f"room-{seed}" for seed in ROOMS), "room-5", f"broken-{BROKEN}", "broken-5"]
)
@pytest.mark.parametrize("way", WAYS)
def test_robot_starts_beside_the_wall_on_every_course(name: str, way: Way) -> None:
    arena = paddock.open(build_world(LoopJob(follower="min", course=name, way=way)), dt=TICK)  # type: ignore[arg-type]
    arena["pioneer"].enable("sonar")
    seen = arena["pioneer"].sonar.read()
    beside = 0 if way == "clockwise" else 7
    assert int(seen[:8].argmin()) == beside
    assert seen[beside] == pytest.approx(CLEARANCE, abs=0.07)


@pytest.mark.parametrize("seed", range(40))
def test_generated_rooms_are_deterministic_and_passable(seed: int) -> None:
    world = build_room(seed)
    assert world == build_room(seed)
    assert world != build_room(seed + 1)
    boxes = [np.array(wall.points) for wall in world.walls if len({x for x, _ in wall.points}) < len(wall.points)]
    assert 1 <= len(boxes) <= 5
    for i, box in enumerate(boxes):
        for other in boxes[:i]:
            gaps = np.maximum(box.min(axis=0) - other.max(axis=0), other.min(axis=0) - box.max(axis=0))
            assert gaps.max() > PASSAGE


@pytest.mark.parametrize("seed", range(20))
def test_broken_walls_have_5_cm_steps_and_slits_narrower_than_robot(seed: int) -> None:
    world = build_broken_room(seed)
    assert world == build_broken_room(seed)
    assert world != build_broken_room(seed + 1)
    assert any(STEP in box.size for box in world.boxes)
    assert all(STEP in box.size or BLOCK in box.size for box in world.boxes)
    assert SLIT[1] < ROBOT_WIDTH


def test_unknown_course_suggests_closest_name() -> None:
    with pytest.raises(paddock.UnknownName, match="did you mean 'curved'"):
        find_course("curve")
    with pytest.raises(paddock.UnknownName, match="no course called 'room-x'"):
        find_course("room-x")


def test_bodies_differ_from_shipped_robot_only_as_documented() -> None:
    shipped, fresh, study = (load_body(body) for body in ("shipped", "fresh", "study"))  # type: ignore[arg-type]
    sonar = shipped.sensor("sonar")
    assert fresh == replace(shipped, sensors=(replace(sonar, period=TICK), *shipped.sensors[1:]))
    fitted: dict[str, Any] = {
        "range": 1.0,
        "nothing_seen": 1.0,
        "period": 0.05,
        "cone_deg": 20.0,
        "max_incidence_deg": 45.0,
        "noise": 1,
    }
    assert study.sensor("sonar") == replace(sonar, **fitted)
    assert (study.body, study.drive) == (shipped.body, shipped.drive)


# Loops


@pytest.mark.heavy
def test_loop_figures_match_its_trace() -> None:
    loop = drive(LoopJob(follower="tuned", limit=12.0, trace=True))
    trace = loop.trace
    assert trace is not None
    assert len(trace) == 241  # 240 cycles, and how it ended
    assert not loop.home
    assert loop.time == pytest.approx(12.0)
    assert loop.error == pytest.approx(np.abs(trace.errors[:-1]).mean())
    assert loop.largest == pytest.approx(np.abs(trace.errors[:-1]).max())
    assert loop.distance == trace.evaluate([Distance()])["distance"]
    assert loop.speed == pytest.approx(loop.distance / 12.0)
    assert trace.pose[0] == pytest.approx([0.37, 7.0, math.pi / 2])


@pytest.mark.heavy
def test_loop_is_deterministic_per_seed() -> None:
    job = LoopJob(follower="multi-fast", body="study", limit=15.0, seed=3)
    assert drive(job) == drive(job)
    assert drive(replace(job, seed=4)).error != drive(job).error


@pytest.mark.heavy
@pytest.mark.parametrize("way", WAYS)
def test_tuned_follower_meets_requirements_on_a_whole_loop(way: Way) -> None:
    loop = drive(LoopJob(follower="tuned", way=way, seed=77, limit=200.0))
    assert loop.clean
    assert loop.time <= 110
    assert loop.speed >= 0.80
    assert loop.error <= 0.013


@pytest.mark.heavy
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("course", ["broken-2", "broken-3"])
@pytest.mark.parametrize("follower", ["tuned", "geometry", "tuned-slow"])
def test_broken_walls_are_followed_without_contact(follower: str, course: str, way: Way) -> None:
    loop = drive(LoopJob(follower=follower, course=course, way=way, seed=77, limit=600.0))
    assert loop.clean
    assert loop.error < 0.02


@pytest.mark.heavy
@pytest.mark.parametrize("trial", STUDY, ids=lambda trial: trial.row)
def test_study_followers_match_published_figures(trial: Trial) -> None:
    loop, paper = drive(next(iter(trial.jobs()))), trial.published
    assert paper is not None
    assert loop.clean
    assert loop.time / CLOCK == pytest.approx(paper.time, rel=0.2)
    assert loop.distance == pytest.approx(paper.distance, rel=0.05)
    assert paper.error / 1.5 <= 100 * loop.error <= 1.5 * paper.error


# All trials


def test_study_runs_10_seeds_clockwise_and_ours_20_in_both_directions() -> None:
    for trial in STUDY:
        assert [(job.way, job.seed, job.body) for job in trial.jobs()] == [("clockwise", s, "study") for s in range(10)]
    assert {(job.way, job.seed) for job in FAST.jobs()} == {(way, s) for way in WAYS for s in range(20)}
    assert len(list(FAST.jobs(seeds=3))) == 6
    assert len({job for trial in TRIALS for job in trial.jobs()}) == sum(len(list(trial.jobs())) for trial in TRIALS)
    assert len(ROWS) == len(TRIALS)


@pytest.mark.heavy
def test_results_do_not_depend_on_number_of_workers() -> None:
    trials = [replace(trial, limit=11.0) for trial in (STUDY[0], STUDY[3], FAST)]
    alone, together = (reproduce(trials=trials, seeds=2, workers=workers) for workers in (1, 2))
    assert alone.table == together.table
    for row, loops in alone.loops.items():
        for loop, other in zip(loops, together.loops[row], strict=True):
            assert (loop.trace is None) == (other.trace is None)
            if loop.trace is not None and other.trace is not None:
                np.testing.assert_array_equal(loop.trace.numbers, other.trace.numbers)
            assert replace(loop, trace=None) == replace(other, trace=None)


def test_zero_seeds_are_refused() -> None:
    with pytest.raises(paddock.PaddockError, match="seeds: expected at least 1, got 0"):
        reproduce(seeds=0)


# Claims


def test_published_figures_meet_all_claims() -> None:
    rows = check_claims(loops_as_wanted())
    assert [row for row in rows if not row.holds] == []
    assert {row.row for row in rows} == (ROWS | {"fast", "slow", "fast, curved", "slow, curved"}) - {ROUGH_FAST.row}
    times: Any = {row.row: (row.paper, row.ours) for row in rows if row.metric == "simulated time / 3 [s]"}
    assert times == {row: (paper.time, pytest.approx(paper.time)) for row, paper in PUBLISHED.items() if paper}
    sums = {row.row: (row.paper, row.ours) for row in rows if row.metric == "sum of errors [m], 208 cycles/s"}
    assert sums["min slow"][0] == 447.3  # as the study prints it
    assert all(ours == pytest.approx(paper, rel=0.01) for paper, ours in sums.values() if paper)


@pytest.mark.parametrize(
    ("row", "error", "spoilt"),
    [
        ("min slow", 1.64, {"min slow", "slow"}),
        ("multi fast", 2.2, {"multi fast", "fast"}),
        ("min fast", 1.70, {"min fast"}),
        ("tuned-slow", 0.61, {"tuned-slow"}),
        ("tuned", 1.31, {"tuned"}),
        ("tuned, curved", 1.31, {"tuned, curved"}),
        ("tuned-slow, room-1002", 0.61, {"tuned-slow, room-1002"}),
    ],
)
def test_error_above_limit_fails_its_claims(row: str, error: float, spoilt: set[str]) -> None:
    rows = check_claims(loops_as_wanted(**{row: error}))
    assert {claim.row for claim in rows if not claim.holds} == spoilt


def test_claim_fails_if_min_is_worse_than_multi_on_curved_walls() -> None:
    rows = {claim.row: claim for claim in check_claims(loops_as_wanted(**{"min fast, curved": 0.87}))}
    assert rows["fast, curved"].ours == pytest.approx(0.87)
    assert rows["fast, curved"].paper is None
    spoilt = check_claims(loops_as_wanted(**{"min fast, curved": 1.3}))
    assert [claim.row for claim in spoilt if not claim.holds] == ["fast, curved"]


@pytest.mark.heavy
@pytest.mark.parametrize("trial", CURVED, ids=lambda trial: trial.row)
def test_study_followers_close_a_loop_along_curved_walls(trial: Trial) -> None:
    loop = drive(next(iter(trial.jobs())))
    assert loop.clean
    assert loop.error < 0.0105


@pytest.mark.parametrize("harm", [{"home": False}, {"contacts": 1}])
def test_one_loop_with_contact_or_unclosed_fails_its_claim(harm: dict[str, Any]) -> None:
    loops = loops_as_wanted()
    loops["tuned"][7] = replace(loops["tuned"][7], **harm)
    spoilt = [row for row in check_claims(loops) if not row.holds]
    assert [(row.row, row.ours, row.wanted) for row in spoilt] == [("tuned", 39, "40")]


def test_worst_loop_of_the_tuned_follower_decides() -> None:
    loops = loops_as_wanted()
    loops["tuned"][3] = replace(loops["tuned"][3], time=111.0)
    spoilt = [row.metric for row in check_claims(loops) if not row.holds]
    assert spoilt == ["simulated time of the worst loop [s]", "true speed of the worst loop [m/s]"]


# Report and command


@pytest.fixture
def short_findings() -> WallFollowerFindings:
    """Return findings that meet every claim; three trials have traces of short drives and are shown."""
    trials, loops = (STUDY[0], FAST, OTHERS[0]), loops_as_wanted()
    for trial in trials:
        driven = drive(replace(next(iter(trial.jobs())), limit=11.0))
        loops[trial.row][0] = replace(loops[trial.row][0], trace=driven.trace)
    return WallFollowerFindings(trials, loops)


@pytest.mark.heavy
def test_report_has_tables_explanations_and_pictures(short_findings: WallFollowerFindings, tmp_path: Path) -> None:
    written = short_findings.write(tmp_path)
    names = {path.name for path in written}
    assert {"report.md", "report.html", "min-slow-path.png", "tuned-wheels.png", "pid-distances.png"} <= names
    assert all(path.stat().st_size > 0 for path in written)
    text, page = ((tmp_path / name).read_text(encoding="utf-8") for name in ("report.md", "report.html"))
    for said in (
        "three simulated seconds",
        "diameter as its radius",
        "not an independent test",
        "fixed before the first run",
    ):
        assert said in text
        assert said in page
    assert "| min slow | 198 | 594 | 198.0 ± 0.0 | 594.0 ± 0.0 |" in text
    assert page.count("<img ") == 9


@pytest.fixture
def quick(short_findings: WallFollowerFindings, monkeypatch: pytest.MonkeyPatch) -> WallFollowerFindings:
    """Make the command return these findings without driving."""
    monkeypatch.setattr(command, "reproduction_called", lambda name: lambda **_: short_findings)
    return short_findings


@pytest.mark.heavy
def test_command_prints_one_json_object_per_claim(
    quick: WallFollowerFindings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.print_reproductions("wall-follower", json_lines=True)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == len(quick.rows)
    assert all(set(line) == {"row", "metric", "paper", "ours", "holds"} and line["holds"] is True for line in lines)


@pytest.mark.heavy
def test_command_prints_tables_and_writes_report(
    quick: WallFollowerFindings, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    quick.loops["tuned"][0] = replace(quick.loops["tuned"][0], contacts=2)  # type: ignore[index]
    monkeypatch.setattr(command, "REPRODUCTIONS", {"rossum": "", "wall-follower": ""})
    assert not command.print_reproductions("all", out=tmp_path)
    shown = capsys.readouterr()
    assert all(head in shown.out for head in ("course", "without contact", "time / 3 [s]", "worst error [cm]"))
    assert f"{len(quick.rows) - 1} of {len(quick.rows)} claims hold" in shown.out
    assert "measurements, mean ± standard deviation over the loops" in shown.out
    assert all((tmp_path / name / "report.html").is_file() for name in ("rossum", "wall-follower"))
    assert "wrote 11 files" in shown.err


def test_unknown_reproduction_is_refused_before_it_runs() -> None:
    with pytest.raises(paddock.UnknownName, match="did you mean 'wall-follower'"):
        command.print_reproductions("wall-followers")


# Tuning


@pytest.mark.heavy
def test_tuning_never_gets_worse_and_is_deterministic() -> None:
    first, second = (list(tune(rounds=2, draws=2, elite=1, limit=10.5)) for _ in range(2))
    assert first == second
    assert first[1].cost <= first[0].cost
    for name, (low, high) in LIMITS.items():
        assert low <= first[-1].numbers[name] <= high
        assert low <= getattr(GeometryFollower(clearance=CLEARANCE), name) <= high


def test_every_fault_of_a_loop_increases_cost() -> None:
    good = loops_as_wanted()["tuned"][0]
    assert cost(good) == pytest.approx(1.0 + 0.05 * 5)
    for worse in ({"time": 108.0}, {"error": 0.02}, {"contacts": 1}, {"home": False}, {"largest": 0.2}):
        assert cost(replace(good, **worse)) > cost(good)  # type: ignore[arg-type]
