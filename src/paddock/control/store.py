"""Policies in files: the numbers of a controller as `.npz`, which nothing in it can turn into code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError


def write_policy(path: str | Path, about: Mapping[str, Any], weights: NDArray[np.float64]) -> None:
    """Write a policy's description, which has its `format`, and its numbers."""
    with Path(path).open("wb") as file:
        np.savez(file, about=np.frombuffer(json.dumps(about).encode(), np.uint8), weights=weights)


def read_policy(path: str | Path, wanted: str, what: str) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """A policy of one format: its description without that, and its numbers."""
    try:
        with np.load(path, allow_pickle=False) as file:
            about, weights = json.loads(file["about"].tobytes()), file["weights"]
        found = about.pop("format")
    except FileNotFoundError:
        raise PaddockError(f"{path}: there is no such file") from None
    except Exception as error:
        raise PaddockError(f"{path}: expected {what}: {error}") from None
    if found != wanted:
        raise PaddockError(f"{path}: expected {what}: another format, {found!r}")
    return about, weights


def load_policy(path: str | Path) -> Any:
    """The network or program in a file."""
    from paddock.control import networks, program

    for kind in (networks.Network, program.Program):
        wanted = networks.FORMAT if kind is networks.Network else program.FORMAT
        if format_of(path) == wanted:
            return kind.load(path)  # type: ignore[attr-defined]
    raise PaddockError(f"{path}: expected a network or a program saved by Paddock")


def format_of(path: str | Path) -> str:
    """What a policy's file says it is."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return str(json.loads(file["about"].tobytes())["format"])
    except FileNotFoundError:
        raise PaddockError(f"{path}: there is no such file") from None
    except Exception as error:
        raise PaddockError(f"{path}: expected a network or a program saved by Paddock: {error}") from None
