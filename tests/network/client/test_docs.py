"""The examples and tables of docs/network/remote.md are correct."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import paddock
from pages import run_examples

PAGE = Path(__file__).parents[3] / "docs" / "network/remote.md"


@pytest.mark.heavy
def test_the_python_examples_run() -> None:
    assert run_examples(PAGE)


def test_every_kind_of_link_error_is_documented() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## When something goes wrong")[1]
    told = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    assert told == {"LinkError"} | {cls.__name__ for cls in paddock.LinkError.__subclasses__()}
