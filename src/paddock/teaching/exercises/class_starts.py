"""Start poses of all robots of a class in one arena: driving robots at the exercise's starts, the others parked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from paddock.core.geometry import Pose
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.randomise import Randomise
from paddock.simulation.worlds.starts import TRIES, FloorLine, deal_starts, draw_starts, list_starts

APART = 0.02  # distance between two points of a line that is kept free [m]


def deal_places(
    rule: Randomise,
    world: WorldSpec,
    drivers: Mapping[str, RobotSpec],
    others: Mapping[str, RobotSpec],
    make_room: Callable[[], Room],
    *,
    seed: int = 0,
    starts_first: bool = False,
) -> dict[str, Pose]:
    """Return a pose for each robot. Driving robots get the starts of the exercise in order, then any free pose.

    Args:
        rule: randomisation of the exercise.
        world: world of the exercise, with its own robots.
        drivers: types of the robots that drive, by name.
        others: types of the robots that do not drive; they are parked off the starts and the line, if there is room.
        make_room: returns a Room with all robots that keep their poses.
        seed: seed of random poses.
        starts_first: whether the starts of the world come before those of the exercise, as in heats.
    """
    named = list_starts(world.with_robots()) if starts_first else []
    room, aside = make_room(), make_room()
    places = deal_starts(room, drivers, [*named, *_offer_starts(rule, world, len(drivers), seed)])
    for name, pose in places.items():
        aside.add(drivers[name], pose, f"robot {name!r}")
    kinds = {**drivers, **others}
    for pose in [*named, *_list_guarded(rule, world)] if kinds else []:
        aside.add(next(iter(kinds.values())), pose, "a start")
    for name, kind in others.items():
        free = aside.free_pose(kind)
        parked = {name: free} if free is not None else deal_starts(room, {name: kind}, ())
        aside.add(kind, parked[name], f"robot {name!r}")
        room.add(kind, parked[name], f"robot {name!r}")
        places |= parked
    return places


def _offer_starts(rule: Randomise, world: WorldSpec, count: int, seed: int) -> list[Pose]:
    """Return start poses for all robots together: as many as there are robots, and then more."""
    if rule.starts in ("placed", "named"):
        return list_starts(world)
    offers = [draw_starts(world, rule.starts, seed, number, count) for number in range(count)]
    return [pose for _ in range(TRIES // max(1, count)) for pose in map(next, offers)]


def _list_guarded(rule: Randomise, world: WorldSpec) -> list[Pose]:
    """Return poses at which parked robots would block the others."""
    if rule.starts == "anywhere":
        return []
    if rule.starts != "line":
        return list_starts(world)
    line = FloorLine(world)
    points = max(1, round(line.length / APART))
    return [Pose(*pose) for pose in line.sample(np.arange(points) / points).tolist()]
