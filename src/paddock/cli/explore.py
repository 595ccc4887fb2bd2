"""`paddock explore` and `paddock go`: controllers that map, run as any others, and what they leave behind."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console

from paddock.arena import Arena, Robot, mapper_of, range_reader_of, walls_of
from paddock.cli.controllers import Drivers
from paddock.cli.run import run_world
from paddock.core.errors import PaddockError
from paddock.core.files import write_text
from paddock.core.geometry import Point, Pose
from paddock.episodes import Episode
from paddock.mapping import Mapper, MapTruth, assess_map, save_map
from paddock.navigation import Explorer, Navigator
from paddock.navigation.map_user import MapUser
from paddock.report import coverage_chart, map_view_chart, save_figure


@dataclass(frozen=True)
class MapRun:
    """What both commands are told."""

    world: str
    robot: str | None
    follower: str
    mapping: str | None  # None: as suits the robot's sensors
    seconds: float
    speed: float | None
    seed: int
    out: Path | None
    headless: bool
    port: int | None


def run_explorer(run: MapRun, method: str) -> bool:
    """Explore, and tell how much free space is known; whether the robot was done in time."""
    console = Console(highlight=False)
    user, arena, robot = drive(
        run,
        lambda mapper, robot: Explorer(mapper, robot.spec, method=method, follower=run.follower, seed=run.seed),
        method=method,
    )
    ended = user.state if user.done else f"not finished after {arena.time:g} s ({user.state})"
    area = user.growth[-1][1] if user.growth else 0.0
    console.print(f"{ended}: {area:.1f} m² of free space known, {len(user.frontiers)} frontiers left", markup=False)
    truth = find_truth(arena, robot, user.start)
    if user.growth and truth is not None:
        quality = assess_map(user.mapper.grid, truth, alignment=None)
        console.print(
            f"against the world: {quality.mapped:.1%} of reachable space mapped, F1 of occupied cells {quality.f1:.3f}"
        )
    return user.done


def run_navigator(run: MapRun, goal: Point, heading_deg: float | None) -> bool:
    """Drive to a goal; whether the robot got there."""
    heading = None if heading_deg is None else math.radians(heading_deg)
    user, _, _ = drive(
        run,
        lambda mapper, robot: Navigator(mapper, robot.spec, goal, heading, follower=run.follower, seed=run.seed),
    )
    assert isinstance(user, Navigator)
    Console(highlight=False).print(user.state, markup=False)
    return user.done and not user.refusal


def drive(run: MapRun, make: Callable[[Mapper, Robot], MapUser], **settings: object) -> tuple[MapUser, Arena, Robot]:
    """Run a controller that maps; it, the arena and the robot in the end. `settings` go into the summary."""
    last: list[tuple[MapUser, Arena, Robot]] = []  # made anew when somebody runs it again

    def choose(arena: Arena) -> Drivers:
        robot = choose_robot(arena, run.robot)
        mapper = mapper_of(robot, method=run.mapping, pose=robot.pose, seed=run.seed)
        last[:] = [(make(mapper, robot), arena, robot)]
        return Drivers(controllers={robot.name: last[0][0]}, devices={})

    run_world(
        run.world,
        None,
        seconds=run.seconds,
        speed=run.speed,
        seed=run.seed,
        picture=None,
        headless=run.headless,
        out=run.out,
        port=run.port,
        choose=choose,
        write_more=lambda episode, folder: write_map(*last[0], episode, folder),
        settings={
            "robot": run.robot or "",
            "follower": run.follower,
            "mapping": run.mapping or "chosen by the sensor",
            **settings,
        },
    )
    return last[0]


def choose_robot(arena: Arena, name: str | None) -> Robot:
    """The robot of that name, or the first that has a sensor to map with."""
    if name is not None:
        return arena[name]
    for robot in arena.robots.values():
        try:
            range_reader_of(robot.spec)
        except PaddockError:
            continue
        return robot
    raise PaddockError(f"{arena.world.name}: no robot here has a laser, sonars or proximity sensors to map with")


def find_truth(arena: Arena, robot: Robot, start: Pose) -> MapTruth | None:
    """What the robot could know of its world; None where it sees other robots, which move."""
    if len(arena.robots) > 1:
        return None
    reader = range_reader_of(robot.spec)
    height = robot.spec.sensor(reader.device).mounts[0][2]
    radius = MapUser.body_of(robot.spec).half_width
    return MapTruth.of(walls_of(arena.world, above=height), start[:2], radius, max_range=reader.max_range)


def write_map(user: MapUser, arena: Arena, robot: Robot, episode: Episode, folder: Path) -> None:
    """The map as a picture and for map_server, how it grew, and how good it is."""
    if not user.growth:
        return
    path, title = episode.robots[robot.name].trace.path(), arena.world.title or arena.world.name
    save_figure(map_view_chart(user.map_view, path, title=f"Map: {title}", about=user.state), folder / "map_view.png")
    truth = find_truth(arena, robot, user.start)
    figures: dict[str, object] = {"ended": user.state, "free_m2": user.growth[-1][1], "frontiers": len(user.frontiers)}
    most = None
    if truth is not None:
        quality = assess_map(user.mapper.grid, truth, alignment=None)
        figures |= {"mapped": quality.mapped, "f1": quality.f1}
        most = float(np.count_nonzero(truth.free)) * truth.frame.resolution**2
    save_figure(coverage_chart({"known": user.growth}, most=most), folder / "coverage.png")
    save_map(user.mapper.grid, folder / "map.yaml")
    write_text(folder / "map_quality.json", json.dumps(figures, indent=2) + "\n")
