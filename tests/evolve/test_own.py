"""A user's own fitness: what is wrong with it is told in one line, with its place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import paddock
from paddock.evolve.evolution import Evolution
from paddock.evolve.options import EvolutionConfig
from paddock.evolve.study import evolve
from warm_start import run_python

OWN = """
import numpy as np

def boom(drive):
    return [1 / 0 for _ in drive.ticks]

def unknown(drive):
    return drive["nothing"]

def text(drive):
    return "far"

def holes(drive):
    return np.where(np.arange(len(drive.ticks)) % 2, drive["distance"][:, 0], np.nan)

def whole():
    return undefined
"""


def refused(task: str) -> str:
    where = {} if task.endswith("whole") else {"world": "clutter", "seconds": 0.5}
    config = EvolutionConfig.from_table({"task": task, "population": 4, **where})
    with pytest.raises(paddock.PaddockError) as caught:
        evolve(config)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def test_an_error_in_a_fitness_is_told_with_its_place(folder: Path) -> None:
    (folder / "my_errors.py").write_text(OWN, encoding="utf-8")
    assert refused("my_errors:boom") == "my_errors:boom: my_errors.py line 5: ZeroDivisionError: division by zero"
    assert "my_errors:unknown: my_errors.py line 8: no metric called 'nothing'" in refused("my_errors:unknown")
    assert refused("my_errors:text") == "my_errors:text: expected a fitness for each of 4 worlds, got 'far'"
    assert "my_errors.py line 17: NameError: name 'undefined' is not defined" in refused("my_errors:whole")


def test_a_module_that_cannot_be_imported_is_told_with_its_place(folder: Path) -> None:
    (folder / "my_slip.py").write_text("x = 1\ndef far(drive:\n", encoding="utf-8")
    assert "my_slip:far: my_slip.py line 2: SyntaxError: " in refused("my_slip:far")
    (folder / "my_need.py").write_text("import not_installed\n", encoding="utf-8")
    assert refused("my_need:far") == (
        "my_need:far: my_need.py line 1: ModuleNotFoundError: No module named 'not_installed'"
    )
    (folder / "my_neighbour.py").write_text("import my_attribute\n", encoding="utf-8")
    (folder / "my_attribute.py").write_text("import math\nmath.nothing\n", encoding="utf-8")
    assert "my_neighbour:far: my_attribute.py line 2: AttributeError: module 'math'" in refused("my_neighbour:far")


def test_errors_of_paddock_itself_stay_as_they_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "my_fitness.py").write_text(OWN, encoding="utf-8")
    evolution = Evolution(EvolutionConfig(task="my_fitness:boom", world="clutter", population=4, seconds=0.5))
    monkeypatch.setattr(evolution, "evaluator", int)
    with pytest.raises(TypeError, match="arrays can be converted"):
        evolution.step()


def test_the_command_prints_one_line(folder: Path) -> None:
    (folder / "mine.py").write_text(OWN, encoding="utf-8")
    command = [
        "-m",
        "paddock",
        "evolve",
        "--world",
        "clutter",
        "--seconds",
        "0.5",
        "--generations",
        "2",
    ]
    done = run_python(*command, "mine:boom")
    assert done.returncode == 2
    assert done.stderr == "paddock: mine:boom: mine.py line 5: ZeroDivisionError: division by zero\n"
    done = run_python(*command, "mine:holes")
    assert done.returncode == 0, done.stderr
    warned = [line for line in done.stderr.splitlines() if "NaN or infinite" in line]
    assert warned == [
        "paddock: mine:holes: the fitness of 10 of 20 individuals of generation 1 is NaN or infinite: "
        "they count as the worst, here and in later generations"
    ]
