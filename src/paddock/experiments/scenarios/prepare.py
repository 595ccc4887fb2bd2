"""Preparation of a scenario: resolve its world and robots, and report all errors before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paddock.control.behaviours.tasks import SensorRequirement, find_task
from paddock.control.behaviours.tasks.go_to import GoToSpec
from paddock.control.behaviours.tasks.task import RANGER
from paddock.core.errors import PaddockError, SpecError, format_value
from paddock.core.geometry import ORIGIN
from paddock.experiments.scenarios.planned_task import PlannedTask
from paddock.experiments.scenarios.scenario_body import make_task_context, sensor_for
from paddock.experiments.scenarios.scenario_spec import ScenarioSpec
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.changes import RobotChange, change_robot, find_robot_in, load_changed_world
from paddock.simulation.worlds.placement import robot_types

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
        world = load_changed_world(spec.world, spec.folder)
        robots: list[PreparedRobot] = []
        for i, member in enumerate(spec.members()):
            try:
                index = find_robot_in(world, member.robot)
                if isinstance(member.robot, RobotChange):
                    world = change_robot(world, member.robot, spec.folder)
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


def check_tasks(spec: ScenarioSpec, tasks: Sequence[PlannedTask], robot: str, body: RobotSpec) -> None:
    """Raise an error for tasks that a robot cannot execute."""
    described = f"robot {robot!r} ({body.name})"
    view = make_task_context(body, dt=TICK, safety=spec.safety, odometry=spec.odometry, start=ORIGIN)
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
