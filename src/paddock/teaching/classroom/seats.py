"""Seats: a world with a robot for every student, each at its own pose."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Callable, Mapping, Sequence

from paddock.core.geometry import Pose
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.worlds.placement import robot_types
from paddock.simulation.worlds.world_spec import Placed, WorldSpec
from paddock.teaching.referees.starts import assign_places

DEFAULT_ROBOT = "e-puck"


def seat_students(
    world: WorldSpec,
    robots: Sequence[str],
    kind: RobotSpec | None = None,
    *,
    assign: Callable[[WorldSpec, Mapping[str, RobotSpec]], Mapping[str, Pose]] = assign_places,
) -> WorldSpec:
    """Return the world with the students' robots instead of its own: at its starts, then wherever there is room.

    Args:
        world: the world.
        robots: robot names, as returned by `robot_names` or stored in a class folder.
        kind: type of all robots; None: the type of the world's first robot, or an e-puck.
        assign: function that assigns the poses.
    """
    kind = kind or (robot_types(world)[0] if world.robots else load_robot(DEFAULT_ROBOT))
    places = assign(world, dict.fromkeys(robots, kind))
    seats = [
        Placed(
            name=name,
            type=kind,
            at=(places[name].x, places[name].y),
            heading_deg=math.degrees(places[name].heading),
            color=seat_color(i),
        )
        for i, name in enumerate(robots)
    ]
    return world.with_robots(*seats)


def seat_color(number: int) -> str:
    """Return the colour of a seat. Consecutive colours differ strongly; further seats do not change earlier ones."""
    hue = 0.618034 * number % 1  # the golden ratio keeps hues apart
    red, green, blue = colorsys.hsv_to_rgb(hue, 0.65, 0.85 - 0.2 * (number % 2))
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
