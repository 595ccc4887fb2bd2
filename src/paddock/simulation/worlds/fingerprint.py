"""Digest of a world, including the contents of its images and robot types."""

from __future__ import annotations

import hashlib
import json

from paddock.simulation.worlds.placement import robot_types
from paddock.simulation.worlds.world_spec import WorldSpec


def fingerprint_world(world: WorldSpec) -> str:
    """Return the SHA-256 of a world, its robots' types and its images."""
    content = {
        "world": world.to_table(),
        "robots": [robot.to_table() for robot in robot_types(world)],
        "pictures": hash_pictures(world),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def hash_pictures(world: WorldSpec) -> list[str]:
    """Return the SHA-256 of each existing image of the floor and the fields."""
    names = [world.floor.image, *(field.image for field in world.fields)]
    files = [world.resolve_path(name) for name in names if name is not None]
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()]
