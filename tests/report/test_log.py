"""A log keeps what it is told, exactly and fast."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose
from paddock.report import RunLog
from paddock.report.log import Span
from paddock.worlds import load_world
from report.runs import square

HERE = Pose(1.0, 1.0, 0.0)


def new_log() -> RunLog:
    return RunLog(load_world("empty"), "red", 0.02)


def test_tasks_follow_each_other_without_gaps() -> None:
    assert square().spans() == [
        Span("east", 0.0, 4.0),
        Span("north", 4.0, 8.0),
        Span("west", 8.0, 12.0),
        Span("south", 12.0, 16.0),
    ]
    assert new_log().spans() == []


def test_channels_are_named_after_the_device_and_their_place_or_field() -> None:
    channels = square().channels()
    assert list(channels) == ["proximity.0", "proximity.1", "compass", "position.x", "position.y", "position.heading"]
    assert channels["compass"][5] == math.pi * 5
    assert channels["proximity.0"][7] == 0.1 * 7


def test_a_device_that_is_read_now_and_then_leaves_gaps() -> None:
    log = new_log()
    for i in range(5):
        readings = {"sonar": np.array([i, 2.0 * i])} if i in (1, 3) else {}
        log.note(i, HERE, readings=readings)
    assert np.array_equal(log.channels()["sonar.1"], [math.nan, 2.0, math.nan, 6.0, math.nan], equal_nan=True)


def test_truth_values_whole_numbers_and_single_precision_are_kept_as_numbers() -> None:
    log = new_log()
    log.note(
        0, HERE, readings={"bumper": np.array([True, False]), "raw": (4095, 7), "one": np.float32(0.5), "count": 3}
    )
    channels = {name: values[0] for name, values in log.channels().items()}
    assert channels == {"bumper.0": 1.0, "bumper.1": 0.0, "raw.0": 4095.0, "raw.1": 7.0, "one": 0.5, "count": 3.0}


def test_pictures_are_left_out_and_no_column_is_there_twice() -> None:
    log = new_log()
    log.note(0, HERE, readings={"camera": np.zeros((4, 5, 3), np.uint8), "error": 0.25})
    assert list(log.channels()) == ["error.0"]


def test_a_refused_note_leaves_the_log_as_it_was() -> None:
    log = new_log()
    log.note(0.0, HERE, readings={"a": 1.0, "sonar": [1.0, 2.0]})
    with pytest.raises(PaddockError, match="sonar: expected 2 channels as before, got 3"):
        log.note(1.0, HERE, readings={"a": 2.0, "sonar": [1.0, 2.0, 3.0]})
    with pytest.raises(PaddockError, match="cannot follow"):
        log.note(-1.0, HERE)
    with pytest.raises(PaddockError, match="cannot follow"):
        log.note(math.nan, HERE)
    log.note(2.0, HERE, readings={"a": 3.0, "sonar": [3.0, 4.0]})
    assert log.times.tolist() == [0.0, 2.0]
    assert log.channels()["a"].tolist() == [1.0, 3.0]
    assert log.channels()["sonar.1"].tolist() == [2.0, 4.0]


def test_a_robot_that_is_not_in_the_world_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'red'"):
        RunLog(load_world("empty"), "rde", 0.02)


def test_a_hundred_thousand_notes_are_kept_in_one_table() -> None:
    log = new_log()
    readings = {"proximity": np.linspace(0.0, 1.0, 8), "compass": 0.5}
    for i in range(100_000):
        log.note(i * 0.02, HERE, believed=HERE, wheels=(0.1, 0.1), readings=readings, task="move", error=0.01)
    assert len(log) == 100_000
    assert log.numbers.shape == (100_000, 10)
    assert log.numbers.nbytes + sum(values.nbytes for values in log.channels().values()) < 20e6
