"""make_apartment: generate a world with rooms, doors, corridors and furniture from a seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from random import Random

from paddock.core.argument_checks import all_finite, check_whole
from paddock.core.errors import PaddockError, SpecError, UnknownName, format_value
from paddock.core.geometry import bounding_radius
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds.apartments.plan import (
    CORRIDOR,
    SHORTEST_ROOM,
    FloorPlan,
    FloorRoom,
    divide_into_rooms,
    join_rooms,
    lay_out_cells,
    lay_out_rooms,
)
from paddock.simulation.worlds.placement import check_placement, robot_types
from paddock.simulation.worlds.world_spec import Border, Box, Cylinder, Floor, RobotPlacement, Wall, WorldSpec

WALL, HEIGHT = 0.1, 1.2  # thickness and height of walls [m]
WALL_COLOR, FLOOR_COLOR = "#cfc6b4", "#f3f1ea"
FURNITURE_COLORS = ("#8d6e4f", "#b5734a", "#5f8f6b", "#7c8798")
GAP = 0.95  # minimum clearance between furniture, walls and doors [m]
LARGEST = 200.0  # maximum side of an apartment [m]

ApartmentPlan = Callable[[float, float, Random], list[FloorRoom]]
PLANS: Mapping[str, tuple[ApartmentPlan, bool]] = {
    "rooms": (lambda width, depth, random: divide_into_rooms(FloorRoom(0, 0, width, depth), random), False),
    "corridor": (lay_out_rooms, False),
    "symmetric": (lay_out_cells, True),
}
"""Layout function of each kind of apartment, and whether it is symmetric: doors in the middle, no furniture."""


def make_apartment(
    seed: int = 0,
    *,
    kind: str = "corridor",
    width: float = 11.0,
    depth: float = 9.0,
    door: float = 1.0,
    loops: float | None = None,
    furniture: float = 1.0,
    odometry_error: float = 0.0,
    robot: str | RobotSpec = "pioneer-p2dx",
    name: str = "apartment",
) -> WorldSpec:
    """Generate an apartment in which a robot can reach every room.

    Args:
        seed: equal seeds give equal apartments.
        kind: one of PLANS. `symmetric` has identical rooms; with a large `width` its corridor is long.
        width, depth: outer size [m].
        door: clear width of doors [m].
        loops: share of additional doors, which create loops, 0 … 1. None: 0 if `symmetric`, else 0.25.
        furniture: average number of pieces per room; `symmetric` has none.
        odometry_error: maximum relative error of the wheels' diameters and separation, drawn from the seed.
        robot: a shipped type, a robot's TOML file, or a spec.
        name: name of the world.
    """
    if kind not in [*PLANS]:
        raise UnknownName("kind of apartment", kind, PLANS)
    lay_out, symmetric = PLANS[kind]
    loops = (0.0 if symmetric else 0.25) if loops is None else loops
    _check(seed, width=width, depth=depth, door=door, loops=loops, furniture=furniture, odometry_error=odometry_error)
    random = Random(f"{kind} {seed}")
    rooms = lay_out(width, depth, random)
    plan = join_rooms(rooms, width, depth, door=door, loops=loops, centred=symmetric, random=random)
    pieces = [] if symmetric else furnish(plan, furniture, random)
    errors = [round(random.uniform(-odometry_error, odometry_error), 5) for _ in range(3)]
    world = WorldSpec(
        name=name,
        title=f"Apartment of {len(rooms)} rooms: {kind}, {width:g} m × {depth:g} m, seed {seed}",
        bounds=(0.0, 0.0, width, depth),
        border=Border(height=HEIGHT, thickness=WALL, color=WALL_COLOR),
        walls=tuple(build_walls(plan)),
        boxes=tuple(piece for piece in pieces if isinstance(piece, Box)),
        cylinders=tuple(piece for piece in pieces if isinstance(piece, Cylinder)),
        floor=Floor(color=FLOOR_COLOR, pixels_per_metre=50.0),
        robots=(
            RobotPlacement(
                name="pioneer",
                type=robot,
                at=_find_start(plan, pieces, random),
                heading_deg=round(random.uniform(-180, 180)),
                wheel_diameter_error=(errors[0], errors[1]),
                wheel_separation_error=errors[2],
            ),
        ),
    )
    (spec,) = robot_types(world)
    if door <= 2 * bounding_radius(spec.body.shape):
        raise SpecError(f"expected doors wider than the {spec.name}, got {format_value(door)}", path="door")
    check_placement(world, [spec])
    return world


def build_walls(plan: FloorPlan) -> list[Wall]:
    """Return the walls between rooms, with gaps at the doors."""
    parts = []
    for wall in plan.walls:
        ends = [wall.low, *(wall.door or ()), wall.high]
        for low, high in zip(ends[::2], ends[1::2], strict=True):
            points = (wall.point(low), wall.point(high))
            parts.append(Wall(points=points, thickness=WALL, height=HEIGHT, color=WALL_COLOR))
    return parts


def furnish(plan: FloorPlan, pieces: float, random: Random) -> list[Box | Cylinder]:
    """Place cupboards along walls and tables in the open, with passages between them that a robot can use."""
    found: list[Box | Cylinder] = []
    for room in plan.rooms:
        if room.is_corridor:
            continue
        for _ in range(int(pieces) + (random.random() < pieces % 1)):
            for _ in range(20):
                piece = _draw_piece(room, random)
                if piece is not None and _has_room(piece, room, plan, found):
                    found.append(piece)
                    break
    return found


def _draw_piece(room: FloorRoom, random: Random) -> Box | Cylinder | None:
    color = random.choice(FURNITURE_COLORS)
    inner = (room.x0 + WALL / 2, room.y0 + WALL / 2, room.x1 - WALL / 2, room.y1 - WALL / 2)
    if random.random() < 0.5:  # a cupboard along a wall
        long, deep = round(random.uniform(0.6, 1.4), 2), round(random.uniform(0.35, 0.6), 2)
        upright, upper = random.random() < 0.5, random.random() < 0.5
        size = (deep, long) if upright else (long, deep)
        low, high = [(inner[k] + size[k] / 2, inner[k + 2] - size[k] / 2) for k in range(2)]
        across, along = (low, high) if upright else (high, low)
        free, fixed = random.uniform(*along), across[upper]
        at = (fixed, free) if upright else (free, fixed)
        return Box(at=(round(at[0], 3), round(at[1], 3)), size=size, height=0.9, color=color)
    reach = round(random.uniform(0.2, 0.45), 2)
    x, y = (_draw_between(inner[k] + reach + GAP, inner[k + 2] - reach - GAP, random) for k in range(2))
    if x is None or y is None:
        return None
    if random.random() < 0.5:
        return Cylinder(at=(x, y), radius=reach, height=0.75, color=color)
    side = round(reach * math.sqrt(2), 2)
    turned = float(round(random.uniform(0, 90)))
    return Box(at=(x, y), size=(side, side), heading_deg=turned, height=0.75, color=color)


def _draw_between(low: float, high: float, random: Random) -> float | None:
    return round(random.uniform(low, high), 3) if high > low else None


def _reach(piece: Box | Cylinder) -> float:
    return piece.radius if isinstance(piece, Cylinder) else math.hypot(*piece.size) / 2


def _has_room(piece: Box | Cylinder, room: FloorRoom, plan: FloorPlan, others: list[Box | Cylinder]) -> bool:
    reach = _reach(piece)
    far = all(math.dist(piece.at, other.at) >= reach + _reach(other) + GAP for other in others)
    open_doors = all(math.dist(piece.at, door) >= reach + GAP for door in plan.doors)
    return far and open_doors and min(room.width, room.depth) >= SHORTEST_ROOM - 0.01


def _find_start(plan: FloorPlan, pieces: list[Box | Cylinder], random: Random) -> tuple[float, float]:
    """Return a random position, in any room, where the robot can turn."""
    for _ in range(1000):
        room = random.choice(plan.rooms)
        x, y = (
            round(random.uniform(low + 0.6, high - 0.6), 2) for low, high in ((room.x0, room.x1), (room.y0, room.y1))
        )
        if all(math.dist((x, y), piece.at) > _reach(piece) + 0.5 for piece in pieces):
            return x, y
    raise PaddockError("found no free position for the robot among the furniture: reduce the furniture")


def _check(seed: int, **lengths: float) -> None:
    check_whole(seed, "seed")
    least = {"width": SHORTEST_ROOM, "depth": round(2 * SHORTEST_ROOM + CORRIDOR, 9), "door": 0.3}
    most = {"loops": 1.0, "furniture": 20.0, "odometry_error": 0.2, "door": 3.0}
    for name, value in lengths.items():
        low, high = least.get(name, 0.0), most.get(name, LARGEST)
        if not all_finite(value) or not low <= value <= high:
            unit = " m" if name in least else ""
            raise SpecError(f"expected {low:g} … {high:g}{unit}, got {format_value(value)}", path=name)
