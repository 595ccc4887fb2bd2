"""A small flat for tests with two rooms, a door and a pillar, and a robot with a laser."""

from __future__ import annotations

import paddock
from paddock.arena import Arena
from paddock.simulation.worlds.world_spec import WorldSpec

TWO_ROOMS = WorldSpec.from_table(
    {
        "name": "two-rooms",
        "bounds": [0.0, 0.0, 6.0, 3.5],
        "border": {"height": 1.0, "thickness": 0.1},
        "walls": [
            {"points": [[3.0, 0.0], [3.0, 1.2]], "thickness": 0.1, "height": 1.0},
            {"points": [[3.0, 2.3], [3.0, 3.5]], "thickness": 0.1, "height": 1.0},
        ],
        "cylinders": [{"at": [4.6, 1.9], "radius": 0.2, "height": 1.0}],
        "robots": [{"name": "pioneer", "type": "pioneer-p2dx", "at": [1.0, 1.0], "heading_deg": 90}],
    }
)


def open_rooms(seed: int = 1) -> Arena:
    """Return an arena of the two rooms."""
    return paddock.open(TWO_ROOMS, seed=seed)
