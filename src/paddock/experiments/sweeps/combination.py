"""Combinations: all inputs of a run except the seed, with resolved names; an invalid combination holds its error."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from paddock.arena.controller_choice import find_controller
from paddock.arena.run_spec import RunSpec, load_run
from paddock.core.errors import PaddockError, SpecError, UnknownName
from paddock.core.jobs import JobFailure
from paddock.core.toml import change_table, read_toml_file
from paddock.experiments.scenarios import PreparedScenario, load_scenario, plan_scenario, prepare
from paddock.experiments.scenarios.prepare import check_tasks
from paddock.experiments.scenarios.runner import TaskDrivers
from paddock.experiments.scenarios.scenario_spec import ScenarioSpec
from paddock.experiments.sweeps.sweep_spec import SweepSpec
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.placement import check_placement, robot_types
from paddock.simulation.worlds.randomise import Randomise
from paddock.teaching.contests import load_contest
from paddock.teaching.exercises import load_exercise


@dataclass(frozen=True, kw_only=True)
class Combination:
    """A run without its seed, and what distinguishes it from the other runs of the sweep."""

    labels: Mapping[str, Any] = field(default_factory=dict)  # values in the user's notation, by column
    run: RunSpec | None = None
    scenario: PreparedScenario | None = None  # whose tasks drive the robots
    failure: JobFailure | None = None  # error of an invalid combination

    @property
    def world_name(self) -> str:
        """Name of the world; empty for an invalid combination."""
        world = None if self.run is None else self.run.world
        return world.name if isinstance(world, WorldSpec) else str(world or "")

    def plan(self, seed: int) -> RunSpec:
        """Return the run of a seed."""
        assert self.run is not None
        run = self.run.with_seed(seed)
        return run if self.scenario is None else replace(run, drivers=TaskDrivers(self.scenario, seed))


def list_combinations(spec: SweepSpec) -> list[Combination]:
    """Return all combinations in the order of the file; raise on unknown names, or if all combinations are invalid."""
    for name in () if spec.scenarios else spec.controllers:
        find_controller(name, spec.folder, _select_parameters("controller", spec.parameters)).check_parameters()
    found = list(_combine(spec))
    failures = [each.failure for each in found if each.failure is not None]
    if len(failures) == len(found):
        raise failures[0].error
    return found


def _combine(spec: SweepSpec) -> Iterator[Combination]:
    drivers = spec.scenarios or spec.controllers
    kind, place = "scenario" if spec.scenarios else "controller", "run" if spec.runs else "world"
    make = _with_scenario if spec.scenarios else _with_controller
    worlds, robots = spec.runs or spec.worlds or (None,), spec.robots or (None,)
    for world, robot, driver in itertools.product(worlds, robots, drivers):
        for values in itertools.product(*spec.parameters.values()):
            parameters = dict(zip(spec.parameters, values, strict=True))
            labels = {place: world, "robot": robot, kind: driver}
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
    chosen = find_controller(driver, spec.folder, _select_parameters("controller", parameters))
    if spec.runs:
        run = find_run(world, spec.folder)
        run = run if robot is None else replace(run, robot=_beside(spec.folder, robot))
        changes = {path for path in parameters if not path.startswith("controller.")}
        if changes:
            raise SpecError("a run has its own world and robots: leave this out", path=f"parameters.{min(changes)}")
        return Combination(run=replace(run, drivers=chosen, metrics=(*run.metrics, *spec.make_metrics())))
    base = RunSpec(world=world, robot=robot, folder=spec.folder)
    run = RunSpec(
        world=change_world(base, parameters),
        randomise=Randomise(starts=spec.starts),
        drivers=chosen,
        seconds=spec.seconds,
        metrics=spec.make_metrics(),
    )
    return Combination(run=run)


def find_run(name: str, folder: str) -> RunSpec:
    """Return a planned run: of a TOML file of a run or a contest, or of an exercise by name or folder."""
    path = Path(folder) / name
    if path.suffix != ".toml":
        return load_exercise(path if path.is_dir() else name).plan(0)
    is_contest = "name" in read_toml_file(path)  # runs have no name
    return load_contest(path).plan(0) if is_contest else load_run(path)


def _with_scenario(
    spec: SweepSpec, world: Any, robot: str | None, driver: str, parameters: Mapping[str, Any]
) -> Combination:
    scenario = load_scenario(_beside(spec.folder, driver))
    table = change_table(scenario.to_table(), _select_parameters("scenario", parameters))
    if world is not None:
        table["world"] = str(Path(_beside(spec.folder, world)).absolute()) if world.endswith(".toml") else world
    plan = prepare(replace(ScenarioSpec.from_table(table), folder=scenario.folder, file=scenario.file))
    changed = change_world(RunSpec(world=plan.world, robot=robot, folder=spec.folder), parameters)
    kinds = {placed.name: kind for placed, kind in zip(changed.robots, robot_types(changed), strict=True)}
    members = tuple(replace(member, body=kinds[member.name]) for member in plan.robots)
    for member in members:
        check_tasks(plan.spec, member.tasks, member.name, member.body)
    plan = replace(plan, world=changed, robots=members)
    return Combination(run=plan_scenario(plan, 0, metrics=spec.make_metrics()), scenario=plan)


def change_world(run: RunSpec, parameters: Mapping[str, Any]) -> WorldSpec:
    """Return the world of a run with changed parameters of the world and of its robots."""
    world = run.load_world()
    placed, changes = world.robots, _select_parameters("robot", parameters)
    if changes:
        kinds = [RobotSpec.from_table(change_table(kind.to_table(), changes)) for kind in robot_types(world)]
        placed = tuple(replace(each, type=kind) for each, kind in zip(placed, kinds, strict=True))
    table = change_table(world.with_robots().to_table(), _select_parameters("world", parameters))
    changed = replace(WorldSpec.from_table(table), robots=placed, folder=world.folder, file=world.file)
    check_placement(changed, robot_types(changed))
    return changed


def _select_parameters(target: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a target, by their paths inside it."""
    head = f"{target}."
    return {path.removeprefix(head): value for path, value in parameters.items() if path.startswith(head)}


def _beside(folder: str, name: str) -> str:
    """Return a file name relative to the current folder; return other names unchanged."""
    return str(Path(folder) / name) if name.endswith(".toml") else name
