"""Run a scenario: task sequences control the robots of a local arena, a served world or real robots."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

from paddock.arena import Robot
from paddock.arena.base_arena import BaseArena
from paddock.arena.controllers import Drivers
from paddock.arena.episode_plan import OnStep
from paddock.arena.episodes import Episode
from paddock.arena.metrics import Metric
from paddock.arena.metrics.metric_registry import make_metrics
from paddock.arena.run_spec import RunSpec
from paddock.core.errors import LinkError, Refused, SimulationError
from paddock.core.geometry import ORIGIN, Pose
from paddock.core.user_code import hash_source
from paddock.experiments.scenarios.prepare import PreparedRobot, PreparedScenario, check_tasks, prepare
from paddock.experiments.scenarios.scenario_body import make_task_context, sensor_for
from paddock.experiments.scenarios.scenario_result import ScenarioResult
from paddock.experiments.scenarios.scenario_spec import OWN_CODE, ScenarioSpec
from paddock.experiments.scenarios.task_sequence import TaskSequence
from paddock.report.summary import METRICS
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.world_spec import RobotPlacement


def run_scenario(
    spec: ScenarioSpec | PreparedScenario,
    *,
    seed: int,
    arena: BaseArena | None = None,
    robot: str | None = None,
    every: float | None = None,
    speed: float | None = None,
    on_step: OnStep | None = None,
    metrics: Sequence[Metric | str] = METRICS,
) -> ScenarioResult:
    """Run a scenario once.

    Args:
        spec: the scenario; errors in it are raised before anything runs.
        seed: determines all noise and all drawn parameters.
        arena: an existing arena, such as a served world or a real robot. None: the scenario's own world, in this
            process.
        robot: the robot of the arena that executes the tasks of a scenario with one robot. None: the robot of the
            same name, or the only robot.
        every: simulated seconds between two rows of the traces; None: every tick.
        speed: 1 for real time, 50 for fifty times that; None for as fast as possible.
        on_step: called after every tick, with the arena.
        metrics: metrics of each robot, in addition to the driven distance and the contact time; also by name.
    """
    plan = spec if isinstance(spec, PreparedScenario) else prepare(spec)
    run = plan_scenario(plan, seed, metrics=metrics)
    with nullcontext(arena) if arena is not None else run.build() as place:
        return _run(plan, replace(run, every=place.dt if every is None else every), place, robot, speed, on_step)


def plan_scenario(plan: PreparedScenario, seed: int, *, metrics: Sequence[Metric | str] = ()) -> RunSpec:
    """Return the run of a scenario with a seed, which also draws the parameters of its tasks."""
    more = make_metrics(metrics, "run_scenario")
    return RunSpec(
        world=plan.world,
        seed=seed,
        drivers=TaskDrivers(plan, seed),
        seconds=plan.spec.stop.seconds + 2 * plan.world.dt,  # the drivers end the run before
        metrics=(*METRICS, *(metric for metric in more if metric not in METRICS)),
        every=plan.world.dt,
    )


def run_all(
    spec: ScenarioSpec | PreparedScenario,
    *,
    every: float | None = None,
    speed: float | None = None,
    on_step: OnStep | None = None,
) -> Iterator[ScenarioResult]:
    """Yield the result of each run, one per seed and repetition; stop after Ctrl-C or after a task that raised."""
    plan = spec if isinstance(spec, PreparedScenario) else prepare(spec)
    for seed in plan.spec.run_seeds():
        result = run_scenario(plan, seed=seed, every=every, speed=speed, on_step=on_step)
        yield result
        if result.interrupted or result.error is not None:
            return


@dataclass(frozen=True)
class TaskDrivers:
    """The robots of a scenario, each with its sequence of tasks."""

    plan: PreparedScenario
    seed: int
    chosen: str | None = None  # robot that executes the tasks of a scenario with one robot; None: that of its name

    def make(self, arena: BaseArena) -> Drivers:
        """Create the sequences of tasks, and the condition that ends the run."""
        controllers, devices = dict[str, TaskSequence](), dict[str, tuple[str, ...]]()
        for member, robot in _cast(self.plan, arena, self.chosen):
            controllers[robot.name], devices[robot.name] = _sequence(self.plan, member, robot, self.seed)
        stop = self.plan.spec.stop

        def ending(arena: BaseArena) -> str:
            """Return why the run must end now and stop the robots, or return an empty string."""
            why, there = "", [arena[name] for name in controllers if name in arena]
            if stop.contact and any(robot.contacts for robot in there):
                why = "contact"
            elif any(arena.time - sequence.started >= stop.seconds - 1e-9 for sequence in controllers.values()):
                why = f"{stop.seconds:g} s elapsed"
            if why:
                for robot in there:
                    robot.stop()
            return why

        def summarise(episode: Episode) -> dict[str, dict[str, float]]:
            for name, sequence in controllers.items():
                sequence.check_motion(episode.robots[name].trace)
            complete = all(sequence.complete for sequence in controllers.values())
            done = {name: sum(task.done for task in sequence.results) for name, sequence in controllers.items()}
            return {name: {"tasks_done": done.get(name, 0), "complete": complete} for name in episode.robots}

        return Drivers(controllers=dict(controllers), devices=devices, until=ending, summarise=summarise)

    def describe(self) -> list[Any]:
        """Return the tasks, and the hashes of user code in them."""
        table = {k: v for k, v in self.plan.spec.to_table().items() if k not in ("seeds", "repetitions", "outputs")}
        return [table, sorted(filter(None, {hash_source(name) for name in _list_own_code(table)}))]

    def report_error_locations(self) -> AbstractContextManager[None]:
        """Errors of tasks are located by the caller."""
        return nullcontext()


def _list_own_code(value: Any) -> Iterator[str]:
    """Yield the names of tasks, wall followers and avoidances."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from (part,) if key in OWN_CODE and isinstance(part, str) else _list_own_code(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _list_own_code(part)


def _run(
    plan: PreparedScenario,
    run: RunSpec,
    arena: BaseArena,
    chosen: str | None,
    speed: float | None,
    on_step: OnStep | None,
) -> ScenarioResult:
    drivers = TaskDrivers(plan, run.seed, chosen).make(arena)
    interrupted, failure = False, None
    arena.episode = None
    try:
        run.run_in(arena, drivers, speed=speed, on_step=on_step)
    except KeyboardInterrupt:
        interrupted = True
    except (Exception, SystemExit) as error:
        if arena.episode is None:
            raise
        failure = error
    assert arena.episode is not None
    sequences = drivers.controllers
    return ScenarioResult(
        scenario=plan.spec.name,
        seed=run.seed,
        tasks=tuple(result for sequence in sequences.values() for result in sequence.results),
        complete=all(sequence.complete for sequence in sequences.values()),
        interrupted=interrupted,
        episode=arena.episode,
        world=find_run_world(arena, [arena[name] for name in sequences if name in arena]) or plan.world,
        error=failure,
    )


def find_run_world(arena: BaseArena, driven: Iterable[Robot]) -> WorldSpec | None:
    """Return the world of an arena for pictures of a run; None for a real robot.

    For a remote arena, add this run's robots and drop a floor image without a file.
    """
    world = arena.known_world
    if world is None:
        return None
    placed = []
    for robot in () if world.robots else driven:
        with suppress(LinkError):  # only supervisors may read poses
            x, y, heading = robot.pose
            placed.append(
                RobotPlacement(name=robot.name, type=robot.spec, at=(x, y), heading_deg=math.degrees(heading))
            )
    picture = world.floor.image
    if picture is not None and not world.resolve_path(picture).is_file():
        world = replace(world, floor=replace(world.floor, image=None))
    return world.with_robots(*placed) if placed else world


def _cast(plan: PreparedScenario, arena: BaseArena, chosen: str | None) -> Iterator[tuple[PreparedRobot, Robot]]:
    """Assign the scenario's robots to robots of an arena, by name; a single robot matches a single robot."""
    if chosen is not None and len(plan.robots) != 1:
        names = ", ".join(member.name for member in plan.robots)
        raise SimulationError(
            f"{plan.spec.name}: robot {chosen!r} was chosen, but this scenario drives {names}: leave robot out"
        )
    for member in plan.robots:
        if chosen is not None:
            robot = arena[chosen]
        elif member.name in arena.robots:
            robot = arena[member.name]
        elif len(plan.robots) == 1 == len(arena.robots):
            robot = next(iter(arena.robots.values()))
        else:
            names = ", ".join(list(arena.robots)[:12]) or "none"
            raise SimulationError(f"{plan.spec.name}: there is no robot called {member.name!r} here, only {names}")
        check_tasks(plan.spec, member.tasks, robot.name, robot.spec)
        yield member, robot


def _sequence(
    plan: PreparedScenario, member: PreparedRobot, robot: Robot, seed: int
) -> tuple[TaskSequence, tuple[str, ...]]:
    """Return the tasks of a robot, and the devices that they and their context need."""
    key = (member.name,) if len(plan.robots) > 1 else ()
    spec = plan.spec
    start, dt = _pose(robot), robot.arena.dt
    view = make_task_context(robot.spec, dt=dt, safety=spec.safety, odometry=spec.odometry, start=start)
    needs = [need for planned in member.tasks for need in planned.list_needs()]
    wanted = {sensor.name for need in needs if (sensor := sensor_for(need, robot.spec)) is not None}
    wanted |= {name for name in (view.compass, view.encoders) if name is not None}
    wanted |= {view.ranger.device} if view.ranger is not None else set()
    return TaskSequence(robot.name, member.tasks, view, seed, key, lambda: _pose(robot)), tuple(sorted(wanted))


def _pose(robot: Robot) -> Pose:
    try:
        return robot.pose
    except Refused:  # only supervisors may read poses
        return ORIGIN
