"""The report of a sweep: all combinations, grouped failures and units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from paddock.experiments.sweeps import FailedRun, Sweep, load_sweep
from paddock.experiments.sweeps.sweep_report import tabulate_failures, tabulate_means

SPEC = {
    "name": "s",
    "worlds": ["empty"],
    "controllers": ["paddock.control.policies:explorer"],
    "seeds": 4,
    "parameters": {"controller": {"speed": [0.1, 0.2]}},
}


@pytest.fixture
def done() -> Sweep:
    """A sweep in which one run at speed 0.1 failed, and all runs at 0.2."""
    spec, rows, failures = load_sweep(SPEC), [], []
    axes = ("world", "robot", "controller", "controller.speed")
    for number, (speed, seed) in enumerate([(speed, seed) for speed in (0.1, 0.2) for seed in range(4)], start=1):
        labels: dict[str, Any] = {"world": "empty", "controller": "explorer", "controller.speed": speed}
        if speed == 0.2 or seed == 3:
            told = {
                "problem": "ZeroDivisionError",
                "trace": "",
                "command": f"paddock study sweep s.toml --run {number}",
            }
            failures.append(FailedRun(run=number, labels=labels, seed=seed, **told))
        else:
            results = {"distance": 0.8 + seed * 1e-9, "contacts": seed}
            rows.append({"run": number, **labels, "robot": "e-puck", "seed": seed, **results})
    return Sweep(spec=spec, rows=rows, axes=axes, runs=8, fresh=8, failures=tuple(failures))


def test_combinations_with_only_failed_runs_are_listed(done: Sweep) -> None:
    sheet = tabulate_means(done)
    assert sheet.heads == ("combination", "distance [m]", "contacts", "runs")
    assert sheet.rows == (
        ("controller.speed 0.1", "0.8 ± 2e-09", "1.0 ± 2.5", "3"),
        ("controller.speed 0.2 (all runs failed)", "-", "-", "0"),
    )
    assert sheet.numeric == (False, True, True, True)


def test_each_problem_is_listed_once(done: Sweep) -> None:
    combinations = "controller.speed 0.1; controller.speed 0.2"
    command = "paddock study sweep s.toml --run 4"
    assert tabulate_failures(done).rows == (("ZeroDivisionError", "5", combinations, "3, 0, 1, 2", command),)


def test_legend_of_several_parameters_tells_them_apart() -> None:
    paths = ("robot.drive.max_speed", "robot.sensors.proximity.range", "robot.sensors.ground.range")
    values = [(speed, near, far) for speed in (0.1, 0.2) for near in (0.05, 0.07) for far in (0.01, 0.02)]
    rows = [
        {"run": i, "world": "empty", "robot": "e-puck", "seed": 0, "distance": i, **dict(zip(paths, row, strict=True))}
        for i, row in enumerate(values, start=1)
    ]
    chart = Sweep(spec=load_sweep(SPEC), rows=rows, axes=("world", "robot", *paths), runs=8, fresh=8, failures=()).draw(
        "distance"
    )
    legend = chart.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        f"max_speed {speed}, proximity.range {near}" for speed in (0.1, 0.2) for near in (0.05, 0.07)
    ]


def test_equal_numbers_of_runs_are_named_once_above_the_table(done: Sweep) -> None:
    sheet = tabulate_means(replace(done, failures=()))
    assert sheet.heads == ("combination", "distance [m]", "contacts")
    assert sheet.about.endswith(", runs of each combination: 3")


def test_charts_have_units_and_wide_tables_are_split(done: Sweep) -> None:
    assert done.draw("distance").get_xlabel() == "distance [m]"
    parts = list(tabulate_means(done).split(3))
    assert [part.heads for part in parts] == [("combination", "distance [m]", "contacts"), ("combination", "runs")]


def test_rounding_errors_are_no_interval() -> None:
    labels = {"world": "empty", "controller": "explorer", "controller.speed": 0.1, "robot": "e-puck"}
    rows = [{"run": i + 1, **labels, "seed": i, "distance": 0.04 * (1 + i * 2**-52)} for i in range(4)]
    sweep = Sweep(spec=load_sweep(SPEC), rows=rows, axes=tuple(labels), runs=4, fresh=4, failures=())
    assert tabulate_means(sweep).rows[0][1] == "0.04"
