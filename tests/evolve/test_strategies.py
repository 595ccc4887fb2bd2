"""Strategies: all of them climb, repeat themselves to the last bit, and go on from their state as if never stopped."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from paddock.control.networks import Input
from paddock.control.program import Program
from paddock.evolve.checkpoint import load_checkpoint, save_checkpoint
from paddock.evolve.strategies import STRATEGIES, Space, Strategy, strategy_called
from paddock.evolve.strategies.elites import MapElites
from paddock.evolve.strategies.programs import GeneticProgramming
from paddock.evolve.strategies.trees import BRANCHES, READ, Tree, changed, compiled, cost, crossed, end_of, grown

PACKAGES = {"cma": "cma", "neat": "neat"}
SPACE = Space(scale=np.full(5, 0.5), inputs=3)


def made(name: str, *, population: int = 12, seed: int = 3) -> Strategy:
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name])
    return strategy_called(name)(SPACE, population=population, seed=seed)


def judged(rows: np.ndarray, programs: bool) -> tuple[np.ndarray, np.ndarray]:
    """The nearer to 1, 2, 3 … the better; of programs, the faster to the left when x0 is 1."""
    if programs:
        policy = Program(inputs=(Input(device="a", values=3),), length=64, speed=1.0)
        wheels = np.array([list(policy.with_weights(row).act(Seen())) for row in rows])
        return wheels[:, 1] - wheels[:, 0], np.clip(0.5 + 0.5 * wheels, 0, 1)
    fitness = -((rows - np.arange(1, 6) / 5) ** 2).sum(axis=1)
    return fitness, np.clip(rows[:, :2], 0, 1)


class Seen:
    a = np.array([1.0, -0.5, 0.2])


def run(strategy: Strategy, generations: int) -> list[np.ndarray]:
    asked = []
    for _ in range(generations):
        rows = strategy.ask()
        asked.append(rows)
        strategy.tell(*judged(rows, strategy.makes_programs))
    return asked


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_climbs(name: str) -> None:
    strategy = made(name)
    worths = [judged(rows, strategy.makes_programs)[0].max() for rows in run(strategy, 25)]
    assert max(worths) > worths[0] or worths[0] == 2.0


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_same_seed_gives_the_same_search_and_another_one_another(name: str) -> None:
    first, second, other = (run(made(name, seed=seed), 6) for seed in (3, 3, 4))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("name", STRATEGIES)
def test_asking_twice_gives_the_same_and_leaves_common_chance_alone(name: str) -> None:
    random.seed(1)
    np.random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[union-attr]
    strategy = made(name)
    assert np.array_equal(strategy.ask(), strategy.ask())
    run(strategy, 2)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # type: ignore[union-attr]


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_goes_on_from_a_file_as_if_it_had_never_stopped(name: str, tmp_path: Path) -> None:
    whole = run(made(name), 9)
    strategy = made(name)
    run(strategy, 4)
    save_checkpoint(tmp_path / "state.npz", {"strategy": strategy.state()})
    again = made(name)
    again.restore(load_checkpoint(tmp_path / "state.npz")["strategy"])
    assert all(np.array_equal(a, b) for a, b in zip(whole[4:], run(again, 5), strict=True))


@pytest.mark.parametrize("name", [name for name in STRATEGIES if strategy_called(name).makes_programs])
def test_what_program_makers_make_are_programs(name: str) -> None:
    policy = Program(inputs=(Input(device="a", values=3),), length=64)
    for rows in run(made(name, population=30), 12):
        assert len(policy.with_weights(rows).weights) == len(rows)  # it refuses anything that is no program


def test_the_state_of_no_strategy_needs_pickle(tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_bytes(b"\x80\x04N.")
    with pytest.raises(paddock.PaddockError, match="expected a checkpoint"):
        load_checkpoint(tmp_path / "bad.npz")


def test_a_missing_package_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("cma", "neat"):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(paddock.PaddockError, match=r"pip install 'paddock\[evolve\]'"):
            strategy_called(package)(SPACE, population=8, seed=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: strategy_called("gaa"), "did you mean 'ga'"),
        (lambda: strategy_called("ga")(SPACE, population=0, seed=0), "population: expected a whole number >= 1"),
        (lambda: strategy_called("ga")(SPACE, population=4, seed=0).restore({}), "the state lacks individuals, rng"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        call()
    assert message in str(caught.value)


def test_elites_of_a_genetic_algorithm_live_on() -> None:
    strategy = made("ga")
    rows = strategy.ask()
    fitness, behaviour = judged(rows, False)
    strategy.tell(fitness, behaviour)
    assert (strategy.ask() == rows[fitness.argmax()]).all(axis=1).any()


def test_map_elites_keeps_the_best_of_every_kind() -> None:
    strategy = made("map-elites")
    assert isinstance(strategy, MapElites)
    best: dict[tuple[int, ...], float] = {}
    for rows in run(strategy, 20):
        fitness, behaviour = judged(rows, False)
        for worth, place in zip(fitness, np.minimum((behaviour * 16).astype(int), 15), strict=True):
            best[tuple(place)] = max(best.get(tuple(place), -np.inf), worth)
    found = sorted(strategy.worth[np.isfinite(strategy.worth)])
    assert found == sorted(best.values())
    assert strategy.coverage == len(best) / 256


def value(tree: Tree, registers: list[float], at: int = 0) -> tuple[float, int]:
    """A tree computed in plain Python."""
    operation, number = tree[at]
    at += 1
    if operation == READ:
        return registers[int(number)], at
    parts = []
    for _ in range(BRANCHES[operation]):
        part, at = value(tree, registers, at)
        parts.append(part)
    plain: dict[int, Any] = {
        0: lambda: number, 2: lambda a, b: a + b, 3: lambda a, b: a - b, 4: lambda a, b: a * b,
        5: lambda a, b: a / b if abs(b) > 1e-3 else a, 6: min, 7: max, 8: lambda a, b, c: b if a > 0 else c, 10: abs,
        11: np.tanh,
    }  # fmt: skip
    return float(np.clip(plain[operation](*parts), -1e9, 1e9)), at


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(0, 4))
def test_a_compiled_tree_computes_what_the_tree_says(seed: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    trees = grown(rng, 5, depth, full=False), grown(rng, 5, depth, full=True)
    assert all(end_of(tree, 0) == len(tree) for tree in trees)
    length = 512
    policy = Program(inputs=(Input(device="a", values=3),), length=length, speed=1.0)
    policy = policy.with_weights(compiled(trees, 3, length))
    wheels = [0.0, 0.0]
    for _ in range(3):  # they read what the wheels were a tick ago
        registers = [*Seen.a.tolist(), *wheels]
        wheels = [value(tree, registers)[0] for tree in trees]
        told = policy.act(Seen())  # type: ignore[arg-type]
        assert list(told) == pytest.approx(np.clip(wheels, -1, 1), rel=1e-9, abs=1e-9)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_crossed_and_changed_trees_are_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = grown(rng, 5, 4, full=False), grown(rng, 5, 3, full=True)
    for tree in (crossed(rng, one, other), changed(rng, one, 5)):
        assert end_of(tree, 0) == len(tree)
        assert cost(tree) >= 0


def test_programs_can_be_read_by_people() -> None:
    strategy = made("gp")
    assert isinstance(strategy, GeneticProgramming)
    left, right = strategy.formulas(0)
    assert left
    assert right
    assert json.dumps([left, right])


def test_a_grown_network_computes_what_the_package_says() -> None:
    neat = pytest.importorskip("neat")
    for recurrent, kind in ((False, neat.nn.FeedForwardNetwork), (True, neat.nn.RecurrentNetwork)):
        space = Space(scale=np.ones(1), inputs=3, length=400, recurrent=recurrent)
        strategy: Any = strategy_called("neat")(space, population=30, seed=1)
        policy = Program(inputs=(Input(device="a", values=3),), length=400, speed=1.0)
        for _ in range(12):
            rows = strategy.ask()
            strategy.tell(np.random.default_rng(0).random(len(rows)), np.zeros((len(rows), 2)))
        for row, genome in zip(strategy.ask(), strategy._search.population.values(), strict=True):
            program, network = policy.with_weights(row), kind.create(genome, strategy._search.config)
            for _ in range(3):
                assert list(program.act(Seen())) == pytest.approx(network.activate(Seen.a.tolist()), abs=1e-12)  # type: ignore[arg-type]
