"""Tests of networks against plain numpy, in every loop and in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from paddock.control.policies.networks import ACTIVATIONS, Network, activated
from paddock.control.policies.policy import Input, nearness
from paddock.core.observation import Observation, Slot

FUNCTIONS: dict[str, Any] = {
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(0, x),
    "clip": lambda x: np.clip(x, -1.0, 1.0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "identity": lambda x: x,
}
networks = st.builds(
    lambda values, hidden, activation, output, recurrent, seed: Network(
        inputs=(Input(device="a", values=values, zero=0.5, gain=2.0), Input(device="b", values=2, change=True)),
        hidden=tuple(hidden),
        activation=activation,
        output=output,
        recurrent=recurrent,
        speed=0.3,
    ).with_weights(np.random.default_rng(seed).normal(0, 1, SIZES(values, hidden, recurrent))),
    st.integers(1, 5),
    st.lists(st.integers(1, 6), max_size=3),
    st.sampled_from(sorted(ACTIVATIONS)),
    st.sampled_from(sorted(ACTIVATIONS)),
    st.booleans(),
    st.integers(0, 2**32),
)


def SIZES(values: int, hidden: list[int], recurrent: bool) -> int:  # noqa: N802
    below, total = values + 2, 0
    for units in hidden:
        total += (1 + below + (units if recurrent else 0)) * units
        below = units
    return total + (1 + below) * 2


def seen(**devices: list[float]) -> Observation:
    values = [np.array(one, float) for one in devices.values()]
    ends = np.cumsum([len(one) for one in values]).tolist()
    slots = {
        name: Slot(end - len(one), end, lambda row: row) for (name, one), end in zip(devices.items(), ends, strict=True)
    }
    return Observation(0.0, np.concatenate(values), slots)


class Plain:
    """The same network in plain numpy."""

    def __init__(self, net: Network) -> None:
        self.net, self.last = net, None
        self.units = [np.zeros(units) for _, units, _ in net.layers]

    def act(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        change = np.zeros(2) if self.last is None else b - self.last
        self.last = b
        below = np.clip(np.concatenate([2.0 * (a - 0.5), change]), -1, 1)
        at = 0
        for i, (count, units, recurrent) in enumerate(self.net.layers):
            rows = 1 + count + (units if recurrent else 0)
            table = self.net.weights[0, at : at + rows * units].reshape(rows, units)
            at += rows * units
            fed = np.concatenate([[1.0], below, self.units[i] if recurrent else []])
            kind = self.net.activation if i < len(self.net.hidden) else self.net.output
            below = self.units[i] = FUNCTIONS[kind](fed @ table)
        return 0.3 * below


@given(networks, st.integers(0, 2**32))
def test_outputs_match_plain_numpy(net: Network, seed: int) -> None:
    rng, plain = np.random.default_rng(seed), Plain(net)
    for _ in range(4):
        a, b = rng.uniform(-1, 1, net.inputs[0].values), rng.uniform(-1, 1, 2)
        assert net.act(seen(a=list(a), b=list(b))) == pytest.approx(plain.act(a, b), rel=1e-9, abs=1e-12)


@settings(max_examples=30)
@given(networks)
def test_network_file_is_bit_identical_after_loading(tmp_path_factory: pytest.TempPathFactory, net: Network) -> None:
    path = tmp_path_factory.mktemp("nets") / "champion.npz"
    net.save(path)
    again = Network.load(path)
    assert (again.inputs, again.hidden, again.speed, again.recurrent) == (
        net.inputs, net.hidden, net.speed, net.recurrent,
    )  # fmt: skip
    assert (again.activation, again.output) == (net.activation, net.output)
    assert np.array_equal(again.weights, net.weights)


def test_invalid_network_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(paddock.PaddockError, match="no such file"):
        Network.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("no")
    with pytest.raises(paddock.PaddockError, match=r"text\.npz: expected a network saved by"):
        Network.load(tmp_path / "text.npz")
    np.savez(tmp_path / "objects.npz", about=np.array([{"a": 1}], object), weights=np.zeros(3))
    with pytest.raises(paddock.PaddockError, match=r"objects\.npz: expected a network saved by"):
        Network.load(tmp_path / "objects.npz")


def recurrent(**more: Any) -> Network:
    net = Network(
        inputs=(nearness(), Input(device="encoders", values=2, gain=100, change=True)), recurrent=True, **more
    )
    return net.with_weights(net.random(1, seed=5, spread=3.0))


def test_network_is_bit_identical_compiled_and_interpreted() -> None:
    digests = set()
    for compiled in (True, False):
        net = recurrent(hidden=(5, 4))
        with paddock.open("clutter", seed=4) as arena:
            arena["red"].enable("encoders", "proximity")
            for _ in range(2):  # it remembers from run to run
                arena.run(2.0, net if compiled else net.act)
            digests.add(arena.digest())
    assert len(digests) == 1


@pytest.mark.parametrize(("kind", "least"), [("tanh", -1.0), ("sigmoid", 0.0)])
def test_activations_saturate_for_large_sums(kind: str, least: float) -> None:
    plain = activated.function
    assert plain(ACTIVATIONS[kind], 1e6) == 1.0
    assert plain(ACTIVATIONS[kind], -1e6) == pytest.approx(least, abs=1e-300)


def test_forget_resets_the_memory() -> None:
    net = recurrent()
    look = seen(proximity=[0.03] * 8, encoders=[0.1, 0.2])
    first, second = net.act(look), net.act(look)
    net.forget()
    assert net.act(look) == first != second


def test_recurrent_network_cannot_drive_two_robots() -> None:
    net = Network(inputs=(nearness(),), recurrent=True)
    with paddock.open("line-crossing") as arena:
        for robot in arena.robots.values():
            robot.enable("proximity")
        with pytest.raises(paddock.SimulationError, match="cannot drive both 'red' and 'blue'"):
            arena.run(0.1, {"red": net, "blue": net})
        arena.run(0.1, {"red": net, "blue": net.copy()})


@given(st.floats(0, 1))
def test_nearness_is_1_at_contact_and_0_out_of_range(distance: float) -> None:
    one = nearness(range=0.5)
    assert one.gain * (min(distance, 0.5) - one.zero) == pytest.approx(1 - min(1, distance / 0.5))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Network(inputs=()), "inputs: expected a tuple of Input"),
        (lambda: Network(inputs=(nearness(),), hidden=(0,)), "hidden: expected a tuple of whole numbers > 0"),
        (
            lambda: Network(inputs=(nearness(),), hidden=8),
            "hidden: expected a tuple of whole numbers > 0, such as (8,)",
        ),  # type: ignore[arg-type]
        (lambda: Network(inputs=nearness()), "inputs: expected a tuple of Input"),  # type: ignore[arg-type]
        (lambda: Network(inputs=(nearness(),)).random(0, seed=0), "individuals: expected a whole number >= 1, got 0"),
        (lambda: Network(inputs=(nearness(),)).random(1, seed=-1), "seed: expected a whole number from 0"),
        (lambda: Network(inputs=(nearness(),)).random(1, seed=0, spread=-1), "spread: expected a number >= 0"),
        (lambda: Network(inputs=(nearness(),), activation="tan"), "did you mean 'tanh'?"),
        (lambda: Network(inputs=(nearness(),), speed=0), "speed: expected m/s > 0, got 0"),
        (lambda: Network(inputs=(nearness(),), weights=[1, 2]), "expected shape (individuals, 90), got (2,)"),
        (lambda: Network(inputs=(nearness(),), weights=[[0] * 90, [np.nan] * 90]), "individual 1 are not all finite"),
        (lambda: Input(device="a", values=0), "values: expected a whole number >= 1, got 0"),
        (lambda: Input(device="a", values=1, gain=np.inf), "finite zero and gain"),
        (lambda: nearness(range=0), "range: expected metres > 0, got 0"),
        (lambda: Network(inputs=(nearness(values=3),)).act(seen(proximity=[0] * 8)), "3 values of proximity, but"),
    ],
)
def test_invalid_arguments_are_refused(make: Any, message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        make()
    assert message in str(caught.value)
