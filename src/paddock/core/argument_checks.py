"""Checks of numbers passed by users and their controllers."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddock.core.errors import SimulationError, SpecError, format_value

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
