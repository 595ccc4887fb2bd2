"""Courses: worlds with one loop along all walls, and the start pose on it."""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass
from typing import Literal

from paddock.core.errors import UnknownName
from paddock.core.geometry import Point
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.world_spec import Arc, Border, Box, Wall, WorldSpec

THICKNESS, HEIGHT = 0.1, 0.8  # of walls [m], as in the world of the study
PASSAGE = 1.4  # minimum width of a passage between two generated walls [m]
STUB = (1.0, 2.2)  # length of a generated wall that protrudes from the border [m]
HOOK = 0.8  # length of the bend at its end [m]
STEP = 0.05  # how far a segment of a broken wall protrudes [m]
BLOCK = 0.6  # how far blocks with slits between them protrude [m]
PIECE = (0.4, 1.6)  # length of a segment [m]
GAP = (0.1, 1.2)  # between two segments of 5 cm [m]
SLIT = (0.05, 0.3)  # between two blocks; too narrow for the robot [m]
ROOMS = (1001, 1002, 1003)  # seeds of the generated rooms; fixed before the first run in any of them
BROKEN = 1001  # seed of the room with broken walls

Way = Literal["clockwise", "counter-clockwise"]
WAYS: tuple[Way, ...] = ("clockwise", "counter-clockwise")


@dataclass(frozen=True, slots=True)
class WallCourse:
    """A world without robots, and a start position next to a wall. Clockwise, the wall is on the left."""

    world: WorldSpec
    at: Point  # of the axle's centre [m]
    clockwise_deg: float  # heading at the start, for the clockwise direction

    def heading_deg(self, direction: Way) -> float:
        """Return the heading along the wall for a direction."""
        return self.clockwise_deg - (0.0 if direction == "clockwise" else 180.0)


@functools.cache
def find_course(name: str) -> WallCourse:
    """Return a course by name: `wall-loop`, `curved`, or `room-N` and `broken-N` for any seed N."""
    if name == "wall-loop":
        return WallCourse(load_world("wall-loop").with_robots(), (0.37, 7.0), 90.0)
    if name == "curved":
        return WallCourse(build_curved_world(), (3.6, 0.42), 180.0)
    kind, _, seed = name.partition("-")
    if kind == "room" and seed.isascii() and seed.isdigit():
        return WallCourse(build_room(int(seed)), (1.2, 0.42), 180.0)
    if kind == "broken" and seed.isascii() and seed.isdigit():
        return WallCourse(build_broken_room(int(seed)), (1.2, 0.42), 180.0)
    raise UnknownName("course", name, ["wall-loop", "curved", *(f"room-{seed}" for seed in ROOMS), f"broken-{BROKEN}"])


def build_curved_world() -> WorldSpec:
    """Build a room with a concave corner and three bulges, one of them in a corner."""

    def arc(at: Point, radius: float, from_deg: float, to_deg: float) -> Arc:
        return Arc(at=at, radius=radius, from_deg=from_deg, to_deg=to_deg, thickness=THICKNESS, height=HEIGHT)

    return WorldSpec(
        name="curved",
        title="Curved walls",
        bounds=(0, 0, 12, 10),
        border=Border(height=HEIGHT, thickness=THICKNESS),
        arcs=(
            arc((12.0, 10.0), 2.5, 180, 270),
            arc((2.5, 2.5), 2.55, 180, 270),
            arc((6.0, 0.0), 1.2, 0, 180),
            arc((0.0, 6.0), 1.5, -90, 90),
        ),
    )


def build_room(seed: int) -> WorldSpec:
    """Build a random room: three to five walls protrude from its border, some with a hook; often a slanted corner."""
    rng = random.Random(seed)
    width, depth = rng.uniform(8, 14), rng.uniform(8, 14)
    walls: list[tuple[Point, ...]] = []
    for border in rng.sample("NESWNESW", rng.randint(3, 5)):
        for _ in range(50):  # until a wall is far enough from the others
            wall = _stub(rng, border, width, depth)
            if all(_are_apart(wall, other) for other in walls):
                walls.append(wall)
                break
    if rng.random() < 0.7:
        walls.append(((width - rng.uniform(1.0, 1.9), 0.0), (width, rng.uniform(1.0, 1.9))))
    return WorldSpec(
        name=f"room-{seed}",
        title=f"Generated room {seed}",
        bounds=(0, 0, width, depth),
        border=Border(height=HEIGHT, thickness=THICKNESS),
        walls=tuple(Wall(points=points, thickness=THICKNESS, height=HEIGHT) for points in walls),
    )


def build_broken_room(seed: int) -> WorldSpec:
    """Build a room with broken walls: segments protrude by 5 cm with gaps between them, or by 60 cm with slits."""
    rng = random.Random(seed)
    width, depth = rng.uniform(8, 12), rng.uniform(8, 12)
    boxes = []
    for border in "SENW":
        long = width if border in "SN" else depth
        deep = border == rng.choice("EN")
        at, last = (3.0, long - 0.3) if not deep else (long / 2 - 1.6, long / 2 + 1.6)
        while at < last - PIECE[0]:
            length = min(rng.uniform(*PIECE), last - at)
            boxes.append(_piece(border, at, at + length, BLOCK if deep else STEP, width, depth))
            at += length + rng.uniform(*(SLIT if deep else GAP))
    return WorldSpec(
        name=f"broken-{seed}",
        title=f"Broken walls {seed}",
        bounds=(0, 0, width, depth),
        border=Border(height=HEIGHT, thickness=THICKNESS),
        boxes=tuple(boxes),
    )


def _piece(border: str, begin: float, end: float, out: float, width: float, depth: float) -> Box:
    """Return a box that protrudes from the inner face of a border, from one position along it to another [m]."""
    across = {"S": out / 2, "W": out / 2, "N": depth - out / 2, "E": width - out / 2}[border]
    along, length = (begin + end) / 2, end - begin
    at, size = ((along, across), (length, out)) if border in "SN" else ((across, along), (out, length))
    return Box(at=at, size=size, height=HEIGHT)


def _stub(rng: random.Random, border: str, width: float, depth: float) -> tuple[Point, ...]:
    """Return a wall that begins in the middle part of a border, with or without a hook at its end."""
    long = border in "NS"
    length, hook = rng.uniform(*STUB), rng.choice((0.0, 0.0, HOOK, -HOOK))
    along = rng.uniform(2.2, (width if long else depth) - 2.2)
    far = {"N": depth, "S": 0.0, "W": 0.0, "E": width}[border]
    end = far + (length if far == 0.0 else -length)
    points = [(along, far), (along, end), (along + hook, end)][: 3 if hook else 2]
    return tuple(points if long else [(y, x) for x, y in points])


def _are_apart(wall: tuple[Point, ...], other: tuple[Point, ...]) -> bool:
    """Return whether there is a passage between two walls."""
    return any(
        min(p[axis] for p in a) - PASSAGE > max(p[axis] for p in b)
        for axis in (0, 1)
        for a, b in ((wall, other), (other, wall))
    )
