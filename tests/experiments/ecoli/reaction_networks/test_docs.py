"""Tests that the examples of docs/experiments/ecoli/reaction-networks.md run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.experiments.ecoli.reaction_networks import ReactionNetwork, reaction_names, simulate
from paddock.experiments.ecoli.run_and_tumble import RunAndTumble

PAGE = (Path(__file__).parents[4] / "docs" / "experiments/ecoli/reaction-networks.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.heavy
@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python_examples_run(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "reactions.md", "exec"), {})
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == set(re.findall(r'"(\w+\.png)"', block))


def test_network_of_the_page_settles() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    heat = simulate(ReactionNetwork.from_toml(text), 60.0, dt=1.0)["heat"]
    assert heat[-1] == pytest.approx(5.0 ** (2 / 3), rel=1e-3)  # 1 / √heat = 0.2 · heat


def test_tables_are_complete() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([\w.-]+)`", row)}
    assert set(reaction_names()) <= named
    assert {"start", "start_with", "held", "supply", "loss", "sensor", "sensing", "walls", "seed"} <= named
    assert all(hasattr(RunAndTumble(), name) for name in ("sensor", "scale", "floor", "sensing", "ahead", "near"))
