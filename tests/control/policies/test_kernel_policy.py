"""Tests of user kernels as policies: in a batch, in the compiled loop and in Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.control.policies.kernel_policy import KernelPolicy


@paddock.kernel
def weave(inputs, weights, memory, wheels):
    """Weave and turn away from near obstacles; the ground sensors come first."""
    memory[0] += weights[2]
    near = 1.0 - min(1.0, inputs[3] / 0.07)
    wheels[0] = weights[0] - weights[1] * near + 0.02 * math.sin(0.1 * memory[0])
    wheels[1] = weights[0] + weights[1] * near


@paddock.kernel
def another(inputs, weights, memory, wheels):
    """A kernel that is never compiled."""


@paddock.kernel
def three(inputs, weights, wheels):
    """A kernel without memory to write to."""


@paddock.kernel
def beyond(inputs, weights, memory, wheels):
    """A kernel that writes out of bounds."""
    memory[1] = inputs[0]


@paddock.kernel
def misspelt(inputs, weights, memory, wheels):
    """A kernel that uses an undefined name."""
    wheels[0] = weights[0] * imputs[0]  # noqa: F821


@paddock.kernel
def wordy(inputs, weights, memory, wheels):
    """A kernel with unsupported operations."""
    wheels[0] = np.array([inputs[0], 1.0]).sum()


def policy(**more: Any) -> KernelPolicy:
    return KernelPolicy(
        **{"decide": weave, "devices": ("ground", "proximity"), "weights": [0.06, 0.2, 1.0], "remember": 1, **more}
    )


@pytest.mark.heavy
def test_kernel_policy_is_bit_identical_in_every_loop() -> None:
    batch = paddock.batch("clutter", 2, seed=[6, 6])
    batch.run(3.0, policy().with_weights([[0.06, 0.2, 1.0], [0.05, 0.2, 1.0]]))
    digests = []
    for compiled in (True, False):
        one = policy()
        with paddock.open("clutter", seed=6) as arena:
            arena["red"].enable("ground", "proximity")
            arena.run(1.0, one if compiled else one.act)
            arena.run(2.0, one if compiled else one.act)
            digests.append(arena.digest())
    assert digests == [batch.digest(0)] * 2
    assert batch.digest(1) != batch.digest(0)


@pytest.mark.heavy
def test_nan_wheel_speed_becomes_zero() -> None:
    batch = paddock.batch("clutter", 1)
    batch.run(0.1, policy(weights=[0.05, 0.0, 1.7e308]))  # at the second tick the sine of infinity
    assert batch.commands[0, 0, :2].tolist() == [0.0, 0.05]


def test_second_user_kernel_in_a_run_is_refused() -> None:
    with paddock.open("line-crossing") as arena:
        for robot in arena.robots.values():
            robot.enable("ground", "proximity")
        other = KernelPolicy(decide=another, devices=("proximity",))
        with pytest.raises(paddock.SimulationError, match="weave, another: a run can use only one kernel of your own"):
            arena.run(0.1, {"red": policy(), "blue": other})


@pytest.mark.parametrize(
    ("decide", "message"),
    [
        (beyond, r"KernelPolicy: beyond: \S*policy\.py line \d+: IndexError: index 1 is out .* 1 numbers of memory"),
        (misspelt, r"KernelPolicy: misspelt: \S*policy\.py line \d+: NameError: name 'imputs' is not defined"),
        pytest.param(
            wordy, r"policy\.py line \d+: this cannot be compiled: .*they cannot create arrays", marks=pytest.mark.heavy
        ),
    ],
)  # fmt: skip
def test_kernel_errors_are_reported_with_line(decide: Any, message: str) -> None:
    wrong = policy(decide=decide)
    for _ in range(2):  # compiled code does not check indices, so it is refused again
        with pytest.raises(paddock.PaddockError, match=message):
            paddock.batch("clutter", 2).run(0.1, wrong)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"decide": math.sin}, "is not a kernel: put @paddock.kernel above its def"),
        ({"devices": "ground"}, "devices: expected a tuple of names, got 'ground'"),
        ({"devices": 3}, "devices: expected a tuple of names, got 3"),
        ({"weights": [math.inf]}, "weights: expected finite numbers"),
        ({"weights": "abc"}, "weights: expected numbers, got 'abc'"),
        ({"weights": np.zeros((0, 3))}, "weights: expected finite numbers"),
        ({"remember": -1}, "remember: expected a whole number >= 0, got -1"),
        (
            {"decide": three},
            "three(inputs, weights, wheels): expected four arguments, (inputs, weights, memory, wheels)",
        ),
        ({"remember": 1.5}, "remember: expected a whole number >= 0, got 1.5"),
    ],
)
def test_invalid_arguments_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        policy(**changed)
    assert message in str(caught.value)
