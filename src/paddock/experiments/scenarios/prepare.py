"""Preparation of a scenario: resolve its world and robots, and report all errors before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paddock.control.behaviours.tasks import SensorRequirement, find_task
from paddock.control.behaviours.tasks.go_to import GoToSpec
from paddock.control.behaviours.tasks.task import RANGER
from paddock.core import library
from paddock.core.errors import PaddockError, SpecError, UnknownName, format_value, suggestion
from paddock.core.geometry import ORIGIN
from paddock.experiments.scenarios.plan import PlannedTask
from paddock.experiments.scenarios.scenario_body import sensor_for, view_of
from paddock.experiments.scenarios.scenario_spec import RobotChange, ScenarioSpec, WorldChange
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.placement import check_placement, robot_types
from paddock.simulation.worlds.world_spec import Placed

TICK = 0.1  # of the robot's context while its tasks are checked [s]


@dataclass(frozen=True)
class PreparedRobot:
    """A resolved robot of a scenario, and its tasks."""

    name: str
    body: RobotSpec
    tasks: tuple[PlannedTask, ...]


@dataclass(frozen=True)
class PreparedScenario:
    """A scenario with its resolved world and robots."""

    spec: ScenarioSpec
    world: WorldSpec
    robots: tuple[PreparedRobot, ...]


def prepare(spec: ScenarioSpec) -> PreparedScenario:
    """Resolve the world and the robots, and check that the robots can execute the tasks."""
    if not isinstance(spec, ScenarioSpec):
        fix = f"; load_scenario({spec!r}) loads it" if isinstance(spec, str | Path) else ""
        raise PaddockError(f"expected a ScenarioSpec, got {format_value(spec)}{fix}")
    try:
        world = _world(spec)
        robots: list[PreparedRobot] = []
        for i, member in enumerate(spec.members()):
            try:
                world, index = _with_robot(spec, member.robot, world)
                name = world.robots[index].name
                if name in [robot.name for robot in robots]:
                    raise SpecError(f"robot {name!r} is in the team twice", path="robot")
                body = robot_types(world)[index]
                check_tasks(spec, member.tasks, name, body)
                check_goals(world, member.tasks)
                robots.append(PreparedRobot(name, body, member.tasks))
            except SpecError as error:
                raise error.within(f"team[{i}]") if spec.team and not error.file else error from None
    except SpecError as error:
        raise error.within(file=spec.file) from None
    return PreparedScenario(spec, world, tuple(robots))


def _world(spec: ScenarioSpec) -> WorldSpec:
    base = spec.world.base if isinstance(spec.world, WorldChange) else spec.world
    path = "world.base" if isinstance(spec.world, WorldChange) else "world"
    try:
        world = load_world(library.find("paddock.simulation.worlds", "world", base, relative_to=spec.folder))
    except UnknownName as error:
        raise SpecError(str(error), path=path) from None
    except SpecError as error:
        raise error if error.file else error.within(path) from None
    if not isinstance(spec.world, WorldChange):
        return world
    table = _merge(world.to_table(), spec.world.changes)
    try:
        changed = replace(WorldSpec.from_table(table), folder=world.folder)
        check_placement(changed, robot_types(changed))
    except SpecError as error:
        raise error.within("world") from None
    return replace(changed, file=world.file)


def _with_robot(spec: ScenarioSpec, robot: str | RobotChange | None, world: WorldSpec) -> tuple[WorldSpec, int]:
    names = [placed.name for placed in world.robots]
    if robot is None:
        if len(names) != 1:
            raise SpecError(f"missing: the name of a robot{suggestion('', names)}", path="robot")
        return world, 0
    changed = isinstance(robot, RobotChange)
    name = robot.name if isinstance(robot, RobotChange) else robot
    if name not in names:
        path = "robot.name" if changed else "robot"
        raise SpecError(str(UnknownName("robot", name, names)), path=path)
    index = names.index(name)
    if isinstance(robot, RobotChange):
        world = _change_robot(world, index, robot.changes, spec.folder)
    return world, index


def _change_robot(world: WorldSpec, index: int, changes: Mapping[str, Any], folder: str) -> WorldSpec:
    table = world.robots[index].to_table()
    for key, other in (("at", "start"), ("start", "at")):
        if key in changes:
            table.pop(other, None)
    try:
        placed = Placed.from_table({**table, **changes, **_find_type(changes.get("type"), folder)})
        robots = (*world.robots[:index], placed, *world.robots[index + 1 :])
        changed = replace(world, robots=robots, file="")
        check_placement(changed, robot_types(changed))
    except SpecError as error:
        mine = f"robots[{index}]."
        path = "" if error.path.startswith("robots[") and not error.path.startswith(mine) else error.path
        raise SpecError(error.problem, path=path.removeprefix(mine), file=error.file).within("robot") from None
    return replace(changed, file=world.file)


def _find_type(kind: Any, folder: str) -> dict[str, Any]:
    """Return a robot's type with the absolute path of its file, or an empty table if it names no file."""
    file = kind.get("base") if isinstance(kind, Mapping) else kind
    if not isinstance(file, str) or not file.endswith(library.SUFFIX):
        return {}
    try:
        place = str(library.neighbour(folder, file).absolute())
    except SpecError as error:
        raise error.within("type.base" if isinstance(kind, Mapping) else "type") from None
    return {"type": {**kind, "base": place} if isinstance(kind, Mapping) else place}


def _merge(table: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Merge tables key by key; replace all other values."""
    result = dict(table)
    for key, value in changes.items():
        old = result.get(key)
        result[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, Mapping) else value
    return result


def check_tasks(spec: ScenarioSpec, tasks: Sequence[PlannedTask], robot: str, body: RobotSpec) -> None:
    """Raise an error for tasks that a robot cannot execute."""
    described = f"robot {robot!r} ({body.name})"
    view = view_of(body, dt=TICK, safety=spec.safety, odometry=spec.odometry, start=ORIGIN)
    for number, planned in enumerate(tasks):
        task, where = find_task(planned.task), f"tasks[{number}]"
        for need in planned.list_needs():
            _check_need(need, f"the task {planned.task!r}", described, body, f"{where}.task")
        if task.drives and not task.keeps_distance and spec.safety.enabled and not sensor_for(RANGER, body):
            _check_need(RANGER, "the safety rule", described, body, "safety.enabled")
        for parameters, path in planned.extremes():
            speed = getattr(parameters, "speed", None)
            if speed is not None and abs(speed) > body.drive.max_speed:
                key = path if path.startswith("speed") else "speed"
                most = f"m/s <= {body.drive.max_speed:g}, the top speed of {described}"
                raise SpecError(f"expected {most}, got {speed:g}", path=f"{where}.{key}")
            try:
                task.check_robot(parameters, view)
            except SpecError as error:
                raise error.within(where) from None
            except PaddockError as error:
                raise SpecError(f"{described}: {error}", path=f"{where}.{path or 'task'}") from None


def check_goals(world: WorldSpec, tasks: Sequence[PlannedTask]) -> None:
    """Raise an error for a point outside of the bounds of a world that robots cannot leave."""
    x0, y0, x1, y1 = world.bounds
    for number, planned in enumerate(tasks):
        for parameters, path in planned.extremes():
            if world.open or not isinstance(parameters, GoToSpec):
                continue
            for key, value, low, high in (("x", parameters.x, x0, x1), ("y", parameters.y, y0, y1)):
                if not low <= value <= high:
                    where = path if path.startswith(f"{key}.") else key
                    problem = f"expected metres {low:g} … {high:g}, inside the bounds of {world.name}, got {value:g}"
                    raise SpecError(problem, path=f"tasks[{number}].{where}")


def _check_need(need: SensorRequirement, who: str, robot: str, body: RobotSpec, path: str) -> None:
    if sensor_for(need, body) is None:
        has = ", ".join(f"{sensor.name} ({sensor.kind})" for sensor in body.sensors) or "no sensors"
        raise SpecError(f"{who} needs {need}: {robot} has {has}", path=path)
