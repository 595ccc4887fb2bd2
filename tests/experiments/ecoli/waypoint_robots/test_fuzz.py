"""A sample of benchmarks/orders_fuzz.py, which states the invariants."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    path = Path(__file__).parents[4] / "benchmarks" / "orders_fuzz.py"
    spec = importlib.util.spec_from_file_location("orders_fuzz", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mutated_frames_do_not_misdirect_a_robot_in_checked_mode(fuzz: ModuleType) -> None:
    assert fuzz.fuzz_checked_robot(2000, seed=1) > 1000


def test_mutated_frames_do_not_hang_a_legacy_robot(fuzz: ModuleType) -> None:
    assert fuzz.fuzz_legacy_robot(2000, seed=1) > 100


def test_mutated_replies_are_not_accepted_by_the_host(fuzz: ModuleType) -> None:
    assert fuzz.fuzz_host(500, seed=1) > 100


def test_late_answers_of_a_legacy_robot_are_not_misattributed(fuzz: ModuleType) -> None:
    assert fuzz.fuzz_legacy_host(300, seed=1) == 300


def test_lost_bytes_do_not_repeat_a_relative_order_on_a_legacy_robot(fuzz: ModuleType) -> None:
    assert fuzz.fuzz_legacy_host(300, seed=1, loss=0.01) > 200
