"""Run a scenario: sense, think, act, until all tasks are done or something ends it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import paddock
from paddock.arena import Arena, Robot
from paddock.control.tasks import Task, TaskContext, find_task
from paddock.control.tasks.base import MOTION
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.places import place_of, problem_of
from paddock.engine.clock import Pacer
from paddock.scenarios.body import sensor_for, view_of
from paddock.scenarios.draws import chance
from paddock.scenarios.prepare import Prepared, prepare
from paddock.scenarios.result import ScenarioResult, TaskResult
from paddock.scenarios.spec import ScenarioSpec

STANDSTILL = WheelSpeeds(0.0, 0.0)


class Log(Protocol):
    """Where a run is written down, tick by tick."""

    def note(
        self,
        time: float,
        pose: Pose,
        *,
        believed: Pose | None,
        wheels: tuple[float, float],
        readings: Mapping[str, Any],
        task: str,
        error: float | None,
        contact: bool,
    ) -> None: ...

    def say(self, time: float, text: str) -> None: ...


OnTick = Callable[["Run"], None]
Shown = Callable[[Arena], AbstractContextManager[Any]]


def run_scenario(
    spec: ScenarioSpec | Prepared,
    *,
    seed: int,
    log: Log | None = None,
    speed: float | None = None,
    on_tick: OnTick | None = None,
    shown: Shown = nullcontext,
) -> ScenarioResult:
    """Run a scenario once.

    Args:
        spec: the scenario; a mistake in it is refused before anything runs.
        seed: decides all noise and all drawn parameters.
        log: written to in every tick, and at the end.
        speed: 1 for real time, 50 for fifty times that; None for as fast as possible.
        on_tick: called after every tick, with the run.
        shown: entered with the arena before the run, left after it; `paddock.show` fits.
    """
    plan = spec if isinstance(spec, Prepared) else prepare(spec)
    with paddock.open(plan.world, seed=seed) as arena, shown(arena):
        return Run(plan, arena, seed, log).to_the_end(speed, on_tick)


def run_all(
    spec: ScenarioSpec,
    *,
    log_of: Callable[[Prepared], Log | None] = lambda plan: None,
    speed: float | None = None,
    on_tick: OnTick | None = None,
    shown: Shown = nullcontext,
) -> Iterator[ScenarioResult]:
    """All runs of a scenario, one per seed and repetition; Ctrl-C ends the present one, which is the last."""
    plan = prepare(spec)
    for seed in spec.run_seeds():
        result = run_scenario(plan, seed=seed, log=log_of(plan), speed=speed, on_tick=on_tick, shown=shown)
        yield result
        if result.interrupted:
            return


class Run:
    """One run of a scenario."""

    def __init__(self, plan: Prepared, arena: Arena, seed: int, log: Log | None) -> None:
        self.plan, self.arena, self.seed, self.log = plan, arena, seed, log
        self.robot: Robot = arena[plan.robot]
        self.view = _view(plan, arena, self.robot)
        self.task: Task[Any] | None = None  # the present one
        self.results: list[TaskResult] = []
        self.ended = ""
        self.distance = 0.0
        self.motion = 0.0  # the way [m] and the turn [rad] added up, to know whether it moved at all
        self.contact_ticks = 0

    @property
    def now(self) -> float:
        """Simulated seconds, without the dust of floating point."""
        return round(self.arena.time, 9)

    def to_the_end(self, speed: float | None, on_tick: OnTick | None) -> ScenarioResult:
        """Sense, think, act; again and again."""
        pacer, interrupted = Pacer(speed), False
        try:
            while not self.ended:
                pacer.wait(self.arena.time)
                seen = self.sense()
                wheels = self.think(seen)
                self.act(seen, wheels)
                if on_tick is not None:
                    on_tick(self)
        except KeyboardInterrupt:
            self.finish("interrupted")
            interrupted = True
        self.robot.stop()
        self._note(STANDSTILL)
        return self._result(interrupted)

    def sense(self) -> Observation:
        """Read the devices; estimate the pose from wheels and compass."""
        seen = self.robot.sense()
        self.view.update(seen)
        return seen

    def think(self, seen: Observation) -> WheelSpeeds:
        """Ask the present task; start the next one where it has nothing more to do."""
        while True:
            if self.task is None:
                if len(self.results) == len(self.plan.spec.tasks):
                    self.finish("all tasks have ended")
                    return STANDSTILL
                self._start_next()
            assert self.task is not None
            wheels = self._ask_task(seen)
            if not self.task.done:
                return wheels
            self._close_task(self.task.why, done=not self.task.failed)

    def _ask_task(self, seen: Observation) -> WheelSpeeds:
        assert self.task is not None
        try:
            return self.task.act(seen)
        except Exception as error:
            where = place_of(error)
            if where is None:
                raise
            raise PaddockError(f"{where}: {problem_of(error)}") from error

    def act(self, seen: Observation, wheels: WheelSpeeds) -> None:
        """Set the wheels, let a tick pass, and see whether something ends the run."""
        if self.ended:
            return
        before = self.robot.pose
        self._note(wheels, seen)
        self.robot.wheels.set(*wheels)
        self.arena.step()
        x, y, heading = self.robot.pose
        step = math.dist(before[:2], (x, y))
        self.distance += step
        self.motion += step + abs(wrap(heading - before.heading))
        touching = bool(self.robot.contacts)
        self.contact_ticks += touching
        stop = self.plan.spec.stop
        if touching and stop.contact:
            self.finish("contact")
        elif self.arena.time >= stop.seconds - 1e-9:
            self.finish(f"{stop.seconds:g} s are over")

    def finish(self, why: str) -> None:
        """End the run, and the present task with it."""
        if self.task is not None:
            self._close_task(why, done=False)
        self.ended = self.ended or why
        self._say(f"ended: {self.ended}")

    def _start_next(self) -> None:
        number = len(self.results)
        planned = self.plan.spec.tasks[number]
        parameters = planned.drawn(self.seed, number)
        self.task = find_task(planned.task)(parameters)
        self.view.chance = lambda key: chance(self.seed, number, "while running", key)
        self.task.start(self.view)
        self._drawn, self._began, self._motion_before = parameters.to_table(), self.now, self.motion
        shown = ", ".join(f"{key} = {value}" for key, value in self._drawn.items())
        self._say(f"task {number + 1}: {self.task.name}" + (f" ({shown})" if shown else ""))

    def _close_task(self, why: str, *, done: bool) -> None:
        assert self.task is not None
        now = self.now
        if done and self.task.moves and now > self._began and self.motion - self._motion_before < MOTION:
            why, done = f"did not move: {why}", False
        self.results.append(
            TaskResult(name=self.task.name, parameters=self._drawn, began=self._began, ended=now, why=why, done=done)
        )
        self._say(f"task {len(self.results)}: {self.task.name} ended after {now - self._began:.2f} s: {why}")
        self.task = None

    def _note(self, wheels: WheelSpeeds, seen: Observation | None = None) -> None:
        if self.log is not None:
            self.log.note(
                self.arena.time,
                self.robot.pose,
                believed=self.view.estimated_pose,
                wheels=wheels,
                readings={} if seen is None else {name: getattr(seen, name) for name in seen},
                task="" if self.task is None else self.task.name,
                error=None if self.task is None else self.task.error,
                contact=bool(self.robot.contacts),
            )

    def _say(self, text: str) -> None:
        if self.log is not None:
            self.log.say(self.arena.time, text)

    def _result(self, interrupted: bool) -> ScenarioResult:
        every = len(self.results) == len(self.plan.spec.tasks)
        return ScenarioResult(
            scenario=self.plan.spec.name,
            seed=self.seed,
            tasks=tuple(self.results),
            ended=self.ended,
            complete=every and all(result.done for result in self.results),
            interrupted=interrupted,
            seconds=self.now,
            ticks=self.arena.tick,
            distance=self.distance,
            contact_seconds=round(self.contact_ticks * self.arena.dt, 9),
            digest=self.arena.digest(),
        )


def _view(plan: Prepared, arena: Arena, robot: Robot) -> TaskContext:
    """The tasks' view of the robot; the devices that it and they need are switched on."""
    spec = plan.spec
    view = view_of(plan.body, dt=arena.dt, safety=spec.safety, odometry=spec.odometry, start=robot.pose)
    needs = [need for planned in spec.tasks for need in find_task(planned.task).needs]
    wanted = {sensor.name for need in needs if (sensor := sensor_for(need, plan.body)) is not None}
    wanted |= {name for name in (view.compass, view.encoders) if name is not None}
    wanted |= {view.ranger.device} if view.ranger is not None else set()
    if wanted:
        robot.enable(*sorted(wanted))
    return view
