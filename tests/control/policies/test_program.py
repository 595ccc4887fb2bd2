"""Tests of programs as policies: validation, files, and equal results in every loop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.control.policies.networks import Network
from paddock.control.policies.policy import nearness
from paddock.control.policies.policy_registry import load_policy
from paddock.control.policies.program import ADD, COPY, LEAST, OPERATIONS, SET, SUBTRACT, WEIGH, Program

BASE = Program(inputs=(nearness(),), length=8, speed=0.1)
LEFT, RIGHT, FREE = 8, 9, 10


def coded(*instructions: tuple[float, ...], policy: Program = BASE) -> np.ndarray:
    row = np.zeros(policy.size)
    row[0] = len(instructions)
    flat = np.array(instructions).ravel()
    row[1 : 1 + len(flat)] = flat
    return row


# It drives on, and turns left when something is near on the right; it counts how long, too.
TURN = coded(
    (SET, FREE, 0, 0, 0.8),
    (WEIGH, LEFT, FREE, 0, -2.0),
    (WEIGH, RIGHT, FREE, 7, -0.5),
    (SET, FREE + 1, 0, 0, 0.001),
    (ADD, FREE + 2, FREE + 2, FREE + 1, 0.0),
    (SUBTRACT, RIGHT, RIGHT, FREE + 2, 0.0),
)


def test_program_gives_same_digest_in_batch_arena_and_python() -> None:
    batch = paddock.batch("clutter", 2, seed=5)
    batch.run(8.0, BASE.with_weights(TURN))
    with paddock.open("clutter", seed=6) as fused, paddock.open("clutter", seed=6) as stepped:
        fused["red"].enable("proximity")
        fused.run(8.0, {"red": BASE.with_weights(TURN)})
        policy = BASE.with_weights(TURN)
        stepped["red"].enable("proximity")
        for _ in range(400):
            stepped["red"].wheels.set(*policy.act(stepped["red"].sense()))
            stepped.step()
        assert batch.digest(1) == fused.digest() == stepped.digest()


def test_registers_keep_their_values_until_written() -> None:
    class Seen:
        proximity = np.full(8, 0.07)

    policy = BASE.with_weights(TURN)
    speeds = [policy.act(Seen()).right for _ in range(3)]  # type: ignore[arg-type]
    assert speeds == pytest.approx([0.0799, 0.0798, 0.0797])
    policy.forget()
    assert policy.act(Seen()).right == pytest.approx(0.0799)  # type: ignore[arg-type]
    assert policy.copy().memory.sum() == 0


def test_non_recurrent_program_starts_with_empty_registers() -> None:
    policy = replace(BASE, recurrent=False, weights=TURN)
    with paddock.open("clutter", seed=6) as fused, paddock.open("clutter", seed=6) as stepped:
        fused["red"].enable("proximity")
        stepped["red"].enable("proximity")
        for _ in range(2):
            fused.run(0.5, {"red": policy})
        for _ in range(50):
            stepped["red"].wheels.set(*policy.act(stepped["red"].sense()))
            stepped.step()
        assert fused.digest() == stepped.digest()
        assert fused["red"].wheels.speeds == pytest.approx((0.08, 0.0799), abs=1e-4)  # not less and less


def test_values_never_become_infinite() -> None:
    class Seen:
        proximity = np.zeros(8)

    huge = coded((SET, LEFT, 0, 0, 1e300), (WEIGH, LEFT, LEFT, LEFT, 1e300), (SUBTRACT, RIGHT, LEFT, LEFT, 0.0))
    assert list(BASE.with_weights(huge).act(Seen())) == [0.1, 0.0]  # type: ignore[arg-type]


def test_program_survives_save_and_load(tmp_path: Path) -> None:
    BASE.with_weights(TURN).save(tmp_path / "a.npz")
    again = load_policy(tmp_path / "a.npz")
    assert isinstance(again, Program)
    assert (again.inputs, again.length, again.speed, again.recurrent) == (BASE.inputs, 8, 0.1, True)
    assert np.array_equal(again.weights[0], TURN)
    net = Network(inputs=(nearness(),))
    net.save(tmp_path / "b.npz")
    assert isinstance(load_policy(tmp_path / "b.npz"), Network)
    with pytest.raises(paddock.PaddockError, match="another format"):
        Program.load(tmp_path / "b.npz")
    (tmp_path / "c.npz").write_bytes(b"nothing")
    np.savez(tmp_path / "e.npz", weights=TURN)
    np.savez(tmp_path / "f.npz", about=np.array([{}], object))
    for name, problem in {
        "c.npz": "this is not an .npz file, or it is damaged",
        "e.npz": "the file was not written by Paddock",
        "f.npz": "Object arrays cannot be loaded",
    }.items():
        with pytest.raises(paddock.PaddockError) as caught:
            load_policy(tmp_path / name)
        expected = "expected a network or a program saved by Paddock"
        assert str(caught.value) == f"{tmp_path / name}: {expected}: {problem}"
    with pytest.raises(paddock.PaddockError, match="cannot be read: Is a directory"):
        load_policy(tmp_path)
    with pytest.raises(paddock.PaddockError, match="no such file"):
        load_policy(tmp_path / "d.npz")


@pytest.mark.parametrize(
    "instruction",
    [
        (OPERATIONS, FREE, 0, 0, 0.0),
        (-1, FREE, 0, 0, 0.0),
        (COPY, 8 + 2 + 8, 0, 0, 0.0),
        (COPY, FREE, 99, 0, 0.0),
        (LEAST, FREE, 0, -1, 0.0),
        (COPY, FREE + 0.5, 0, 0, 0.0),
    ],
)
def test_program_with_invalid_registers_is_refused(instruction: tuple[float, ...]) -> None:
    with pytest.raises(paddock.PaddockError, match="individual 1 is not a valid program"):
        BASE.with_weights(np.stack([TURN, coded(instruction)]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Program(inputs=()), "inputs: expected a tuple of Input"),
        (lambda: Program(inputs=(nearness(),), length=0), "length: expected a whole number from 1"),
        (lambda: Program(inputs=(nearness(),), speed=-1), "speed: expected m/s > 0"),
        (lambda: BASE.with_weights("abc"), "Program: weights: expected numbers, got 'abc'"),
        (lambda: BASE.with_weights(np.zeros(3)), "expected shape (individuals, 41)"),
        (lambda: BASE.with_weights(coded((SET, FREE, 0, 0, np.nan))), "those of individual 0 are not all finite"),
        (lambda: BASE.check([("red.proximity", 3)]), "made for 8 values of proximity"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_refused(call: Any, message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        call()
    assert message in str(caught.value)
