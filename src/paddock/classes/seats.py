"""Seats: a world with a robot for every student, each at a place of its own."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Callable, Mapping, Sequence

from paddock.core.geometry import Pose
from paddock.referees.starts import assign_places
from paddock.robots import RobotSpec, load_robot
from paddock.worlds.placement import robot_types
from paddock.worlds.spec import Placed, WorldSpec

DEFAULT_ROBOT = "e-puck"


def seat_students(
    world: WorldSpec,
    robots: Sequence[str],
    kind: RobotSpec | None = None,
    *,
    assign: Callable[[WorldSpec, Mapping[str, RobotSpec]], Mapping[str, Pose]] = assign_places,
) -> WorldSpec:
    """The world with the students' robots instead of its own: at its starts, then wherever there is room.

    Args:
        world: where they are to stand.
        robots: their names, as `robot_names` or a class folder gives them.
        kind: what they are; None: as the world's first robot, or an e-puck.
        assign: finds their places otherwise.
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
    """The colour of a seat. Neighbours differ much, and those who come later change nobody's."""
    hue = 0.618034 * number % 1  # the golden ratio: never near the ones before
    red, green, blue = colorsys.hsv_to_rgb(hue, 0.65, 0.85 - 0.2 * (number % 2))
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
