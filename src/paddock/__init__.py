"""Paddock: a simulator for differential-drive robots, with sensors, controllers and measurements."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from paddock.core.errors import (
    BadMessage,
    DeviceNotEnabled,
    DeviceRefused,
    LinkError,
    PaddockError,
    PaddockWarning,
    Refused,
    SimulationError,
    SpecError,
    Timeout,
    UnknownName,
    VersionMismatch,
    format_value,
)
from paddock.core.lazy import import_on_demand
from paddock.core.version import VERSION

if TYPE_CHECKING:
    from paddock.arena import Arena
    from paddock.arena.batches.batch import Batch
    from paddock.arena.episodes import Episode, Event, Trace
    from paddock.arena.run_spec import RunSpec, load_run
    from paddock.arena.until import reached, touched
    from paddock.core.geometry import Pose
    from paddock.core.jit import kernel
    from paddock.core.observation import Command, Observation
    from paddock.experiments.sweeps import Sweep, sweep
    from paddock.network.client import connect
    from paddock.network.server.show import show
    from paddock.report.recordings import Recording, record
    from paddock.simulation.robots import RobotSpec
    from paddock.simulation.worlds import WorldSpec
    from paddock.simulation.worlds.build import BuiltWorld

    World: TypeAlias = str | Path | WorldSpec

__version__ = VERSION

__all__ = [
    "Arena",
    "BadMessage",
    "Batch",
    "Command",
    "DeviceNotEnabled",
    "DeviceRefused",
    "Episode",
    "Event",
    "LinkError",
    "Observation",
    "PaddockError",
    "PaddockWarning",
    "Pose",
    "Recording",
    "Refused",
    "RobotSpec",
    "RunSpec",
    "SimulationError",
    "SpecError",
    "Sweep",
    "Timeout",
    "Trace",
    "UnknownName",
    "VersionMismatch",
    "WorldSpec",
    "batch",
    "connect",
    "kernel",
    "load_run",
    "open",
    "reached",
    "record",
    "show",
    "sweep",
    "touched",
]

__getattr__ = import_on_demand(__name__)


def open(world: str | Path | WorldSpec, *, seed: int = 0, dt: float | None = None) -> Arena:
    """Build a world and return its arena, which runs in this process.

    Args:
        world: a shipped world's name, the path of a TOML file, or a WorldSpec.
        seed: determines all noise; equal seeds give bitwise equal runs.
        dt: length of a tick [s]; None for the world's own.
    """
    from paddock.arena import Arena

    return Arena(_build_world("open", world, dt), seed=seed)


def batch(
    world: World | Sequence[World],
    n: int | None = None,
    *,
    seed: int | Sequence[int] = 0,
    dt: float | None = None,
    threads: int | None = None,
    device: str = "cpu",
    precision: str = "float64",
    starts: Any = None,
) -> Batch:
    """Build many worlds that run in parallel; world i is bitwise equal to the arena of `open` with its seed.

    Args:
        world: as for `open`; or a list of k worlds with the same robots: world i is number i % k of the list.
        n: number of worlds, a multiple of k; None for k.
        seed: world i has `seed` + i; or a list of n seeds.
        dt: length of a tick [s]; None for the world's own.
        threads: processor threads to use; None for all cores. Results do not depend on it.
        device: "cpu", or "cuda" for an NVIDIA GPU (needs the extra `gpu`).
        precision: precision of the GPU: "float64" (equal to the CPU except for the last bits) or "float32" (faster).
        starts: start poses of the robots: None for those of the worlds, a rule such as "anywhere", drawn from each
            world's seed, or an array of poses (x, y [m], heading [rad]), shape (n, robots, 3).
    """
    from paddock.arena.batches.batch import Batch

    worlds = world if isinstance(world, Sequence) and not isinstance(world, str) else [world]
    scenes = [_build_world("batch", scene, dt) for scene in worlds]
    count = len(scenes) if n is None else n
    return Batch(scenes, count, seed=seed, threads=threads, device=device, precision=precision, starts=starts)


def _build_world(call: str, world: World, dt: float | None) -> BuiltWorld:
    from paddock.core.argument_checks import all_finite
    from paddock.simulation.worlds import WorldSpec, load_world
    from paddock.simulation.worlds.build import build

    if not isinstance(world, str | Path | WorldSpec):
        raise SimulationError(
            f"{call}: expected a world's name, the path of a TOML file, or a WorldSpec, got {format_value(world)}"
        )
    if dt is not None and not (all_finite(dt) and not isinstance(dt, bool) and 1e-4 <= dt <= 1):
        raise SimulationError(f"dt: expected seconds >= 0.0001 and <= 1, got {dt!r}")
    spec = world if isinstance(world, WorldSpec) else load_world(world)
    return build(spec, dt=None if dt is None else float(dt))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
