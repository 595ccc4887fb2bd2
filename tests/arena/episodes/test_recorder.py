"""Tests of trace recorders and of the incremental run files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from paddock.arena.episodes import Event, Span
from paddock.arena.episodes.recorder import TraceRecorder
from paddock.arena.episodes.trace_files import append_rows
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.report.run_writer import RunWriter
from report.runs import square

HERE = Pose(1.0, 1.0, 0.0)


def new_recorder() -> TraceRecorder:
    return TraceRecorder("red", 0.02)


def test_task_spans_are_contiguous() -> None:
    assert square().spans() == [
        Span("east", 0.0, 4.0),
        Span("north", 4.0, 8.0),
        Span("west", 8.0, 12.0),
        Span("south", 12.0, 16.0),
    ]
    assert new_recorder().trace().spans() == []


def test_channels_are_named_after_device_and_index_or_field() -> None:
    channels = square().channels()
    assert list(channels) == ["proximity.0", "proximity.1", "compass", "position.x", "position.y", "position.heading"]
    assert channels["compass"][5] == math.pi * 5
    assert channels["proximity.0"][7] == 0.1 * 7


def test_irregular_readings_leave_gaps() -> None:
    recorder = new_recorder()
    for i in range(5):
        readings = {"sonar": np.array([i, 2.0 * i])} if i in (1, 3) else {}
        recorder.add(i, HERE, readings=readings)
    assert np.array_equal(
        recorder.trace().channels()["sonar.1"], [math.nan, 2.0, math.nan, 6.0, math.nan], equal_nan=True
    )


def test_appended_parts_equal_the_whole_file(tmp_path: Path) -> None:
    recorder = new_recorder()
    recorder.events.append(Event(time=1.0, kind="warning", robot="red", text="first"))
    for i in range(9):
        recorder.add(i, HERE, readings={"sonar": np.array([i, 2.0 * i])} if i % 2 == 0 else {}, task="look")
        if i == 6:
            recorder.events.append(Event(time=6.0, kind="warning", robot="red", text="second"))
        if i in (3, 4, 8):
            first = {3: 0, 4: 4, 8: 5}[i]
            append_rows(recorder.trace(first=first), tmp_path / "parts.csv")
    recorder.trace().save(tmp_path / "whole.csv")
    assert (tmp_path / "parts.csv").read_text() == (tmp_path / "whole.csv").read_text()


def test_new_device_rewrites_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.report.run_writer.PERIOD", 0.0)
    recorder, arena = new_recorder(), SimpleNamespace(seed=0)
    arena.recorders = {"red": recorder}
    writer = RunWriter(tmp_path, "hall")
    for i in range(6):
        recorder.add(i, HERE, readings={"sonar": np.array([i])} if i > 2 else {})
        writer.keep(arena)  # type: ignore[arg-type]
    recorder.trace().save(tmp_path / "whole.csv")
    assert (tmp_path / "hall-001" / "trace.csv").read_text() == (tmp_path / "whole.csv").read_text()


def test_killed_run_keeps_copies_of_its_input_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.report.run_writer.PERIOD", 0.0)
    recorder, program = new_recorder(), tmp_path / "mine.py"
    program.write_text("as it was", encoding="utf-8")
    writer = RunWriter(tmp_path, "hall", [program])
    program.write_text("edited while the run goes on", encoding="utf-8")
    recorder.add(0, HERE)
    writer.keep(SimpleNamespace(recorders={"red": recorder}, seed=7))  # type: ignore[arg-type]
    assert (tmp_path / "hall-001" / "inputs" / "mine.py").read_text(encoding="utf-8") == "as it was"
    assert json.loads((tmp_path / "hall-001" / "provenance.json").read_text(encoding="utf-8"))["seed"] == 7


def test_failed_partial_write_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("paddock.report.run_writer.PERIOD", 0.0)
    recorder = new_recorder()
    arena = SimpleNamespace(recorders={"red": recorder}, seed=0)
    writer = RunWriter(tmp_path, "hall")
    for i in range(3):
        recorder.add(i, HERE)
        with monkeypatch.context() as patch:
            if i == 1:
                patch.setattr(
                    "paddock.report.run_writer.append_rows", Mock(side_effect=PaddockError("the disk is full"))
                )
            writer.keep(arena)  # type: ignore[arg-type]
    assert "could not save the data recorded so far: the disk is full" in capsys.readouterr().err
    recorder.trace().save(tmp_path / "whole.csv")
    assert (tmp_path / "hall-001" / "trace.csv").read_text() == (tmp_path / "whole.csv").read_text()


def test_booleans_integers_and_single_precision_are_recorded_as_numbers() -> None:
    recorder = new_recorder()
    recorder.add(
        0, HERE, readings={"bumper": np.array([True, False]), "raw": (4095, 7), "one": np.float32(0.5), "count": 3}
    )
    channels = {name: values[0] for name, values in recorder.trace().channels().items()}
    assert channels == {"bumper.0": 1.0, "bumper.1": 0.0, "raw.0": 4095.0, "raw.1": 7.0, "one": 0.5, "count": 3.0}


def test_images_are_omitted_and_column_names_are_unique() -> None:
    recorder = new_recorder()
    recorder.add(0, HERE, readings={"camera": np.zeros((4, 5, 3), np.uint8), "error": 0.25})
    assert list(recorder.trace().channels()) == ["error.0"]


def test_refused_row_leaves_the_recording_unchanged() -> None:
    recorder = new_recorder()
    recorder.add(0.0, HERE, readings={"a": 1.0, "sonar": [1.0, 2.0]})
    with pytest.raises(PaddockError, match="sonar: expected 2 channels as before, got 3"):
        recorder.add(1.0, HERE, readings={"a": 2.0, "sonar": [1.0, 2.0, 3.0]})
    with pytest.raises(PaddockError, match="cannot follow"):
        recorder.add(-1.0, HERE)
    with pytest.raises(PaddockError, match="cannot follow"):
        recorder.add(math.nan, HERE)
    recorder.add(2.0, HERE, readings={"a": 3.0, "sonar": [3.0, 4.0]})
    assert recorder.trace().time.tolist() == [0.0, 2.0]
    assert recorder.trace().channels()["a"].tolist() == [1.0, 3.0]
    assert recorder.trace().channels()["sonar.1"].tolist() == [2.0, 4.0]


def test_hundred_thousand_rows_are_recorded_in_one_table() -> None:
    recorder = new_recorder()
    readings = {"proximity": np.linspace(0.0, 1.0, 8), "compass": 0.5}
    for i in range(100_000):
        recorder.add(i * 0.02, HERE, estimated=HERE, wheels=(0.1, 0.1), readings=readings, task="move", error=0.01)
    assert len(recorder) == 100_000
    assert recorder.trace().numbers.shape == (100_000, 14)
    assert (
        recorder.trace().numbers.nbytes + sum(values.nbytes for values in recorder.trace().channels().values()) < 25e6
    )
