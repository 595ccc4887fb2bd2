"""Tests of imitation learning: gradients, demonstrations and trained policies."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from paddock.arena.episodes import Trace
from paddock.arena.metrics import Distance
from paddock.control.policies.braitenberg import explorer
from paddock.control.policies.networks import Network
from paddock.control.policies.policy import Input, nearness
from paddock.learning.evolve.gradient import loss_and_gradient, make_first_states, run_forward
from paddock.learning.evolve.imitation import Demonstration, demonstrate, imitate, scale_inputs


@settings(max_examples=30)
@given(
    hidden=st.lists(st.integers(1, 4), max_size=2),
    activation=st.sampled_from(["tanh", "sigmoid", "identity"]),
    recurrent=st.booleans(),
    ticks=st.integers(1, 6),
    seed=st.integers(0, 999),
)
def test_gradient_matches_finite_differences(
    hidden: list[int], activation: str, recurrent: bool, ticks: int, seed: int
) -> None:
    net = Network(
        inputs=(Input(device="a", values=3),), hidden=tuple(hidden), activation=activation, recurrent=recurrent
    )
    rng = np.random.default_rng(seed)
    weights = rng.normal(0, 0.7, net.size)
    x, y = rng.uniform(-1, 1, (2, ticks, 3)), rng.uniform(-1, 1, (2, ticks, 2))
    before = [rng.uniform(-1, 1, state.shape) for state in make_first_states(net, 2)]
    _, gradient, _ = loss_and_gradient(net, weights, x, y, before)
    for k in range(net.size):
        step = np.zeros(net.size)
        step[k] = 1e-6
        above, _, _ = loss_and_gradient(net, weights + step, x, y, before)
        below, _, _ = loss_and_gradient(net, weights - step, x, y, before)
        assert gradient[k] == pytest.approx((above - below) / 2e-6, rel=1e-4, abs=1e-8)


@pytest.mark.parametrize("recurrent", [False, True])
@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid", "identity", "clip"])
def test_training_and_driving_compute_the_same_output(recurrent: bool, activation: str) -> None:
    inputs = (Input(device="a", values=2, gain=0.5), Input(device="b", values=1, change=True, gain=3))
    net = Network(inputs=inputs, hidden=(4, 3), activation=activation, recurrent=recurrent, speed=0.2)
    net = net.with_weights(net.random(1, seed=4))
    readings = np.random.default_rng(1).uniform(-2, 2, (20, 3))
    states = run_forward(net, net.weights[0], scale_inputs(net, readings)[None], make_first_states(net, 1))
    for tick, row in enumerate(readings):
        seen: Any = SimpleNamespace(a=row[:2], b=row[2:])
        assert list(net.act(seen)) == pytest.approx(0.2 * states[tick][-1][0], abs=1e-12)


@pytest.fixture(scope="module")
def taught() -> list[Demonstration]:
    shown = []
    for seed in range(3):
        with paddock.open("clutter", seed=seed) as arena:
            arena["red"].set_pose(0.75, 0.9, 1.3 * seed)
            shown.append(demonstrate(arena["red"], explorer(), ["proximity"], seconds=20.0))
    return shown


@pytest.mark.heavy
@pytest.mark.parametrize("recurrent", [False, True])
def test_trained_network_drives_like_its_teacher(recurrent: bool, taught: list[Demonstration]) -> None:
    net = Network(inputs=(nearness(),), hidden=(8,), recurrent=recurrent, speed=0.13)
    errors: list[float] = []
    pupil = imitate(net, taught, epochs=15, progress=lambda epoch, error: errors.append(error))
    assert errors[-1] < 0.1 * errors[0]
    batch = paddock.batch("clutter", 1, seed=50)
    drive = batch.run(30.0, pupil, metrics=[Distance()])
    assert drive["mean_speed"][0, 0] > 0.03
    first, again = (imitate(net, taught, epochs=2).weights for _ in range(2))
    assert np.array_equal(first, again)


def steady(speed: float) -> Demonstration:
    return Demonstration(np.zeros((4, 8)), np.full((4, 2), speed))


def test_demonstration_speeds_are_limited_to_max_wheel_speed() -> None:
    with paddock.open("clutter", seed=1) as arena:
        robot = arena["red"]
        shown = demonstrate(robot, lambda seen: (9.0, -9.0), ["proximity"], seconds=0.1)
        assert shown.wheels[0].tolist() == [robot.wheels.max_speed, -robot.wheels.max_speed]


def test_demonstration_records_observations_and_commands() -> None:
    seen: list[list[float]] = []

    def teacher(observation: Any) -> tuple[float, float]:
        seen.append([*observation.proximity, *observation.ground])
        return 0.05, 0.01 * len(seen)

    with paddock.open("clutter", seed=1) as arena:
        shown = demonstrate(arena["red"], teacher, ["proximity", "ground"], seconds=0.2)
    assert shown.readings.tolist() == seen
    assert shown.wheels[:, 1] == pytest.approx(np.minimum(0.01 * np.arange(1, 11), shown.wheels.max()))


def test_demonstration_loads_from_a_trace_file(tmp_path: Path) -> None:
    with paddock.open("clutter", seed=1) as arena:
        arena["red"].enable("proximity")
        trace = arena.run(1.0, {"red": explorer()}, every=arena.dt).robots["red"].trace
    trace.save(tmp_path / "run.npz")
    again = Demonstration.from_trace(Trace.load(tmp_path / "run.npz")[:50], ["proximity"])
    with paddock.open("clutter", seed=1) as arena:
        shown = demonstrate(arena["red"], explorer(), ["proximity"], seconds=1.0)
    assert np.array_equal(shown.readings, again.readings)
    assert np.array_equal(shown.wheels, again.wheels)


@pytest.mark.parametrize("output", ["identity", "relu"])
def test_linear_output_can_exceed_the_network_speed(output: str) -> None:
    net = Network(inputs=(Input(device="a", values=1),), hidden=(), output=output, speed=0.1)
    readings = np.linspace(0.2, 1, 50)[:, None]
    net = net.with_weights(np.full(net.size, 0.5))
    pupil = imitate(net, [Demonstration(readings, 0.2 * np.hstack([readings, readings]))], epochs=100, rate=0.3)
    seen: Any = SimpleNamespace(a=np.array([0.9]))
    assert list(pupil.act(seen)) == pytest.approx([0.18, 0.18], abs=0.005)


def test_demonstration_survives_save_and_load(tmp_path: Path) -> None:
    shown = Demonstration(np.random.default_rng(0).random((5, 3)), np.ones((5, 2)))
    shown.save(tmp_path / "shown.npz")
    again = Demonstration.load(tmp_path / "shown.npz")
    assert np.array_equal(again.readings, shown.readings)
    assert np.array_equal(again.wheels, shown.wheels)
    with pytest.raises(paddock.PaddockError, match="no such file"):
        Demonstration.load(tmp_path / "nothing.npz")
    other = tmp_path / "other.npz"
    np.savez(other, readings=np.array([{}], dtype=object), wheels=np.ones((1, 2)))
    with pytest.raises(paddock.PaddockError, match="expected a demonstration"):
        Demonstration.load(other)
    with np.load(tmp_path / "shown.npz") as file:
        about = file["about"]
    for arrays, problem in (
        ({"readings": np.ones((4, 2)), "wheels": np.ones((1, 2))}, "Demonstration: expected readings"),
        ({"readings": np.array(["a"]), "wheels": np.ones((1, 2))}, "readings: expected numbers, got"),
        ({"readings": np.ones((4, 2))}, "with readings and wheels, got 'paddock demonstration 1' with readings"),
    ):
        np.savez(other, about=about, **arrays)  # type: ignore[arg-type]
        with pytest.raises(paddock.PaddockError, match=rf"other\.npz: .*{problem}"):
            Demonstration.load(other)


def test_failed_save_keeps_the_old_demonstration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown, path = Demonstration(np.zeros((5, 3)), np.ones((5, 2))), tmp_path / "shown.npz"
    shown.save(path)
    kept = path.read_bytes()

    def torn(file: Any, **arrays: Any) -> None:
        file.write(b"half of it")
        raise OSError("the disk is full")

    monkeypatch.setattr(np, "savez", torn)
    with pytest.raises(paddock.PaddockError, match="cannot be written: the disk is full"):
        shown.save(path)
    assert path.read_bytes() == kept


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda net, good: imitate(net, [steady(0.2)]), "from -0.1 to 0.1 m/s, but the teacher drove from 0.2 to 0.2"),
        (lambda net, good: imitate(replace(net, output="sigmoid"), [steady(-0.1)]), "from 0 to 0.1 m/s, but"),
        (lambda net, good: imitate(net, []), "at least one demonstration"),
        (lambda net, good: imitate(net, [good], epochs=0), "epochs: expected a whole number >= 1, got 0"),
        (lambda net, good: imitate(net, [good], window=2.5), "window: expected a whole number >= 1, got 2.5"),
        (lambda net, good: imitate(net, [good], rate=-1), "rate: expected a number > 0, got -1"),
        (lambda net, good: imitate(net, [good], seed=-1), "seed: expected a whole number from 0"),
        (lambda net, good: imitate(net, good), "expected at least one demonstration, got a Demonstration"),
        (lambda net, good: imitate(3, [good]), "imitate: expected a Network, got 3"),
        (lambda net, good: imitate(replace(net, output="clip"), [steady(0.2)]), "from -0.1 to 0.1 m/s, but"),
        (lambda net, good: demonstrate(None, None, (), seconds=1.0), "devices: expected a tuple of at least one name"),  # type: ignore[arg-type]
        (lambda net, good: imitate(net, [Demonstration(np.zeros((4, 2)), np.zeros((4, 2)))]), "takes 8 values"),
        (lambda net, good: Demonstration(np.zeros((4, 2)), np.zeros((3, 2))), "expected readings (ticks, values)"),
        (lambda net, good: Demonstration(np.full((4, 2), math.nan), np.zeros((4, 2))), "finite"),
    ],
)  # fmt: skip
def test_invalid_demonstrations_are_refused(call, message: str) -> None:  # type: ignore[no-untyped-def]
    net = Network(inputs=(nearness(),))
    with pytest.raises(paddock.PaddockError) as caught:
        call(net, Demonstration(np.zeros((4, 8)), np.zeros((4, 2))))
    assert message in str(caught.value)
