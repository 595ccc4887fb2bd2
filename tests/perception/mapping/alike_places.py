"""Drives through similar places: equal rooms, a corridor with equal doors, and a bare corridor of 50 m.

The wheels have errors of up to 1 % and slip of 2 %; the laser has noise of 2 cm and a range of 8 m, and a third of its
beams at edges are mixed pixels."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from paddock.arena import make_map_truth
from paddock.core.geometry import Pose
from paddock.perception.mapping import MapTruth
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.apartments import make_apartment
from paddock.simulation.worlds.world_spec import Border, RobotPlacement
from perception.mapping.driven_rooms import SPEC, Look, drive_once

Way = Sequence[tuple[float, float]]
MIDDLE = 4.5  # y of the corridor of an apartment that is 9 m deep [m]


def rooms_way(rooms: int, side: float) -> Way:
    """Return a path into every room on the right of the corridor, then on the way back into every other room."""
    there = [(side * (k + 0.5), y) for k in range(rooms) for y in (MIDDLE, 2.0, MIDDLE)]
    back = [(side * (k + 0.5), y) for k in reversed(range(rooms)) for y in (MIDDLE, 7.0, MIDDLE)]
    return [(1.0, MIDDLE), *there, *back, (1.0, MIDDLE)]


BARE = WorldSpec(name="bare", bounds=(0.0, 0.0, 50.0, 2.0), border=Border(height=1.2, thickness=0.1))
PLACES: dict[str, tuple[WorldSpec, Way]] = {
    "equal rooms": (make_apartment(1, kind="symmetric", width=20.0), rooms_way(6, 20 / 6)),
    "equal doors": (make_apartment(1, kind="symmetric", width=50.0), [(1.0, MIDDLE), (49.0, MIDDLE), (1.0, MIDDLE)]),
    "bare corridor": (BARE, [(1.0, 1.0), (49.0, 1.0), (1.0, 1.0)]),
}


def place_robot(world: WorldSpec, way: Way, wear: tuple[float, float, float]) -> WorldSpec:
    """Return the world with a robot at the start of the path; wheel errors affect both wheels and their separation."""
    lasers = [
        replace(s, noise=20.0, range=8.0, mixed_pixels=0.33) if isinstance(s, LaserSpec) else s for s in SPEC.sensors
    ]
    robot = RobotPlacement(
        name="pioneer",
        type=replace(SPEC, name="pioneer-worn", sensors=tuple(lasers)),
        at=way[0],
        wheel_diameter_error=wear[:2],
        wheel_separation_error=wear[2],
        slip_noise=0.02,
    )
    return world.with_robots(robot)


@functools.cache
def drive_alike(name: str, seed: int = 0) -> tuple[tuple[Look, ...], MapTruth]:
    """Return all observations of a robot on its path and the true map."""
    world, way = PLACES[name]
    wear = ((0.01, -0.007, 0.01), (-0.008, 0.01, -0.01), (0.01, 0.006, 0.01))[seed % 3]
    placed = place_robot(world, way, wear)
    truth = make_map_truth(placed, SPEC, Pose(*way[0], 0.0))
    return tuple(drive_once(placed, way, seed)), truth
