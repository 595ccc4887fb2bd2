"""Rebuilt kernels: replaced callees, constants and number types."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

from paddock.core.jit import Kernel, fingerprint, kernel, rebuild_kernel

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


def test_kernel_with_replaced_callees_is_compiled_once_for_all_processes() -> None:
    rebuild_kernel(outer, {inner: other})(1.0)
    assert rebuild_kernel(outer, {inner: other}).is_cached()  # by another object, as in another process
    assert not rebuild_kernel(outer, {}, names={f"{__name__}.FACTOR": 5.0}).cache


def multiply_by(factor: float, function: Any) -> Kernel:
    @kernel
    def multiply(number):  # type: ignore[no-untyped-def]
        return function(number) * factor

    return multiply


@numba.njit  # type: ignore[untyped-decorator]
def square(number):  # type: ignore[no-untyped-def]
    return number * number


@numba.njit  # type: ignore[untyped-decorator]
def cube(number):  # type: ignore[no-untyped-def]
    return number * number * number


def test_machine_code_depends_on_names_of_enclosing_functions_and_on_functions_of_numba() -> None:
    assert fingerprint(multiply_by(2.0, square)) == fingerprint(multiply_by(2.0, square))
    assert fingerprint(multiply_by(2.0, square)) != fingerprint(multiply_by(3.0, square))
    assert fingerprint(multiply_by(2.0, square)) != fingerprint(multiply_by(2.0, cube))
