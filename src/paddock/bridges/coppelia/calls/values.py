"""Arguments of calls: checks and converts numbers, texts, lists and maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from paddock.core.errors import PaddockError, format_value

NIL = "_*NIL*_"  # clients in languages without null send this text


def read_int(value: Any) -> int:
    """Return an integer. Integral floats are accepted, because handles in numpy arrays are often floats."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PaddockError(f"expected an integer, got {format_value(value)}")
    if isinstance(value, float) and not value.is_integer():
        raise PaddockError(f"expected an integer, got {value!r}")
    if not -(1 << 63) <= value < 1 << 63:
        raise PaddockError("expected an integer of 64 bits")
    return int(value)


def read_float(value: Any) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PaddockError(f"expected a number, got {format_value(value)}")
    if not math.isfinite(value) or abs(value) > 1e300:
        raise PaddockError(f"expected a finite number, got {value!r}")
    return float(value)


def read_text(value: Any) -> str:
    """Return a text. Bytes are decoded as UTF-8, because Lua does not distinguish texts and bytes."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if not isinstance(value, str):
        raise PaddockError(f"expected a text, got {format_value(value)}")
    return value


def read_bytes(value: Any) -> bytes:
    """Return bytes; a text is encoded."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if not isinstance(value, bytes):
        raise PaddockError(f"expected bytes or a text, got {format_value(value)}")
    return value


def read_bool(value: Any) -> bool:
    """Return a boolean; numbers are accepted."""
    if not isinstance(value, bool | int | float):
        raise PaddockError(f"expected true or false, got {format_value(value)}")
    return bool(value)


def read_floats(value: Any) -> list[float]:
    """Return a list of finite numbers."""
    if not isinstance(value, list | tuple):
        raise PaddockError(f"expected a list of numbers, got {format_value(value)}")
    return [read_float(number) for number in value]


def read_ints(value: Any) -> list[int]:
    """Return a list of integers."""
    if not isinstance(value, list | tuple):
        raise PaddockError(f"expected a list of integers, got {format_value(value)}")
    return [read_int(number) for number in value]


def read_map(value: Any) -> dict[str, Any]:
    """Return a map with text keys. An empty list is an empty map, because Lua has only one kind of table."""
    if isinstance(value, list | tuple) and not value:
        return {}
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise PaddockError(f"expected a map, got {format_value(value)}")
    return value


def take_count(numbers: Sequence[float], count: int) -> Sequence[float]:
    """Return the numbers after checking their count."""
    if len(numbers) != count:
        raise PaddockError(f"expected {count} numbers, got {len(numbers)}")
    return numbers
