"""Worlds and robots for tests, and their obstacles."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

import paddock
from naive import Circle, Point, Segment
from paddock.arena import Arena, Robot
from paddock.core.geometry import Disc, Pose, place_shape
from paddock.simulation.robots.drives import DifferentialDrive
from paddock.simulation.robots.robot_spec import BodySpec, RobotSpec
from paddock.simulation.sensors.sensor_spec import SensorSpec
from paddock.simulation.worlds import ThingSpec
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import Arc, Box, Cylinder, RobotPlacement, Wall, WorldSpec

CRATE = ((-0.04, -0.05), (0.08, -0.05), (0.08, 0.05), (-0.04, 0.05))


def puck(*sensors: SensorSpec, radius: float = 0.05, height: float = 0.1, **more: Any) -> RobotSpec:
    """Return a round robot."""
    return _robot(BodySpec(radius=radius, height=height), sensors, **more)


def crate(*sensors: SensorSpec, outline: tuple[Point, ...] = CRATE, height: float = 0.1, **more: Any) -> RobotSpec:
    """Return a robot with corners."""
    return _robot(BodySpec(outline=outline, height=height), sensors, **more)


def _robot(
    body: BodySpec, sensors: tuple[SensorSpec, ...], name: str = "tester", speaker: bool = False, **drive: Any
) -> RobotSpec:
    wheels = {"wheel_separation": 0.1, "wheel_diameter": 0.04, "max_speed": 1.0, **drive}
    return RobotSpec(name=name, body=body, drive=DifferentialDrive(**wheels), sensors=sensors, speaker=speaker)


def world(
    *robots: RobotPlacement, bounds: tuple[float, float, float, float] = (-2.0, -2.0, 2.0, 2.0), **parts: Any
) -> WorldSpec:
    """Return a world, by default a square room of 4 m."""
    return WorldSpec(name="test", bounds=bounds, robots=robots, **parts)


def alone(
    *sensors: SensorSpec,
    at: Point = (0.0, 0.0),
    heading_deg: float = 0.0,
    noise: bool = False,
    robot: RobotSpec | None = None,
    seed: int = 0,
    dt: float | None = None,
    placed_with: dict[str, Any] | None = None,
    **parts: Any,
) -> tuple[Arena, Robot]:
    """Open an arena with one robot, and enable all its devices."""
    kind = robot or puck(*sensors)
    one = RobotPlacement(name="one", type=kind, at=at, heading_deg=heading_deg, noise=noise, **(placed_with or {}))
    arena = paddock.open(world(one, **parts), seed=seed, dt=dt)
    arena["one"].enable()
    return arena, arena["one"]


def random_world(
    rng: np.random.Generator, robots: list[RobotSpec], *, arcs: bool = True, things: int = 0, **parts: Any
) -> WorldSpec:
    """Return a world with random obstacles of all kinds, and as many of the robots and things as there is room for."""

    def spot() -> Point:
        return float(rng.uniform(-0.9, 0.9)), float(rng.uniform(-0.9, 0.9))

    def some(most: int) -> range:
        return range(int(rng.integers(0, most + 1)))

    def high() -> float:
        return float(rng.choice([0.05, 0.12, 0.3]))

    def wall() -> Wall:
        points = tuple(spot() for _ in range(int(rng.integers(2, 5))))
        return Wall(
            points=points,
            thickness=float(rng.choice([0.0, 0.01, 0.06])),
            closed=bool(rng.integers(0, 2)) and len(points) > 2,
            height=high(),
        )

    spec = world(
        bounds=(-1.0, -1.0, 1.0, 1.0),
        walls=tuple(wall() for _ in some(2)),
        boxes=tuple(
            Box(
                at=spot(),
                size=tuple(rng.uniform(0.02, 0.3, 2).tolist()),
                heading_deg=float(rng.uniform(-90, 90)),
                height=high(),
            )
            for _ in some(3)
        ),
        cylinders=tuple(Cylinder(at=spot(), radius=float(rng.uniform(0.01, 0.2)), height=high()) for _ in some(3)),
        arcs=tuple(
            Arc(
                at=spot(),
                radius=float(rng.uniform(0.1, 0.4)),
                from_deg=0,
                to_deg=float(rng.choice([120, 250, 360])),
                height=high(),
            )
            for _ in some(1 if arcs else 0)
        ),
        **parts,
    )
    room, standing = Room(spec), []
    for i, kind in enumerate(robots):
        for _ in range(30):
            at, heading = spot(), float(rng.uniform(-180, 180))
            if not room.problem(kind, Pose(*at, math.radians(heading))):
                room.add(kind, Pose(*at, math.radians(heading)), str(i))
                standing.append(RobotPlacement(name=f"r{i}", type=kind, at=at, heading_deg=heading, noise=False))
                break
    lying: list[ThingSpec] = []
    for i in range(things):
        for _ in range(30):
            thing = random_thing(rng, f"t{i}", spot())
            if not room.find_problem(place_shape(thing.shape, *thing.pose)):
                room.add_thing(thing, thing.pose)
                lying.append(thing)
                break
    return replace(spec, robots=tuple(standing), things=tuple(lying))


def random_thing(rng: np.random.Generator, name: str, at: Point) -> ThingSpec:
    """Return a cylinder, a box or a pentagon."""
    a, b = (float(size) for size in rng.uniform(0.01, 0.06, 2))
    corners = [0.3 + math.tau * k / 5 for k in range(5)]
    outlines: list[dict[str, Any]] = [
        {"radius": a},
        {"size": (2 * a, 2 * b)},
        {"outline": tuple((a * math.cos(angle), b * math.sin(angle)) for angle in corners)},
    ]
    return ThingSpec(
        name=name,
        at=at,
        heading_deg=float(rng.uniform(-180, 180)),
        mass=float(rng.uniform(0.005, 0.1)),
        contact_friction=float(rng.choice([0.0, 0.3, 1.0])),
        **outlines[int(rng.integers(0, 3))],
    )


def obstacles(arena: Arena, without: int, above: float = 0.0) -> tuple[list[Segment], list[Circle]]:
    """Return the edges and discs of everything higher than `above`: walls, obstacles, and all robots except one."""
    segments: list[Segment] = []
    discs: list[Circle] = []
    for solid in solids(arena.world):
        if solid.height > above:
            segments += solid.edges
            if isinstance(solid.shape, Disc):
                discs.append(tuple(solid.shape))
    for i, (pose, kind) in enumerate(zip(arena.poses.tolist(), arena.built.robots, strict=True)):
        if i != without and kind.body.height > above:
            shape = place_shape(kind.body.shape, *pose)
            if isinstance(shape, Disc):
                discs.append(tuple(shape))
            else:
                segments += zip(shape, (*shape[1:], shape[0]), strict=True)
    return segments, discs
