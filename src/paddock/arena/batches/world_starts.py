"""Start poses and seeds of the worlds of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast, get_args

import numpy as np

from paddock.core.argument_checks import check_seed
from paddock.core.errors import SimulationError, UnknownName
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import as_floats
from paddock.simulation.engine.model import Floats, Ints
from paddock.simulation.worlds.build import BuiltWorld
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.starts import StartRule, draw_starts, place_freely


def start_poses(scenes: Sequence[BuiltWorld], seeds: Ints, starts: Any) -> Floats:
    """Return the start poses of all bodies, shape (W, N, 3); `starts` gives those of the robots, or a rule for them."""
    worlds, robots = len(seeds), len(scenes[0].robots)
    bodies: Floats = np.stack([scene.poses for scene in scenes])[np.arange(worlds) % len(scenes)]
    if starts is not None:
        bodies[:, :robots] = _choose_starts(scenes, seeds, starts)
    return bodies


def _choose_starts(scenes: Sequence[BuiltWorld], seeds: Ints, starts: Any) -> Floats:
    worlds, robots = len(seeds), len(scenes[0].robots)
    if isinstance(starts, str):
        if starts not in get_args(StartRule):
            raise UnknownName("start rule", starts, get_args(StartRule))
        rows = [_draw_poses(scenes[i % len(scenes)], cast(StartRule, starts), seed) for i, seed in enumerate(seeds)]
        return np.array(rows, np.float64).reshape(worlds, robots, 3)
    poses = as_floats("starts", starts)
    if poses.shape != (worlds, robots, 3) and (robots != 1 or poses.shape != (worlds, 3)):
        expected = f"a start rule, such as 'anywhere', or poses of shape ({worlds}, {robots}, 3)"
        raise SimulationError(f"starts: expected {expected}, got {poses.shape}")
    poses = poses.reshape(worlds, robots, 3)
    if not np.isfinite(poses).all():
        raise SimulationError(f"starts: those of world {np.isfinite(poses).all(axis=(1, 2)).argmin()} are not finite")
    poses[..., 2] = [[wrap(heading) for heading in row] for row in poses[..., 2].tolist()]
    for i, row in enumerate(poses.tolist()):
        scene = scenes[i % len(scenes)]
        room = Room(scene.spec)
        for placed, spec, pose in zip(scene.spec.robots, scene.robots, row, strict=True):
            problem = room.problem(spec, Pose(*pose))
            if problem:
                raise SimulationError(f"starts: world {i}: robot {placed.name!r} {problem}")
            room.add(spec, Pose(*pose), f"robot {placed.name!r}")
    return poses


def _draw_poses(scene: BuiltWorld, rule: StartRule, seed: int) -> list[Pose]:
    count = len(scene.robots)
    offers = [draw_starts(scene.spec, rule, int(seed), number, count) for number in range(count)]
    return place_freely(scene.spec, scene.robots, offers, fix="use a larger world, or fewer robots")


def list_seeds(seed: int | Sequence[int], worlds: int) -> Ints:
    """Return the seed of every world: `seed` + the world's number, or the listed seeds."""
    if isinstance(seed, (Sequence, np.ndarray)):
        if len(seed) != worlds:
            raise SimulationError(f"seed: expected a whole number, or {worlds} of them, got {len(seed)}")
        return np.array([check_seed(value) for value in seed], np.int64)
    first = check_seed(seed)
    if first + worlds > 2**63:
        raise SimulationError(f"seed: expected at most 2**63 - {worlds} for {worlds} worlds, got {seed!r}")
    return first + np.arange(worlds, dtype=np.int64)
