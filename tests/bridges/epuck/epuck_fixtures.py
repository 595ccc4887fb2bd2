"""A world with a stationary e-puck and e-puck2 and an object for every sensor."""

from __future__ import annotations

import paddock
from paddock.arena import Arena
from paddock.simulation.worlds.world_spec import Box, Light, RobotPlacement, Sound, WorldSpec

ROOM = WorldSpec(
    name="bench",
    bounds=(0, 0, 1, 1),
    boxes=(Box(at=(0.36, 0.5), size=(0.06, 0.2)), Box(at=(0.7, 0.25), size=(0.05, 0.05))),
    lights=(Light(at=(0.5, 0.9), height=0.2, intensity=1.0),),
    sounds=(Sound(at=(0.1, 0.1), amplitude=0.5),),
    robots=(
        RobotPlacement(name="red", type="e-puck", at=(0.27, 0.5)),
        RobotPlacement(name="blue", type="e-puck2", at=(0.7, 0.5), heading_deg=30),
    ),
)


def bench(seed: int = 3) -> Arena:
    return paddock.open(ROOM, seed=seed)
