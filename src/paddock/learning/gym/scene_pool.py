"""The scenes of an environment: its worlds, built and stacked, with start poses and goals of the episodes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, SpecError, format_value
from paddock.core.geometry import Pose, bounding_radius
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.env_tables import ScenePool
from paddock.learning.gym.places import FreeSpace
from paddock.report.drawing.colours import line_color
from paddock.simulation.engine.model import CROWD, GRID_REACH, ROBOT_COLUMNS, SOURCE_KIND, Floats
from paddock.simulation.engine.state import initial_commands, initial_state
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.build import BuiltWorld, build
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.starts import fill_world
from paddock.simulation.worlds.world_files import hash_pictures

PLOT = 0.8  # side of the cells from which positions are drawn, in radii of a robot
STREAM = 15  # of random numbers, so that other code with the same small seeds draws different numbers


Scenes = tuple[tuple[BuiltWorld, ...], ScenePool]


def build_scenes(spec: EnvSpec) -> Scenes:
    """Build all scenes of an environment; equal environments share cached scenes."""
    worlds = tuple(spec.load_worlds())  # changed TOML files and pictures are not taken from the cache
    pictures = tuple(picture for world in worlds for picture in hash_pictures(world))
    return _build_scenes(spec, spec.load_robot(), worlds, pictures)


@functools.lru_cache(maxsize=16)
def _build_scenes(spec: EnvSpec, robot: RobotSpec, worlds: tuple[WorldSpec, ...], pictures: tuple[str, ...]) -> Scenes:
    scenes = tuple(build(_furnish(world, robot, spec), dt=spec.dt) for world in worlds)
    return scenes, _stack(spec, robot, scenes)


def _furnish(world: WorldSpec, robot: RobotSpec, spec: EnvSpec) -> WorldSpec:
    """Return the world with the robots of the environment; if these are drawn, episodes set the start poses."""
    if spec.starts == "placed":
        placed = world.robots
    else:
        names = ["robot"] if spec.robots == 1 else [f"robot{i}" for i in range(spec.robots)]
        placed = fill_world(world, dict.fromkeys(names, robot)).robots
        placed = placed if spec.robots == 1 else tuple(replace(r, color=line_color(i)) for i, r in enumerate(placed))
    if len(placed) != spec.robots:
        raise SpecError(
            f"{world.name} has {len(placed)} robots, expected {spec.robots}", path="robots", file=world.file
        )
    return world.with_robots(*placed)


def _stack(spec: EnvSpec, robot: RobotSpec, scenes: Sequence[BuiltWorld]) -> ScenePool:
    models = [scene.model for scene in scenes]
    first = models[0]
    if any(not np.array_equal(model.devices, first.devices) for model in models):
        raise PaddockError(f"{scenes[0].spec.name}: the worlds of an environment need the same sensors")
    outlines = [[thing.shape for thing in scene.spec.things] for scene in scenes]
    if any(other != outlines[0] for other in outlines):
        raise PaddockError(f"{scenes[0].spec.name}: the worlds of an environment need things of the same outlines")
    radius = bounding_radius(robot.body.shape)
    starts, goals, plots, ways = [], [], [], []
    for number, scene in enumerate(scenes):
        rng = np.random.default_rng((STREAM, spec.first_room + number))
        space = FreeSpace(scene, radius, PLOT * radius)
        drawn = scene.poses[None, : spec.robots] if spec.starts == "placed" else spec.make_starts(space, rng)
        starts.append(_check_places(spec, "make_starts", drawn, (spec.robots, 3)))
        _refuse_overlaps(spec, robot, scene.spec, starts[-1])
        goals.append(_check_places(spec, "make_goals", spec.make_goals(space, rng), (2,)))
        if spec.explores:
            leave = spec.make_exit(space)
            if leave is not None:
                leave = _check_places(spec, "make_exit", [leave], (2,))[0]
            plot, way = space.tiles(spec.plot_radii * radius if spec.plot is None else spec.plot, leave)
        else:
            plot, way = space.one_tile()
        plots.append(plot)
        ways.append(way)
    states = [initial_state(scene.model, scene.poses, led_count=scene.led_count, seed=0) for scene in scenes]
    pool = ScenePool(
        dt=first.dt,
        items=_stack_padded([model.items for model in models]),
        grids=np.stack([model.grids for model in models]),
        cells=_stack_padded([model.cells for model in models]),
        floor=_stack_padded([model.floor for model in models], mode="edge"),  # the colour of the edge continues outside
        sources=_stack_padded([model.sources for model in models], fill=-1.0),
        robots=np.stack([model.robots[model.robot_variant] for model in models]).reshape(
            len(models), -1, ROBOT_COLUMNS
        ),
        stages=np.stack([model.stages for model in models]),
        constants=_stack_padded([model.constants for model in models]),
        robot_variant=np.arange(len(first.robot_variant)),
        types=first.types,
        devices=first.devices,
        starts=_stack_places(spec, "make_starts", scenes, starts),
        goals=_stack_places(spec, "make_goals", scenes, goals),
        plots=np.array(plots),
        ways=_stack_padded(ways, fill=-1.0),
        resting=np.stack([state.motion[0, 0] for state in states]),
        stopped=initial_commands(first)[0],
    )
    pool.grids[:, CROWD, GRID_REACH] *= 1.0 + spec.randomise.wheel_error
    return pool


def _check_places(spec: EnvSpec, method: str, places: Any, shape: tuple[int, ...]) -> Floats:
    """Return the result of an environment's method, since kernels do not check it: finite rows of a shape."""
    try:
        rows = np.array(places, np.float64)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.shape[1:] != shape or not len(rows) or not np.isfinite(rows).all():
        raise PaddockError(
            f"{type(spec).__name__}.{method}: expected finite numbers of shape (n, {', '.join(map(str, shape))}), "
            f"got {rows.shape if rows.ndim and rows.size else format_value(places)}"
        )
    return rows


def _stack_places(spec: EnvSpec, method: str, scenes: Sequence[BuiltWorld], places: list[Floats]) -> Floats:
    for scene, rows in zip(scenes, places, strict=True):
        if len(rows) != len(places[0]):
            raise PaddockError(
                f"{type(spec).__name__}.{method}: expected as many rows for every world, got {len(places[0])} for "
                f"{scenes[0].spec.name!r} and {len(rows)} for {scene.spec.name!r}"
            )
    return np.stack(places)


def _refuse_overlaps(spec: EnvSpec, robot: RobotSpec, world: WorldSpec, starts: Floats) -> None:
    """Refuse start poses inside an obstacle or another robot, where a robot could not move."""
    room = Room(world)
    for i, row in enumerate(starts.tolist()):
        room = Room(world) if len(row) > 1 else room  # without the robots of the previous start
        for placed, values in zip(world.robots, row, strict=True):
            pose = Pose(*values)
            if problem := room.problem(robot, pose):
                where = f"{type(spec).__name__}.make_starts: world {world.name!r}, start {i}"
                raise PaddockError(f"{where}: robot {placed.name!r} {problem}")
            if len(row) > 1:
                room.add(robot, pose, f"robot {placed.name!r}")


def _stack_padded(tables: Sequence[NDArray[Any]], *, fill: float = 0.0, mode: str = "constant") -> NDArray[Any]:
    """Stack tables of different sizes, each padded at its ends."""
    shape = np.max([table.shape for table in tables], axis=0)
    rows = []
    for table in tables:
        widths = [(0, int(size - have)) for size, have in zip(shape, table.shape, strict=True)]
        options: dict[str, Any] = {"constant_values": fill} if mode == "constant" else {}
        rows.append(np.pad(table, widths, mode=mode, **options))  # type: ignore[call-overload]
    return np.ascontiguousarray(np.stack(rows))


def randomise_scene(scene: BuiltWorld, robots: NDArray[Any], sources: NDArray[Any]) -> BuiltWorld:
    """Return a scene with the robots' errors and the lamps' brightness of an episode."""
    lit = sources[sources[:, SOURCE_KIND] >= 0]
    model = scene.model._replace(robots=robots, robot_variant=np.arange(len(robots)), sources=np.ascontiguousarray(lit))
    return replace(scene, model=model)
