"""Snapshot: an exact copy of everything that determines the future of an arena."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.state import State
from paddock.simulation.worlds.build import BuiltWorld


@dataclass(frozen=True)
class Snapshot:
    """State of a simulation at one tick. It can be restored in any arena or process with an equal model."""

    state: State
    commands: Floats
    model: str  # fingerprint of the model to which they belong


def fingerprint(built: BuiltWorld) -> str:
    """Return a hash that is equal for worlds in which the same state has the same future."""
    digest = hashlib.sha256(repr((built.led_count, built.model.dt)).encode())
    for table in built.model:
        if isinstance(table, np.ndarray):
            digest.update(repr(table.shape).encode() + table.tobytes())
    return digest.hexdigest()
