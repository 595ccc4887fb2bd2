"""Checks of return values of users' methods; errors name the method, its location and the expected value."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from paddock.core.errors import PaddockError, format_value
from paddock.core.observation import WheelSpeeds
from paddock.core.user_code import place


def check_wheel_speeds(answer: Any, method: Callable[..., Any], or_else: str = "") -> WheelSpeeds:
    """Return two finite wheel speeds, or raise an error that names the method.

    Args:
        answer: the return value of the method.
        method: a method of a class.
        or_else: other permitted return values, for the message.
    """
    try:
        left, right = answer
        if math.isfinite(left) and math.isfinite(right):
            return WheelSpeeds(float(left), float(right))
    except (TypeError, ValueError):
        pass
    code = method.__code__
    raise PaddockError(
        f"{place(code.co_filename, code.co_firstlineno)}: {method.__qualname__}: "
        f"expected wheel speeds (left, right) [m/s]{or_else}, got {format_value(answer)}"
    )
