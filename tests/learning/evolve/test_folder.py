"""Tests of the folder of an evolution: provenance and behaviour on a full disk."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import paddock
from command_line import paddock as command
from marks import rarely
from paddock.core.provenance import PACKAGES
from paddock.learning.evolve.evolution_study import evolve, resume
from paddock.learning.evolve.options import EvolutionConfig
from paddock.simulation.worlds import load_world, save_world

SMALL = EvolutionConfig(task="maze", population=4, generations=2, seconds=2.0, seed=5)
FULL = Path("/dev/full")  # a device on which there is never any room
FAR = "def far(result):\n    return result['distance'][:, 0]\n"
LAZY = """
from paddock.learning.evolve.strategies.random_search import RandomSearch

class Lazy(RandomSearch):
    def learn(self, fitness, behaviour):
        pass
"""


@pytest.mark.usefixtures("without_pictures")
def test_folder_records_provenance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    save_world(load_world("clutter"), tmp_path / "my.toml")
    Path("my_fitness.py").write_text(FAR, encoding="utf-8")
    Path("my_strategy.py").write_text(LAZY, encoding="utf-8")
    config = replace(SMALL, task="my_fitness.py:far", strategy="my_strategy:Lazy", world="my.toml")
    study = evolve(config, out=Path("out"))
    assert study.evolution.history[0].best == study.evolution.history[1].best  # it is that strategy
    table = json.loads(Path("out/provenance.json").read_text(encoding="utf-8"))
    assert table["seed"] == 5
    assert {"python", "paddock", *PACKAGES} <= set(table["versions"])
    assert table["versions"]["numpy"] == np.__version__
    sources = {"inputs/my.toml": "my.toml", "inputs/my_fitness.py": "my_fitness.py"}
    sources["inputs/my_strategy.py"] = "my_strategy.py"
    sources["inputs/world.toml"] = "out/world.toml"
    assert set(table["inputs"]) == {*sources, "inputs/e-puck.toml"}
    for copy, source in sources.items():
        assert Path("out", copy).read_bytes() == Path(source).read_bytes()
        assert table["inputs"][copy] == hashlib.sha256(Path(source).read_bytes()).hexdigest()
    resume(Path("out"), generations=3)
    again = json.loads(Path("out/provenance.json").read_text(encoding="utf-8"))
    assert {**again, "resumed": None} == {**table, "resumed": None}
    assert [session["seed"] for session in again["resumed"]] == [5]


@pytest.mark.usefixtures("without_pictures")
def test_evolution_is_not_resumed_after_strategy_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("my_search.py").write_text(LAZY, encoding="utf-8")
    evolve(replace(SMALL, strategy="my_search.py:Lazy"), out=Path("out"))
    Path("my_search.py").write_text(LAZY + "# changed\n", encoding="utf-8")
    with pytest.raises(paddock.PaddockError, match="the source of the strategy has changed"):
        resume(Path("out"), generations=3)


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("name", ["checkpoint.npz", "champion.png", *rarely("summary.json", "learning-curve.png")])
def test_full_disk_is_reported_in_one_line_and_files_stay_valid(
    name: str, whole: Path, half: Path, tmp_path: Path
) -> None:
    out = shutil.copytree(half, tmp_path / "out")
    (out / f"{name}.part").symlink_to(FULL)
    done = command("study", "evolve", "--resume", "--out", str(out), "--generations", "4")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == f"paddock: {out / name}: cannot be written: No space left on device"
    rows = (out / "history.csv").read_bytes().splitlines()
    assert len(rows) >= 3
    assert all(row.count(b",") == 5 for row in rows)
    resume(out, generations=4)  # as soon as there is room again
    for same in ("history.csv", "champion.npz", "champion.png"):
        assert (out / same).read_bytes() == (whole / same).read_bytes()
