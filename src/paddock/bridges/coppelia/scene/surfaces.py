"""Surfaces: finds the object at a point, and the distances between objects, seen from above."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.coppelia.scene.objects import ALL, SceneObject
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.core.errors import PaddockError
from paddock.core.geometry import Disc, Point, Shape, overlap, place_shape

TOUCHING = 1e-3  # bodies closer than this collide [m]; bodies never overlap by more than 0.1 mm
Floats = NDArray[np.float64]


class Surfaces:
    """The straight sides and round surfaces of some objects, as arrays."""

    def __init__(self, shapes: Iterable[tuple[int, Shape]]) -> None:
        """
        Args:
            shapes: handles of objects and their shapes in the world frame.
        """
        sides: list[tuple[Point, Point]] = []
        discs: list[Disc] = []
        self.handles: list[int] = []  # of sides, then of discs
        round_handles: list[int] = []
        for handle, shape in shapes:
            if isinstance(shape, Disc):
                discs.append(shape)
                round_handles.append(handle)
            else:
                sides += zip(shape, (*shape[1:], shape[0]), strict=True)
                self.handles += [handle] * len(shape)
        self.handles += round_handles
        ends = np.array(sides, np.float64).reshape(-1, 2, 2)
        self._start, self._along = ends[:, 0], ends[:, 1] - ends[:, 0]
        self._square = np.maximum((self._along**2).sum(1), 1e-300)
        self._discs = np.array(discs, np.float64).reshape(-1, 3)

    def find_nearest(self, points: Floats, seen_from: Floats) -> tuple[list[int], Floats]:
        """Return the handle of the surface nearest to each point, and its normal on the viewer's side.

        Args:
            points: x, y [m], shape (n, 2).
            seen_from: viewpoint of each point: x, y [m], shape (n, 2).
        """
        if not self.handles:
            return [-1] * len(points), np.zeros((len(points), 2))
        off = points[:, None] - self._start
        share = np.clip((off * self._along).sum(2) / self._square, 0.0, 1.0)
        gaps = off - share[..., None] * self._along
        to_discs = points[:, None] - self._discs[:, :2]
        centre_gaps = np.hypot(to_discs[..., 0], to_discs[..., 1])
        distances = np.hypot(gaps[..., 0], gaps[..., 1]), np.abs(centre_gaps - self._discs[:, 2])
        nearest = np.concatenate(distances, 1).argmin(1)
        normals = np.empty((len(points), 2))
        sides = len(self._start)
        views = (seen_from - points).tolist()
        for row, index in enumerate(nearest.tolist()):
            x, y = self._along[index].tolist() if index < sides else to_discs[row, index - sides].tolist()
            if index < sides:
                x, y = -y, x
            size = math.hypot(x, y) or 1.0
            size = -size if x * views[row][0] + y * views[row][1] < 0 else size
            normals[row] = x / size, y / size
        return [self.handles[index] for index in nearest.tolist()], normals


def walk_shapes(scene: CoppeliaScene, item: SceneObject) -> Iterator[Shape]:
    """Yield the shapes of an object in the world frame; for a part of a robot, those of the whole robot."""
    if item.part == "solid":
        yield from item.pieces
    elif item.robot is not None:
        base = scene.find_base(item.robot)
        for shape in base.pieces:
            yield place_shape(shape, *item.robot.pose)


def find_entity(scene: CoppeliaScene, handle: int) -> list[SceneObject]:
    """Return the objects to check for collisions or distances: one object, or all with a body."""
    if handle == ALL:
        return [found for found in scene.walk() if found.part in ("solid", "base")]
    found = scene.get(handle)
    if not any(True for _ in walk_shapes(scene, found)):
        raise PaddockError(f"{found} has no body: expected a robot, a wall or another obstacle")
    return [found]


def measure_distance(scene: CoppeliaScene, first: int, second: int) -> tuple[float, SceneObject, SceneObject]:
    """Return the minimum distance between two entities [m] and the two objects. Skip parts of the same robot."""
    best: tuple[float, SceneObject, SceneObject] | None = None
    for a in find_entity(scene, first):
        for b in find_entity(scene, second):
            if a is b or (a.robot is not None and a.robot is b.robot):
                continue
            gap = min(
                (distance_between(body, other) for body in walk_shapes(scene, a) for other in walk_shapes(scene, b)),
                default=math.inf,
            )
            if best is None or gap < best[0]:
                best = gap, a, b
    if best is None:
        raise PaddockError("a distance needs two objects with bodies that are not parts of the same robot")
    return best


def collides(scene: CoppeliaScene, first: int, second: int) -> bool:
    """Return whether two entities touch."""
    return measure_distance(scene, first, second)[0] <= TOUCHING


def distance_between(a: Shape, b: Shape) -> float:
    """Return the distance between two convex shapes [m]; 0 if they overlap."""
    if isinstance(a, Disc) or isinstance(b, Disc):
        return max(0.0, -overlap(a, b))
    if overlap(a, b) > 0:
        return 0.0
    return min(*(_reach(corner, b) for corner in a), *(_reach(corner, a) for corner in b))


def _reach(point: Point, polygon: Sequence[Point]) -> float:
    return max(0.0, -overlap(Disc(*point, 0.0), tuple(polygon)))


def find_segment(scene: CoppeliaScene, first: SceneObject, second: SceneObject) -> tuple[Point, Point]:
    """Return the ends of the shortest segment between the bodies of two objects, seen from above.

    If they overlap, both ends are the same point of an outline.
    """
    pairs = [(body, other) for body in walk_shapes(scene, first) for other in walk_shapes(scene, second)]
    nearest = min(pairs, key=lambda pair: distance_between(*pair))
    start, end = _connect(*nearest)
    return (start, end) if distance_between(*nearest) > 0 else (end, end)


def _connect(a: Shape, b: Shape) -> tuple[Point, Point]:
    if isinstance(a, Disc):
        end = _find_closest((a.x, a.y), b)
        return _find_closest(end, a), end
    if isinstance(b, Disc):
        end, start = _connect(b, a)
        return start, end
    ends = [(corner, _find_closest(corner, b)) for corner in a] + [(_find_closest(corner, a), corner) for corner in b]
    return min(ends, key=lambda pair: math.dist(*pair))


def _find_closest(point: Point, shape: Shape) -> Point:
    """Return the point of a shape's outline that is closest to a point."""
    x, y = point
    if isinstance(shape, Disc):
        dx, dy = x - shape.x, y - shape.y
        share = shape.radius / (math.hypot(dx, dy) or math.inf)
        return shape.x + share * dx, shape.y + share * dy
    found = []
    for (ax, ay), (bx, by) in zip(shape, (*shape[1:], shape[0]), strict=True):
        dx, dy = bx - ax, by - ay
        share = max(0.0, min(1.0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy or math.inf)))
        found.append((ax + share * dx, ay + share * dy))
    return min(found, key=lambda other: math.dist(point, other))
