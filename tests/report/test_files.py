"""Tests of the files in a run folder."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from paddock.arena.episodes import Event
from paddock.arena.episodes.recorder import TraceRecorder
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.json_values import plain
from paddock.report import TaskOutcome, fresh_folder, write_run
from paddock.report.report_files import ALL_FILES, RunFile
from paddock.simulation.worlds import load_world
from report.runs import make_episode, record_square, square

SCENARIO = {"world": "empty", "tasks": [{"task": "go", "speed": 0.1}, {"task": "turn"}], "gains": [1, 2]}
CONFIG: Mapping[str, Any] = {
    "seed": 7,
    "controller": Path("a/b.py"),
    "gain": np.float64(0.5),
    "far": math.inf,
    "scenario": SCENARIO,
}
EMPTY = load_world("empty")
TEXTS: tuple[RunFile, ...] = ("trace", "log", "summary")
TASKS = [
    TaskOutcome(name="east", start=0.0, end=4.0, done=True, why="it was there"),
    TaskOutcome(name="north", start=4.0, end=8.0, done=False, why="<wall> in the way"),
]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_square(there: Path) -> list[Path]:
    recorder = record_square()
    recorder.events.append(Event(time=16.0, kind="note", robot="red", text="done <all> & well\nin two lines"))
    episode = make_episode(recorder.trace())
    return write_run(episode, EMPTY, there, title="Around <a> square", config=CONFIG, files=ALL_FILES, outcomes=TASKS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = tmp_path_factory.mktemp("run") / "deep" / "one"
    write_square(there)
    return there


def test_unknown_poses_and_contacts_are_reported_as_unknown(tmp_path: Path) -> None:
    """A real robot does not know its contacts; only supervisors of a server know the true poses."""
    recorder = TraceRecorder("red", 0.1)
    for i in range(3):
        recorder.add(0.1 * i, Pose(math.nan, math.nan, math.nan), contacts=math.nan)
    write_run(make_episode(recorder.trace()), EMPTY, tmp_path / "run", title="Real", config={}, files=TEXTS)
    log = (tmp_path / "run" / "run.log").read_text(encoding="utf-8")
    assert "contacts:             unknown" in log
    assert "distance" not in log
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["robots"]["red"]["distance"] is None


def test_log_contains_no_control_characters(tmp_path: Path) -> None:
    recorder = record_square()
    recorder.events.append(Event(time=1.0, kind="note", robot="red", text="red \x1b[31m alarm"))
    write_run(make_episode(recorder.trace()), EMPTY, tmp_path / "run", title="Square", config={}, files=TEXTS)
    assert "red \\x1b[31m alarm" in (tmp_path / "run" / "run.log").read_text(encoding="utf-8")


def test_only_the_requested_files_are_written(tmp_path: Path) -> None:
    written = write_run(make_episode(square()), EMPTY, tmp_path, title="x", config={}, files=("report",))
    assert written == [*tmp_path.iterdir()] == [tmp_path / "report.html"]
    assert "data:image/png" in written[0].read_text(encoding="utf-8")


def test_all_files_are_written_and_byte_identical(folder: Path, tmp_path: Path) -> None:
    written = write_square(tmp_path / "new")
    names = ["trace.csv", "run.log", "summary.json", "path.png", "wheels.png", "error.png", "histogram.png"]
    assert [path.name for path in written] == [*names, "report.html"]
    assert sorted(written) == sorted((tmp_path / "new").iterdir())
    assert all(path.stat().st_size > 100 for path in written)
    assert all(path.read_bytes() == (folder / path.name).read_bytes() for path in written)


def test_trace_csv_is_bit_identical_after_reading(folder: Path) -> None:
    rows, trace = table(folder / "trace.csv"), square()
    assert [float(row["x"]) for row in rows] == trace.pose[:, 0].tolist()
    assert [float(row["estimated_y"]) for row in rows] == trace.estimated_pose[:, 1].tolist()
    assert [float(row["right"]) for row in rows] == trace.wheels[:, 1].tolist()
    assert [row["task"] for row in rows] == list(trace.tasks)
    assert [float(row["contacts"]) for row in rows] == [float(i in (3, 4, 10)) for i in range(17)]
    assert rows[0]["error"] == ""
    assert [float(row["error"]) for row in rows[1:]] == trace.errors[1:].tolist()
    for name, values in trace.channels().items():
        assert [float(row[name]) for row in rows] == values.tolist()


@settings(max_examples=30, deadline=None)
@given(values=st.lists(st.floats(allow_nan=False), min_size=1, max_size=20), task=st.text(max_size=12))
def test_any_number_and_any_task_survive_the_csv_file(
    values: list[float], task: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    task = task.replace("\r", "").replace("\0", "").encode("utf-8", "ignore").decode()
    recorder = TraceRecorder("red", 0.02)
    for i, value in enumerate(values):
        recorder.add(i, Pose(value, 0.1, 0.2), readings={"sonar": [value, -value]}, task=task)
    path = tmp_path_factory.mktemp("table") / "trace.csv"
    recorder.trace().save(path)
    rows = table(path)
    assert [float(row["x"]) for row in rows] == values
    assert [float(row["sonar.1"]) for row in rows] == [-value for value in values]
    assert {row["task"] for row in rows} == {task}


def test_summary_matches_values_calculated_by_hand(folder: Path) -> None:
    whole = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert whole["title"] == "Around <a> square"
    assert whole["digest"] == "abc123"
    assert whole["config"] == {"seed": 7, "controller": "a/b.py", "gain": 0.5, "far": None, "scenario": SCENARIO}
    assert whole["duration"] == 16.0
    red = whole["robots"]["red"]
    assert red["distance"] == pytest.approx(1.6)
    assert red["estimated_distance"] == pytest.approx(1.76)
    assert red["mean_speed"] == pytest.approx(0.1)
    assert red["mean_abs_error"] == pytest.approx(0.01 * sum(range(1, 17)) / 16)
    assert red["max_abs_error"] == pytest.approx(0.16)
    assert (red["contacts"], red["contact_time"]) == (2, 3.0)
    assert red["task_seconds"] == {"east": 4.0, "north": 4.0, "west": 4.0, "south": 4.0}
    assert red["tasks"][1] == {"task": "north", "start": 4.0, "seconds": 4.0}
    assert red["end_pose"][:2] == pytest.approx([0.6, 0.6])


def test_unknown_values_are_null(tmp_path: Path) -> None:
    recorder = TraceRecorder("red", 0.02)
    recorder.add(5.0, Pose(1.0, 1.0, 0.0))
    write_run(make_episode(recorder.trace()), EMPTY, tmp_path, title="one row", config={}, files=ALL_FILES)
    red = json.loads((tmp_path / "summary.json").read_text())["robots"]["red"]
    for name in ("estimated_distance", "mean_speed", "mean_abs_error", "max_abs_error", "estimated_end_pose", "target"):
        assert red[name] is None
    assert not (tmp_path / "error.png").exists()


def test_log_lists_events_in_order(folder: Path) -> None:
    lines = (folder / "run.log").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Around <a> square"
    assert "seed: 7" in lines
    told = [line for line in lines if " s  red  " in line]
    assert [line.split("red  ")[1] for line in told[:4]] == [
        "task: east",
        "half of the first side",
        "contact",
        "task: north",
    ]
    assert any(line.strip() == "in two lines" for line in lines)
    assert "  distance:             1.600 m" in lines


def test_html_report_is_well_formed_and_self_contained(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    tree = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    assert tree.findtext("head/title") == "Around <a> square"
    assert "http" not in text
    assert not any(word in text for word in ("<script", "<link", "url(", "@import"))
    sources = [image.get("src", "") for image in tree.iter("img")]
    assert len(sources) == 4
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert all(image.get("alt") for image in tree.iter("img"))
    assert "prefers-color-scheme: dark" in text
    cells = ["".join(cell.itertext()) for cell in tree.iter("td")]
    assert {"1.600 m", "1.760 m", "2, 3.00 s"} <= set(cells)
    assert "done <all> & well" in "".join(tree.itertext())
    assert "digest abc123" in [part.text for part in tree.iter("p")]  # a result, not a setting
    (group,) = (part for part in tree.iter("div") if part.get("class") == "figures")  # thumbnails, larger on request
    links = [link.get("href") for link in group.iter("a") if link.find("img") is not None]
    assert links == [f"#{figure.get('id')}" for figure in group] == ["#path", "#wheels", "#error", "#histogram"]
    assert [figure.get("class") for figure in group] == ["card", *["card chart"] * 3]


def test_each_of_several_robots_gets_a_trace_and_charts(tmp_path: Path) -> None:
    episode = make_episode(square("red"), square("blue"))
    written = write_run(episode, load_world("line-crossing"), tmp_path, title="two", config={}, files=ALL_FILES)
    names = {path.name for path in written}
    for robot in ("red", "blue"):
        assert {f"trace-{robot}.csv", f"wheels-{robot}.png", f"error-{robot}.png", f"histogram-{robot}.png"} <= names
    assert {"path.png", "run.log", "summary.json", "report.html"} <= names
    assert list(json.loads((tmp_path / "summary.json").read_text())["robots"]) == ["red", "blue"]


def test_empty_run_is_refused_before_writing(tmp_path: Path) -> None:
    there = tmp_path / "run"
    for episode in (make_episode(), make_episode(TraceRecorder("red", 0.02).trace())):
        with pytest.raises(PaddockError, match="no robot was recorded"):
            write_run(episode, EMPTY, there, title="x", config={})
    assert not there.exists()


def test_existing_run_is_not_overwritten(folder: Path) -> None:
    before = (folder / "trace.csv").read_bytes()
    with pytest.raises(PaddockError, match="already contains a run"):
        write_run(make_episode(square()), EMPTY, folder, title="again", config={})
    assert (folder / "trace.csv").read_bytes() == before


def test_unwritable_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(PaddockError, match=r"file.runs: cannot write the run there: .+; choose a folder"):
        write_run(make_episode(square()), EMPTY, tmp_path / "file" / "runs", title="x", config={})
    with pytest.raises(PaddockError, match="cannot write the run there"):
        fresh_folder(tmp_path / "file", "name")


def test_fresh_folders_are_numbered_consecutively(tmp_path: Path) -> None:
    base = tmp_path / "runs"
    assert [fresh_folder(base, "demo").name for _ in range(3)] == ["demo-001", "demo-002", "demo-003"]
    (base / "demo-041").mkdir()
    (base / "demo-x").mkdir()
    (base / "demolition-900").mkdir()
    assert fresh_folder(base, "demo").name == "demo-042"
    assert fresh_folder(base, "other").is_dir()
    for bad in ("", "..", "a/b", "a\\b"):
        with pytest.raises(PaddockError, match="a run cannot be called"):
            fresh_folder(base, bad)


def test_long_run_is_written_completely(tmp_path: Path) -> None:
    recorder = TraceRecorder("red", 0.02)
    for i in range(8000):
        a = i / 500
        pose = Pose(1.0 + 0.5 * math.cos(a), 1.0 + 0.5 * math.sin(1.1 * a), a)
        recorder.add(i * 0.02, pose, estimated=pose, wheels=(a, -a), task=f"t{i // 7 % 3}", error=0.01 * math.sin(i))
    results = {"distance": 1.0, "mean_speed": 1.0, "contacts": 0.0, "contact_time": 0.0}
    write_run(
        make_episode(recorder.trace(), results=results), EMPTY, tmp_path, title="long", config={}, files=ALL_FILES
    )
    with (tmp_path / "trace.csv").open(encoding="utf-8") as trace:
        assert sum(1 for _ in trace) == 8001
    with Image.open(tmp_path / "wheels.png") as picture:
        assert picture.width == 1000


def test_plain_converts_all_values_to_json_types() -> None:
    assert plain({1: (Pose(1.0, math.nan, 2.0), np.arange(2), {"a"}, None, True)}) == {
        "1": [[1.0, None, 2.0], [0, 1], ["a"], None, True]
    }
    assert plain(load_world("empty"))["name"] == "empty"


def read_page(folder: Path) -> ElementTree.Element:
    text = (folder / "report.html").read_text(encoding="utf-8")
    return ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def test_html_report_lists_tasks_with_result_and_reason(folder: Path) -> None:
    tables = [list(table.iter("tr")) for table in read_page(folder).iter("table")]
    rows = [["".join(cell.itertext()) for cell in row] for table in tables for row in table]
    assert ["done", "task", "start", "end", "duration", "why"] in rows
    assert ["yes", "east", "0.00 s", "4.00 s", "4.00 s", "it was there"] in rows
    assert ["NO", "north", "4.00 s", "8.00 s", "4.00 s", "<wall> in the way"] in rows


def test_nested_settings_have_one_row_or_line_each(folder: Path) -> None:
    lines = (folder / "run.log").read_text(encoding="utf-8").splitlines()
    expected = ["scenario:", "  world: empty", "  tasks:", "    0:", "      task: go", "      speed: 0.1", "    1:"]
    start = lines.index("scenario:")
    assert lines[start : start + 9] == [*expected, "      task: turn", "  gains: 1, 2"]
    settings = next(table for table in read_page(folder).iter("table") if table.get("class") == "tree")
    names = ["".join(name.itertext()) for name in settings.iter("th")]
    nested = ["scenario", "world", "tasks", "0", "task", "speed", "1", "task", "gains"]
    assert names == ["world", "seed", "controller", "gain", "far", *nested]
    values = [cell.text for cell in settings.iter("td") if cell.find("table") is None]
    assert values == ["empty", "7", "a/b.py", "0.5", "-", "empty", "go", "0.1", "turn", "1, 2"]


def test_failed_run_is_stated_at_the_top_of_the_page(tmp_path: Path) -> None:
    reason = "exc.py line 4: IndexError: <list> index out of range"
    episode = make_episode(square(), failed=True, reason=reason, culprit="red")
    write_run(episode, EMPTY, tmp_path, title="x", config={}, files=ALL_FILES)
    alert = next(part for part in read_page(tmp_path).iter("p") if part.get("role") == "alert")
    assert alert.text == f"The run failed: {reason}"
