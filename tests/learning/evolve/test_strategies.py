"""Tests that every strategy improves, is deterministic and resumes from its state."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from marks import mostly
from paddock.control.policies.policy import Input
from paddock.control.policies.program import Program
from paddock.core.npz import write_npz
from paddock.learning.evolve.checkpoint import load_checkpoint, save_checkpoint
from paddock.learning.evolve.program_text import format_program
from paddock.learning.evolve.strategies import STRATEGIES, SearchSpace, Strategy
from paddock.learning.evolve.strategies.genetic_programming import GeneticProgramming
from paddock.learning.evolve.strategies.map_elites import MapElites
from paddock.learning.evolve.strategies.trees import (
    BRANCHES,
    READ,
    Tree,
    compile_trees,
    count_instructions,
    cross,
    find_end,
    grow_tree,
    mutate,
)

PACKAGES = {"cma": "cma", "neat": "neat", "map-elites": "ribs"}
SPACE = SearchSpace(scale=np.full(5, 0.5), inputs=3)


def short(length: int) -> SearchSpace:
    return SearchSpace(scale=np.ones(1), inputs=3, length=length)


def make_strategy(name: str, *, population: int = 12, seed: int = 3) -> Strategy:
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name])
    return STRATEGIES.get(name)(SPACE, population=population, seed=seed)


def evaluate(rows: np.ndarray, programs: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return a fitness that rises near 1, 2, 3 …; for programs, with the speed to the left when x0 is 1."""
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
        strategy.tell(*evaluate(rows, strategy.makes_programs))
    return asked


VALLEY = SearchSpace(scale=np.ones(12), inputs=3, recurrent=False)
CASES = np.random.default_rng(7).uniform(-1, 1, (12, 3))


def compute_objective(rows: np.ndarray, programs: bool) -> np.ndarray:
    """Return the closeness to a point beside a narrow valley; for programs, to (x0 - x1) / 2 and x0 · x2."""
    if not programs:
        off = (rows - np.linspace(-2, 2, 12)) * np.linspace(1, 3, 12)
        return -(off**2).sum(axis=1)
    policy = Program(inputs=(Input(device="a", values=3),), length=64, speed=1.0, recurrent=False)
    wanted = np.stack([(CASES[:, 0] - CASES[:, 1]) / 2, CASES[:, 0] * CASES[:, 2]], axis=1)
    told = np.array([[policy.with_weights(row).act(SimpleNamespace(a=case)) for case in CASES] for row in rows])  # type: ignore[arg-type]
    return -((told - wanted) ** 2).sum(axis=(1, 2))


def best_found(name: str, seed: int, *, blind: bool = False, generations: int = 40) -> float:
    """Return the best fitness of a search; a blind search receives random fitness."""
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name])
    strategy, best = STRATEGIES.get(name)(VALLEY, population=20, seed=seed), -np.inf
    chance = np.random.default_rng(99)
    for _ in range(generations):
        rows = strategy.ask()
        objective = compute_objective(rows, strategy.makes_programs)
        best = max(best, objective.max())
        strategy.tell(chance.random(len(rows)) if blind else objective, np.full((len(rows), 2), 0.5))
    return float(best)


@pytest.mark.parametrize(
    "name", mostly(["ga", "es", "cma"], [name for name in STRATEGIES if name not in ("random", "map-elites")])
)
def test_strategy_beats_random_search(name: str) -> None:
    blind = STRATEGIES.get(name).makes_programs  # there is no random search for programs
    rival, seeds = (name if blind else "random"), range(4)
    found = [best_found(name, seed) for seed in seeds]
    by_chance = [best_found(rival, seed, blind=blind) for seed in seeds]
    assert np.mean(found) > 0.7 * np.mean(by_chance)  # both are below zero


def test_map_elites_beats_random_search() -> None:
    archives: list[Any] = []
    for random_immigrants in (0.1, 1.0):
        strategy = MapElites(VALLEY, population=20, seed=1, cells=6, random_immigrants=random_immigrants)
        for _ in range(60):
            rows = strategy.ask()
            strategy.tell(compute_objective(rows, False), np.clip(0.5 + rows[:, :2] / 12, 0, 1))
        archives.append(strategy)
    bred, random_only = (archive.fitness_grid() for archive in archives)
    both = np.isfinite(bred) & np.isfinite(random_only)
    assert both.sum() > 6
    assert (bred[both] > random_only[both]).mean() > 0.9


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_share_of_random_immigrants_matches_setting(share: float) -> None:
    strategy = MapElites(SPACE, population=400, seed=1, random_immigrants=share, mutation=0.0)
    rows = strategy.ask()
    strategy.tell(np.zeros(400), np.random.default_rng(0).random((400, 2)))
    known = (strategy.ask()[:, None] == rows).all(axis=2).any(axis=1)
    assert 1 - known.mean() == pytest.approx(share, abs=0.08)


def test_ga_children_combine_two_parents() -> None:
    strategy: Any = STRATEGIES.get("ga")(VALLEY, population=20, seed=1, crossover=1.0, mutation=0.0)
    rows = strategy.ask()
    strategy.tell(compute_objective(rows, False), np.zeros((20, 2)))
    parents = [{int(np.flatnonzero(rows[:, k] == child[k])[0]) for k in range(12)} for child in strategy.ask()]
    assert max(len(one) for one in parents) == 2
    assert sum(len(one) == 2 for one in parents) > 5


def test_gp_children_combine_branches_of_two_parents() -> None:
    strategy = GeneticProgramming(VALLEY, population=40, seed=1, crossover=1.0)

    def constants(pair: Any) -> set[float]:
        return {number for tree in pair for operation, number in tree if operation == 0}

    before = [constants(pair) for pair in strategy.pairs]
    old = list(strategy.pairs)
    strategy.tell(np.random.default_rng(0).random(40), np.zeros((40, 2)))
    children = [pair for pair in strategy.pairs if pair not in old]
    assert len(children) > 10
    assert all(constants(pair) <= set().union(*before) for pair in children)  # nothing was changed
    assert any(not any(constants(pair) <= one for one in before) for pair in children)


DIGEST = """
import hashlib, sys
import numpy as np
from paddock.control.policies.policy import nearness
from paddock.control.policies.networks import Network
from paddock.learning.evolve.imitation import Demonstration, imitate
from paddock.learning.evolve.strategies import STRATEGIES, SearchSpace

if sys.argv[1] == "cma":
    search = STRATEGIES.get("cma")(SearchSpace(scale=np.ones(300), inputs=3), population=16, seed=1)
    for _ in range(12):
        rows = search.ask()
        search.tell(-(rows**2).sum(axis=1), np.zeros((16, 2)))
    numbers = search.ask()
else:
    chance = np.random.default_rng(0)
    shown = Demonstration(chance.random((2000, 100)), chance.uniform(-0.5, 0.5, (2000, 2)))
    net = Network(inputs=(nearness(values=100),), hidden=(300,), speed=1.0)
    numbers = imitate(net, [shown], epochs=1, window=1000).weights
print(hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest())
"""


@pytest.mark.parametrize("what", mostly(["imitate"], ["cma", "imitate"]))
def test_results_do_not_depend_on_blas_threads(what: str) -> None:
    pytest.importorskip("threadpoolctl")
    pytest.importorskip("cma")
    digests = [
        subprocess.run(
            [sys.executable, "-c", DIGEST, what],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert digests[0] == digests[1]


@pytest.mark.parametrize("name", STRATEGIES)
def test_search_is_deterministic_per_seed(name: str) -> None:
    first, second, other = (run(make_strategy(name, seed=seed), 6) for seed in (3, 3, 4))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("name", STRATEGIES)
def test_ask_is_idempotent_and_keeps_global_random_state(name: str) -> None:
    random.seed(1)
    np.random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[union-attr]
    strategy = make_strategy(name)
    assert np.array_equal(strategy.ask(), strategy.ask())
    run(strategy, 2)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # type: ignore[union-attr]


@pytest.mark.parametrize("name", STRATEGIES)
def test_strategy_resumes_from_a_file_without_difference(name: str, tmp_path: Path) -> None:
    whole = run(make_strategy(name), 9)
    strategy = make_strategy(name)
    run(strategy, 4)
    save_checkpoint(tmp_path / "state.npz", {"strategy": strategy.state()})
    again = make_strategy(name)
    again.restore(load_checkpoint(tmp_path / "state.npz")["strategy"])
    assert all(np.array_equal(a, b) for a, b in zip(whole[4:], run(again, 5), strict=True))


def test_checkpoint_returns_what_was_saved(tmp_path: Path) -> None:
    saved = {"a.b": np.ones(2), "a": {"b": np.zeros(2)}, "t": (1, [2.5, None]), 3: {(0, 1): "x"}, "n": np.float32(0.1)}
    save_checkpoint(tmp_path / "state.npz", saved)
    loaded = load_checkpoint(tmp_path / "state.npz")
    assert repr(loaded) == repr(saved)
    assert type(loaded["n"]) is np.float32


class Place(NamedTuple):
    """A tuple with named parts."""

    x: float


@pytest.mark.parametrize("value", [Place(1.0), np.ma.array([1.0]), np.array([None]), {1, 2}, 1j])
def test_checkpoint_refuses_what_it_could_not_return(value: object, tmp_path: Path) -> None:
    with pytest.raises(paddock.PaddockError, match="arrays, lists, tuples, dicts, numbers and texts only"):
        save_checkpoint(tmp_path / "state.npz", {"strategy": value})


def test_checkpoint_of_another_format_is_refused_with_a_fix(tmp_path: Path) -> None:
    write_npz(tmp_path / "state.npz", {"format": "paddock evolution 5", "state": {}}, {})
    with pytest.raises(paddock.PaddockError, match=r"start anew, or resume with the version of Paddock that wrote it"):
        load_checkpoint(tmp_path / "state.npz")


@pytest.mark.parametrize("name", [name for name in STRATEGIES if STRATEGIES.get(name).makes_programs])
def test_program_strategies_make_valid_programs(name: str) -> None:
    policy = Program(inputs=(Input(device="a", values=3),), length=64)
    for rows in run(make_strategy(name, population=30), 12):
        assert len(policy.with_weights(rows).weights) == len(rows)  # it refuses anything that is no program


class Harmful:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


def test_pickles_in_a_checkpoint_are_never_executed(tmp_path: Path) -> None:
    trace, bad = tmp_path / "executed", tmp_path / "bad.npz"
    harmful = np.array([Harmful(trace)], dtype=object)
    for content in ({"about": harmful}, {"about": np.frombuffer(b'{"format": 1}', np.uint8), "told": harmful}):
        with bad.open("wb") as file:
            np.savez(file, allow_pickle=True, **content)  # type: ignore[arg-type]
        with pytest.raises(paddock.PaddockError, match="expected a checkpoint"):
            load_checkpoint(bad)
    bad.write_bytes(pickle.dumps(Harmful(trace)))
    with pytest.raises(paddock.PaddockError, match="expected a checkpoint"):
        load_checkpoint(bad)
    assert not trace.exists()
    pickle.loads(pickle.dumps(Harmful(trace)))  # it would have
    assert trace.exists()


def test_missing_package_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("cma", "neat", "ribs.archives", "threadpoolctl"):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(paddock.PaddockError, match=r"pip install -e '\.\[evolve\]'"):
            STRATEGIES.get({"neat": "neat", "ribs.archives": "map-elites"}.get(package, "cma"))(
                SPACE, population=8, seed=0
            )
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: STRATEGIES.get("gaa"), "did you mean 'ga'"),
        (lambda: STRATEGIES.get("ga")(SPACE, population=0, seed=0), "population: expected a whole number >= 1"),
        (lambda: STRATEGIES.get("ga")(SPACE, population=4, seed=0).restore({}), "the state lacks individuals, rng"),
        (lambda: STRATEGIES.get("gp")(short(5), population=4, seed=0), "need at least 6 instructions, got 5"),
        (
            lambda: STRATEGIES.get("neat")(short(15), population=4, seed=0),
            "with 3 inputs the first programs need at least 16",
        ),
    ],
)
def test_invalid_settings_are_refused(call: Any, message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        call()
    assert message in str(caught.value)


def test_ga_keeps_its_elites() -> None:
    strategy = make_strategy("ga")
    rows = strategy.ask()
    fitness, behaviour = evaluate(rows, False)
    strategy.tell(fitness, behaviour)
    assert (strategy.ask() == rows[fitness.argmax()]).all(axis=1).any()


def test_map_elites_keeps_the_best_of_every_cell() -> None:
    strategy = make_strategy("map-elites")
    assert isinstance(strategy, MapElites)
    best: dict[tuple[int, ...], float] = {}
    for rows in run(strategy, 20):
        fitness, behaviour = evaluate(rows, False)
        for objective, place in zip(fitness, np.minimum((behaviour * 16).astype(int), 15), strict=True):
            best[tuple(place)] = max(best.get(tuple(place), -np.inf), objective)
    grid, elites = strategy.fitness_grid(), strategy.elites()
    assert {(x, y): grid[y, x] for y, x in np.argwhere(np.isfinite(grid)).tolist()} == best
    assert np.array_equal(evaluate(elites["weights"], False)[0], elites["fitness"])
    assert np.array_equal(evaluate(elites["weights"], False)[1], elites["behaviour"])


def value(tree: Tree, registers: list[float], at: int = 0) -> tuple[float, int]:
    """Evaluate a tree in plain Python."""
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
def test_compiled_tree_matches_the_tree(seed: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    trees = grow_tree(rng, 5, depth, full=False), grow_tree(rng, 5, depth, full=True)
    assert all(find_end(tree, 0) == len(tree) for tree in trees)
    length = 512
    policy = Program(inputs=(Input(device="a", values=3),), length=length, speed=1.0)
    policy = policy.with_weights(compile_trees(trees, 3, length))
    wheels = [0.0, 0.0]
    for _ in range(3):  # they read what the wheels were a tick ago
        registers = [*Seen.a.tolist(), *wheels]
        wheels = [value(tree, registers)[0] for tree in trees]
        told = policy.act(Seen())  # type: ignore[arg-type]
        assert list(told) == pytest.approx(np.clip(wheels, -1, 1), rel=1e-9, abs=1e-9)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_crossover_and_mutation_give_valid_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = grow_tree(rng, 5, 4, full=False), grow_tree(rng, 5, 3, full=True)
    for tree in (cross(rng, first, second), mutate(rng, first, 5)):
        assert find_end(tree, 0) == len(tree)
        assert count_instructions(tree) >= 0


def test_program_is_formatted_as_text() -> None:
    inputs = Input(device="a", values=2, zero=0.5, gain=-2), Input(device="b", values=1, change=True)
    left: Tree = [(2, 0.0), (0, 0.25), (11, 0.0), (READ, 2.0)]  # 0.25 + tanh(x2)
    right: Tree = [(8, 0.0), (3, 0.0), (READ, 0.0), (READ, 1.0), (READ, 3.0), (0, -1.0)]  # left a tick ago, or -1
    program = Program(inputs=inputs, length=20, speed=0.3, weights=compile_trees((left, right), 3, 20))
    assert format_program(program).splitlines() == [
        "# x0 … x1: a, -2 · (reading - 0.5), clipped to -1 … 1",
        "# x2: b, 1 · change of the reading, clipped to -1 … 1",
        "# wheel speed: 0.3 m/s · left and right, clipped to -1 … 1; before: previous tick",
        "",
        "left = (0.25 + tanh(x2))",
        "right = ((x0 - x1) > 0 ? left before : -1)",
    ]


@pytest.mark.parametrize("recurrent", [False, True])
def test_neat_program_text_matches_its_output(recurrent: bool) -> None:
    pytest.importorskip("neat")
    space = SearchSpace(scale=np.ones(1), inputs=3, length=400, recurrent=recurrent)
    strategy: Any = STRATEGIES.get("neat")(space, population=30, seed=1)
    for _ in range(12):
        rows = strategy.ask()
        strategy.tell(np.random.default_rng(0).random(len(rows)), np.zeros((len(rows), 2)))
    policy = Program(inputs=(Input(device="a", values=3),), length=400, speed=1.0)
    most = 0
    for row in strategy.ask():
        program, seen = policy.with_weights(row), dict(zip(("x0", "x1", "x2"), Seen.a.tolist(), strict=True))
        lines = [line for line in format_program(program).splitlines() if line and not line.startswith("#")]
        most = max(most, len(lines))
        before = {f"u{i}": 0.0 for i in range(len(lines))}
        for _ in range(3):
            now = dict(seen)
            for line in lines:
                name, _, told = line.partition(" = ")
                for unit in sorted(before, key=len, reverse=True):
                    told = told.replace(f"{unit} before", str(float(before[unit])))
                now[name] = eval(told.replace("·", "*"), {"tanh": np.tanh, **now})
            before = {name: now.get(name, 0.0) for name in before}
            assert [now["left"], now["right"]] == pytest.approx(list(program.act(Seen())), abs=0.02)  # type: ignore[arg-type]
    assert most > 4  # some have hidden units


@pytest.mark.parametrize("name", STRATEGIES)
def test_wrong_number_of_fitness_values_is_refused(name: str) -> None:
    strategy = make_strategy(name)
    rows = strategy.ask()
    for fitness, behaviour in ((np.zeros(len(rows) + 1), np.zeros((len(rows), 2))), (np.zeros(len(rows)), np.zeros(3))):
        with pytest.raises(paddock.PaddockError, match=f"tell: ask returned {len(rows)} individuals"):
            strategy.tell(fitness, behaviour)
    assert np.array_equal(strategy.ask(), rows)


@pytest.mark.parametrize("length", [6, 8, 10, 12])
def test_short_programs_fit_their_length(length: int) -> None:
    strategy = STRATEGIES.get("gp")(short(length), population=40, seed=1)
    assert (strategy.ask()[:, 0] <= length).all()


@pytest.mark.parametrize("recurrent", [False, True])
@pytest.mark.parametrize("inputs", [1, 3, 30])
def test_initial_neat_networks_have_exactly_min_length(inputs: int, recurrent: bool) -> None:
    pytest.importorskip("neat")
    kind = STRATEGIES.get("neat")
    least = kind.min_length(inputs, recurrent)
    space = SearchSpace(scale=np.ones(1), inputs=inputs, length=least, recurrent=recurrent)
    assert set(kind(space, population=6, seed=0).ask()[:, 0]) == {least}


def test_neat_program_matches_the_neat_package() -> None:
    neat = pytest.importorskip("neat")
    for recurrent, kind in ((False, neat.nn.FeedForwardNetwork), (True, neat.nn.RecurrentNetwork)):
        space = SearchSpace(scale=np.ones(1), inputs=3, length=400, recurrent=recurrent)
        strategy: Any = STRATEGIES.get("neat")(space, population=30, seed=1)
        policy = Program(inputs=(Input(device="a", values=3),), length=400, speed=1.0)
        for _ in range(12):
            rows = strategy.ask()
            strategy.tell(np.random.default_rng(0).random(len(rows)), np.zeros((len(rows), 2)))
        for row, genome in zip(strategy.ask(), strategy._search.population.values(), strict=True):
            program, network = policy.with_weights(row), kind.create(genome, strategy._search.config)
            for _ in range(3):
                assert list(program.act(Seen())) == pytest.approx(network.activate(Seen.a.tolist()), abs=1e-12)  # type: ignore[arg-type]
