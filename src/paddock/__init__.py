"""Paddock: a laboratory for differential-wheel robots: simulate them, sense, control, measure."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.core.errors import (
    BadMessage,
    DeviceNotEnabled,
    DeviceRefused,
    LinkError,
    PaddockError,
    Refused,
    SimulationError,
    SpecError,
    Timeout,
    UnknownName,
    VersionMismatch,
    shown,
)

if TYPE_CHECKING:
    from paddock.arena import Arena
    from paddock.core.geometry import Pose
    from paddock.core.jit import kernel
    from paddock.core.observation import Command, Observation
    from paddock.links import connect
    from paddock.robots import RobotSpec
    from paddock.server.show import show
    from paddock.worlds import WorldSpec

__version__ = "0.1.0"

__all__ = [
    "Arena",
    "BadMessage",
    "Command",
    "DeviceNotEnabled",
    "DeviceRefused",
    "LinkError",
    "Observation",
    "PaddockError",
    "Pose",
    "Refused",
    "RobotSpec",
    "SimulationError",
    "SpecError",
    "Timeout",
    "UnknownName",
    "VersionMismatch",
    "WorldSpec",
    "connect",
    "kernel",
    "open",
    "show",
]

_LAZY = {
    "Arena": "paddock.arena",
    "Command": "paddock.core.observation",
    "Observation": "paddock.core.observation",
    "Pose": "paddock.core.geometry",
    "RobotSpec": "paddock.robots",
    "WorldSpec": "paddock.worlds",
    "connect": "paddock.links",
    "kernel": "paddock.core.jit",
    "show": "paddock.server.show",
}


def open(world: str | Path | WorldSpec, *, seed: int = 0, dt: float | None = None) -> Arena:
    """Build a world and hold it in this process.

    Args:
        world: a shipped world's name, the path of a TOML file, or a WorldSpec.
        seed: decides all noise; equal seeds give equal runs, to the last bit.
        dt: length of a tick [s]; None takes the world's own.
    """
    from paddock.arena import Arena
    from paddock.core.numeric import all_finite
    from paddock.worlds import WorldSpec, load_world
    from paddock.worlds.build import build

    if not isinstance(world, str | Path | WorldSpec):
        raise SimulationError(
            f"open: expected a world's name, the path of a TOML file, or a WorldSpec, got {shown(world)}"
        )
    if dt is not None and not (all_finite(dt) and 0 < dt <= 1):
        raise SimulationError(f"dt: expected seconds > 0 and <= 1, got {dt!r}")
    spec = world if isinstance(world, WorldSpec) else load_world(world)
    return Arena(build(spec, dt=None if dt is None else float(dt)), seed=seed)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'paddock' has no attribute {name!r}")
