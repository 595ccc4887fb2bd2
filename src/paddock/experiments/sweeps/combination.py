"""Combinations: all inputs of a run except the seed, with resolved names; an invalid combination holds its error."""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from paddock.arena.controller_choice import ControllerChoice, find_controller
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.jobs import JobFailure
from paddock.core.provenance import versions
from paddock.core.source_hash import hash_source
from paddock.experiments.scenarios import PreparedScenario, load_scenario, prepare
from paddock.experiments.scenarios.loader import OWN_CODE
from paddock.experiments.scenarios.prepare import check_tasks
from paddock.experiments.scenarios.scenario_spec import ScenarioSpec
from paddock.experiments.sweeps.changes import change_table
from paddock.experiments.sweeps.sweep_spec import SweepSpec
from paddock.simulation.robots import RobotSpec, find_robot
from paddock.simulation.robots.robot_spec import read_robot
from paddock.simulation.worlds import Placed, WorldSpec, load_world
from paddock.simulation.worlds.fingerprint import hash_pictures
from paddock.simulation.worlds.placement import Room, check_placement, robot_types

FORMAT = 1  # format of the data that keys are computed from


@dataclass(frozen=True, kw_only=True)
class Combination:
    """A world with its robots, and a controller or a scenario with tasks that drives them."""

    labels: Mapping[str, Any] = field(default_factory=dict)  # values in the user's notation, by column
    world: WorldSpec | None = None
    controller: ControllerChoice | None = None
    scenario: PreparedScenario | None = None
    failure: JobFailure | None = None  # error of an invalid combination

    def identify(self, spec: SweepSpec) -> str:
        """Return a digest of all inputs of a run except the seed; for files, it covers their content."""
        assert self.world is not None
        content = {
            "format": FORMAT,
            "versions": versions(),
            "world": self.world.to_table(),
            "robots": [robot.to_table() for robot in robot_types(self.world)],
            "pictures": hash_pictures(self.world),
            "controller": None if self.controller is None else self.controller.describe(),
            "scenario": None if self.scenario is None else _describe_scenario(self.scenario.spec),
            "metrics": [[repr(each), _hash_file(Path(inspect.getfile(type(each))))] for each in spec.make_metrics()],
            "settings": [spec.seconds, spec.starts] if self.scenario is None else None,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def list_combinations(spec: SweepSpec) -> list[Combination]:
    """Return all combinations in the order of the file; raise on unknown names, or if all combinations are invalid."""
    for name in () if spec.scenarios else spec.controllers:
        find_controller(name, spec.folder, _of("controller", spec.parameters)).check_parameters()
    found = list(_combine(spec))
    failures = [each.failure for each in found if each.failure is not None]
    if len(failures) == len(found):
        raise failures[0].error
    return found


def _combine(spec: SweepSpec) -> Iterator[Combination]:
    drivers = spec.scenarios or spec.controllers
    kind = "scenario" if spec.scenarios else "controller"
    make = _with_scenario if spec.scenarios else _with_controller
    worlds, robots = spec.worlds or (None,), spec.robots or (None,)
    for world, robot, driver in itertools.product(worlds, robots, drivers):
        for values in itertools.product(*spec.parameters.values()):
            parameters = dict(zip(spec.parameters, values, strict=True))
            labels = {"world": world, "robot": robot, kind: driver}
            labels = {name: value for name, value in labels.items() if value is not None} | parameters
            try:
                yield replace(make(spec, world, robot, driver, parameters), labels=labels)
            except UnknownName:  # a mistake in the file
                raise
            except PaddockError as error:
                yield Combination(labels=labels, failure=JobFailure.of(error))


def _with_controller(
    spec: SweepSpec, world: Any, robot: str | None, driver: str, parameters: Mapping[str, Any]
) -> Combination:
    chosen = find_controller(driver, spec.folder, _of("controller", parameters))
    changed = change_world(load_world(_beside(spec.folder, world)), _load_robot(spec.folder, robot), parameters)
    return Combination(world=changed, controller=chosen)


def _with_scenario(
    spec: SweepSpec, world: Any, robot: str | None, driver: str, parameters: Mapping[str, Any]
) -> Combination:
    scenario = load_scenario(_beside(spec.folder, driver))
    table = change_table(scenario.to_table(), _of("scenario", parameters))
    if world is not None:
        table["world"] = str(Path(_beside(spec.folder, world)).absolute()) if world.endswith(".toml") else world
    plan = prepare(replace(ScenarioSpec.from_table(table), folder=scenario.folder, file=scenario.file))
    changed = change_world(plan.world, _load_robot(spec.folder, robot), parameters)
    kinds = {placed.name: kind for placed, kind in zip(changed.robots, robot_types(changed), strict=True)}
    members = tuple(replace(member, body=kinds[member.name]) for member in plan.robots)
    for member in members:
        check_tasks(plan.spec, member.tasks, member.name, member.body)
    return Combination(world=changed, scenario=replace(plan, world=changed, robots=members))


def change_world(world: WorldSpec, robot: RobotSpec | None, parameters: Mapping[str, Any]) -> WorldSpec:
    """Return a world with its robots replaced, or with one added if it has none, and with changed parameters."""
    kinds = robot_types(world)
    placed = list(world.robots)
    if robot is not None and not placed:
        pose = Room(world).free_pose(robot)
        if pose is None:
            raise PaddockError(f"{world.name}: there is no free pose for {robot.name}")
        placed, kinds = [Placed(name="robot", type=robot, at=(pose.x, pose.y))], [robot]
    changes = _of("robot", parameters)
    if robot is not None or changes:
        kinds = [RobotSpec.from_table(change_table((robot or kind).to_table(), changes)) for kind in kinds]
        placed = [replace(each, type=kind) for each, kind in zip(placed, kinds, strict=True)]
    table = change_table(replace(world, robots=()).to_table(), _of("world", parameters))
    changed = replace(WorldSpec.from_table(table), robots=tuple(placed), folder=world.folder, file=world.file)
    check_placement(changed, robot_types(changed))
    return changed


def _of(target: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a target, by their paths inside it."""
    head = f"{target}."
    return {path.removeprefix(head): value for path, value in parameters.items() if path.startswith(head)}


def _beside(folder: str, name: str) -> str:
    """Return a file name relative to the current folder; return other names unchanged."""
    return str(Path(folder) / name) if name.endswith(".toml") else name


def _load_robot(folder: str, name: str | None) -> RobotSpec | None:
    return None if name is None else read_robot(find_robot(_beside(folder, name)))


def _hash_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _describe_scenario(spec: ScenarioSpec) -> list[Any]:
    """Return all inputs of a scenario's runs except seeds and repetitions; for user code, include the source's hash."""
    table = {key: value for key, value in spec.to_table().items() if key not in ("seeds", "repetitions", "outputs")}
    return [table, sorted(filter(None, {hash_source(name) for name in _own_code(table)}))]


def _own_code(value: Any) -> Iterator[str]:
    """Yield the names of tasks, wall followers and avoidances."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from (part,) if key in OWN_CODE and isinstance(part, str) else _own_code(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _own_code(part)
