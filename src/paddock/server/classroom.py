"""Classroom: one robot for every student, each at a place of its own."""

from __future__ import annotations

import colorsys
import re
import unicodedata

from paddock.core.errors import SimulationError
from paddock.robots import load_robot
from paddock.worlds.placement import Room, robot_types
from paddock.worlds.spec import Placed, WorldSpec

DEFAULT_ROBOT = "e-puck"


def robot_name(student: str) -> str:
    """A student's name as a robot may be called: `Zoë M.` becomes `zoe-m`."""
    plain = unicodedata.normalize("NFKD", student).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "student"


def robot_names(students: list[str]) -> dict[str, str]:
    """The robot of every student; equal names get a number."""
    names: dict[str, str] = {}
    for student in students:
        if student in names:
            raise SimulationError(f"classroom: {student!r} is in the list twice")
        name = base = robot_name(student)
        number = 2
        while name in names.values():
            name, number = f"{base}-{number}", number + 1
        names[student] = name
    return names


def seat_students(world: WorldSpec, students: list[str]) -> WorldSpec:
    """The world with a robot for each student instead of its own robots; of the kind of the first one there."""
    kind = robot_types(world)[0] if world.robots else load_robot(DEFAULT_ROBOT)
    room = Room(world)
    seats = []
    for i, name in enumerate(robot_names(students).values()):
        pose = room.free_pose(kind)
        if pose is None:
            raise SimulationError(
                f"classroom: {world.name} has room for {i} robots of kind {kind.name}, not for {len(students)}: "
                "choose a larger world"
            )
        room.add(kind, pose, f"robot {name!r}")
        seats.append(Placed(name=name, type=kind, at=(pose.x, pose.y), color=color(i, len(students))))
    return world.with_robots(*seats)


def color(number: int, of: int) -> str:
    """Colours that differ as much as they can."""
    red, green, blue = colorsys.hsv_to_rgb(number / max(of, 1), 0.65, 0.85 - 0.2 * (number % 2))
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
