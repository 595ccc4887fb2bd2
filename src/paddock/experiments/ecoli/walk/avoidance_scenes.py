"""Five scenes that are difficult for avoidance; the seed determines the positions of all objects."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from paddock.core.errors import UnknownName
from paddock.core.geometry import Point, Pose
from paddock.core.keyed_random import draw_uniform
from paddock.simulation.worlds.world_spec import Box, Placed, Wall, WorldSpec

BODY = 0.074  # an e-puck's diameter [m]
PASSAGE = BODY + 0.02  # the narrow passage [m]
HEIGHT, THICKNESS = 0.1, 0.01  # of walls [m]
COLORS = ("#d1495b", "#3d6fb4", "#e09f3e")
WHEEL_ERROR = 0.0003  # relative standard deviation of a wheel's diameter that remains after calibration
SLIP = 0.01  # relative standard deviation of a wheel's travel in a tick
Draw = Callable[[str, float], float]
"""Returns a number for a key, uniformly distributed between minus and plus a limit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AvoidanceScene:
    """A world with e-pucks, the goal of each robot, and the time limit."""

    world: WorldSpec
    goals: Mapping[str, Point]  # by robot [m]
    seconds: float

    def start_of(self, robot: str) -> Pose:
        """Return the start pose of a robot, which is known to the robot."""
        placed = next(placed for placed in self.world.robots if placed.name == robot)
        assert placed.at is not None
        return Pose(*placed.at, math.radians(placed.heading_deg or 0.0))

    @property
    def straight_distance(self) -> float:
        """Sum of the straight distances of all robots to their goals [m]."""
        return sum(math.dist(self.start_of(robot)[:2], goal) for robot, goal in self.goals.items())


def build_scene(name: str, seed: int) -> AvoidanceScene:
    """Build a scene by name, for a seed."""
    if name not in SCENES:
        raise UnknownName("scene", name, SCENES)
    return SCENES[name](partial(_draw, name, seed))


def _draw(scene: str, seed: int, key: str, limit: float) -> float:
    return limit * (2 * draw_uniform(seed, scene, key) - 1)


def build_u_shape(draw: Draw) -> AvoidanceScene:
    """Build a scene with the goal behind a dead end of 20 cm that is open towards the robot."""
    x, y = 0.65 + draw("x", 0.03), 0.5 + draw("y", 0.03)
    arms = 0.15 + draw("width", 0.02)
    points = ((x - 0.2, y + arms), (x, y + arms), (x, y - arms), (x - 0.2, y - arms))
    robot = _place("red", 0, (0.25, 0.5 + draw("start", 0.06)), 0.0, draw)
    return AvoidanceScene(
        world=_world("u-shape", (0, 0, 1.2, 1.0), robot, walls=(_wall(*points),)),
        goals={"red": (0.95, 0.5 + draw("goal", 0.06))},
        seconds=90.0,
    )


def build_passage(draw: Draw) -> AvoidanceScene:
    """Build a scene whose only path is a passage 15 cm long and 2 cm wider than the robot."""
    robot = _place("red", 0, (0.2, 0.35 + draw("start", 0.1)), 0.0, draw)
    boxes = _door(0.5, 0.35 + draw("door", 0.05), 0.15, 0.7)
    return AvoidanceScene(
        world=_world("passage", (0, 0, 1.0, 0.7), robot, boxes=boxes),
        goals={"red": (0.82, 0.35 + draw("goal", 0.1))},
        seconds=90.0,
    )


def build_corner(draw: Draw) -> AvoidanceScene:
    """Build a scene in which the robot drives into a corner of two walls, with the goal behind it."""
    x, y = 0.65 + draw("x", 0.04), 0.65 + draw("y", 0.04)
    robot = _place("red", 0, (0.3 + draw("start x", 0.06), 0.3 + draw("start y", 0.06)), 45.0, draw)
    points = ((x - 0.35, y), (x, y), (x, y - 0.35))
    return AvoidanceScene(
        world=_world("corner", (0, 0, 1.1, 1.1), robot, walls=(_wall(*points),)),
        goals={"red": (0.88 + draw("goal x", 0.05), 0.88 + draw("goal y", 0.05))},
        seconds=90.0,
    )


def build_head_on(draw: Draw) -> AvoidanceScene:
    """Build a scene with two robots in a corridor of 30 cm; the goal of each is the start of the other."""
    red = _place("red", 0, (0.2, 0.15 + draw("red", 0.03)), 0.0, draw)
    blue = _place("blue", 1, (1.0, 0.15 + draw("blue", 0.03)), 180.0, draw)
    assert red.at is not None
    assert blue.at is not None
    return AvoidanceScene(
        world=_world("head-on", (0, 0, 1.2, 0.3), red, blue),
        goals={"red": blue.at, "blue": red.at},
        seconds=90.0,
    )


def build_queue(draw: Draw) -> AvoidanceScene:
    """Build a scene with three robots, one behind the other, and one door 2 cm wider than a robot."""
    door = 0.4 + draw("door", 0.04)
    names = ("red", "blue", "amber")
    robots = [
        _place(name, i, (0.42 - 0.12 * i + draw(f"x {name}", 0.01), door + draw(f"y {name}", 0.02)), 0.0, draw)
        for i, name in enumerate(names)
    ]
    places = ((1.0, 0.4), (0.85, 0.2), (0.85, 0.6))
    goals = {n: (x + draw(f"gx {n}", 0.03), y + draw(f"gy {n}", 0.03)) for n, (x, y) in zip(names, places, strict=True)}
    boxes = _door(0.6, door, 0.04, 0.8)
    return AvoidanceScene(world=_world("queue", (0, 0, 1.15, 0.8), *robots, boxes=boxes), goals=goals, seconds=120.0)


SCENES: Mapping[str, Callable[[Draw], AvoidanceScene]] = {
    "u-shape": build_u_shape,
    "passage": build_passage,
    "corner": build_corner,
    "head-on": build_head_on,
    "queue": build_queue,
}


def _world(
    name: str,
    bounds: tuple[float, float, float, float],
    *robots: Placed,
    walls: tuple[Wall, ...] = (),
    boxes: tuple[Box, ...] = (),
) -> WorldSpec:
    return WorldSpec(name=name, bounds=bounds, walls=walls, boxes=boxes, robots=robots)


def _wall(*points: Point) -> Wall:
    return Wall(points=points, thickness=THICKNESS, height=HEIGHT)


def _door(x: float, y: float, thickness: float, top: float) -> tuple[Box, Box]:
    """Return two boxes from the lower border to the upper one, with a narrow passage between them."""
    low, high = y - PASSAGE / 2, y + PASSAGE / 2
    return (
        Box(at=(x, low / 2), size=(thickness, low), height=HEIGHT),
        Box(at=(x, (high + top) / 2), size=(thickness, top - high), height=HEIGHT),
    )


def _place(name: str, number: int, at: Point, heading: float, draw: Draw) -> Placed:
    left, right = (draw(f"{side} wheel {name}", 3**0.5 * WHEEL_ERROR) for side in ("left", "right"))
    return Placed(
        name=name,
        type="e-puck",
        at=at,
        heading_deg=heading + draw(f"heading {name}", 15.0),
        color=COLORS[number],
        wheel_diameter_error=(left, right),
        slip_noise=SLIP,
    )
