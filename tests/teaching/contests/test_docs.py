"""The page about contests: its examples run, and its tables are complete."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path

import pytest

from paddock.teaching.contests import ContestSpec, load_contest
from paddock.teaching.contests.league_standings import RULES
from pages import DOCS, run_examples

PAGE = DOCS / "teaching/contests.md"


@pytest.mark.heavy
def test_the_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run_examples(PAGE)
    assert names["result"].standings[0].name == "rushing"
    assert len(names["starts"]) == 6


def test_example_file_loads_and_table_has_all_keys() -> None:
    text = PAGE.read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert load_contest(tomllib.loads(shown)).qualifying == 2
    told = {key for row in re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}
    keys = {field.name for field in dataclasses.fields(ContestSpec)} - {"name", "title", "folder", "file"}
    assert keys <= told


def test_page_states_ranking_rules_in_order() -> None:
    text = PAGE.read_text(encoding="utf-8")
    places = [text.index(f"{number}. {rule.split(';')[0]}") for number, rule in enumerate(RULES, 1)]
    assert places == sorted(places)
