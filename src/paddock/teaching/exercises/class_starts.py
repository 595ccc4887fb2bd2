"""Start poses of all robots of a class in one arena: driving robots at the exercise's starts, the others parked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from paddock.core.errors import SimulationError
from paddock.core.geometry import Pose
from paddock.core.keyed_random import draw_uniform
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.placement import Room
from paddock.teaching.exercises.randomise import Randomise
from paddock.teaching.exercises.student_lines import FloorLine, find_on_line
from paddock.teaching.referees.track import list_starts

MORE = 6  # bits of the additional start positions on a line, for robots that join later
DRAWN = 500  # number of random poses to try
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
    room, aside, places = make_room(), make_room(), dict[str, Pose]()
    named = list_starts(world.with_robots()) if starts_first else []
    starts = [*named, *_list_places(rule, world, len(drivers), seed)]
    heading = starts[0].heading if starts else 0.0

    def place(name: str, spec: RobotSpec, pose: Pose | None) -> None:
        if pose is None:
            raise SimulationError(f"{world.name} has no room for robot {name!r}: choose a larger world")
        places[name] = pose
        for each in (room, aside):
            each.add(spec, pose, f"robot {name!r}")

    for name, spec in drivers.items():
        place(name, spec, room.choose(spec, starts) or room.free_pose(spec, heading))
    kinds = {**drivers, **others}
    for pose in [*named, *_list_guarded(rule, world)] if kinds else []:
        aside.add(next(iter(kinds.values())), pose, "a start")
    for name, spec in others.items():
        place(name, spec, aside.free_pose(spec, heading) or room.free_pose(spec, heading))
    return places


def _list_places(rule: Randomise, world: WorldSpec, count: int, seed: int) -> Iterator[Pose]:
    """Yield start poses: at least one per robot, and some more."""
    if rule.starts == "line":
        evenly = [k / count for k in range(count)]
        between = [sum((k >> bit & 1) / 2 ** (bit + 1) for bit in range(MORE)) for k in range(2**MORE)]  # 0, ½, ¼, ¾ …
        meet = len(world.robots) > 1  # every second robot drives in the opposite direction
        for number, share in enumerate([*evenly, *between]):
            yield find_on_line(world, share, backwards=meet and number % 2 == 1)
    elif rule.starts == "anywhere":
        x0, y0, x1, y1 = world.bounds
        for trial in range(DRAWN):
            x, y, turn = (draw_uniform(seed, "class", what, trial) for what in "xyh")
            yield Pose(x0 + x * (x1 - x0), y0 + y * (y1 - y0), 2 * math.pi * turn - math.pi)
    else:
        yield from list_starts(world)


def _list_guarded(rule: Randomise, world: WorldSpec) -> list[Pose]:
    """Return poses at which parked robots would block the others."""
    if rule.starts == "anywhere":
        return []
    if rule.starts != "line":
        return list_starts(world)
    line = FloorLine(world)
    points = max(1, round(line.length / APART))
    return [Pose(*pose) for pose in line.sample(np.arange(points) / points).tolist()]
