"""Checkpoints: the state of an evolution in one file, which is whole at any moment and never runs anything."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError

FORMAT = "paddock evolution 2"


def save_checkpoint(path: Path, state: Mapping[str, Any]) -> None:
    """Write a state of arrays, nested dicts and what JSON knows; the old file stays until the new one is whole."""
    arrays: dict[str, Any] = {}
    about = {"format": FORMAT, "state": _without_arrays(state, "", arrays)}
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez(file, allow_pickle=False, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)
    os.replace(part, path)  # noqa: PTH105 (what is named here is that it is atomic)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """What `save_checkpoint` wrote."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop("about").tobytes())
        if about["format"] != FORMAT:
            raise ValueError(f"another format, {about['format']!r}")
        return _with_arrays(about["state"], "", arrays)
    except FileNotFoundError:
        raise PaddockError(f"{path}: there is no evolution to resume; start it without --resume") from None
    except Exception as error:
        raise PaddockError(f"{path}: expected a checkpoint of paddock evolve: {error}") from None


def _without_arrays(table: Mapping[str, Any], path: str, arrays: dict[str, Any]) -> dict[str, Any]:
    left: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, np.ndarray):
            arrays[f"{path}{name}"] = value
        elif isinstance(value, Mapping):
            left[name] = _without_arrays(value, f"{path}{name}.", arrays)
        else:
            left[name] = value
    return left


def _with_arrays(table: dict[str, Any], path: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    whole = {
        name: _with_arrays(value, f"{path}{name}.", arrays) if isinstance(value, dict) else value
        for name, value in table.items()
    }
    for name, value in arrays.items():
        parent, _, own = name.rpartition(".")
        if parent == path.rstrip("."):
            whole[own] = value
    return whole
