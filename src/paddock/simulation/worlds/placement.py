"""Start poses of robots, checks that they are free, and obstacles that their range sensors miss."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

from paddock.core.errors import PaddockError, SpecError, format_length
from paddock.core.geometry import Disc, Pose, Shape, compute_bounds, compute_distance, overlap, place_shape, wrap
from paddock.simulation.robots import RobotSpec, find_robot, load_robot
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec
from paddock.simulation.worlds.solids import Solid, solids
from paddock.simulation.worlds.thing_spec import ThingSpec
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

ALLOWED = 1e-6  # tolerated overlap, so that contact is allowed [m]
TRIES = 2000  # number of candidate positions for a robot without a start pose
MAX_CELLS = 10_000  # approximate number of cells of a room
MAX_ENTRIES = 5_000_000  # maximum number of obstacles in the lists of cells

Bounds = tuple[float, float, float, float]


def start_pose(world: WorldSpec, robot: RobotPlacement) -> Pose:
    """Return the start pose of a robot."""
    at, heading = robot.at, robot.heading_deg
    if robot.start is not None:
        start = next(s for s in world.starts if s.name == robot.start)
        at, heading = start.at, start.heading_deg if heading is None else heading
    assert at is not None
    return Pose(*at, wrap(math.radians(heading or 0.0)))


def robot_types(world: WorldSpec) -> list[RobotSpec]:
    """Return the spec of every robot; each named type is loaded once."""
    loaded: dict[str, RobotSpec] = {}
    specs = []
    for i, robot in enumerate(world.robots):
        spec = robot.type if isinstance(robot.type, RobotSpec) else loaded.get(robot.type)
        if spec is None:
            assert isinstance(robot.type, str)
            try:
                path = find_robot(robot.type, relative_to=world.folder)
            except PaddockError as error:
                raise SpecError(str(error), path=f"robots[{i}].type", file=world.file) from None
            spec = loaded[robot.type] = load_robot(path)
        specs.append(spec)
    return specs


def check_placement(world: WorldSpec, specs: list[RobotSpec]) -> None:
    """Refuse robots and things outside the bounds, inside an obstacle, or inside each other."""
    robots = (world.robots, world.starts, specs)
    if world.derived.get("placed robots") == robots:
        return
    room = Room(world, things=False)
    for i, thing in enumerate(world.things):
        if problem := room.find_problem(place_shape(thing.shape, *thing.pose)):
            raise SpecError(f"thing {thing.name!r} {problem}", path=f"things[{i}].at", file=world.file)
        room.add_thing(thing, thing.pose)
    for i, (robot, spec) in enumerate(zip(world.robots, specs, strict=True)):
        problem = room.problem(spec, start_pose(world, robot))
        path = f"robots[{i}].{'at' if robot.start is None else 'start'}"
        if problem:
            raise SpecError(f"robot {robot.name!r} {problem}", path=path, file=world.file)
        room.add(spec, start_pose(world, robot), f"robot {robot.name!r}")
    world.derived["placed robots"] = robots


class _Cells:
    """Shapes with their names, sorted into the cells of a grid over a world's bounds."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = x0, y0, x1, y1 = bounds
        self.side = max(0.2, math.sqrt((x1 - x0) * (y1 - y0) / MAX_CELLS), max(x1 - x0, y1 - y0) / 1000)
        self.lists: dict[tuple[int, int], list[tuple[Shape, str, Bounds]]] = defaultdict(list)

    def add(self, shape: Shape, name: str) -> int:
        """Add a shape, and return the number of its cells."""
        touched, entry = list(self.find(shape)), (shape, name, compute_bounds(shape))
        for cell in touched:
            self.lists[cell].append(entry)
        return len(touched)

    def find(self, shape: Shape) -> Iterator[tuple[int, int]]:
        """Yield the column and row of the cells that a shape's bounding box touches."""
        x0, y0, x1, y1 = self.bounds
        left, bottom, right, top = compute_bounds(shape)
        return product(self._range(left, right, x0, x1), self._range(bottom, top, y0, y1))

    def _range(self, low: float, high: float, first: float, last: float) -> range:
        """Return the cells along one axis; everything outside the bounds belongs to the outermost cells."""
        begin, end = (math.floor((min(max(edge, first), last) - first) / self.side) for edge in (low, high))
        return range(begin, end + 1)


def _sort_obstacles(world: WorldSpec) -> _Cells:
    """Return the cells of a world's obstacles. Refuse those that overlap so often that they need too much memory."""
    cells, entries = _Cells(world.bounds), 0
    obstacles = [solid for solid in solids(world) if solid.path != "border"]
    for i, solid in enumerate(obstacles):
        entries += cells.add(solid.shape, _describe(solid))
        if entries > MAX_ENTRIES:
            raise SpecError(
                f"expected obstacles that cover a world at most {MAX_ENTRIES // MAX_CELLS} times over, "
                f"got {len(obstacles)} pieces of which {i + 1} cover more: remove some or make them smaller",
                path=solid.path.partition("[")[0],
                file=world.file,
            )
    return cells


class NearestSurface(NamedTuple):
    """The nearest surface to a place."""

    distance: float  # [m]; 0 if it touches the place or contains it
    name: str  # of an obstacle, a thing or a robot: `boxes[2]`, `border`, `thing 'ball'`, `robot 'red'`


class Room:
    """The obstacles of a world, its things, and the robots added so far, sorted into cells."""

    def __init__(self, world: WorldSpec, *, things: bool = True) -> None:
        """Take the obstacles of a world, and its things at their start poses unless these are added later."""
        self.world = world
        if "obstacles by cell" not in world.derived:
            world.derived["obstacles by cell"] = _sort_obstacles(world)
        self._obstacles: _Cells = world.derived["obstacles by cell"]
        self._bodies = _Cells(world.bounds)
        for thing in world.things if things else ():
            self.add_thing(thing, thing.pose)

    def add(self, spec: RobotSpec, pose: Pose, name: str) -> None:
        """Add a robot at a pose."""
        self._bodies.add(place_shape(spec.body.shape, *pose), name)

    def add_thing(self, thing: ThingSpec, pose: Pose) -> None:
        """Add a thing at a pose."""
        self._bodies.add(place_shape(thing.shape, *pose), f"thing {thing.name!r}")

    def problem(self, spec: RobotSpec, pose: Pose) -> str:
        """Return the reason why a robot cannot be at a pose, or an empty string."""
        return self.find_problem(place_shape(spec.body.shape, *pose))

    def is_free(self, shape: Shape) -> bool:
        """Whether a shape overlaps nothing and is inside the bounds, unless the world is open."""
        return not self.find_problem(shape)

    def find_problem(self, shape: Shape) -> str:
        """Return the reason why a shape cannot be where it is, or an empty string."""
        x0, y0, x1, y1 = self.world.bounds
        left, bottom, right, top = compute_bounds(shape)
        outside = max(x0 - left, y0 - bottom, right - x1, top - y1)
        if not self.world.open and outside > ALLOWED:
            return (
                f"sticks {format_length(outside)} out of the bounds [{x0:g}, {y0:g}, {x1:g}, {y1:g}]: "
                "move it further inside"
            )
        for other, name, (x0, y0, x1, y1) in self._near(shape):
            if right <= x0 or x1 <= left or top <= y0 or y1 <= bottom:  # much faster than the exact test
                continue
            deep = overlap(shape, other)
            if deep > ALLOWED:
                return f"overlaps {name} by {format_length(deep)}: move it at least that far away"
        return ""

    def find_nearest(self, shape: Shape) -> NearestSurface | None:
        """Return what is nearest to a shape, at any height; None in an open world without anything."""
        bodies = {name: other for cell in self._bodies.lists.values() for other, name, _ in cell}
        obstacles = ((solid.shape, _describe(solid)) for solid in solids(self.world))
        both = chain(obstacles, ((other, name) for name, other in bodies.items()))
        return min((NearestSurface(compute_distance(shape, other), name) for other, name in both), default=None)

    def free_pose(self, spec: RobotSpec, heading: float = 0.0) -> Pose | None:
        """Return a free pose for a robot, preferably with some space around it; None if none was found."""
        x0, y0, x1, y1 = self.world.bounds
        for margin in (1.5, 1.0):
            wide = _scale(spec.body.shape, margin)
            for i in range(1, TRIES + 1):
                x, y = x0 + (x1 - x0) * _halton(i, 2), y0 + (y1 - y0) * _halton(i, 3)
                if not self.find_problem(place_shape(wide, x, y, heading)):
                    return Pose(x, y, wrap(heading))
        return None

    def choose(self, spec: RobotSpec, poses: Sequence[Pose]) -> Pose | None:
        """Return the first pose that is free with some space around it, else the first free pose, else None."""
        for margin in (1.5, 1.0):
            wide = _scale(spec.body.shape, margin)
            for pose in poses:
                if not self.find_problem(place_shape(wide, *pose)):
                    return pose
        return None

    def _near(self, shape: Shape) -> Iterator[tuple[Shape, str, Bounds]]:
        for cell in self._obstacles.find(shape):
            yield from self._obstacles.lists.get(cell, ())
            yield from self._bodies.lists.get(cell, ())


def _scale(shape: Shape, factor: float) -> Shape:
    """Scale a body's outline."""
    if isinstance(shape, Disc):
        return Disc(factor * shape.x, factor * shape.y, factor * shape.radius)
    return tuple((factor * x, factor * y) for x, y in shape)


def _halton(index: int, base: int) -> float:
    """Return an element of the Halton sequence, which covers 0 … 1 evenly."""
    result, share = 0.0, 1.0
    while index:
        index, digit = divmod(index, base)
        share /= base
        result += digit * share
    return result


def _describe(solid: Solid) -> str:
    middle = solid.shape if isinstance(solid.shape, Disc) else None
    place = f" at [{middle.x:g}, {middle.y:g}]" if middle else ""
    return f"{solid.path}{place}"


def source_files(world: WorldSpec) -> list[Path]:
    """Return the files of a world and its robots, including shipped ones."""
    names = {robot.type: None for robot in world.robots if isinstance(robot.type, str)}
    robots = [find_robot(name, relative_to=world.folder) for name in names]
    return [path for path in (world.resolve_path(world.file), *robots) if path.is_file()]


def describe_blind_spots(world: WorldSpec, robot: RobotSpec, device: str | None = None) -> str:
    """Return which obstacles no range sensor of a robot detects, with the heights; empty if there are none.

    Args:
        world: the world with all its walls and objects.
        robot: the robot's type.
        device: consider only this sensor; None: all range sensors.
    """
    lowest = {
        sensor.name: min(z for _, _, z, _ in sensor.mounts)
        for sensor in robot.sensors
        if isinstance(sensor, RangeSensorSpec) and sensor.mounts and device in (None, sensor.name)
    }
    if not lowest:
        return ""
    sensor, height = min(lowest.items(), key=lambda item: item[1])
    heights = {solid.path: solid.height for solid in solids(world) if solid.height <= height}
    if not heights:
        return ""
    first, *others = heights
    more = f" (and {len(others)} more that are too low)" if others else ""
    return f"{first} is {heights[first]:g} m high{more}, but {sensor} of {robot.name} is mounted at {height:g} m"
