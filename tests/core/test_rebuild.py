"""Kernels made anew: others in place of some, other numbers behind names, other types of numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddock.core.jit import Kernel, kernel
from paddock.core.rebuild import rebuild_kernel

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


def test_a_kernel_serves_python_and_other_kernels_alike() -> None:
    assert (inner(1.0), outer(1.0), inner(2.0)) == (2.0, 2.5, 4.0)


def test_another_kernel_takes_a_place_all_the_way_down() -> None:
    assert outer(1.0) == 2.5
    assert rebuild_kernel(outer, {inner: other})(1.0) == 101.5
    assert outer(1.0) == 2.5


def test_what_does_not_change_stays_itself() -> None:
    assert rebuild_kernel(outer, {other: inner}) is outer


def test_a_number_behind_a_name_is_set_in_its_module_only() -> None:
    assert rebuild_kernel(outer, {}, names={f"{__name__}.FACTOR": 5.0})(1.0) == 5.5
    assert rebuild_kernel(outer, {}, names={"elsewhere.FACTOR": 5.0}) is outer


def test_numbers_are_made_anew_in_literals_globals_and_modules() -> None:
    seen: list[Any] = []

    def single(value: Any) -> Any:
        seen.append(value)
        return np.float32(value) if isinstance(value, float) else value

    made = rebuild_kernel(outer, {}, constant=single, make=lambda function: function)
    assert isinstance(made(np.float32(1.0)), np.float32)
    assert set(seen) >= {0.5, FACTOR}
    assert rebuild_kernel(angle, {}, constant=lambda value: np if value is math else value).function(1.0) == np.pi


def test_what_is_made_anew_is_not_kept_on_disk() -> None:
    made = rebuild_kernel(outer, {inner: other})
    assert isinstance(made, Kernel)
    assert not made.cache
