"""Worlds generated from a number for a robot of any size: rooms with obstacles, and lines. Lengths are in its radii."""

from __future__ import annotations

import math

import numpy as np

from paddock.core.argument_checks import check_whole
from paddock.core.errors import SpecError, format_value
from paddock.core.geometry import Point, bounding_radius
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.worlds.world_spec import Border, Box, Cylinder, Floor, Stroke, Wall, WorldSpec

STREAM = 16  # of random numbers, so that other code with the same small seeds draws different numbers
TRIES = 200
SIZES = (1.0, 2.2)  # smallest and largest radius of an obstacle


def make_room(
    number: int, robot: RobotSpec, *, side: float, pieces: tuple[int, int], gap: float = 4.0, door: float | None = None
) -> WorldSpec:
    """Generate a square room with random cylinders and boxes and free space around each of them.

    Args:
        number: equal numbers give equal rooms.
        robot: the robot that drives in the room.
        side: length of the sides of the room.
        pieces: minimum and maximum number of obstacles.
        gap: minimum distance between two obstacles, and between obstacles and walls.
        door: width of the door in a wall through the middle; None: no such wall.
    """
    rng, unit = _make_random(number), _measure_unit(robot)
    if not 0 <= pieces[0] <= pieces[1]:
        raise SpecError(f"expected [fewest, most] with 0 <= fewest <= most, got {format_value(pieces)}", path="pieces")
    least = 2 * (SIZES[1] + gap) if door is None else max(2 * (SIZES[1] + gap), door + 2)
    if not side >= least:
        raise SpecError(f"expected at least {least:g} radii of the robot, got {format_value(side)}", path="side")
    height = 2.0 * max(robot.body.height, unit)
    taken: list[tuple[float, float, float]] = []  # x, y and radius
    cylinders: list[Cylinder] = []
    boxes: list[Box] = []
    wanted = int(rng.integers(pieces[0], pieces[1] + 1))
    for _ in range(TRIES):
        size = float(rng.uniform(*SIZES))
        x, y = (float(value) for value in rng.uniform(size + gap, side - size - gap, 2))
        is_box, heading = bool(rng.random() < 0.4), float(rng.uniform(-180.0, 180.0))
        in_wall = door is not None and abs(x - side / 2) < size + gap
        is_near = any(math.dist((x, y), other[:2]) < size + other[2] + gap for other in taken)
        if len(taken) == wanted or in_wall or is_near:
            continue
        taken.append((x, y, size))
        at, edge = (x * unit, y * unit), math.sqrt(2.0) * size * unit
        if is_box:
            boxes.append(Box(at=at, size=(edge, edge), heading_deg=heading, height=height))
        else:
            cylinders.append(Cylinder(at=at, radius=size * unit, height=height))
    return WorldSpec(
        name=f"room-{number}",
        bounds=(0.0, 0.0, side * unit, side * unit),
        border=Border(height=height, thickness=0.5 * unit),
        walls=() if door is None else _wall_with_door(rng, side, door, unit, height),
        cylinders=tuple(cylinders),
        boxes=tuple(boxes),
    )


def _make_random(number: int) -> np.random.Generator:
    if check_whole(number, "number") < 0:
        raise SpecError(f"expected a whole number >= 0, got {number}", path="number")
    return np.random.default_rng((STREAM, number))


def _measure_unit(robot: RobotSpec) -> float:
    """Return the radius of a robot [m], the unit of all lengths."""
    if not isinstance(robot, RobotSpec):
        problem = f"expected a RobotSpec, as `load_robot(name)` returns it, got {format_value(robot)}"
        raise SpecError(problem, path="robot")
    return bounding_radius(robot.body.shape)


def _wall_with_door(rng: np.random.Generator, side: float, door: float, unit: float, height: float) -> tuple[Wall, ...]:
    """Return a vertical wall through the middle of a room, with a door at a random position."""
    at = float(rng.uniform(1.0, side - door - 1.0))
    ends = (((side / 2, 0.0), (side / 2, at)), ((side / 2, at + door), (side / 2, side)))
    return tuple(
        Wall(points=tuple((x * unit, y * unit) for x, y in points), thickness=0.5 * unit, height=height)
        for points in ends
    )


def make_track(number: int, robot: RobotSpec, *, width: float, side: float = 32.0) -> WorldSpec:
    """Generate a room with one closed line, `width` [m] wide, with left and right bends."""
    rng = _make_random(number)
    unit = _measure_unit(robot)
    corners = 9
    turns = (np.arange(corners) + rng.uniform(-0.15, 0.15, corners)) * 2.0 * np.pi / corners
    away = side * rng.uniform(0.24, 0.42, corners)
    points: list[Point] = [
        (unit * float(side / 2 + r * math.cos(a)), unit * float(side / 2 + r * math.sin(a)))
        for a, r in zip(turns, away, strict=True)
    ]
    return WorldSpec(
        name=f"track-{number}",
        bounds=(0.0, 0.0, side * unit, side * unit),
        floor=Floor(
            strokes=(Stroke(points=tuple(points), width=width, closed=True, smooth=True),),
            pixels_per_metre=9.0 / width,
        ),
    )
