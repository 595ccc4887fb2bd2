"""Snapshot: an exact copy of all that decides the future of an arena."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from paddock.engine.model import Floats
from paddock.engine.state import State
from paddock.worlds.build import BuiltWorld


@dataclass(frozen=True)
class Snapshot:
    """A moment of a simulation. It fits every arena with an equal model, in other processes too."""

    state: State
    commands: Floats
    model: str  # fingerprint of the model that they belong to


def fingerprint(built: BuiltWorld) -> str:
    """Equal for worlds in which the same state has the same future."""
    digest = hashlib.sha256(repr((built.lamps, built.model.dt)).encode())
    for table in built.model:
        if isinstance(table, np.ndarray):
            digest.update(repr(table.shape).encode() + table.tobytes())
    return digest.hexdigest()
