"""Tests of the AP2DX reproduction: surveys, claims and report."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paddock.experiments.reproductions.ap2dx.claims import check_claims
from paddock.experiments.reproductions.ap2dx.report import compare_paths, find_ratios, name_shortest
from paddock.experiments.reproductions.ap2dx.reproduce import Ap2dxFindings
from paddock.experiments.reproductions.ap2dx.survey import (
    Survey,
    SurveyJob,
    add_wheel_errors,
    mean_interval,
    run_survey,
)
from paddock.network.nodes.safety import StateSearch, search_original
from paddock.network.nodes.safety.handshake import SafetyState
from paddock.network.nodes.safety.original import OriginalState
from paddock.simulation.worlds import WorldSpec

ROOM = {
    "name": "two-rooms",
    "bounds": [0, 0, 6, 3.5],
    "border": {"height": 1.2},
    "walls": [
        {"points": [[3, 0], [3, 1.2]], "thickness": 0.1, "height": 1.2},
        {"points": [[3, 2.3], [3, 3.5]], "thickness": 0.1, "height": 1.2},
    ],
    "robots": [{"name": "pioneer", "type": "pioneer-p2dx", "at": [1.2, 1.7]}],
}
WORLD = WorldSpec.from_table(ROOM)


@pytest.fixture(scope="module")
def survey() -> Survey:
    return run_survey(SurveyJob(WORLD, 3, seconds=120.0, passive=("odometry",)))


def test_survey_with_wheel_errors_maps_both_rooms_and_finishes(survey: Survey) -> None:
    assert survey.finished
    assert survey.contacts == 0
    assert survey.result.quality.mapped > 0.98
    assert survey.result.quality.f1 > 0.95
    assert survey.result.position_error < 0.05
    assert survey.coverage[-1, 1] == pytest.approx(survey.result.quality.mapped, abs=0.02)
    assert survey.path_to(0.95) <= survey.path + 1e-6
    assert math.isinf(survey.path_to(1.01))


def test_other_mapping_methods_are_evaluated_on_the_same_drive(survey: Survey) -> None:
    passive = survey.results["odometry"]
    assert passive.quality.mapped > 0.9
    assert passive.position_error != survey.result.position_error


def test_wheel_errors_depend_on_seed_and_laser_has_mixed_pixels() -> None:
    worn = [add_wheel_errors(WORLD, seed).robots[0] for seed in (1, 1, 2)]
    assert worn[0] == worn[1] != worn[2]
    assert max(map(abs, worn[0].wheel_diameter_error)) <= 0.01
    laser = worn[0].type.sensor("laser")
    assert (laser.range, laser.mixed_pixels) == (8.0, 0.5)


@functools.cache
def search_originals() -> dict[str, StateSearch[OriginalState]]:
    return {lost: search_original(lost=[lost] if lost else []) for lost in ("", "RESET", "CLEAR")}


def make_findings(survey: Survey, other: Survey) -> Ap2dxFindings:
    ours = replace(survey, job=replace(survey.job, passive=()))
    handshake = StateSearch[SafetyState](states=15772, transitions=164880, violation=None, stuck=None, predecessors={})
    return Ap2dxFindings([ours], [other], [survey], handshake, search_originals())


def test_claims_fail_on_contacts_and_unfinished_runs(survey: Survey) -> None:
    other = replace(survey, job=replace(survey.job, strategy="nearest"))
    holding = {row.metric: row.holds for row in check_claims(make_findings(survey, other))}
    assert holding["F1 of occupied cells, least"]
    spoilt = replace(survey, contacts=2, finished=False)
    rows = {row.metric: row for row in check_claims(make_findings(spoilt, other))}
    assert not rows["runs with a contact"].holds
    assert not rows["runs that finished"].holds


def test_path_lengths_are_compared_at_equal_coverage(survey: Survey) -> None:
    doubled = replace(survey, job=replace(survey.job, strategy="nearest"), path=2 * survey.path)
    lost = replace(
        survey, job=replace(survey.job, strategy="lost"), finished=False, coverage=np.array([[0.0, 0.1], [100.0, 0.5]])
    )
    early, whole = find_ratios([survey], [doubled])
    assert (early, whole) == ([pytest.approx(1.0)], [pytest.approx(2.0)])
    assert find_ratios([survey], [lost]) == ([], [])
    assert compare_paths([survey], [doubled, lost]).rows[1] == ("lost", "never", "never")
    assert name_shortest([survey], [doubled, lost]).endswith("tour has the shortest path to 95 %, tour to the end.")


@pytest.mark.parametrize("strategy", ["nearest", "behaviours, final"])
def test_every_claim_is_json_serialisable(survey: Survey, strategy: str) -> None:
    other = replace(survey, job=replace(survey.job, strategy=strategy))
    rows = check_claims(make_findings(survey, other))
    assert all('"holds": ' in row.as_json() for row in rows)


def test_report_contains_all_figures(survey: Survey, tmp_path: Path) -> None:
    other = replace(survey, job=replace(survey.job, strategy="nearest"))
    files = make_findings(survey, other).write(tmp_path)
    names = {file.name for file in files}
    assert {"report.md", "report.html", "coverage.png", "map-two-rooms.png"} <= names
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "fault: CLEAR is lost" in text
    assert "two-rooms" in text


def test_mean_interval_is_centred_on_the_mean() -> None:
    mean, width = mean_interval([1.0, 2.0, 3.0])
    assert mean == 2.0
    assert width == pytest.approx(1.96 / math.sqrt(3))
