"""Tests of the tables, figures and claims of the E. coli reproduction."""

from __future__ import annotations

import pytest

from paddock.experiments.ecoli.walk import published
from paddock.experiments.ecoli.walk.claims import at_least, at_most, within
from paddock.experiments.ecoli.walk.orders_runs import OrdersRun, run_experiment_1
from paddock.experiments.ecoli.walk.report import draw_experiment_1, tabulate_points
from paddock.experiments.reproductions import reproduction_called

pytestmark = [pytest.mark.heavy, pytest.mark.long]


@pytest.fixture(scope="module")
def experiment_1() -> OrdersRun:
    return run_experiment_1(dt=0.005)


def test_reproduction_is_found_by_name() -> None:
    assert reproduction_called("ecoli-walk").__module__ == "paddock.experiments.ecoli.walk.reproduce"


def test_table_lists_published_and_measured_points(experiment_1: OrdersRun) -> None:
    run = experiment_1.robots[published.ROBOT_1]
    sheet = tabulate_points(run)
    assert len(sheet.rows) == 25
    assert sheet.rows[0][:5] == ("0", "39", "95", "43", "93")
    errors = [float(row[9]) for row in sheet.rows]
    assert sum(errors) / 25 == pytest.approx(published.MEAN_ERROR_1[0], abs=0.4)


def test_figure_shows_targets_published_and_measured_positions(experiment_1: OrdersRun) -> None:
    ax = draw_experiment_1(experiment_1.robots[published.ROBOT_1])
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["our path", "target", "published", "ours"]


def test_claims_fail_outside_their_limits() -> None:
    assert [row.holds for row in (at_least("a", "m", 1.0, 1.0), at_most("a", "m", 1.0, 1.0))] == [True, True]
    assert not at_least("a", "m", 0.9, 1.0).holds
    assert not at_most("a", "m", 1.1, 1.0).holds
    assert not within("a", "m", 1.3, 1.0, 0.2).holds
    assert not at_most("a", "m", float("nan"), 1.0).holds
