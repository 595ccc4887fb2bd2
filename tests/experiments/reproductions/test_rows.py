"""Tests of the rows of a reproduction and of its report."""

from __future__ import annotations

import inspect
import json
import math
import os
import re
import sys
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from rich.console import Console

import paddock
from paddock.cli import study_runs as command
from paddock.core.files import ensure_folder
from paddock.core.jobs import FinishedJobs
from paddock.core.provenance import collect, describe
from paddock.experiments.reproductions import REPRODUCTIONS, reproduction_called
from paddock.experiments.reproductions.rossum.reproduce import RossumFindings
from paddock.experiments.reproductions.rows import (
    HEADS,
    Row,
    claims,
    mean_and_spread,
    none_failed,
    number,
    require_seeds,
    summarise,
)
from paddock.report.document import Figure, Heading, Paragraph, Part, Remark, write_document
from paddock.report.tables import Table, fold_table, is_number, print_table

GOOD, BAD = Row("a", "time [s]", 2.0, 1.5, True, "<= 2"), Row("b", "time [s]", None, math.inf, False)


def test_row_is_one_json_object_with_exactly_five_keys() -> None:
    line = GOOD.as_json()
    assert "\n" not in line
    assert json.loads(line) == {"row": "a", "metric": "time [s]", "paper": 2.0, "ours": 1.5, "holds": True}
    assert json.loads(BAD.as_json()) == {"row": "b", "metric": "time [s]", "paper": None, "ours": None, "holds": False}


def test_reproduction_without_claims_or_with_a_failed_claim_has_failed() -> None:
    assert none_failed([GOOD])
    assert not none_failed([GOOD, BAD])
    assert not none_failed([])


def test_claim_that_needs_more_seeds_is_neither_true_nor_failed() -> None:
    undecided = require_seeds(BAD, 1, 3)
    assert none_failed([GOOD, undecided])
    assert undecided.cells()[0] == "needs 3 seeds"
    assert json.loads(undecided.as_json())["holds"] is None
    assert summarise([GOOD, undecided]) == "1 of 2 claims hold; 1 cannot be decided with fewer than 3 seeds"
    assert require_seeds(GOOD, 1, 3) == GOOD
    assert require_seeds(BAD, 3, 3).failed


def test_claims_are_formatted_as_a_table() -> None:
    assert claims([GOOD]) == Table(HEADS, (("yes", "a", "time [s]", "2", "1.50", "<= 2"),))
    assert claims([Row("b", "m", None, 0.1234, False)]).rows == (("NO", "b", "m", "", "0.123", ""),)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (40, "40"),
        (0.0, "0"),
        (123.45, "123.5"),
        (1.234, "1.23"),
        (0.1236, "0.124"),
        (0.1, "0.100"),
        (0.000417, "0.000417"),
        (-3.2e-7, "-3.20e-07"),
        (math.inf, "inf"),
    ],
)
def test_numbers_keep_significant_digits(value: float, text: str) -> None:
    assert number(value) == text
    assert is_number(text)


@given(st.floats(allow_nan=False))
def test_nonzero_number_is_never_printed_as_zero(value: float) -> None:
    assert (float(number(value)) == 0) == (value == 0)


@pytest.mark.parametrize("cell", ["10.4 ± 0.3", "50×", "6.3 s", "97 %", "1.2e-05", "-7"])
def test_cells_with_spread_or_unit_are_numbers(cell: str) -> None:
    assert is_number(cell)


@pytest.mark.parametrize("cell", ["", "yes", "room-1002", "lock-step, 50×", "<= 2", "20.5 (3 runs over 20)"])
def test_words_are_not_numbers(cell: str) -> None:
    assert not is_number(cell)


def test_numeric_columns_are_detected_despite_remarks() -> None:
    rows = (("1", "1.0 ± 0.1", ">= 2", ""), ("2", "20.5 (3 runs over 20)", "2", ""), ("3 anew", "3", "4", ""))
    assert Table(("n", "t", "w", "e"), rows).numeric == (False, True, False, False)
    assert Table(("n", "t"), ()).numeric == (False, False)


def test_transposed_sheet_has_rows_as_columns() -> None:
    table = Table(("row", "laps", "meetings"), (("stock", "1", "2"), ("patrol", "3", "4")), "means")
    assert table.transpose() == Table(("", "stock", "patrol"), (("laps", "1", "3"), ("meetings", "2", "4")), "means")


SHEET = Table(
    ("row", "simulated time [s]", "error [cm]", "remark"),
    (
        ("tuned, room-1002", "594.0 ± 10.1", "1.234 ± 0.100", "a rather long remark of many words"),
        ("min", "1.0 ± 0.0", "0.000417", ""),
    ),
)


@pytest.mark.parametrize("width", [40, 50, 60, 80, 120])
def test_numbers_are_not_truncated_in_narrow_terminals(width: int) -> None:
    told = StringIO()
    print_table(Console(file=told, width=width), "what was measured", SHEET)
    lines = told.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    for cell in ("594.0 ± 10.1", "1.234 ± 0.100", "1.0 ± 0.0", "0.000417"):
        assert sum(cell in line for line in lines) == 1
    assert "…" not in told.getvalue()


def test_wide_sheet_is_split_into_parts_that_repeat_row_names() -> None:
    assert [list(part) for part in fold_table(SHEET, 120)] == [[0, 1, 2, 3]]
    assert [list(part) for part in fold_table(SHEET, 46)] == [[0, 1, 2], [0, 3]]
    places = Table(("place", "name", "heats", "points"), (("1", "long-name-of-a-team", "3", "2"), ("1", "b", "3", "2")))
    assert [list(part) for part in fold_table(places, 40)] == [[0, 1, 2], [0, 1, 3]]  # numbers do not name a row


def test_spread_is_the_standard_deviation() -> None:
    assert mean_and_spread([1.0, 3.0], 2) == "2.00 ± 1.00"


def test_unknown_reproduction_suggests_closest_name() -> None:
    with pytest.raises(
        paddock.UnknownName, match=r"no reproduction called 'wall-folower'.*did you mean 'wall-follower'"
    ):
        reproduction_called("wall-folower")


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_every_reproduction_has_the_common_parameters(name: str) -> None:
    parameters = inspect.signature(reproduction_called(name)).parameters
    assert {"seeds", "workers", "progress", "finished"} <= set(parameters)


def test_folder_with_finished_runs_of_another_reproduction_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*, finished: FinishedJobs, **options: object) -> None:
        finished.add({"key": "result"})
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "reproduction_called", lambda name: stop)
    for name in ("ap2dx", "wall-follower"):
        with pytest.raises(KeyboardInterrupt):
            command.print_reproductions(name, out=tmp_path)
    assert {"finished-ap2dx.jsonl", "finished-wall-follower.jsonl"} <= {path.name for path in tmp_path.iterdir()}


def test_document_is_written_as_markdown_and_html(tmp_path: Path) -> None:
    picture = Figure("dot", "A <dot>", Image.new("RGB", (4, 4), "#ff0000"))
    table = Table(("a", "b", "c"), (("1|2", "<3", "4.5"),))
    parts: list[Part] = [Remark("today"), Heading("One & two"), Paragraph("Some `words <b>`."), table, picture]
    written = write_document("Title", parts, tmp_path / "new")
    assert [path.name for path in written] == ["report.md", "report.html", "dot.png"]
    text, page = (path.read_text(encoding="utf-8") for path in written[:2])
    assert text.startswith("# Title\n\n*today*\n\n## One & two\n\nSome `words <b>`.\n\n| a | b | c |\n")
    assert "| --- | --- | --: |\n| 1\\|2 | <3 | 4.5 |\n" in text
    assert "![A <dot>](dot.png)" in text
    assert "<h2>One &amp; two</h2>" in page
    assert "<p>Some <code>words &lt;b&gt;</code>.</p>" in page
    assert '<td class="short" data-head="b">&lt;3</td><td class="number" data-head="c">4.5</td>' in page
    assert 'src="data:image/png;base64,' in page
    assert "http" not in page.partition("</head>")[2]


def test_failed_claims_are_highlighted(tmp_path: Path) -> None:
    write_document("Title", [claims([GOOD, BAD])], tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<tr><th scope="row" class="judged yes" data-head="holds">yes</th>' in page
    assert '<tr class="fails"><th scope="row" class="judged no" data-head="holds">NO</th>' in page


def test_report_states_date_machine_and_seeds() -> None:
    told = describe(collect(now=datetime(2026, 11, 15, 14, 30, tzinfo=UTC)), 20)
    assert told.startswith(f"2026-11-15 14:30 UTC · Paddock {paddock.__version__} · Python 3.")
    assert told.endswith(" · seeds 0 … 19")
    assert " core" in told
    assert describe(collect(), 1).endswith("seed 0")


def test_run_with_fewer_seeds_is_labelled_a_quick_look() -> None:
    few, enough, many = (RossumFindings([None] * seeds, None, []) for seeds in (1, 10, 40))  # type: ignore[list-item, arg-type]
    assert few.quick_look == "a quick look with 1 of 10 seeds; the claims are made for all 10"
    assert enough.quick_look == many.quick_look == ""


@pytest.mark.parametrize("inside", ["", "deeper/still"])
def test_file_in_place_of_output_folder_is_reported(tmp_path: Path, inside: str) -> None:
    file = tmp_path / "file"
    file.write_text("in the way", encoding="utf-8")
    with pytest.raises(paddock.PaddockError, match=re.escape(f"{file} is a file: give a folder")):
        write_document("Title", [], file / inside)


def test_output_folder_is_checked_before_computation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rossum").write_text("in the way", encoding="utf-8")
    started: list[str] = []
    monkeypatch.setattr(command, "_reproduce", lambda name, *options: started.append(name))
    for name, out in (("rossum", tmp_path / "rossum"), ("all", tmp_path)):
        with pytest.raises(paddock.PaddockError, match="rossum is a file"):
            command.print_reproductions(name, out=out)
    assert started == []


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nobody can be kept from writing here")
def test_unwritable_folder_is_reported(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(paddock.PaddockError, match=r"cannot write the report there: .*choose a folder that you may"):
        ensure_folder(tmp_path)


def test_write_error_of_the_system_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(paddock.PaddockError, match=r"cannot write the report there: Permission denied; choose"):
        ensure_folder(tmp_path / "new")


def test_rows_with_their_headers_become_a_table() -> None:
    rows = [{"name": "a", "x [m]": "1"}, {"name": "b", "x [m]": "2"}]
    assert Table.of(rows, "metres") == Table(("name", "x [m]"), (("a", "1"), ("b", "2")), "metres")
    assert Table.of([]) == Table((), ())
