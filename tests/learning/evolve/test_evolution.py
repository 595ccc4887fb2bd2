"""Tests that evolution is deterministic on any number of threads and resumes after any interruption."""

from __future__ import annotations

import importlib
import json
import math
import os
import signal
import sys
import time
from dataclasses import replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import paddock
import paddock.learning.evolve.evolution_study as study_module
from paddock.control.policies.policy_registry import load_policy
from paddock.learning.evolve.checkpoint import load_checkpoint
from paddock.learning.evolve.evaluators import LocalEvaluator
from paddock.learning.evolve.evolution import Evolution, FitnessWarning, VersionWarning
from paddock.learning.evolve.evolution_study import evolve, resume, try_champion
from paddock.learning.evolve.folder import EvolutionFolder
from paddock.learning.evolve.options import EvolutionConfig, Execution
from paddock.learning.evolve.strategies import STRATEGIES
from paddock.learning.evolve.tasks.evolution_task import Evaluation
from paddock.learning.evolve.tasks.evolution_task_registry import make_task
from paddock.simulation.worlds import load_world, save_world
from warm_start import run_python, start_python

SMALL = EvolutionConfig(task="maze", population=6, generations=6, seconds=8.0, seed=5)


def history(evolution: Evolution) -> Any:
    return evolution.state()["history"].tolist()


@pytest.mark.parametrize("strategy", ["ga", "gp"])
def test_champion_does_not_depend_on_number_of_threads(strategy: str) -> None:
    config = EvolutionConfig(**{**SMALL.as_table(), "strategy": strategy, "mazes": 2})
    runs = [Evolution(config, make_evaluator=partial(LocalEvaluator, threads=threads)) for threads in (1, 2, 5)]
    for run in runs:
        run.run()
    assert history(runs[0]) == history(runs[1]) == history(runs[2])
    assert np.array_equal(runs[0].champion.weights, runs[2].champion.weights)


def test_fitness_depends_only_on_the_individual() -> None:
    evolution = Evolution(SMALL)
    rows = evolution.strategy.ask()
    together, turned, alone = evolution.evaluator(rows), evolution.evaluator(rows[::-1]), evolution.evaluator(rows[2:3])
    assert np.array_equal(together.fitness, turned.fitness[::-1])
    assert together.fitness[2] == alone.fitness[0]


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_resumed_evolution_is_bit_identical_to_uninterrupted_one(strategy: str, tmp_path: Path) -> None:
    if strategy in ("cma", "neat"):
        pytest.importorskip(strategy)
    config = replace(SMALL, strategy=strategy)
    whole = evolve(config).evolution
    evolve(replace(config, generations=2), out=tmp_path)
    resumed = resume(tmp_path, generations=6).evolution
    assert history(whole) == history(resumed)
    assert np.array_equal(whole.champion.weights, resumed.champion.weights)
    assert np.array_equal(load_policy(tmp_path / "champion.npz").weights, whole.champion.weights)


def test_folder_contains_all_files(tmp_path: Path) -> None:
    study = evolve(SMALL, out=tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    wanted = {
        "champion.npz",
        "champion.png",
        "checkpoint.npz",
        "config.json",
        "history.csv",
        "learning-curve.png",
        "provenance.json",
    }
    assert names - {"inputs"} == wanted | {"summary.json", "world.toml"} == {path.name for path in study.files}
    rows = (tmp_path / "history.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "number,best,mean,champion,solved,evaluations"
    assert len(rows) == 7
    assert EvolutionConfig.from_table(json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))) == SMALL
    # The champion drives in the world beside it as it did when it was judged.
    batch = paddock.batch(tmp_path / "world.toml", 1, seed=SMALL.seed)
    task = study.evolution.task
    drive = batch.run(8.0, load_policy(tmp_path / "champion.npz"), metrics=task.metrics, every=task.trace_every)
    assert task.evaluate(drive).fitness[0] == study.summary["best_fitness"]


@pytest.mark.usefixtures("without_pictures")
def test_folder_is_not_overwritten_or_resumed_with_other_settings(tmp_path: Path) -> None:
    with pytest.raises(paddock.PaddockError, match="there is no evolution to resume"):
        resume(tmp_path)
    evolve(replace(SMALL, generations=1), out=tmp_path)
    with pytest.raises(
        paddock.PaddockError, match="there is an evolution already: choose another folder, or resume it"
    ):
        evolve(SMALL, out=tmp_path)
    with pytest.raises(paddock.PaddockError, match=r"population: the evolution to resume has 6, not 7"):
        resume(tmp_path, expected={"population": 7})
    with pytest.raises(paddock.PaddockError, match=r"length: the evolution to resume has the default, not 9"):
        resume(tmp_path, expected={"length": 9})
    assert len(resume(tmp_path, expected={"population": 6}, generations=2).evolution.history) == 2
    assert json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))["generations"] == 2


def test_refused_evolution_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(paddock.PaddockError, match="no device called 'gpu'"):
        evolve(SMALL, out=tmp_path / "new", execution=Execution(device="gpu"))
    assert not (tmp_path / "new").exists()


OWN = "import numpy as np\ndef far(drive):\n    return drive['distance'][:, 0]\n"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("without_pictures")
def test_evolution_is_not_resumed_after_world_change(tmp_path: Path) -> None:
    world, out = tmp_path / "own.toml", tmp_path / "out"
    save_world(load_world("clutter"), world)
    evolve(EvolutionConfig(task="avoid", world=str(world), population=4, generations=1, seconds=1.0), out=out)
    (out / "world-1.toml").write_bytes(world.read_bytes())
    with pytest.raises(paddock.PaddockError, match=r"world-1\.toml: the task's world is not the one"):
        resume(out, generations=2)
    (out / "world-1.toml").unlink()
    assert len(resume(out, generations=2).evolution.history) == 2  # as long as nothing has changed
    kept = contents(out)
    spec = load_world(world)
    save_world(replace(spec, walls=spec.walls[:-1], boxes=spec.boxes[:-1]), world)
    with pytest.raises(paddock.PaddockError, match=r"world\.toml: the task's world is not the one"):
        resume(out, generations=3)
    assert contents(out) == kept


@pytest.mark.usefixtures("without_pictures")
def test_evolution_is_not_resumed_after_fitness_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    module, out = tmp_path / "changing_fitness.py", tmp_path / "out"
    module.write_text(OWN, encoding="utf-8")
    config = EvolutionConfig(task="changing_fitness:far", world="clutter", population=4, generations=1, seconds=1.0)
    evolve(config, out=out)
    code = {"task": "changing_fitness:far"}
    assert len(resume(out, generations=2, expected=code).evolution.history) == 2
    module.write_text(OWN.replace("return", "return -"), encoding="utf-8")
    monkeypatch.delitem(sys.modules, "changing_fitness")
    importlib.invalidate_caches()
    kept = contents(out)
    with pytest.raises(paddock.PaddockError, match="the source of the fitness has changed"):
        resume(out, generations=3, expected=code)
    assert contents(out) == kept


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize(
    ("strategy", "package"), [("cma", "cma"), ("neat", "neat-python"), ("map-elites", "ribs"), ("ga", "numpy")]
)
def test_evolution_of_another_version_is_resumed_only_on_request(
    strategy: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if strategy != "ga":
        pytest.importorskip({"map-elites": "ribs"}.get(strategy, strategy))
    evolve(replace(SMALL, strategy=strategy, generations=1), out=tmp_path)
    installed = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "0.1" if name == package else installed(name))
    refused = rf"this evolution began with {package} \S+ \(now 0.1\): .*start again in another folder, or ignore"
    with pytest.raises(paddock.PaddockError, match=refused):
        resume(tmp_path, generations=2)
    with pytest.warns(VersionWarning, match=rf"began with {package} \S+ \(now 0.1\)"):
        study = resume(tmp_path, generations=2, execution=Execution(ignore_versions=True))
    assert len(study.evolution.history) == 2


@pytest.mark.usefixtures("without_pictures")
def test_evolution_is_not_resumed_on_another_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evolve(replace(SMALL, generations=1), out=tmp_path)
    evolution = Evolution(SMALL)
    monkeypatch.setattr(evolution.evaluator, "device", "cuda")
    with pytest.raises(paddock.PaddockError, match=r"the device has changed .* from 'cpu' to 'cuda'"):
        EvolutionFolder(tmp_path).restore(evolution)


@pytest.mark.parametrize(("strategy", "more"), [("map-elites", {"elites.npz", "elites.png"}), ("gp", {"champion.txt"})])
def test_extra_results_of_a_strategy_are_written(strategy: str, more: set[str], tmp_path: Path) -> None:
    study = evolve(replace(SMALL, strategy=strategy), out=tmp_path)
    assert more <= {path.name for path in study.files}
    assert all(path.exists() for path in study.files)
    if strategy == "gp":
        assert "\nright = " in (tmp_path / "champion.txt").read_text(encoding="utf-8")
        return
    with np.load(tmp_path / "elites.npz", allow_pickle=False) as elites:
        judged = study.evolution.evaluator(elites["weights"])
        assert np.array_equal(judged.fitness, elites["fitness"])
        assert np.array_equal(judged.behaviour, elites["behaviour"])
        assert elites["fitness"].max() == study.summary["best_fitness"]
    with Image.open(tmp_path / "elites.png") as picture:
        assert picture.width >= 800


def test_interrupted_generation_keeps_the_former_champion(monkeypatch: pytest.MonkeyPatch) -> None:
    evolution = Evolution(SMALL)
    evolution.step()
    before, best = evolution.champion.weights.copy(), evolution.history[-1].champion

    def evaluate(rows: np.ndarray) -> Evaluation:
        return Evaluation(np.full(len(rows), best + 1), np.ones(len(rows)), np.zeros((len(rows), 2)))

    def stopped(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evolution, "evaluator", evaluate)
    monkeypatch.setattr(evolution.strategy, "learn", stopped)
    with pytest.raises(KeyboardInterrupt):
        evolution.step()
    assert len(evolution.history) == 1
    assert np.array_equal(evolution.champion.weights, before)


@pytest.mark.usefixtures("without_pictures")
def test_ctrl_c_during_the_test_keeps_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*arguments: Any, **options: Any) -> Any:
        assert (tmp_path / "summary.json").exists()
        raise KeyboardInterrupt

    monkeypatch.setattr(study_module, "try_champion", stopped)
    study = evolve(replace(SMALL, generations=2), out=tmp_path, execution=Execution(test=5))
    assert study.interrupted
    assert study.summary["generations"] == 2
    assert (tmp_path / "champion.npz") in study.files


@pytest.mark.parametrize("worst", [math.nan, -math.inf])
def test_non_finite_fitness_is_ranked_last_with_one_warning(worst: float, monkeypatch: pytest.MonkeyPatch) -> None:
    evolution = Evolution(SMALL)
    rows = evolution.strategy.ask()

    def evaluate(rows: np.ndarray) -> Evaluation:
        return Evaluation(np.array([worst, -5.0, worst, -4.0, worst, worst]), np.zeros(6), np.zeros((6, 2)))

    monkeypatch.setattr(evolution, "evaluator", evaluate)
    with pytest.warns(
        FitnessWarning, match="maze: the fitness of 4 of 6 individuals of generation 1 is NaN or infinite"
    ):
        now = evolution.step()
    evolution.step()  # it is told once
    assert (now.best, now.champion, now.mean) == (-4.0, -4.0, -4.5)
    assert np.array_equal(evolution.champion.weights[0], rows[3])


def test_generation_without_finite_fitness_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    evolution = Evolution(SMALL)
    nothing = Evaluation(np.full(6, math.nan), np.zeros(6), np.zeros((6, 2)))
    monkeypatch.setattr(evolution, "evaluator", lambda rows: nothing)
    with pytest.raises(paddock.PaddockError, match="maze: no fitness of the 6 individuals of generation 1 is a finite"):
        evolution.step()
    assert not evolution.history


def test_population_that_does_not_fit_in_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(paddock.PaddockError, match=r"population: 1000+ individuals in 1 world do not fit in memory"):
        Evolution(replace(SMALL, population=10**18))
    evolution = Evolution(SMALL)

    def evaluate(rows: np.ndarray) -> Evaluation:
        raise MemoryError("Unable to allocate 16.2 GiB")

    monkeypatch.setattr(evolution, "evaluator", evaluate)
    with pytest.raises(paddock.PaddockError, match=r"use fewer \(Unable to allocate"):
        evolution.step()


def test_command_lists_only_files_that_exist(tmp_path: Path) -> None:
    done = run_python(*command("maze", "--generations", "0"), "--out", str(tmp_path / "none"))
    assert done.returncode == 0, done.stderr
    assert "champion.npz" not in done.stdout
    told = done.stdout.partition("wrote")[2].partition(":")[2].split("\n")[0]
    names = {"checkpoint.npz", "config.json", "history.csv", "provenance.json", "summary.json", "world.toml"}
    assert {name.strip() for name in told.split(",")} == names


def test_default_program_length_fits_all_inputs() -> None:
    pytest.importorskip("neat")
    config = EvolutionConfig(task="wall-follow", strategy="neat", population=4, generations=1, seconds=1.0)
    evolution = Evolution(config)
    assert evolution.policy.length == 2 * 38  # type: ignore[union-attr]
    assert (evolution.strategy.ask()[:, 0] > 0).all()
    assert Evolution(replace(config, task="maze")).policy.length == 64  # type: ignore[union-attr]
    with pytest.raises(paddock.PaddockError, match="length: with 16 inputs the first programs need at least 38"):
        Evolution(replace(config, length=37))


def command(*options: str) -> list[str]:
    return ["-m", "paddock", "study", "evolve", *options]


def wait_for_generation(folder: Path, number: int) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if (folder / "checkpoint.npz").exists() and len(
            load_checkpoint(folder / "checkpoint.npz")["history"]
        ) >= number:
            return
        time.sleep(0.02)
    raise AssertionError("the evolution did not get far enough")


@pytest.mark.usefixtures("without_pictures")
def test_killed_evolution_loses_at_most_one_generation(tmp_path: Path) -> None:
    options = ["maze", "--population", "8", "--seconds", "60", "--seed", "9", "--generations", "400"]
    out = tmp_path / "killed"
    with start_python([*command(*options), "--out", str(out)]) as process:
        wait_for_generation(out, 3)
        process.kill()
    kept = load_checkpoint(out / "checkpoint.npz")
    done = len(kept["history"])
    assert done >= 3
    (out / "checkpoint.npz.part").write_bytes(b"what was being written when it was killed")
    resumed = resume(out, generations=done + 2).evolution
    whole = evolve(resumed.config).evolution
    assert history(whole) == history(resumed)
    assert history(whole)[:done] == kept["history"].tolist()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals for other processes")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_and_sigterm_keep_the_best_so_far(number: signal.Signals, status: int, tmp_path: Path) -> None:
    out = tmp_path / "stopped"
    options = [*command("maze", "--population", "8", "--generations", "4000", "--json"), "--out", str(out)]
    with start_python(options) as process:
        wait_for_generation(out, 2)
        process.send_signal(number)
        told, aside = process.communicate(timeout=120)
    assert process.returncode == status
    assert "the best so far is saved" in aside
    summary = json.loads(told)
    assert summary["generations"] >= 2
    policy = load_policy(out / "champion.npz")
    assert policy.weights.any()
    assert (out / "learning-curve.png").exists()
    assert (out / "champion.png").exists()
    rows = (out / "history.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == summary["generations"] + 1


def test_champion_is_tested_in_unseen_worlds_or_noise() -> None:
    evolution = Evolution(EvolutionConfig(task="maze", population=4, generations=1, mazes=2, size=(4, 4), seconds=5.0))
    evolution.run()
    told = try_champion(evolution, Execution(test=5))
    assert told["test_drives"] == 5
    assert 0 <= told["test_solved"] <= 1
    avoid = Evolution(EvolutionConfig(task="avoid", population=4, generations=1, seconds=2.0))
    avoid.run()
    assert try_champion(avoid, Execution(test=3))["test_drives"] == 3


def test_task_of_several_worlds_is_tested_in_all_of_them() -> None:
    seen: list[tuple[int, ...]] = []

    def evaluate(drive: Any) -> Evaluation:
        seen.append(drive.ticks.shape)
        number = np.arange(len(drive.ticks)) % 2  # the scene: the second one is never solved
        return Evaluation(drive["distance"][:, 0], 1.0 - number, np.zeros((len(number), 2)))

    task = make_task(EvolutionConfig(task="avoid", seconds=1.0))
    worlds = load_world("clutter"), replace(load_world("clutter"), boxes=())
    task = replace(task, evaluate=evaluate, runs=tuple(replace(task.runs[0], world=world) for world in worlds))
    config = EvolutionConfig(task="avoid", population=3, generations=1, seed=7)
    evolution = Evolution(config, task=task)
    evolution.run()
    told = try_champion(evolution, Execution(test=4))
    assert (told["test_drives"], told["test_solved"]) == (8, 0.5)
    assert seen == [(3 * 2 * 5,), (8,)]
    noises = {int(one) for one in evolution.evaluator._batch.seeds}  # type: ignore[attr-defined]
    assert noises == {*range(7, 17)}
    tested = LocalEvaluator(task, evolution.policy, seed=17, repeats=4)
    tested(evolution.champion.weights)
    assert tested._batch is not None
    assert tested._batch.seeds.tolist() == [*range(17, 25)]


@pytest.mark.parametrize("seed", [0, 3, 1000, 10**6])
def test_evaluation_mazes_differ_from_training_mazes(seed: int) -> None:
    task = make_task(EvolutionConfig(task="maze", mazes=6, size=(5, 5), seed=seed))
    assert task.unseen is not None
    others = task.unseen(8)
    trained, tested = ({world.walls for world in one.worlds} for one in (task, others))
    assert (len(trained), len(tested)) == (6, 8)
    assert not trained & tested
    assert (others.seconds, others.inputs, others.speed) == (task.seconds, task.inputs, task.speed)
    other_seed = make_task(EvolutionConfig(task="maze", mazes=6, size=(5, 5), seed=seed + 1))
    assert not trained & {world.walls for world in other_seed.worlds}


def test_shipped_maze_is_the_same_for_every_seed() -> None:
    first, second = (make_task(EvolutionConfig(task="maze", seed=seed)) for seed in (0, 5))
    assert first.worlds == second.worlds
    assert first.unseen is None  # it is tested with other noise


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: EvolutionConfig(task="maze", population=0), "population: expected a whole number >= 1"),
        (lambda: EvolutionConfig(task="maze", seconds=-1), "seconds: expected simulated seconds > 0"),
        (lambda: Evolution(EvolutionConfig(task="mace")), "did you mean 'maze'?"),
        (lambda: Evolution(EvolutionConfig(task="maze", strategy="gaa")), "did you mean 'ga'?"),
        (
            lambda: Evolution(EvolutionConfig(task="maze", world="clutter")),
            "clutter.toml: starts: missing: a start called 'start'",
        ),
        (
            lambda: Evolution(EvolutionConfig(task="avoid", mazes=20)),
            "mazes: the task avoid does not use it, but world",
        ),
        (lambda: Evolution(EvolutionConfig(task="avoid", kind="nonsense")), "kind: the task avoid does not use it"),
        (
            lambda: Evolution(EvolutionConfig(task="maze", size=(12, 12))),
            "leave size out, or give mazes or world too",
        ),
        (lambda: Evolution(EvolutionConfig(task="maze", mazes=2, kind="nonsense")), "nonsense"),
        (
            lambda: Evolution(EvolutionConfig(task="maze", length=9)),
            "length: the strategy ga does not use it, but hidden",
        ),
        (
            lambda: Evolution(EvolutionConfig(task="maze", strategy="gp", hidden=(3,))),
            "hidden: the strategy gp does not use",
        ),
        (lambda: Evolution(EvolutionConfig(task="b.py:f")), "b.py:f: no file 'b.py' in "),
        (lambda: Evolution(EvolutionConfig(task="a/b.py:f")), "a/b.py:f: no file 'a/b.py' in "),
        (lambda: Evolution(EvolutionConfig(task="a:")), "a:: expected module:Name or file.py:Name of a task"),
        (lambda: Evolution(EvolutionConfig(task=":f")), "expected module:Name or file.py:Name"),
        (lambda: Evolution(EvolutionConfig(task=".a:f")), "expected module:Name or file.py:Name"),
        (
            lambda: evolve(SMALL, execution=Execution(workers="ray", threads=3)),
            "workers: with ray every worker is one core",
        ),
        (
            lambda: evolve(SMALL, execution=Execution(workers="ray", device="cuda")),
            "workers: with ray every worker is one core",
        ),
        (lambda: evolve(SMALL, execution=Execution(device="cuda", threads=3)), "threads: only used on the CPU"),
        (lambda: evolve(replace(SMALL, precision="float32")), "the CPU computes in float64"),
        (lambda: Evolution(EvolutionConfig(task="nowhere:fitness")), "nowhere:fitness: no module 'nowhere'"),
        (lambda: Evolution(EvolutionConfig(task="math:nothing")), "math:nothing: math has no 'nothing'"),
        (lambda: Evolution(EvolutionConfig(task="math:pi")), "expected a function"),
        (lambda: evolve(SMALL, execution=Execution(workers="raj")), "did you mean 'ray'?"),
        (lambda: evolve(SMALL, execution=Execution(device="gpu")), "no device called 'gpu'"),
        (lambda: Evolution(SMALL).champion, "no champion before the first generation"),
    ],
)
def test_invalid_settings_are_refused(call: Any, message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        call()
    assert message in str(caught.value)


def test_champion_has_most_worlds_solved_then_highest_fitness() -> None:
    told = iter(
        [([5.0, 1.0, 2.0], [0.0, 0.5, 0.5]), ([9.0, 3.0, 1.0], [0.0, 0.5, 0.5]), ([1.0, 0.5, 8.0], [1.0, 1.0, 0.0])]
    )

    class Told:
        device = "cpu"

        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def __call__(self, individuals: Any) -> Evaluation:
            fitness, solved = next(told)
            return Evaluation(np.array(fitness), np.array(solved), np.zeros((3, 2)))

        def compile(self) -> None:
            pass

    evolution = Evolution(EvolutionConfig(task="maze", population=3, generations=3), make_evaluator=Told)
    generations = [evolution.step() for _ in range(3)]
    assert [(now.best, now.champion, now.solved) for now in generations] == [(5, 2, 0.5), (9, 3, 0.5), (8, 1, 1)]
