"""Rows of a reproduction, and work that is spread over processes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from PIL import Image

import paddock
from paddock.experiments import REPRODUCTIONS, reproduction_called
from paddock.experiments.document import Heading, Part, Picture, Words, write_document
from paddock.experiments.pool import run_jobs
from paddock.experiments.rows import HEADS, Row, Sheet, all_hold, claims, mean_and_spread, number

GOOD, BAD = Row("a", "time [s]", 2.0, 1.5, True, "<= 2"), Row("b", "time [s]", None, math.inf, False)


def test_a_row_is_one_json_object_with_exactly_five_keys() -> None:
    line = GOOD.as_json()
    assert "\n" not in line
    assert json.loads(line) == {"row": "a", "metric": "time [s]", "paper": 2.0, "ours": 1.5, "holds": True}
    assert json.loads(BAD.as_json()) == {"row": "b", "metric": "time [s]", "paper": None, "ours": None, "holds": False}


def test_one_claim_that_does_not_hold_spoils_it_and_so_does_no_claim_at_all() -> None:
    assert all_hold([GOOD])
    assert not all_hold([GOOD, BAD])
    assert not all_hold([])


def test_claims_are_a_table_for_people() -> None:
    assert claims([GOOD]) == Sheet(HEADS, (("a", "time [s]", "2", "1.50", "<= 2", "yes"),))
    assert claims([Row("b", "m", None, 0.1234, False)]).rows == (("b", "m", "", "0.123", "", "NO"),)


@pytest.mark.parametrize(
    ("value", "text"),
    [(40, "40"), (0.0, "0"), (123.45, "123.5"), (1.234, "1.23"), (0.1236, "0.124"), (math.inf, "inf")],
)
def test_numbers_have_the_digits_that_say_something(value: float, text: str) -> None:
    assert number(value) == text


def test_spread_is_the_standard_deviation() -> None:
    assert mean_and_spread([1.0, 3.0], 2) == "2.00 ± 1.00"


def test_an_unknown_reproduction_is_answered_with_the_closest_name() -> None:
    with pytest.raises(
        paddock.UnknownName, match=r"no reproduction called 'wall-folower'.*did you mean 'wall-follower'"
    ):
        reproduction_called("wall-folower")


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_every_reproduction_can_be_called(name: str) -> None:
    assert callable(reproduction_called(name))


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_jobs(workers: int) -> None:
    told: list[tuple[int, int]] = []
    jobs = [-3, 4, -5, 6]
    assert run_jobs(abs, jobs, workers=workers, progress=lambda *done: told.append(done)) == [3, 4, 5, 6]
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_job_reaches_the_caller(workers: int) -> None:
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        run_jobs(math.sqrt, [1.0, -1.0], workers=workers)


def test_no_jobs_and_no_workers() -> None:
    assert run_jobs(abs, []) == []
    with pytest.raises(paddock.PaddockError, match="workers: expected at least 1, got 0"):
        run_jobs(abs, [1], workers=0)


def test_a_document_is_written_as_markdown_and_as_one_page(tmp_path: Path) -> None:
    picture = Picture("dot", "A <dot>", Image.new("RGB", (4, 4), "#ff0000"))
    parts: list[Part] = [Heading("One & two"), Words("Some words."), Sheet(("a", "b"), (("1|2", "<3"),)), picture]
    written = write_document("Title", parts, tmp_path / "new")
    assert [path.name for path in written] == ["report.md", "report.html", "dot.png"]
    text, page = (path.read_text(encoding="utf-8") for path in written[:2])
    assert text.startswith("# Title\n\n## One & two\n\nSome words.\n\n| a | b |\n| --- | --- |\n| 1\\|2 | <3 |\n")
    assert "![A <dot>](dot.png)" in text
    assert "<h2>One &amp; two</h2>" in page
    assert "<td>&lt;3</td>" in page
    assert 'src="data:image/png;base64,' in page
    assert "http" not in page.partition("</head>")[2]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(paddock.PaddockError, match=r"file.*cannot write the report there"):
        write_document("Title", [], tmp_path / "file")
