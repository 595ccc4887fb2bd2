"""Seats: a world with a robot for every student, each at its own pose."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping, Sequence

from paddock.core.geometry import Pose
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds.placement import Room, robot_types
from paddock.simulation.worlds.starts import deal_starts, list_starts
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

DEFAULT_ROBOT = "e-puck"


def seat_students(
    world: WorldSpec,
    robots: Sequence[str],
    kind: RobotSpec | None = None,
    *,
    assign: Callable[[WorldSpec, Mapping[str, RobotSpec]], Mapping[str, Pose]] | None = None,
) -> WorldSpec:
    """Return the world with the students' robots instead of its own: at its starts, then wherever there is room.

    Args:
        world: the world.
        robots: robot names, as returned by `robot_names` or stored in a class folder.
        kind: type of all robots; None: the type of the world's first robot, or an e-puck.
        assign: function that assigns the poses; None: the starts of the world, then any free poses.
    """
    kind = kind or (robot_types(world)[0] if world.robots else load_robot(DEFAULT_ROBOT))
    kinds = dict.fromkeys(robots, kind)
    places = assign(world, kinds) if assign else deal_starts(Room(world), kinds, list_starts(world))
    return world.with_robots(
        *(RobotPlacement.from_pose(name, kind, places[name], seat_color(i)) for i, name in enumerate(robots))
    )


def seat_color(number: int) -> str:
    """Return the colour of a seat. Consecutive colours differ strongly; further seats do not change earlier ones."""
    hue = 0.618034 * number % 1  # the golden ratio keeps hues apart
    red, green, blue = colorsys.hsv_to_rgb(hue, 0.65, 0.85 - 0.2 * (number % 2))
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
