"""The control loop in Python for any arena: sense, act, step, record."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paddock.arena.episode_plan import EpisodePlan, Pacer
from paddock.arena.episode_robot import EpisodeRobot, has_left
from paddock.arena.episodes import Episode, Event, RobotRecord
from paddock.arena.run_monitor import text_attribute
from paddock.core.errors import PaddockError, SimulationError
from paddock.core.user_code import error_location, explain_array, explain_error, warn_user

if TYPE_CHECKING:
    from paddock.arena.base_arena import BaseArena

ALL_GOALS = "all goals are reached"
ALL_LEFT = "all robots have left"
LONG_SILENCE = 1.0  # [s] without any command, after which a warning is shown


class EpisodeLoop:
    """One run. A reset restarts it; the time limit, `until`, goals, controllers, Ctrl-C or an exception end it.

    If controllers have the attributes `done` and `reason`, the run ends once all of these are done.
    """

    def __init__(self, arena: BaseArena, plan: EpisodePlan) -> None:
        self.arena, self.plan = arena, plan
        self.events: list[Event] = []  # the arena appends to it
        self._handled = 0  # number of events already processed
        self.acting: str | None = None  # the robot whose controller is running
        self.controllers = dict(plan.controllers)
        self.begin()

    def begin(self) -> None:
        """Start with empty traces, from the current poses of the robots."""
        self.controllers = {robot: c for robot, c in self.controllers.items() if not has_left(robot)}
        recorded = [robot for robot in self.plan.recorded if not has_left(robot)]
        about = self.events, self._handled
        self.robots = [
            EpisodeRobot(robot, self.controllers.get(robot), self.plan.metrics, *about) for robot in recorded
        ]
        self.arena.recorders = {robot.name: robot.recorder for robot in self.robots}
        others = self.controllers.keys() - set(recorded)  # in a large world, driven robots without a trace
        self.unrecorded = [
            EpisodeRobot(robot, c, (), *about) for robot, c in self.controllers.items() if robot in others
        ]
        self._next_row = 0  # ticks since the start at which a row is due
        self.arena.monitor.begin({robot.name: controller for robot, controller in self.controllers.items()})
        self._sort_robots()
        self.passed = 0  # ticks since the start
        self._shift = 0  # ticks by which the arena's clock was set back
        self.arena.update_time()  # the clock may be free-running
        self.start = self._tick = self.arena.tick  # _tick: the last tick that was counted

    def _sort_robots(self) -> None:
        """Sort the robots that still exist by driven, idle and measured ones."""
        there = [robot for robot in self.robots if not robot.left]
        self._empty = bool(self.robots) and not there
        self.driven = [robot for robot in there if robot.act is not None]
        self._idle = [robot for robot in there if robot.act is None]
        self._sensing = [robot for robot in self._idle if robot.senses]  # these need the readings of every tick
        self._measured = [robot for robot in there if robot.meter is not None]
        self._goals = [robot.meter for robot in there if robot.meter is not None and robot.meter.ahead >= 0]
        acting = [robot.controller for robot in (*self.driven, *self.unrecorded)]
        self._finite: list[Any] = [c for c in acting if is_finite(c)]

    def count_ticks(self) -> int:
        """Count the ticks since the last call, and return their number."""
        ticks = max(0, self.arena.tick - self._tick)  # a state of a remote arena may be older than the last answer
        self._tick += ticks
        self.passed += ticks
        return ticks

    @property
    def time(self) -> float:
        """Time of the arena [s], which continues if a snapshot was restored."""
        return self.arena.time + self._shift * self.arena.dt if self._shift else self.arena.time

    def run(self, drive: Callable[[EpisodeLoop], str]) -> Episode:
        """Call `drive` and store the episode, even after an exception."""
        former = self.arena.collect_events(self.events)
        try:
            reason = drive(self)
            self._compute_results()
        except BaseException as error:
            crashed = not isinstance(error, KeyboardInterrupt)
            if remark := explain_array(error):
                error.add_note(remark.removeprefix("; "))
            with contextlib.suppress(Exception):  # a metric may have raised, or a robot may be unreachable
                if self._handled == len(self.events) and self._tick <= self.arena.tick:  # else it was set back
                    self._measure_ticks()
                self._compute_results()
            self._stop_robots()
            self.arena.collect_events(former)
            self.arena.episode = self._finish(self._describe(error), failed=True) if crashed else self._interrupt()
            raise
        self.arena.collect_events(former)
        self.arena.episode = self._finish(reason)
        self._warn()
        return self.arena.episode

    def drive(self) -> str:
        """Sense, act and step until the run ends. Return the reason."""
        plan, arena = self.plan, self.arena
        pacer = Pacer(plan.speed)
        while not (reason := self._end()):
            pacer.wait(self.time)
            self._act()
            if self._finite and all(controller.done for controller in self._finite):
                return text_attribute(self._finite[0], "reason") or "all controllers are done"
            arena.step()
            if self.look_at_events(uncounted=1):
                continue
            self._measure_ticks()
            if plan.on_step is not None:
                self.acting = None
                plan.on_step(arena)
                self.look_at_events()
        return reason

    def _compute_results(self) -> None:
        for robot in self.robots:
            if robot.computed is None:
                robot.computed = robot.compute_results()

    def _measure_ticks(self) -> None:
        ticks = self.count_ticks()  # more than one if the clock is free-running
        for robot in self._measured if ticks else ():
            ask(robot, robot.move, ticks)

    def _end(self) -> str:
        plan, arena = self.plan, self.arena
        if plan.until is not None and (why := plan.until(arena)):
            return why if isinstance(why, str) else "until"
        if self._goals and not any(meter.ahead for meter in self._goals):
            return ALL_GOALS
        if self.passed >= plan.ticks:
            return self.time_is_over
        return ALL_LEFT if self._empty else ""

    @property
    def time_is_over(self) -> str:
        """Reason of a run that ended at its time limit."""
        return f"{round(self.plan.ticks * self.arena.dt, 9):g} s elapsed"

    def _act(self) -> None:
        due = self.passed >= self._next_row
        if due:
            self._next_row = (self.passed // self.plan.every + 1) * self.plan.every
        now = self.time if due else None
        if self.arena.monitor.goals:
            self.arena.monitor.give_goals()
        for robot in self.driven:
            self.acting = robot.name
            ask(robot, robot.drive, now)
        for robot in self.unrecorded:
            self.acting = robot.name
            ask(robot, robot.drive, None)
        self.acting = None
        for robot in self._idle if now is not None else self._sensing:
            ask(robot, robot.stand_by, now)

    def look_at_events(self, uncounted: int = 0) -> bool:
        """Process new events. Return whether the run restarted. `uncounted` ticks have passed but are not counted."""
        while self._handled < len(self.events):
            event = self.events[self._handled]
            self._handled += 1
            if event.kind == "reset":
                self._restart()
                return True
            if event.kind == "restore":
                self._tick = self.arena.tick - uncounted
                self._shift = self.start + self.passed - self._tick
            if self._shift:
                self.events[self._handled - 1] = replace(event, time=self.time)
            if event.kind == "remove":
                self._end_traces(event)
        return False

    def _end_traces(self, event: Event) -> None:
        """End the trace of a removed robot."""
        for robot in self.robots:
            if robot.name == event.robot and not robot.left:
                robot.finish(str(event), self.time)
                robot.left = True
        self.unrecorded = [robot for robot in self.unrecorded if robot.name != event.robot]
        self._sort_robots()

    def _restart(self) -> None:
        """Restart after a reset, with new controllers, new traces and the full duration."""
        if self.plan.renew is not None:
            fresh = self.plan.renew()
            self.controllers = {self.arena[name]: new for name, new in fresh.items() if name in self.arena}
        else:
            for controller in self.controllers.values():
                reset = getattr(controller, "reset", None) or getattr(
                    controller, "forget", None
                )  # policies have the latter
                if callable(reset):
                    reset()
        self.arena.rewind()
        del self.events[: self._handled - 1]  # other threads may append at the same time
        self._handled = 1
        self.begin()

    def _stop_robots(self) -> None:
        """Stop the driven robots, so that none drives on without a controller."""
        for robot in (*self.driven, *self.unrecorded):
            with contextlib.suppress(PaddockError):  # the robot may be removed or unreachable
                robot.robot.stop()

    def _describe(self, error: BaseException) -> str:
        where = error_location(error)
        return f"{where}: {explain_error(error)}" if where else explain_error(error)

    def _interrupt(self) -> Episode:
        return replace(self._finish("interrupted"), nondeterminism="it depends on when the run was interrupted")

    def _finish(self, reason: str, *, failed: bool = False) -> Episode:
        arena, time = self.arena, self.time
        culprit = self.acting if failed else None
        common = [*self.events, Event(time=time, kind="end", text=f"ended: {reason}")]
        for robot in self.robots:
            if not robot.left:
                robot.finish(reason, time)
        arena.monitor.end()
        records = {
            robot.name: RobotRecord(
                trace=robot.recorder.trace([event for event in common if robot.is_concerned_by(event)]),
                metrics=robot.computed or {},
            )
            for robot in self.robots
        }
        events = {event: None for record in records.values() for event in record.trace.events} | dict.fromkeys(common)
        return Episode(
            robots=records,
            events=tuple(sorted(events, key=lambda event: event.time)),
            reason=reason,
            ticks=self.passed,
            seconds=round(self.passed * arena.dt, 9),
            digest=arena.known_digest,
            failed=failed,
            culprit=culprit,
            nondeterminism=arena.nondeterminism,
            world=arena.known_world,
        )

    def _warn(self) -> None:
        for robot in self.driven:
            if self.passed * self.arena.dt >= LONG_SILENCE and robot.silent:
                warn_user(
                    f"the controller of {robot.name!r} always returned None, and the robot never moved: "
                    "expected (left, right) in m/s, or a Command; is a `return` missing?",
                    author=robot.act,
                )


def ask(robot: EpisodeRobot, action: Callable[[Any], None], argument: Any) -> None:
    """Call an action of a robot. Ignore the error if the robot was removed, since an event reports that."""
    try:
        action(argument)
    except SimulationError:
        if not has_left(robot.robot):
            raise


def is_finite(controller: Any) -> bool:
    """Whether a controller reports its end by `done` and `reason`; methods of these names have another meaning."""
    return all(hasattr(controller, name) and not callable(getattr(controller, name)) for name in ("done", "reason"))
