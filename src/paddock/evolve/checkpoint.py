"""Checkpoints: the state of an evolution in one file, which is replaced atomically and never runs code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError, format_value
from paddock.core.npz import read_npz, write_npz

FORMAT = "paddock evolution 5"


def save_checkpoint(path: Path, state: Mapping[str, Any], *, sync: bool = True) -> None:
    """Write a state of arrays, nested dicts and JSON values; the old file stays until the new one is complete."""
    arrays: dict[str, Any] = {}
    try:
        about = {"format": FORMAT, "state": _take_arrays_out(state, "", arrays)}
        write_npz(path, about, arrays, sync=sync)
    except (TypeError, ValueError) as error:
        raise PaddockError(
            f"{path}: the state of a strategy consists of arrays, lists, dicts, numbers and texts only: {error}: "
            "store it as such, or override state and restore"
        ) from None


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Read a state written by `save_checkpoint`."""
    if not path.exists():
        raise PaddockError(f"{path}: there is no evolution to resume")
    about, arrays = read_npz(path, "a checkpoint of paddock evolve")
    if about["format"] != FORMAT or not isinstance(about.get("state"), dict):
        raise PaddockError(
            f"{path}: expected a checkpoint of paddock evolve, in the format {FORMAT!r}, "
            f"got {format_value(about['format'])}"
        )
    state: dict[str, Any] = _put_arrays_in(about["state"], "", arrays)
    return state


def _take_arrays_out(value: Any, path: str, arrays: dict[str, Any]) -> Any:
    """Return a value with None in place of its arrays, which are stored by path."""
    if isinstance(value, np.ndarray):
        arrays[path] = value
        return None
    if isinstance(value, Mapping):
        if odd := [name for name in value if not isinstance(name, str)]:
            raise TypeError(f"{path} has the key {odd[0]!r}, which is no text")
        return {name: _take_arrays_out(part, f"{path}.{name}".lstrip("."), arrays) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_take_arrays_out(part, f"{path}.{i}", arrays) for i, part in enumerate(value)]
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | int | float | None):
        raise TypeError(f"{path} is {format_value(value)}")
    return value


def _put_arrays_in(value: Any, path: str, arrays: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        return {name: _put_arrays_in(part, f"{path}.{name}".lstrip("."), arrays) for name, part in value.items()}
    if isinstance(value, list):
        return [_put_arrays_in(part, f"{path}.{i}", arrays) for i, part in enumerate(value)]
    return arrays.get(path, value)
