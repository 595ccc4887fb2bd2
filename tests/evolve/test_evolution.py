"""Evolution: the same on any number of threads, and after being stopped, interrupted or killed at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.control.store import load_policy
from paddock.evolve.checkpoint import load_checkpoint
from paddock.evolve.config import Config
from paddock.evolve.evolution import Evolution
from paddock.evolve.judge import LocalJudge
from paddock.evolve.results import Folder
from paddock.evolve.study import evolve, try_champion

SMALL = Config(task="maze", population=6, generations=6, seconds=8.0, seed=5)


def history(evolution: Evolution) -> Any:
    return evolution.state()["history"].tolist()


@pytest.mark.parametrize("strategy", ["ga", "gp"])
def test_the_champion_does_not_depend_on_the_number_of_threads(strategy: str) -> None:
    config = Config(**{**SMALL.as_table(), "strategy": strategy, "mazes": 2})
    runs = [Evolution(config, judged_by=partial(LocalJudge, threads=threads)) for threads in (1, 2, 5)]
    for one in runs:
        one.run()
    assert history(runs[0]) == history(runs[1]) == history(runs[2])
    assert np.array_equal(runs[0].champion.weights, runs[2].champion.weights)


def test_what_an_individual_gets_depends_on_nothing_but_its_own_numbers() -> None:
    evolution = Evolution(SMALL)
    rows = evolution.strategy.ask()
    together, turned, alone = evolution.judge(rows), evolution.judge(rows[::-1]), evolution.judge(rows[2:3])
    assert np.array_equal(together.fitness, turned.fitness[::-1])
    assert together.fitness[2] == alone.fitness[0]


@pytest.mark.parametrize("strategy", ["ga", "es", "map-elites", "gp"])
def test_a_resumed_evolution_is_the_uninterrupted_one_to_the_last_bit(strategy: str, tmp_path: Path) -> None:
    config = Config(**{**SMALL.as_table(), "strategy": strategy})
    whole = evolve(config).evolution
    evolve(Config(**{**config.as_table(), "generations": 2}), out=tmp_path)
    going_on = evolve(config, out=tmp_path, resume={"generations": 6}).evolution
    assert history(whole) == history(going_on)
    assert np.array_equal(whole.champion.weights, going_on.champion.weights)
    assert np.array_equal(load_policy(tmp_path / "champion.npz").weights, whole.champion.weights)


def test_the_folder_has_everything_that_is_needed(tmp_path: Path) -> None:
    study = evolve(SMALL, out=tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    wanted = {"champion.npz", "checkpoint.npz", "config.json", "history.csv", "learning-curve.png", "summary.json"}
    assert names == wanted | {"world.toml"}
    rows = (tmp_path / "history.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "number,best,mean,champion,solved,evaluations"
    assert len(rows) == 7
    assert Config.from_table(json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))) == SMALL
    # The champion drives in the world beside it as it did when it was judged.
    batch = paddock.batch(tmp_path / "world.toml", 1, seed=SMALL.seed)
    task = study.evolution.task
    drive = batch.run(8.0, load_policy(tmp_path / "champion.npz"), measures=task.measures, trace_every=task.trace_every)
    assert task.judge(drive).fitness[0] == study.summary["best_fitness"]


def test_a_folder_is_not_overwritten_nor_resumed_with_other_settings(tmp_path: Path) -> None:
    with pytest.raises(paddock.PaddockError, match="there is no evolution to resume"):
        evolve(SMALL, out=tmp_path, resume={})
    evolve(Config(**{**SMALL.as_table(), "generations": 1}), out=tmp_path)
    with pytest.raises(paddock.PaddockError, match="there is an evolution already"):
        evolve(SMALL, out=tmp_path)
    with pytest.raises(paddock.PaddockError, match=r"--population: the evolution to resume has 6, not 7"):
        evolve(SMALL, out=tmp_path, resume={"population": 7})


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "paddock", "evolve", *options]


def wait_for_generation(folder: Path, number: int) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if (folder / "checkpoint.npz").exists() and len(
            load_checkpoint(folder / "checkpoint.npz")["history"]
        ) >= number:
            return
        time.sleep(0.02)
    raise AssertionError("the evolution did not get far enough")


def test_a_killed_evolution_loses_at_most_one_generation(tmp_path: Path) -> None:
    options = ["maze", "--population", "8", "--seconds", "60", "--seed", "9", "--generations", "400"]
    out = tmp_path / "killed"
    with subprocess.Popen([*command(*options), "--out", str(out)], stdout=subprocess.DEVNULL) as process:
        wait_for_generation(out, 3)
        process.kill()
    kept = load_checkpoint(out / "checkpoint.npz")
    done = len(kept["history"])
    assert done >= 3
    (out / "checkpoint.part").write_bytes(b"what was being written when it was killed")
    config = Folder(out).resumed_config({"generations": done + 2})
    going_on = evolve(config, out=out, resume={"generations": done + 2}).evolution
    whole = evolve(config).evolution
    assert history(whole) == history(going_on)
    assert history(whole)[:done] == kept["history"].tolist()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for other processes")
def test_ctrl_c_keeps_the_best_so_far(tmp_path: Path) -> None:
    out = tmp_path / "stopped"
    options = [*command("maze", "--population", "8", "--generations", "4000", "--json"), "--out", str(out)]
    with subprocess.Popen(options, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_generation(out, 2)
        process.send_signal(signal.SIGINT)
        told, aside = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "the best so far is kept" in aside
    summary = json.loads(told)
    assert summary["generations"] >= 2
    policy = load_policy(out / "champion.npz")
    assert policy.weights.any()
    assert (out / "learning-curve.png").exists()


def test_a_champion_is_tested_where_it_has_never_been() -> None:
    evolution = Evolution(Config(task="maze", population=4, generations=1, mazes=2, size=4, seconds=5.0))
    evolution.run()
    told = try_champion(evolution, 5)
    assert told["test_worlds"] == 5
    assert 0 <= told["test_solved"] <= 1
    avoid = Evolution(Config(task="avoid", population=4, generations=1, seconds=2.0))
    avoid.run()
    assert try_champion(avoid, 3)["test_worlds"] == 3


def test_ray_gives_what_local_workers_give() -> None:
    pytest.importorskip("ray")
    from paddock.evolve.cluster import RayJudge

    evolution = Evolution(SMALL)
    rows = evolution.strategy.ask()
    judge = RayJudge(evolution.task, evolution.policy, seed=SMALL.seed, workers=2)
    try:
        assert np.array_equal(judge(rows).fitness, evolution.judge(rows).fitness)
    finally:
        judge.ray.shutdown()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Config(task="maze", population=0), "population: expected a whole number >= 1"),
        (lambda: Config(task="maze", seconds=-1), "seconds: expected simulated seconds > 0"),
        (lambda: Evolution(Config(task="mace")), "did you mean 'maze'?"),
        (lambda: Evolution(Config(task="maze", strategy="gaa")), "did you mean 'ga'?"),
        (lambda: Evolution(Config(task="maze", world="clutter")), "mazes are shipped or generated"),
        (lambda: Evolution(Config(task="nowhere:fitness")), "there is no module 'nowhere'"),
        (lambda: Evolution(Config(task="math:nothing")), "the module has no 'nothing'"),
        (lambda: Evolution(Config(task="math:pi")), "expected a function"),
        (lambda: evolve(SMALL, workers="raj"), "did you mean 'ray'?"),
        (lambda: evolve(SMALL, device="gpu"), "no device called 'gpu'"),
        (lambda: evolve(SMALL, resume={}), "expected the folder of an evolution"),
        (lambda: Evolution(SMALL).champion, "no champion before the first generation"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        call()
    assert message in str(caught.value)
