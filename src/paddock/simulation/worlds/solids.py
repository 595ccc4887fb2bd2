"""Solids: the obstacles of a world as convex pieces, with their exposed edges."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from paddock.core.errors import SpecError
from paddock.core.geometry import Convex, Disc, Point, Shape, arc_points, bar, chord_count, place_shape, rectangle
from paddock.core.spec import FARTHEST
from paddock.simulation.worlds.world_spec import Arc, Wall, WorldSpec

ARC_TOLERANCE = 1e-4  # maximum distance of the chords of a curved wall from the curve [m]
SCREEN = 1e-6  # thickness of walls without thickness in checks of robot placement [m]
MAX_PIECES_OF_WORLD = 100_000  # wall segments, chords of arcs, boxes and cylinders
LONGEST_MITRE = 4.0  # in multiples of half the thickness; sharper corners are rounded instead


@dataclass(frozen=True)
class Solid:
    """A convex piece of an obstacle. A disc has no edges."""

    shape: Shape
    edges: tuple[tuple[Point, Point], ...]
    height: float
    color: str
    path: str  # path of the obstacle in its world, for messages


def refuse_too_many_pieces(world: WorldSpec) -> None:
    """Refuse a world with too many obstacles for the memory; count them before any is created."""
    counts = {
        "walls": sum(len(wall.points) for wall in world.walls),
        "arcs": sum(
            chord_count(arc.radius, math.radians(arc.to_deg - arc.from_deg), ARC_TOLERANCE) for arc in world.arcs
        ),
        "boxes": len(world.boxes),
        "cylinders": len(world.cylinders),
    }
    total = sum(counts.values())
    if total > MAX_PIECES_OF_WORLD:
        key = max(counts, key=counts.__getitem__)
        what = "chords" if key == "arcs" else "pieces"
        raise SpecError(
            f"expected a world of at most {MAX_PIECES_OF_WORLD} pieces of obstacles, got {total}; "
            f"{len(getattr(world, key))} {key} have {counts[key]} {what}: remove some or make them smaller",
            path=key,
            file=world.file,
        )


def solids(world: WorldSpec) -> tuple[Solid, ...]:
    """Return all obstacles of a world, including the border; raise a SpecError if there are too many."""
    if "solids" not in world.derived:
        refuse_too_many_pieces(world)
        world.derived["solids"] = tuple(_build_solids(world))
    built: tuple[Solid, ...] = world.derived["solids"]
    return built


def _build_solids(world: WorldSpec) -> list[Solid]:
    found: list[Solid] = []
    if not world.open:
        found += _border(world)
    for i, wall in enumerate(world.walls):
        found += _wall(wall, f"walls[{i}]")
    for i, arc in enumerate(world.arcs):
        found += _arc(arc, f"arcs[{i}]")
    for i, box in enumerate(world.boxes):
        shape = place_shape(rectangle(*box.size), *box.at, math.radians(box.heading_deg))
        assert not isinstance(shape, Disc)
        found.append(Solid(shape, tuple(edges(shape)), box.height, box.color, f"boxes[{i}]"))
    for i, cylinder in enumerate(world.cylinders):
        disc = Disc(*cylinder.at, cylinder.radius)
        found.append(Solid(disc, (), cylinder.height, cylinder.color, f"cylinders[{i}]"))
    return found


def edges(polygon: Convex) -> Iterator[tuple[Point, Point]]:
    """Iterate over the sides of a polygon."""
    return zip(polygon, (*polygon[1:], polygon[0]), strict=True)


def _border(world: WorldSpec) -> Iterator[Solid]:
    x0, y0, x1, y1 = world.bounds
    inner = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    t = world.border.thickness
    outer = [(x0 - t, y0 - t), (x1 + t, y0 - t), (x1 + t, y1 + t), (x0 - t, y1 + t)]
    for i in range(4):
        j = (i + 1) % 4
        shape = (outer[i], outer[j], inner[j], inner[i])
        yield Solid(shape, ((inner[i], inner[j]),), world.border.height, world.border.color, "border")


def _arc(arc: Arc, path: str) -> Iterator[Solid]:
    start, end = math.radians(arc.from_deg), math.radians(arc.to_deg)
    points = arc_points(arc.at, arc.radius, start, end, ARC_TOLERANCE)
    closed = arc.to_deg == arc.from_deg + 360
    try:
        wall = Wall(
            points=tuple(points[:-1] if closed else points),
            closed=closed,
            thickness=arc.thickness,
            height=arc.height,
            color=arc.color,
        )
    except SpecError:
        expected = f"an arc within {FARTHEST:g} m of [0, 0], and long enough for the precision of numbers there"
        raise SpecError(f"expected {expected}", path=path) from None
    return _wall(wall, path)


def _wall(wall: Wall, path: str) -> Iterator[Solid]:
    """Yield one piece per wall segment. Neighbours are joined by a mitre; very sharp corners get a round joint."""
    points = list(wall.points)
    if wall.closed and points[0] == points[-1]:
        points.pop()
    count = len(points)
    closed = wall.closed and count > 2
    last = count if closed else count - 1
    half = wall.thickness / 2
    for i in range(last):
        a, b = points[i], points[(i + 1) % count]
        if wall.thickness == 0:
            yield Solid(bar(a, b, SCREEN), ((a, b),), wall.height, wall.color, path)
            continue
        before = points[i - 1] if closed or i > 0 else None
        after = points[(i + 2) % count] if closed or i < last - 1 else None
        quad = bar(a, b, wall.thickness)  # right of a, right of b, left of b, left of a
        start = _mitre(before, a, b, half)
        end = _mitre(a, b, after, half)
        right_a, left_a = start or (quad[0], quad[3])
        right_b, left_b = end or (quad[1], quad[2])
        sides = [(right_a, right_b), (left_b, left_a)]
        if start is None:
            sides.append((left_a, right_a))
        if end is None:
            sides.append((right_b, left_b))
            if after is not None:
                yield Solid(Disc(*b, half), (), wall.height, wall.color, path)
        yield Solid((right_a, right_b, left_b, left_a), tuple(sides), wall.height, wall.color, path)


def _mitre(before: Point | None, at: Point, after: Point | None, half: float) -> tuple[Point, Point] | None:
    """Return the right and left corner where two segments meet; None at an end, or if the corner is too sharp."""
    if before is None or after is None:
        return None
    ux, uy = _direction(before, at)
    vx, vy = _direction(at, after)
    bx, by = -(uy + vy), ux + vx  # along the bisector, to the left
    length = math.hypot(bx, by)
    if length < 1e-9:
        return None
    bx, by = bx / length, by / length
    stretch = 1 / (bx * -vy + by * vx)
    shortest = min(math.dist(before, at), math.dist(at, after))
    if stretch > LONGEST_MITRE or half * math.sqrt(stretch * stretch - 1) > shortest / 2:
        return None
    dx, dy = bx * half * stretch, by * half * stretch
    return (at[0] - dx, at[1] - dy), (at[0] + dx, at[1] + dy)


def _direction(a: Point, b: Point) -> Point:
    length = math.dist(a, b)
    return (b[0] - a[0]) / length, (b[1] - a[1]) / length
