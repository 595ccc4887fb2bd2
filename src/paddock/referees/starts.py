"""Fair starts: robots take turns at the starts of a world."""

from __future__ import annotations

from collections.abc import Mapping

from paddock.core.errors import SimulationError
from paddock.core.geometry import Pose
from paddock.referees.track import list_starts
from paddock.robots import RobotSpec
from paddock.worlds.placement import Room
from paddock.worlds.spec import WorldSpec


def assign_places(world: WorldSpec, robots: Mapping[str, RobotSpec], turn: int = 0) -> dict[str, Pose]:
    """A place for each robot: the world's starts, then where its robots start, then wherever there is room.

    Args:
        world: its starts are taken in their order, but for goals.
        robots: their kinds by name.
        turn: with every turn the robots move up by one place, so that each has had every place in the end.
    """
    room, names = Room(world), list(robots)
    first = turn % max(1, len(names))
    order = names[first:] + names[:first]
    places: dict[str, Pose] = {}
    for pose in list_starts(world):
        name = next((name for name in order if name not in places), None)
        if name is not None and not room.problem(robots[name], pose):
            room.add(robots[name], pose, name)
            places[name] = pose
    for name in order:
        if name not in places:
            free = room.free_pose(robots[name])
            if free is None:
                raise SimulationError(f"{world.name} has room for {len(places)} robots, not for {len(names)}")
            room.add(robots[name], free, name)
            places[name] = free
    return places
