"""Checkpoints: the state of an evolution in one file, which is replaced atomically and never runs code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError, format_value
from paddock.core.npz import read_npz, write_npz

FORMAT = "paddock evolution 6"
PLAIN = {bool, int, float, str, type(None)}


def save_checkpoint(path: Path, state: Mapping[str, Any], *, sync: bool = True) -> None:
    """Write a state of arrays, lists, tuples, dicts and plain values; the old file stays until the new one is complete.

    Objects that occur twice are stored once. Views of an array are stored as arrays of their own.
    """
    parts: list[Any] = []
    arrays: dict[str, Any] = {}
    try:
        _flatten(state, "", parts, arrays, {})
        write_npz(path, {"format": FORMAT, "parts": parts}, arrays, sync=sync)
    except (TypeError, ValueError, RecursionError) as error:
        raise PaddockError(
            f"{path}: the state of a strategy consists of arrays, lists, tuples, dicts, numbers and texts only: "
            f"{error}: store it as such, or override state and restore"
        ) from None


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Read a state written by `save_checkpoint`."""
    if not path.exists():
        raise PaddockError(f"{path}: there is no evolution to resume")
    about, arrays = read_npz(path, "a checkpoint of paddock study evolve")
    if about["format"] != FORMAT:
        raise PaddockError(
            f"{path}: expected a checkpoint of paddock study evolve, in the format {FORMAT!r}, "
            f"got {format_value(about['format'])}: start anew, or resume with the version of Paddock that wrote it"
        )
    values: list[Any] = []
    for kind, content in about["parts"]:
        values.append(_restore_part(kind, content, values, arrays))
    state: dict[str, Any] = values[-1]
    return state


def _flatten(value: Any, place: str, parts: list[Any], arrays: dict[str, Any], numbers: dict[int, int]) -> Any:
    """Return a plain value, or else [number] of the part that contains it; parts follow the parts they refer to."""
    if type(value) in PLAIN:
        return value
    if id(value) in numbers:
        return [numbers[id(value)]]
    content: Any
    if type(value) is np.ndarray:
        content = f"array {len(arrays)}"
        arrays[content] = value
    elif isinstance(value, np.generic) and type(value.item()) in PLAIN:
        content = [value.dtype.str, value.item()]
    elif type(value) in (list, tuple):
        content = [_flatten(part, f"{place}.{i}", parts, arrays, numbers) for i, part in enumerate(value)]
    elif type(value) is dict:
        content = [
            [_flatten(part, f"{place}.{key}".lstrip("."), parts, arrays, numbers) for part in (key, item)]
            for key, item in value.items()
        ]
    else:
        raise TypeError(f"{place} is {format_value(value)}")
    kind = "scalar" if isinstance(value, np.generic) else type(value).__name__
    parts.append([kind, content])
    numbers[id(value)] = len(parts) - 1
    return [len(parts) - 1]


def _restore_part(kind: str, content: Any, values: Sequence[Any], arrays: Mapping[str, Any]) -> Any:
    def find(part: Any) -> Any:
        return values[part[0]] if isinstance(part, list) else part

    if kind == "ndarray":
        return arrays[content]
    if kind == "scalar":
        return np.dtype(content[0]).type(content[1])
    if kind == "dict":
        return {find(key): find(item) for key, item in content}
    return (tuple if kind == "tuple" else list)(map(find, content))
