"""Rebuilt kernels: replaced callees, constants and number types."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddock.core.jit import Kernel, kernel, rebuild_kernel

FACTOR = 2.0


@kernel
def inner(number):
    return number * FACTOR


@kernel
def other(number):
    return number + 100.0


@kernel
def outer(number):
    return inner(number) + 0.5


@kernel
def angle(number):
    return number * math.pi


def test_kernel_can_be_called_from_python_and_from_kernels() -> None:
    assert (inner(1.0), outer(1.0), inner(2.0)) == (2.0, 2.5, 4.0)


def test_replacement_applies_to_nested_kernels() -> None:
    assert outer(1.0) == 2.5
    assert rebuild_kernel(outer, {inner: other})(1.0) == 101.5
    assert outer(1.0) == 2.5


def test_rebuild_without_changes_returns_the_same_kernel() -> None:
    assert rebuild_kernel(outer, {other: inner}) is outer


def test_constant_is_replaced_only_in_its_module() -> None:
    assert rebuild_kernel(outer, {}, names={f"{__name__}.FACTOR": 5.0})(1.0) == 5.5
    assert rebuild_kernel(outer, {}, names={"elsewhere.FACTOR": 5.0}) is outer


def test_constants_in_literals_globals_and_modules_are_replaced() -> None:
    seen: list[Any] = []

    def single(value: Any) -> Any:
        seen.append(value)
        return np.float32(value) if isinstance(value, float) else value

    made = rebuild_kernel(outer, {}, constant=single, make=lambda function: function)
    assert isinstance(made(np.float32(1.0)), np.float32)
    assert set(seen) >= {0.5, FACTOR}
    assert rebuild_kernel(angle, {}, constant=lambda value: np if value is math else value).function(1.0) == np.pi


def test_rebuilt_kernel_is_not_cached_on_disk() -> None:
    made = rebuild_kernel(outer, {inner: other})
    assert isinstance(made, Kernel)
    assert not made.cache
