"""`paddock map explore` and `paddock map goto`: run mapping controllers, and write their maps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from paddock.arena import Arena, Robot, make_mapper, make_range_reader
from paddock.arena.controllers import Drivers
from paddock.arena.episodes import Episode
from paddock.cli.run_world import run_world
from paddock.control.navigation import Explorer, Navigator
from paddock.control.navigation.exploration import FINISHED
from paddock.control.navigation.map_controller import MapController
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point
from paddock.core.terminal.console import Console
from paddock.core.user_code import warn_user
from paddock.perception.mapping import Mapper, assess_map, save_map
from paddock.report.map_results import MAP, MapResult, find_truth, write_map
from paddock.simulation.worlds.placement import describe_blind_spots


@dataclass(frozen=True)
class MapRun:
    """Options of both commands."""

    world: str
    robot: str | None
    follower: str
    mapping: str | None  # None: chosen by the robot's sensors
    seconds: float
    speed: float | None
    seed: int
    out: Path | None
    headless: bool
    port: int | None


def run_explorer(run: MapRun, method: str) -> bool:
    """Explore, and print the known free space; return whether the map was complete in time."""
    console = Console(highlight=False)
    controller, arena, robot = drive(
        run,
        lambda mapper, robot: Explorer(mapper, robot.spec, method=method, follower=run.follower, seed=run.seed),
        method=method,
    )
    ended = controller.state if controller.done else f"not finished after {arena.time:g} s ({controller.state})"
    area = controller.growth[-1][1] if controller.growth else 0.0
    left = "1 frontier" if len(controller.frontiers) == 1 else f"{len(controller.frontiers)} frontiers"
    console.print(f"{ended}: {area:.1f} m² of free space known, {left} left", markup=False)
    truth = find_truth(arena.world, robot.spec, controller.start)
    if controller.growth and truth is not None:
        is_blind = describe_blind_spots(arena.world, robot.spec, controller.mapper.reader.device)
        without = ", without the obstacles below the sensor" if is_blind else ""
        quality = assess_map(controller.mapper.grid, truth, alignment=None)
        console.print(
            f"against the world{without}: "
            f"{quality.mapped:.1%} of reachable space mapped, F1 of occupied cells {quality.f1:.3f}"
        )
    return controller.done and controller.reason == FINISHED


def run_navigator(run: MapRun, goal: Point, heading_deg: float | None) -> bool:
    """Drive to a goal; return whether the robot reached it."""
    heading = None if heading_deg is None else math.radians(heading_deg)
    controller, _, _ = drive(
        run,
        lambda mapper, robot: Navigator(mapper, robot.spec, goal, heading, follower=run.follower, seed=run.seed),
    )
    assert isinstance(controller, Navigator)
    Console(highlight=False).print(controller.state, markup=False)
    return controller.done and not controller.refusal


def drive(
    run: MapRun, make: Callable[[Mapper, Robot], MapController], **settings: object
) -> tuple[MapController, Arena, Robot]:
    """Run a mapping controller; return it, the arena and the robot. `settings` are written into the summary."""
    last: list[tuple[MapController, Arena, Robot]] = []  # replaced when the run is repeated

    def choose(arena: Arena) -> Drivers:
        robot = choose_robot(arena, run.robot)
        mapper = make_mapper(robot, method=run.mapping, pose=robot.pose, seed=run.seed)
        if not last and (found := describe_blind_spots(arena.world, robot.spec, mapper.reader.device)):
            warn_user(f"{arena.world.name}: {found}: it is not in the map, and the robot does not avoid it")
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
        files=MapFiles(last),
        settings={
            "controller": "built-in: mapping",
            "robot": run.robot or "",
            "follower": run.follower,
            "mapping": run.mapping or "chosen by the sensor",
            **settings,
        },
    )
    return last[0]


@dataclass(frozen=True)
class MapFiles:
    """Map files in the folder of a run."""

    last: Sequence[tuple[MapController, Arena, Robot]]  # one entry, that of the current run

    def keep(self, folder: Path) -> None:
        """Write only the map."""
        if self.last[0][0].growth:
            save_map(self.last[0][0].mapper.grid, folder / MAP)

    def write(self, episode: Episode, folder: Path) -> None:
        """Write the map, pictures, and quality figures."""
        if self.last[0][0].growth:
            write_map(describe_map(*self.last[0], episode), folder)


def choose_robot(arena: Arena, name: str | None) -> Robot:
    """Return the robot with this name, or the first one with a sensor for mapping."""
    if name is not None:
        return arena[name]
    for robot in arena.robots.values():
        try:
            make_range_reader(robot.spec)
        except PaddockError:
            continue
        return robot
    raise PaddockError(f"{arena.world.name}: no robot has a laser, sonars or proximity sensors for mapping")


def describe_map(controller: MapController, arena: Arena, robot: Robot, episode: Episode) -> MapResult:
    """Return the result of a mapping controller."""
    return MapResult(
        grid=controller.mapper.grid,
        view=controller.map_view,
        path=episode.robots[robot.name].trace.path(),
        growth=controller.growth,
        title=arena.world.title or arena.world.name,
        ended=controller.state,
        frontiers=len(controller.frontiers),
        truth=find_truth(arena.world, robot.spec, controller.start),
    )
