"""Checks of numbers and calls of users and their controllers."""

from __future__ import annotations

import inspect
import math
import numbers
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError, SimulationError, SpecError, format_value
from paddock.core.user_code import place, users_code

HIGHEST_PORT = 65535


def all_finite(*values: Any) -> bool:
    """Whether all values are real, finite numbers; strings, None and lists are not."""
    try:
        return all(math.isfinite(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        return False


def is_list(value: object) -> bool:
    """Whether a value is a list, a tuple or an array, but not a string."""
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str | bytes)


def check_heading(what: str, heading: float) -> None:
    """Refuse a heading of more than a full turn, which is probably in degrees."""
    if abs(heading) > math.tau + 1e-9:
        raise SimulationError(
            f"{what}: expected a heading in radians, from -2π to 2π, got {heading:g}; "
            f"math.radians({heading:g}) gives {math.radians(heading):.4g}"
        )


def check_seed(seed: int) -> int:
    """Return a valid seed as an int, or raise a SimulationError."""
    if not isinstance(seed, numbers.Integral) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise SimulationError(f"seed: expected a whole number from 0 to 2**63 - 1, got {seed!r}")
    return int(seed)


def check_whole(value: int, path: str) -> int:
    """Return an integer of any sign as an int, or raise a SpecError that names its location."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise SpecError(f"expected a whole number, got {format_value(value)}", path=path)
    return int(value)


def wrap_int16(count: int) -> int:
    """Wrap a count to a signed 16-bit number."""
    return (count + 0x8000) % 0x10000 - 0x8000


def check_arguments(function: Callable[..., Any], what: str, *arguments: str, keywords: Iterable[str] = ()) -> None:
    """Refuse a function that cannot be called with these arguments. The message has the place of its definition.

    Args:
        function: the user's function or callable object.
        what: purpose of the function, for the message: `run: until`.
        arguments: names of its positional arguments, for the message.
        keywords: names of its keyword arguments.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # not written in Python
        return
    try:
        signature.bind(*arguments, **dict.fromkeys(keywords))
    except TypeError:
        name = getattr(function, "__name__", f"{type(function).__name__}.__call__").strip("<>")
        first = ("self",) if inspect.ismethod(function) or name.endswith(".__call__") else ()
        expected = f"{name}({', '.join((*first, *arguments, *keywords))})"
        found, remark = [*first, *signature.parameters], ""
        if inspect.ismethod(function):
            found = list(inspect.signature(function.__func__).parameters)
            remark = "" if found[:1] == ["self"] else "; is `self` missing?"
        given = f"{name}({', '.join(found)}){remark}"
        code = users_code(function)
        where = f"{place(code.co_filename, code.co_firstlineno)}: " if code is not None else ""
        raise PaddockError(f"{where}{what}: expected arguments as in {expected}, got {given}") from None


def check_ticks(n: int) -> int:
    """Return a number of ticks as an int, or raise a SimulationError."""
    try:
        ticks = operator.index(n)
    except TypeError:
        ticks = -1
    if ticks < 0:
        raise SimulationError(f"step: expected a whole number of ticks >= 0, got {n!r}")
    return ticks
