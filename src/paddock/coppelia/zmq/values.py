"""Arguments of calls: what arrives as numbers, texts, lists and maps, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from paddock.core.errors import PaddockError, format_value

NIL = "_*NIL*_"  # clients in languages without null send this text


def read_int(value: Any) -> int:
    """An integer. Handles often come as floats, out of numpy's arrays."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PaddockError(f"expected an integer, got {format_value(value)}")
    if isinstance(value, float) and not value.is_integer():
        raise PaddockError(f"expected an integer, got {value!r}")
    if not -(1 << 63) <= value < 1 << 63:
        raise PaddockError("expected an integer of 64 bits")
    return int(value)


def read_float(value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PaddockError(f"expected a number, got {format_value(value)}")
    if not math.isfinite(value) or abs(value) > 1e300:
        raise PaddockError(f"expected a finite number, got {value!r}")
    return float(value)


def read_text(value: Any) -> str:
    """A text; bytes are taken as UTF-8, as Lua does not tell them apart."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if not isinstance(value, str):
        raise PaddockError(f"expected a text, got {format_value(value)}")
    return value


def read_bytes(value: Any) -> bytes:
    """Bytes, or a text as bytes."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if not isinstance(value, bytes):
        raise PaddockError(f"expected bytes or a text, got {format_value(value)}")
    return value


def read_bool(value: Any) -> bool:
    """Whether; numbers are taken as well."""
    if not isinstance(value, bool | int | float):
        raise PaddockError(f"expected true or false, got {format_value(value)}")
    return bool(value)


def read_floats(value: Any) -> list[float]:
    """A list of finite numbers."""
    if not isinstance(value, list | tuple):
        raise PaddockError(f"expected a list of numbers, got {format_value(value)}")
    return [read_float(number) for number in value]


def read_ints(value: Any) -> list[int]:
    """A list of integers."""
    if not isinstance(value, list | tuple):
        raise PaddockError(f"expected a list of integers, got {format_value(value)}")
    return [read_int(number) for number in value]


def read_map(value: Any) -> dict[str, Any]:
    """A map with names; an empty list is an empty map, as Lua has one kind of table."""
    if isinstance(value, list | tuple) and not value:
        return {}
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise PaddockError(f"expected a map, got {format_value(value)}")
    return value


def take_count(numbers: Sequence[float], count: int) -> Sequence[float]:
    """Check how many numbers there are."""
    if len(numbers) != count:
        raise PaddockError(f"expected {count} numbers, got {len(numbers)}")
    return numbers
