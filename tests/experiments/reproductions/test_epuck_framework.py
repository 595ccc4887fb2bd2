"""Tests of the e-puck framework reproduction: metrics, runs, timing, claims and report."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import paddock
from paddock.arena.episodes.recorder import TraceRecorder
from paddock.cli import study_runs as command
from paddock.core.geometry import Pose
from paddock.experiments.reproductions.epuck_framework.claims import check_claims
from paddock.experiments.reproductions.epuck_framework.course import NARROW, WIDE, Floats, load_course
from paddock.experiments.reproductions.epuck_framework.crossing import (
    CURVING,
    IMPROVED,
    IMPROVED_WIDE,
    PATROL,
    SETUPS,
    STOCK,
    STOCK_WIDE,
    CrossingJob,
    CrossingRun,
    drive_crossing,
    placed_world,
)
from paddock.experiments.reproductions.epuck_framework.crossing_results import CrossingResults, evaluate_crossing
from paddock.experiments.reproductions.epuck_framework.reproduce import (
    SEEDS,
    FrameworkFindings,
    cross,
    reproduce,
    tabulate_timing,
)
from paddock.experiments.reproductions.epuck_framework.timing import TESTS, WAYS, measure_tests

pytestmark = pytest.mark.long

DT = 0.1
GOOD = CrossingResults(
    laps=(10.5, 10.5),
    meetings=(3.0,) * 20,
    unfinished=0.0,
    contact=0.4,
    on_line=(0.9, 0.9),
    on_line_always=(0.7, 0.7),
    parallel=0.0,
    pushing=0.0,
)
BAD = replace(GOOD, laps=(0.1, 0.1), unfinished=590.0, contact=590.0, on_line=(0.1, 0.1), pushing=590.0)


def times_as_wanted() -> dict[tuple[str, str], dict[str, float]]:
    return {
        (test.name, way): {part: paper / (60 if paper > 1 else 1) for part, paper in test.paper.items()}
        for test in TESTS
        for way in WAYS
    }


def runs_as_wanted(**changes: CrossingResults) -> dict[str, list[CrossingRun]]:
    lost = replace(BAD, meetings=(3.0,))
    found = {
        STOCK: BAD, IMPROVED: lost, CURVING: GOOD, PATROL: GOOD, STOCK_WIDE: BAD,
        IMPROVED_WIDE: replace(GOOD, contact=2.7),
    }  # fmt: skip
    return {
        name: [
            CrossingRun(job=CrossingJob(setup=name, seed=seed), results=changes.get(name, results))
            for seed in range(SEEDS)
        ]
        for name, results in found.items()
    }


def along_line(begin: float, speed: float, seconds: float, aside: float = 0.0) -> Floats:
    """Return poses of a robot that drives along the line; a negative speed is clockwise."""
    course, rows = load_course(), []
    for tick in range(round(seconds / DT)):
        x, y, heading = course.at(begin + speed * tick * DT)
        x, y = x - aside * math.sin(heading), y + aside * math.cos(heading)
        rows.append((x, y, heading if speed > 0 else heading + math.pi))
    return np.array(rows)


def measured(red: Floats, blue: Floats, touches: Floats | None = None) -> CrossingResults:
    traces = []
    for robot, poses in enumerate((red, blue)):
        recorder = TraceRecorder(("red", "blue")[robot], DT)
        for tick in range(min(len(red), len(blue))):
            contacts = 0 if touches is None else int(touches[tick, robot])
            recorder.add(tick * DT, Pose(*poses[tick].tolist()), contacts=contacts)
        traces.append(recorder.trace())
    return evaluate_crossing(traces, load_course())


# The course


def test_course_is_counter_clockwise_and_locates_its_line() -> None:
    course = load_course()
    assert 3.2 < course.length < 3.5
    x, y, heading = course.at(course.along(np.array([[0.8, 0.25]]))[0])
    assert (x, y) == pytest.approx((0.8, 0.25), abs=0.006)
    assert heading == pytest.approx(0.0, abs=0.02)
    assert course.on_line(np.array([[0.8, 0.25, 0.0], [0.8, 0.25, math.pi], [0.8, 0.30, 0.0]])).tolist() == [
        True,
        True,
        False,
    ]


def test_clearance_is_distance_from_body_to_nearest_obstacle() -> None:
    room = load_course().clearance(np.array([[0.55, 0.95 - 0.035 - 0.037], [1.05 - 0.03 - 0.037 - 0.02, 0.95]]))
    assert room == pytest.approx([0.0, 0.02])


# Measures


def test_laps_count_only_in_the_direction_of_the_robot() -> None:
    length = load_course().length
    seconds = 2.55 * length / 0.1
    both = measured(along_line(0.0, 0.1, seconds, 0.05), along_line(0.5, -0.1, seconds, 0.05))
    assert both.laps == pytest.approx((2.55, 2.55), abs=0.1)
    backwards = measured(along_line(0.0, -0.1, seconds), along_line(0.5, 0.1, seconds))
    assert max(backwards.laps) < 0.4


def test_meeting_lasts_until_robots_have_passed_each_other() -> None:
    red, blue = along_line(0.0, 0.08, 20, 0.05), along_line(1.0, -0.08, 20, -0.05)
    found = measured(red, blue)
    assert len(found.meetings) == 1
    assert found.meetings[0] == pytest.approx(2 * math.sqrt(0.16**2 - 0.1**2) / 0.16, abs=0.25)
    assert found.unfinished == 0


def test_meeting_continues_until_robots_pass() -> None:
    red = np.concatenate([along_line(0.0, 0.08, 5.5), along_line(0.43, 0.001, 30)])
    blue = np.concatenate([along_line(1.0, -0.08, 5.5), along_line(0.52, -0.001, 30)])
    found = measured(red, blue)
    assert found.meetings == ()
    assert found.unfinished == pytest.approx(30.5, abs=1)
    assert "meetings" in found.failures
    assert found.were_in_conflict


def test_robots_that_turn_back_have_not_passed() -> None:
    red = np.concatenate([along_line(0.0, 0.08, 5.5), along_line(0.43, -0.08, 25)])
    blue = np.concatenate([along_line(1.0, -0.08, 5.5), along_line(0.52, 0.08, 25)])
    found = measured(red, blue)
    assert found.meetings == ()
    assert found.unfinished > 20


def test_contacts_with_short_gaps_are_merged() -> None:
    red, blue = along_line(0.0, 0.05, 10), along_line(1.5, -0.05, 10)
    touches = np.zeros((100, 2))
    touches[[10, 11, 13, 14, 40], 0] = 1  # a gap of one tick, 0.1 s; then 2.5 s
    found = measured(red, blue, touches)
    assert found.contact == pytest.approx(0.5)


def test_share_on_line_excludes_passing_manoeuvres() -> None:
    red, blue = along_line(0.0, 0.05, 40), along_line(1.2, -0.05, 40, aside=0.06)
    found = measured(red, blue)
    assert found.on_line[0] == 1.0
    assert found.on_line[1] == 0.0
    beside = measured(along_line(0.0, 0.05, 40, 0.05), along_line(0.1, 0.05, 40))  # always near: nothing counts
    assert beside.on_line == (0.0, 0.0)
    assert beside.parallel == pytest.approx(40, abs=0.2)


# Runs


def test_seeds_vary_starts_and_wheel_errors() -> None:
    starts = [placed_world(CrossingJob(setup=PATROL, seed=seed)).robots for seed in range(SEEDS)]
    assert len({robot.at for pair in starts for robot in pair}) == 2 * SEEDS
    for red, blue in starts:
        assert red.at is not None
        assert blue.at is not None
        assert 0.39 < red.at[0] < 0.61
        assert 0.99 < blue.at[0] < 1.21
        assert abs(red.at[1] - 0.25) < 0.015
    worn = placed_world(CrossingJob(setup=PATROL, seed=1, wheel_error=0.02, slip=0.1)).robots[0]
    assert worn.wheel_diameter_error != (0.0, 0.0)
    assert (worn.slip_noise, worn.at) == (0.1, starts[1][0].at)


@pytest.mark.heavy
def test_crossing_is_deterministic_per_seed() -> None:
    job = CrossingJob(setup=PATROL, seed=1001, seconds=10, keep_traces=True)
    first, again, other = drive_crossing(job), drive_crossing(job), drive_crossing(replace(job, seed=1002))
    for robot in range(2):
        assert (first.traces[robot].pose == again.traces[robot].pose).all()
        assert (first.traces[robot].pose != other.traces[robot].pose).any()


@pytest.mark.heavy
def test_two_patrols_meet_all_requirements_for_ten_minutes() -> None:
    run = drive_crossing(CrossingJob(setup=PATROL, seed=1001))
    assert run.results.failures == ()
    assert run.traces == ()


@pytest.mark.heavy
@pytest.mark.parametrize("setup", [STOCK, STOCK_WIDE])
def test_stock_controller_fails_within_a_minute(setup: str) -> None:
    run = drive_crossing(CrossingJob(setup=setup, seed=1001, seconds=60))
    assert {"meetings", "contact"} <= set(run.results.failures)
    assert run.results.were_in_conflict


def test_passing_robot_still_sees_the_wide_line() -> None:
    narrow, wide = load_course(NARROW), load_course(WIDE)
    beside = 0.25 + 0.045  # [m] two robots that pass each other are 9 cm apart
    assert not narrow.on_line(np.array([[0.8, beside, 0.0]])).any()
    assert wide.on_line(np.array([[0.8, beside, 0.0]])).all()
    left, middle, right = (mount[:2] for mount in wide.robot.sensor("ground").mounts)
    assert left[1] == pytest.approx(0.030, abs=1e-4)
    assert middle[1] == 0
    assert math.hypot(*left) == math.hypot(*right) < wide.radius  # under the body


@pytest.mark.heavy
def test_improved_controller_loses_narrow_line_and_keeps_wide_line() -> None:
    narrow, wide = (drive_crossing(CrossingJob(setup=setup, seed=2)).results for setup in (IMPROVED, IMPROVED_WIDE))
    assert min(narrow.laps) < 1
    assert min(wide.laps) > 5
    assert wide.slowest < 20
    assert len(wide.meetings) > 10


# Timing


@pytest.mark.heavy
def test_every_test_is_timed_in_process_and_through_a_server() -> None:
    times = measure_tests(cycles=20)
    assert set(times) == {(test.name, way) for test in TESTS for way in WAYS}
    for test in TESTS:
        for way in WAYS:
            assert list(times[test.name, way]) == list(test.paper)
            parts = [value for part, value in times[test.name, way].items() if part != "camera fetch"]
            assert all(0 < value < math.inf for value in parts)
    assert [row[0] for row in tabulate_timing(times).rows][:3] == ["01"] * 3


def test_small_times_keep_their_digits_in_the_table() -> None:
    times = times_as_wanted()
    times["05", "in process"]["sensors"] = 0.000417
    row = next(row for row in tabulate_timing(times).rows if row[0] == "05" and row[2] == "sensors")
    assert row[3:6] == ("0.02", "0.000417", "48")


def test_table_contains_all_published_figures() -> None:
    told = {test.name: tuple(test.paper.values()) for test in TESTS}
    assert told == {
        "01": (69.73, 70.12, 139.94),
        "01 uncached": (69.73, 70.12, 139.94),
        "02": (0.05, 67.89, 67.96),
        "03": (69.46, 67.77, 68.58, 205.86),
        "04": (72.71,),
        "05": (0.02, 71.09, 71.11),
        "06": (77.39, 95.89, 173.34),
        "07": (83.19,),
        "08": (71.46, 83.36, 83.37),
    }


# Claims and report


def test_claims_hold_for_valid_results_and_fail_for_slow_ones() -> None:
    rows = check_claims(times_as_wanted(), runs_as_wanted())
    assert all(row.holds for row in rows)
    assert {row.row for row in rows if row.paper is None} == set(SETUPS)
    slow = times_as_wanted()
    slow["04", "server"]["loop"] = 72.71 / 49
    failed = [row for row in check_claims(slow, runs_as_wanted()) if not row.holds]
    assert [(row.row, row.metric, row.wanted) for row in failed] == [("04, server", "loop [ms]", "<= 1/50")]


@pytest.mark.parametrize(
    ("change", "metric"),
    [
        ({"laps": (4.9, 9.0)}, "laps"),
        ({"unfinished": 20.5}, "slowest meeting"),
        ({"contact": 1.1}, "longest contact"),
        ({"on_line": (0.79, 0.99)}, "least time on the line"),
    ],
)
def test_every_requirement_on_the_patrol_is_a_claim(change: dict[str, float], metric: str) -> None:
    runs = runs_as_wanted()
    runs[PATROL][7] = replace(runs[PATROL][7], results=replace(GOOD, **change))  # type: ignore[arg-type]
    failed = [row.metric for row in check_claims(times_as_wanted(), runs) if not row.holds]
    assert len(failed) == 2
    assert failed[0].startswith(metric)
    assert failed[1].startswith("runs that meet all requirements")


def test_claims_fail_if_stock_controller_works() -> None:
    failed = [row.row for row in check_claims(times_as_wanted(), runs_as_wanted(stock=GOOD)) if not row.holds]
    assert failed == [STOCK, STOCK]


def test_claim_fails_if_improved_controller_keeps_narrow_line() -> None:
    failed = [row.metric for row in check_claims(times_as_wanted(), runs_as_wanted(improved=GOOD)) if not row.holds]
    assert failed == ["runs in which a robot loses the line, of 20"]


def test_claim_fails_if_improved_controller_loses_wide_line() -> None:
    runs = runs_as_wanted()
    runs[IMPROVED_WIDE][:3] = [replace(run, results=replace(GOOD, laps=(1.0, 9.0))) for run in runs[IMPROVED_WIDE][:3]]
    failed = [(row.metric, row.ours) for row in check_claims(times_as_wanted(), runs) if not row.holds]
    assert failed == [("runs with 5 laps or more of both robots, of 20", 17)]


def test_claim_fails_if_robots_never_meet() -> None:
    alone = replace(BAD, meetings=(), unfinished=0.0)
    failed = [row.metric for row in check_claims(times_as_wanted(), runs_as_wanted(improved=alone)) if not row.holds]
    assert failed == ["slowest first meeting [s]"]


@pytest.mark.heavy
def test_command_prints_every_claim_and_writes_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = FrameworkFindings(times_as_wanted(), cross(seeds=1, workers=1, seconds=8.0))
    monkeypatch.setattr(
        "paddock.experiments.reproductions.epuck_framework.reproduce.reproduce", lambda **options: findings
    )
    assert not command.print_reproductions(
        "epuck-framework", json_lines=True, out=tmp_path
    )  # eight seconds are no five laps
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == len(findings.rows) > 50
    assert all(set(row) == {"row", "metric", "paper", "ours", "holds"} for row in rows)
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    for test in TESTS:
        assert test.what in report
    for name in ("timing", "stock", "improved", "improved-curving", "line-patrol", "improved-wide-line"):
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<code>paddock serve</code>" in page
    assert "`" not in page.partition("</style>")[2]
    assert "a quick look with 1 of 20 seeds" in page
    assert findings.table.heads == ("", *SETUPS)
    assert [row[0] for row in findings.table.rows][:3] == ["runs", "passed", "laps of the slower robot"]


def test_zero_seeds_are_refused() -> None:
    with pytest.raises(paddock.PaddockError, match="expected at least 1, got 0"):
        reproduce(seeds=0)
