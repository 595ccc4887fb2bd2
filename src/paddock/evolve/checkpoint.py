"""Checkpoints: the state of an evolution in one file, which is replaced atomically and never runs code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError, format_value
from paddock.core.npz import read_npz, write_npz

FORMAT = "paddock evolution 4"


def save_checkpoint(path: Path, state: Mapping[str, Any], *, sync: bool = True) -> None:
    """Write a state of arrays, nested dicts and JSON values; the old file stays until the new one is complete."""
    arrays: dict[str, Any] = {}
    about = {"format": FORMAT, "state": _take_arrays_out(state, "", arrays)}
    try:
        write_npz(path, about, arrays, sync=sync)
    except (TypeError, ValueError) as error:
        raise PaddockError(
            f"{path}: the state of a strategy consists of arrays, dicts and JSON values only: {error}"
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
    return _put_arrays_in(about["state"], "", arrays)


def _take_arrays_out(table: Mapping[str, Any], path: str, arrays: dict[str, Any]) -> dict[str, Any]:
    left: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, np.ndarray):
            arrays[f"{path}{name}"] = value
        elif isinstance(value, Mapping):
            left[name] = _take_arrays_out(value, f"{path}{name}.", arrays)
        else:
            left[name] = value
    return left


def _put_arrays_in(table: dict[str, Any], path: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    whole = {
        name: _put_arrays_in(value, f"{path}{name}.", arrays) if isinstance(value, dict) else value
        for name, value in table.items()
    }
    for name, value in arrays.items():
        parent, _, own = name.rpartition(".")
        if parent == path.rstrip("."):
            whole[own] = value
    return whole
