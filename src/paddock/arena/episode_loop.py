"""The one loop in Python in which controllers drive robots: sense, act, step, record; on any arena."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paddock.arena.episode_robot import EpisodeRobot
from paddock.arena.robot import Robot
from paddock.core.errors import PaddockError, PaddockWarning
from paddock.core.places import error_location, problem_of
from paddock.engine.clock import Pacer
from paddock.episodes import Episode, Event, RobotRecord
from paddock.episodes.events import MOTIONS
from paddock.metrics.base import Metric

if TYPE_CHECKING:
    from paddock.arena.base import BaseArena

Until = Callable[["BaseArena"], Any]  # something true ends the run; a text says why
OnStep = Callable[["BaseArena"], object]
ALL_GOALS = "all goals are reached"
LONG_SILENCE = 1.0  # [s] without an answer of a controller, or a command from elsewhere, is worth a warning


@dataclass(frozen=True, kw_only=True)
class EpisodePlan:
    """What `arena.run` was asked for."""

    ticks: int
    controllers: Mapping[Robot, Any]
    recorded: Sequence[Robot]  # whose traces are kept, the driven ones first
    every: int  # ticks between two rows of a trace
    metrics: Sequence[Metric] = ()
    until: Until | None = None
    on_step: OnStep | None = None
    speed: float | None = None
    renew: Callable[[], Mapping[str, Any]] | None = None  # makes the controllers anew after a reset


class EpisodeLoop:
    """One run: begun anew after a reset; ended by time, `until`, goals, controllers, Ctrl-C or a crash.

    A controller with attributes `done` and `reason` ends the run once all such controllers are done.
    """

    def __init__(self, arena: BaseArena, plan: EpisodePlan) -> None:
        self.arena, self.plan = arena, plan
        self.events: list[Event] = []  # the arena appends to it
        self._handled = 0  # of them
        self.acting: str | None = None  # the robot whose controller is at work
        self.controllers = dict(plan.controllers)
        self.begin()

    def begin(self) -> None:
        """Begin with empty traces, from where the robots are now."""
        self.start = self.arena.tick
        self.robots = [
            EpisodeRobot(robot, self.controllers.get(robot), self.plan.metrics) for robot in self.plan.recorded
        ]
        followed = {robot.robot for robot in self.robots}
        others = [EpisodeRobot(r, c, ()) for r, c in self.controllers.items() if r not in followed]
        self.driven = [robot for robot in self.robots if robot.act is not None]
        self.unrecorded = others  # driven robots of a large world whose traces are not kept
        self._measured = [robot for robot in self.robots if robot.meter is not None]
        self._goals = [robot.meter for robot in self.robots if robot.meter is not None and robot.meter.ahead >= 0]
        self._finite: list[Any] = [c for c in self.controllers.values() if hasattr(c, "done") and hasattr(c, "reason")]
        self._next_row = 0  # ticks since the start at which a row is due

    @property
    def passed(self) -> int:
        """Ticks since the start."""
        return self.arena.tick - self.start

    def run(self, drive: Callable[[EpisodeLoop], str]) -> Episode:
        """Let `drive` run and keep what was recorded, whatever ends it."""
        former = self.arena.collect_events(self.events)
        try:
            reason = drive(self)
        except BaseException as error:
            crashed = not isinstance(error, KeyboardInterrupt)
            self._stop_robots()
            self.arena.collect_events(former)
            self.arena.episode = self._finish(self._describe(error) if crashed else "interrupted", failed=crashed)
            raise
        self.arena.collect_events(former)
        self.arena.episode = self._finish(reason)
        self._warn()
        return self.arena.episode

    def drive(self) -> str:
        """Sense, act and step until something ends it; why it ended."""
        plan, arena = self.plan, self.arena
        pacer = Pacer(plan.speed)
        while not (reason := self._end()):
            pacer.wait(arena.time)
            self._act()
            if self._finite and all(controller.done for controller in self._finite):
                return self._finite[0].reason or "all controllers are done"
            before = arena.tick
            arena.step()
            if self.look_at_events():
                continue
            ticks = arena.tick - before  # more than one where time runs by itself
            for robot in self._measured:
                robot.move(ticks)
            if plan.on_step is not None:
                self.acting = None
                plan.on_step(arena)
                self.look_at_events()
        return reason

    def _end(self) -> str:
        plan, arena = self.plan, self.arena
        if plan.until is not None and (why := plan.until(arena)):
            return why if isinstance(why, str) else "until"
        if self._goals and not any(meter.ahead for meter in self._goals):
            return ALL_GOALS
        return self.time_is_over if self.passed >= plan.ticks else ""

    @property
    def time_is_over(self) -> str:
        """The reason of a run that took all its time."""
        return f"{round(self.plan.ticks * self.arena.dt, 9):g} s are over"

    def _act(self) -> None:
        due = self.passed >= self._next_row
        if due:
            self._next_row = (self.passed // self.plan.every + 1) * self.plan.every
        for robot in self.driven:
            self.acting = robot.name
            robot.drive(due)
        for robot in self.unrecorded:
            self.acting = robot.name
            robot.drive(False)
        if due:
            self.acting = None
            for robot in self.robots:
                if robot.act is None:
                    robot.record()

    def look_at_events(self) -> bool:
        """Take new events into account; whether the run began again."""
        while self._handled < len(self.events):
            event = self.events[self._handled]
            self._handled += 1
            if event.kind == "reset":
                self._restart()
                return True
            if event.kind in MOTIONS:
                for robot in self.robots:
                    if event.robot in (None, robot.name):
                        robot.jump()
        return False

    def _restart(self) -> None:
        """After a reset: fresh controllers, fresh traces, and the whole time again."""
        if self.plan.renew is not None:
            self.controllers = {self.arena[name]: new for name, new in self.plan.renew().items()}
        else:
            for controller in self.controllers.values():
                reset = getattr(controller, "reset", None) or getattr(
                    controller, "forget", None
                )  # policies have the latter
                if callable(reset):
                    reset()
        self.arena.rewind()
        del self.events[: self._handled - 1]  # others may append meanwhile
        self._handled = 1
        self.begin()

    def _stop_robots(self) -> None:
        """A robot without a controller must not drive on."""
        for robot in (*self.driven, *self.unrecorded):
            with contextlib.suppress(PaddockError):  # it may have left, or be out of reach
                robot.robot.stop()

    def _describe(self, error: BaseException) -> str:
        where = error_location(error)
        return f"{where}: {problem_of(error)}" if where else problem_of(error)

    def _finish(self, reason: str, *, failed: bool = False) -> Episode:
        arena, time = self.arena, self.arena.time
        culprit = self.acting if failed else None
        common = [*self.events, Event(time=time, kind="end", text=f"ended: {reason}")]
        for robot in self.robots:
            robot.finish(reason)
        records = {
            robot.name: RobotRecord(
                trace=robot.recorder.trace([event for event in common if event.robot in (None, robot.name)]),
                metrics=robot.figures,
            )
            for robot in self.robots
        }
        events = {event: None for record in records.values() for event in record.trace.events} | dict.fromkeys(common)
        try:
            digest = arena.digest()
        except PaddockError:  # a real robot has none, and not everyone may ask a server for it
            digest = None
        return Episode(
            robots=records,
            events=tuple(sorted(events, key=lambda event: event.time)),
            reason=reason,
            ticks=self.passed,
            seconds=round(self.passed * arena.dt, 9),
            digest=digest,
            failed=failed,
            culprit=culprit,
        )

    def _warn(self) -> None:
        for robot in self.driven:
            if self.passed * self.arena.dt >= LONG_SILENCE and robot.silent:
                warnings.warn(
                    f"the controller of {robot.name!r} always answered None, and the robot never moved: "
                    "expected (left, right) in m/s, or a Command; is there a `return` missing?",
                    PaddockWarning,
                    stacklevel=4,
                )
