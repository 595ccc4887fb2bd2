"""Fair starts: robots take turns at the starts of a world."""

from __future__ import annotations

from collections.abc import Mapping

from paddock.core.errors import SimulationError
from paddock.core.geometry import Pose
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.world_spec import WorldSpec
from paddock.teaching.referees.track import list_starts


def assign_places(world: WorldSpec, robots: Mapping[str, RobotSpec], turn: int = 0) -> dict[str, Pose]:
    """Return a pose for each robot: the world's starts, then the start poses of its robots, then any free pose.

    Args:
        world: the world; its starts are used in order, except goals.
        robots: types of the robots by name.
        turn: number of the turn; the robots rotate by one start per turn, so that each uses every start.
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
                raise SimulationError(
                    f"{world.name} has room for {len(places)} robots, not for {len(names)}: choose a larger world"
                )
            room.add(robots[name], free, name)
            places[name] = free
    return places
