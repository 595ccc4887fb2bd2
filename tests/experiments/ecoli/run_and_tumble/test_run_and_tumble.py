"""Tests of the run-and-tumble walker: determinism, statistics and its reaction network."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import paddock
from paddock import testing
from paddock.control.policies.policy import RunStart
from paddock.core.errors import DeviceRefused, PaddockError, SimulationError, UnknownName
from paddock.experiments.ecoli.reaction_networks import Flux, ReactionNetwork, ReactionPool, ReactionUnit
from paddock.experiments.ecoli.run_and_tumble import RunAndTumble
from paddock.experiments.ecoli.run_and_tumble.tumble_kernel import read_key, seed_memory
from paddock.experiments.ecoli.walk.population import find_mann_whitney_p, isolate_walker, make_walker, run_population
from paddock.simulation.worlds.world_spec import WorldSpec

ROBOT = "e-puck_2478"
DRAINED = ReactionNetwork(
    name="drained",
    input="L",
    output="x",
    pools=(ReactionPool(name="L", start=1.0, held=True), ReactionPool(name="x", start=1.0)),
    units=(ReactionUnit(name="drain", forward=Flux(rate=1.0), changes={"x": -1}),),
)


@pytest.fixture(scope="module")
def dish() -> WorldSpec:
    return isolate_walker("petri-dish")


def opened(dish: WorldSpec, seed: int) -> paddock.Arena:
    arena = paddock.open(dish, seed=seed)
    arena[ROBOT].enable("nose", "proximity")
    return arena


@pytest.mark.heavy
def test_runs_are_bit_identical_in_every_loop_and_over_the_server(dish: WorldSpec) -> None:
    batch = paddock.batch(dish, 3, seed=4)
    batch.run(8.0, RunAndTumble())
    compiled, stepped, resumed = (opened(dish, 5) for _ in range(3))
    with testing.serve(dish, seed=5) as server, paddock.connect(server.url(scheme="ws")) as served:
        served[ROBOT].enable("nose", "proximity")
        assert served.run(8.0, RunAndTumble()).digest == batch.digest(1)
    compiled.run(8.0, RunAndTumble())
    stepped.run(8.0, RunAndTumble(), on_step=lambda arena: None)
    walker = RunAndTumble()
    resumed.run(3.0, walker)
    resumed.run(5.0, walker)
    assert {compiled.digest(), stepped.digest(), resumed.digest()} == {batch.digest(1)}
    assert len({batch.digest(i) for i in range(3)}) == 3


@pytest.mark.heavy
def test_reset_repeats_the_walk_and_another_seed_changes_it(dish: WorldSpec) -> None:
    batch = paddock.batch(dish, 2, seed=4)
    first = batch.run(5.0, RunAndTumble()).poses
    batch.reset()
    assert np.array_equal(batch.run(5.0, RunAndTumble()).poses, first)
    batch.reset()
    assert not np.array_equal(batch.run(5.0, RunAndTumble(seed=1)).poses, first)


def test_keys_differ_by_seed_robot_and_policy_and_fit_single_precision() -> None:
    memory = np.zeros((3, 4))
    found = set()
    for robot, seed in (("a", 0), ("b", 0), ("a", 1)):
        seed_memory(memory, 0, np.array([0, 1, 2**62]), robot, seed=seed)
        assert np.array_equal(memory.astype(np.float32), memory)
        found |= {int(read_key(row, 0)) for row in memory}
    assert len(found) == 9


def split_runs(poses: NDArray[np.float64], dt: float) -> tuple[list[float], list[float]]:
    """Return run lengths [s] of a walk of poses (x, y, heading), and the angles [rad] between runs."""
    moved = np.hypot(*np.diff(poses[:, :2], axis=0).T) > 1e-6
    edges = np.flatnonzero(np.diff(moved.astype(int)))  # the last row of a run or of a turn
    times, angles = [], []
    for begin, end in pairwise(edges):
        if moved[end]:  # a run that began and ended
            times.append(float(end - begin) * dt)
        else:
            turn = poses[end + 1, 2] - poses[begin + 1, 2]
            angles.append(abs(float((turn + np.pi) % (2 * np.pi) - np.pi)))
    return times, angles


def find_exponential_fit_p(times: NDArray[np.float64]) -> float:
    """Return the Kolmogorov-Smirnov p value for exponential times.

    The mean is estimated from the times, so Stephens' (1974) formula for that case is used."""
    values = np.sort(np.asarray(times, float).ravel())
    n = len(values)
    expected = 1.0 - np.exp(-values / values.mean())
    steps = np.arange(n + 1) / n
    distance = max(float((steps[1:] - expected).max()), float((expected - steps[:-1]).max()))
    adjusted = (distance - 0.2 / n) * (math.sqrt(n) + 0.26 + 0.5 / math.sqrt(n))
    # Stephens' critical values of the adjusted distance, and the probabilities of exceeding them.
    levels, chances = (0.0, 0.926, 0.990, 1.094, 1.190, 1.308), (1.0, 0.15, 0.10, 0.05, 0.025, 0.01)
    return float(np.interp(adjusted, levels, chances))


@pytest.mark.heavy
def test_run_times_are_exponential_and_angles_match_the_cell() -> None:
    room = replace(isolate_walker("petri-dish", nose="centre"), bounds=(-50.0, -50.0, 50.0, 50.0))  # no walls nearby
    batch = paddock.batch(room, 16, seed=1)
    walks = [split_runs(walk, batch.dt) for walk in batch.run(60.0, make_walker("none"), every=batch.dt).trace[:, :, 0]]
    run_times, turn_angles = (np.concatenate(parts) for parts in zip(*walks, strict=True))
    assert len(run_times) > 600
    assert run_times.mean() == pytest.approx(0.87, rel=0.12)
    ticks = np.random.default_rng(0).uniform(-0.02, 0.0, len(run_times))  # a run ends within its last tick
    assert find_exponential_fit_p(run_times + ticks) > 0.05
    angles = np.degrees(turn_angles)
    assert angles.mean() == pytest.approx(70.0, abs=4.0)  # the cut at 0 shifts the mean of 68°
    assert angles.std() == pytest.approx(33.5, abs=3.0)
    shares = np.histogram(angles, [0, 30, 60, 90, 120, 180])[0] / len(angles)
    assert shares == pytest.approx([0.119, 0.284, 0.326, 0.191, 0.073], abs=0.05)


@pytest.mark.heavy
def test_normal_walkers_gather_and_inverted_walkers_disperse() -> None:
    kinds = {
        kind: run_population(kind, "petri-dish-gauss", walkers=24, seconds=120.0)
        for kind in ("normal", "none", "inverted")
    }
    met = {kind: population.concentration for kind, population in kinds.items()}
    assert met["normal"].mean() > 2.0 * met["none"].mean() > 4.0 * met["inverted"].mean()
    assert find_mann_whitney_p(met["normal"], met["none"]) < 1e-4
    assert kinds["normal"].run_up > 1.5 * kinds["normal"].run_down
    assert kinds["normal"].begun_run_ratio > 1.5
    assert kinds["none"].run_up == pytest.approx(kinds["none"].run_down, rel=0.15)


@pytest.mark.heavy
def test_walkers_without_methylation_do_not_gather() -> None:
    found = {
        kind: run_population(kind, walkers=32, seconds=120.0, nose="centre").concentration.mean()
        for kind in ("none", "no-methylation")
    }
    assert found["no-methylation"] < found["none"]


@pytest.mark.heavy
def test_network_failure_in_a_run_is_an_error_in_every_loop(dish: WorldSpec) -> None:
    message = "RunAndTumble: .*drained: before .* pool 'x' would become negative"
    with pytest.raises(SimulationError, match=message):
        opened(dish, 1).run(2.0, RunAndTumble(network=DRAINED))
    with pytest.raises(SimulationError, match=message):
        opened(dish, 1).run(2.0, RunAndTumble(network=DRAINED), on_step=lambda arena: None)
    with pytest.raises(SimulationError, match="RunAndTumble: world 0: drained"):
        paddock.batch(dish, 2).run(2.0, RunAndTumble(network=DRAINED))


@pytest.mark.heavy
def test_zero_reading_without_floor_is_an_error(dish: WorldSpec) -> None:
    bare = replace(dish, fields=())
    with pytest.raises(SimulationError, match=r"1 · nose . 0 is not > 0: use a larger floor"):
        opened(bare, 0).run(1.0, RunAndTumble(floor=0.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"network": "ecoli"}, "did you mean 'ecoli-chemotaxis'"),
        ({"sensing": "norml"}, "did you mean 'normal'"),
        ({"speed": 0.0}, "speed: expected a number > 0, got 0"),
        ({"floor": -1.0}, "floor: expected a number >= 0"),
        ({"angle_deg": 200.0}, "expected angle_deg from 0 to 180"),
        ({"method": "heun"}, "no method called 'heun'"),
        ({"seed": -1}, "seed: expected a whole number"),
        ({"network": ReactionNetwork(name="n", pools=(ReactionPool(name="a", start=1.0),))}, "n: no input: set input"),
    ],
)
def test_invalid_settings_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((PaddockError, UnknownName), match=message):
        RunAndTumble(**arguments)


def test_unsuitable_robot_is_refused_with_the_reason(dish: WorldSpec) -> None:
    arena = opened(dish, 0)
    seen = arena[ROBOT].sense()
    with pytest.raises(SimulationError, match="its robot is not set yet"):
        RunAndTumble().act(seen)
    walker = RunAndTumble(sensor="proximity")
    walker.begin_run(walker.memory[None], RunStart(np.zeros(1, np.int64), "a", 0.02, 0.05, 0.1))
    with pytest.raises(PaddockError, match="expected a sensor with one value, but proximity has 8"):
        walker.act(seen)
    with pytest.raises(PaddockError, match="ahead: proximity has no value 8"):
        RunAndTumble(ahead=(8,)).check([("nose", 1), ("proximity", 8)])
    with pytest.raises((UnknownName, DeviceRefused), match="nose"):
        paddock.batch("clutter", 1).run(0.1, RunAndTumble())
    with pytest.raises(UnknownName, match="kind of walker"):
        make_walker("drunk")


def test_batch_memory_needs_a_robot_name(dish: WorldSpec) -> None:
    batch = paddock.batch(dish, 2)
    with pytest.raises(UnknownName, match="driven robot"):
        batch.memory()
