"""Rooms made from a number: clutter that leaves a way around every piece, for a robot of any size."""

from __future__ import annotations

import math

import numpy as np

from paddock.core.geometry import bounding_radius
from paddock.robots import RobotSpec
from paddock.worlds import Border, Box, Cylinder, WorldSpec

STREAM = 16  # of random numbers, so that other users of small seeds draw others
TRIES = 200


def make_room(number: int, robot: RobotSpec, *, side: float, pieces: tuple[int, int], gap: float = 4.0) -> WorldSpec:
    """A square room with cans and boxes at random. Lengths count in radii of the robot, so that any robot fits.

    Args:
        number: equal numbers make equal rooms.
        robot: who shall drive there.
        side: of the room.
        pieces: the fewest and most obstacles.
        gap: the least way between two of them, and from them to the walls.
    """
    rng = np.random.default_rng((STREAM, number))
    unit = bounding_radius(robot.body.shape)
    length, least, height = side * unit, gap * unit, 2.0 * max(robot.body.height, unit)
    cylinders: list[Cylinder] = []
    boxes: list[Box] = []
    taken: list[tuple[float, float, float]] = []
    wanted = int(rng.integers(pieces[0], pieces[1] + 1))
    for _ in range(TRIES):
        if len(taken) == wanted:
            break
        size = float(rng.uniform(1.0, 2.2)) * unit  # radius around it
        x, y = (float(value) for value in rng.uniform(size + least, length - size - least, 2))
        is_box, heading = bool(rng.random() < 0.4), float(rng.uniform(-180.0, 180.0))
        if all(math.dist((x, y), other[:2]) > size + other[2] + least for other in taken):
            taken.append((x, y, size))
            if is_box:
                edge = math.sqrt(2.0) * size
                boxes.append(Box(at=(x, y), size=(edge, edge), heading_deg=heading, height=height))
            else:
                cylinders.append(Cylinder(at=(x, y), radius=size, height=height))
    return WorldSpec(
        name=f"room-{number}",
        bounds=(0.0, 0.0, length, length),
        border=Border(height=height, thickness=0.5 * unit),
        cylinders=tuple(cylinders),
        boxes=tuple(boxes),
    )
