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
from paddock.core.provenance import PACKAGES, claim_folder
from paddock.learning.evolve.evolution_study import evolve, resume
from paddock.learning.evolve.options import EvolutionConfig
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec, load_world, save_world
from paddock.simulation.worlds.placement import robot_types

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
    assert set(table["inputs"]) == {*sources, "inputs/e-puck.toml"}
    for copy, source in sources.items():
        assert Path("out", copy).read_bytes() == Path(source).read_bytes()
        assert table["inputs"][copy] == hashlib.sha256(Path(source).read_bytes()).hexdigest()
    code = {"task": config.task, "strategy": config.strategy}
    resume(Path("out"), generations=3, expected=code)
    again = json.loads(Path("out/provenance.json").read_text(encoding="utf-8"))
    assert {**again, "resumed": None} == {**table, "resumed": None}
    assert [session["seed"] for session in again["resumed"]] == [5]


MOTH = 'base = "base/wings.toml"\nname = "moth"\ntitle = "MOTH"\n'


OWN_CODE = {"task": "my_fitness.py:far"}


def make_project(folder: Path) -> EvolutionConfig:
    """Write a fitness, a world, its robot in another folder, and the base of the robot."""
    for name in ("worlds", "robots/base"):
        (folder / name).mkdir(parents=True)
    (folder / "my_fitness.py").write_text(FAR, encoding="utf-8")
    (folder / "robots/moth.toml").write_text(MOTH, encoding="utf-8")
    (folder / "robots/base/wings.toml").write_text('base = "e-puck"\nname = "wings"\n', encoding="utf-8")
    robot = '[[robots]]\nname = "it"\ntype = "../robots/moth.toml"\nat = [0, 0]\n'
    (folder / "worlds/my.toml").write_text(f'name = "my"\nbounds = [-1, -1, 1, 1]\n{robot}', encoding="utf-8")
    return replace(SMALL, **OWN_CODE, world="worlds/my.toml")


@pytest.mark.usefixtures("without_pictures")
def test_evolution_with_an_own_robot_is_resumed_also_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    config = make_project(tmp_path)
    evolve(config, out=Path("runs/first"))
    assert resume(Path("runs/first"), generations=3, expected=OWN_CODE).generations == 1
    shutil.move("runs/first", "elsewhere")
    assert resume(Path("elsewhere"), generations=4, expected=OWN_CODE).generations == 1
    for copy in ("elsewhere/world.toml", "elsewhere/inputs/my.toml"):  # both find the copies
        assert load_robot_of(load_world(copy)).title == "MOTH"
    shutil.rmtree("robots")
    assert load_robot_of(load_world("elsewhere/world.toml")).name == "moth"


@pytest.mark.usefixtures("without_pictures")
def test_evolution_is_not_resumed_after_a_change_of_its_own_robot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    evolve(make_project(tmp_path), out=Path("out"))
    Path("robots/base/wings.toml").write_text('base = "khepera"\nname = "wings"\n', encoding="utf-8")
    with pytest.raises(paddock.PaddockError, match="the task's world is not the one that this evolution began with"):
        resume(Path("out"), generations=3, expected=OWN_CODE)


def load_robot_of(world: WorldSpec) -> RobotSpec:
    return robot_types(world)[0]


def test_folder_of_a_sweep_gets_no_evolution_and_the_other_way_round(tmp_path: Path) -> None:
    (tmp_path / "sweep").mkdir()
    (tmp_path / "evolution").mkdir()
    claim_folder(tmp_path / "sweep", "sweep")
    with pytest.raises(paddock.PaddockError, match=r"has the results of another kind of run \(sweep\): choose another"):
        evolve(SMALL, out=tmp_path / "sweep")
    assert sorted(path.name for path in (tmp_path / "sweep").iterdir()) == ["provenance.json"]
    claim_folder(tmp_path / "evolution", "evolution")
    with pytest.raises(paddock.PaddockError, match=r"another kind of run \(evolution\)"):
        paddock.sweep({"name": "s", "worlds": ["empty"], "seeds": 1, "seconds": 0.1}, out=tmp_path / "evolution")
    assert [path.name for path in (tmp_path / "evolution").iterdir()] == ["provenance.json"]


@pytest.mark.usefixtures("without_pictures")
def test_code_that_a_checkpoint_names_runs_only_if_it_is_named_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder may come from somebody else."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("my_search.py").write_text(LAZY, encoding="utf-8")
    evolve(replace(SMALL, strategy="my_search.py:Lazy"), out=Path("out"))
    Path("my_search.py").write_text("raise AssertionError('this code ran')\n", encoding="utf-8")
    with pytest.raises(paddock.PaddockError, match=r"out: its strategy is code, 'my_search.py:Lazy': give it again"):
        resume(Path("out"), generations=3)


@pytest.mark.usefixtures("without_pictures")
def test_evolution_is_not_resumed_after_strategy_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("my_search.py").write_text(LAZY, encoding="utf-8")
    evolve(replace(SMALL, strategy="my_search.py:Lazy"), out=Path("out"))
    Path("my_search.py").write_text(LAZY + "# changed\n", encoding="utf-8")
    with pytest.raises(paddock.PaddockError, match="the source of the strategy has changed"):
        resume(Path("out"), generations=3, expected={"strategy": "my_search.py:Lazy"})


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
