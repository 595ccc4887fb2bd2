"""EpisodeRobot: one robot of a run, with its controller, its recording and its metrics."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from paddock.arena.body import RemovedBody
from paddock.arena.episodes.events import MOTIONS, Event
from paddock.arena.episodes.recorder import UNKNOWN, TraceRecorder
from paddock.arena.episodes.trace import ESTIMATE, POSE, Floats
from paddock.arena.localisation import make_odometry
from paddock.arena.metrics.meter import Meter
from paddock.arena.metrics.metric import Metric
from paddock.arena.robot import Robot
from paddock.arena.run_monitor import list_attribute, text_attribute
from paddock.control.policies.policy import RunStart, TimedPolicy, is_timed
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, Refused
from paddock.core.geometry import Pose
from paddock.core.motion import Motion, States
from paddock.core.observation import Observation, acting
from paddock.core.user_code import explain_error
from paddock.perception.estimation import Estimate, Odometry


def begin_run(policy: TimedPolicy, robot: Robot) -> None:
    """Initialise a policy for a run with its robot and its random seed."""
    drive, seeds = robot.spec.drive, np.array([robot.arena.seed], np.int64)
    start = RunStart(seeds, robot.name, robot.arena.dt, drive.wheel_separation, drive.max_speed)
    policy.begin_run(policy.memory[None], start)


class EpisodeRobot:
    """A recorded robot.

    A controller may have attributes that are recorded: `task` (a str), `error` (a number in its unit), `estimate`
    (an Estimate, which the page shows as well) or `estimated_pose`, and `events`. Without an estimate, dead reckoning
    with enabled wheel encoders is recorded. `map_view` (a MapView) is shown on the page, and a method `set_goal(x, y)`
    receives goals from the page (see RunMonitor). A method `end(reason)` is called when the run ends.
    """

    def __init__(
        self, robot: Robot, controller: Any, metrics: Sequence[Metric], events: Sequence[Event], first: int = 0
    ) -> None:
        """Create the recording of a robot. `events` are those of the run, of which the first ones do not concern it."""
        self.robot, self.name, self.controller = robot, robot.name, controller
        self.act: Callable[[Observation], Any] | None = None if controller is None else acting(controller)
        if is_timed(controller):
            begin_run(controller, robot)
        self.recorder = TraceRecorder(
            robot.name,
            robot.arena.dt,
            error_of=text_attribute(self.controller, "error_of", "error"),
            unit=text_attribute(self.controller, "unit", "m"),
            target=self._number("target"),
        )
        robot.wheels.capped = 0
        self.left = False  # whether it was removed from the arena, and its trace has ended
        self._events = events
        self._recorded = self._measured = first  # number of events that the last row and the metrics reflect
        self.computed: Mapping[str, float] | None = None  # figures of its metrics, at the end of a run
        self.answers = 0  # number of commands of its controller that were not None
        self.meter = self._meter(metrics)
        self._odometry: tuple[str, Odometry] | None = None

    def _meter(self, metrics: Sequence[Metric]) -> Meter | None:
        measured = [metric for metric in metrics if self.measures(metric)]
        absent = [metric for metric in metrics if metric.robot in (None, self.name) and metric not in measured]
        self._absent = {name: math.nan for metric in absent for name in metric.names()}
        if not measured:
            return None
        motion = self._motion()
        world = self.robot.arena.known_world
        states = self.robot.body.states(everyone=True)
        meter = Meter(measured, motion, self.robot.arena.dt, robot=self.name, world=world, states=states)
        for device in meter.devices:
            if not self.robot.device(device).enabled:
                self.robot.device(device).enable()
        return meter

    def measures(self, metric: Metric) -> bool:
        """Whether a metric applies to this robot, and the robot has the device of the metric."""
        device = metric.required_device()
        return metric.robot in (None, self.name) and (device is None or device in self.robot.devices)

    def is_concerned_by(self, event: Event) -> bool:
        """Whether an event belongs to its trace."""
        return event.robot in (None, self.name) and not (self.left and event.kind == "end")

    def compute_results(self) -> Mapping[str, float]:
        """Compute the figures of its metrics by name."""
        return self._absent if self.meter is None else self.meter.compute_results() | self._absent

    @property
    def silent(self) -> bool:
        """Whether neither its controller nor another client ever sent a command."""
        return not self.answers and not any(self.robot.body.command)

    def drive(self, now: float | None) -> None:
        """Run one control cycle, and record a row of the trace if given the time `now` [s]."""
        assert self.act is not None
        seen = self.robot.sense()
        motion = None if now is None else self._read_motion()[:2]  # before a command changes it
        command = self.act(seen)
        if command is not None:
            self.answers += 1
            self.robot.apply(command, self.act)
        if self.meter is not None:  # only now, since a tick in which the controller raises is not simulated
            self.meter.sense(seen)
        self.robot.arena.monitor.show(self.name, self.controller)
        if now is not None and motion is not None:
            self._record(now, motion, seen)

    @property
    def senses(self) -> bool:
        """Whether its metrics need the readings of every tick."""
        return self.meter is not None and bool(self.meter.devices)

    def stand_by(self, now: float | None) -> None:
        """Sense without a controller, and record a row of the trace if given the time `now` [s]."""
        seen = self.robot.sense()
        if self.meter is not None:
            self.meter.sense(seen)
        if now is not None:
            self._record(now, self._read_motion()[:2], seen)

    def move(self, ticks: int) -> None:
        """Update the metrics after some ticks."""
        if self.meter is not None:
            motion, known, states = self._read_motion(states=True)
            self.meter.move(motion, ticks, jumped=self._was_moved(self._measured, known), states=states)
            self._measured = known

    def finish(self, reason: str, now: float) -> None:
        """Call the controller's `end(reason)` and record the final state of the robot."""
        self.robot.arena.monitor.estimates.pop(self.name, None)
        end = getattr(self.controller, "end", None)
        if callable(end):
            try:
                end(reason)
            except Exception as error:  # keep the recorded data
                self._warn(now, f"its controller's end() failed: {explain_error(error)}")
        try:
            self._record_end(now)
        except Exception as error:  # in an attribute of the controller; keep the recorded data
            self._warn(now, f"the last state of its controller is missing: {explain_error(error)}")
        wheels = self.robot.wheels
        if wheels.capped:
            text = f"{wheels.capped} commands were capped at {wheels.max_speed:g} m/s, the maximum wheel speed"
            self._warn(now, text)

    def _record_end(self, now: float) -> None:
        monitor = self.robot.arena.monitor
        if self.name in monitor.maps:
            monitor.show_map(self.name, self.controller)
        with contextlib.suppress(PaddockError):  # the robot may be removed or unreachable; earlier rows are kept
            seen = self.robot.sense()
            if now > self.recorder.latest:  # else the arena has just been reset
                self._record(now, self._read_motion()[:2], seen)
        self.recorder.events += list_attribute(self.controller, "events", Event)

    def _warn(self, now: float, text: str) -> None:
        self.recorder.events.append(Event(time=now, kind="warning", robot=self.name, text=text))

    def _motion(self) -> Motion:
        try:
            return self.robot.body.motion()
        except Refused:  # only supervisors may read true poses
            return Motion(UNKNOWN, self.robot.wheels.speeds, math.nan)

    def _read_motion(self, *, states: bool = False) -> tuple[Motion, int, States | None]:
        """Return the motion, the number of events that it reflects, and the simulation's rows for its metrics.

        Other threads may move the robot meanwhile.
        """
        everyone = self.meter is not None and self.meter.sees_everyone
        while True:
            known = len(self._events)
            motion, rows = self._motion(), self.robot.body.states(everyone=everyone) if states else None
            if known == len(self._events):
                return motion, known, rows

    def _was_moved(self, first: int, last: int) -> bool:
        """Whether the robot was moved by hand by some of the events."""
        return first != last and any(
            e.kind in MOTIONS and e.robot in (None, self.name) for e in self._events[first:last]
        )

    def _number(self, name: str) -> float | None:
        """Return a numeric attribute of the controller, or None."""
        value = getattr(self.controller, name, None)
        return float(value) if isinstance(value, int | float | np.floating) else None

    def _record(self, time: float, state: tuple[Motion, int], seen: Observation) -> None:
        motion, known = state
        readings = {name: getattr(seen, name) for name in seen.sensors}
        self.recorder.add(
            time,
            motion.pose,
            estimated=self._estimate(readings, motion.pose),
            command=self.robot.body.command,
            wheels=motion.wheels,
            readings=readings,
            task=text_attribute(self.controller, "task"),
            error=self._number("error"),
            contacts=motion.contacts,
            jumped=self._was_moved(self._recorded, known),
        )
        self._recorded = known

    def add_rows(self, numbers: Floats, readings: Mapping[str, tuple[Any, Floats]]) -> None:
        """Add many rows at once. `readings` has each device's first reading and all of them, shape (row, channel)."""
        encoders = self._encoders
        if getattr(self.controller, "estimated_pose", None) is not None or encoders in readings:
            for i, row in enumerate(numbers):
                seen = {encoders: readings[encoders][1][i]} if encoders in readings else {}
                row[ESTIMATE] = self._estimate(seen, Pose(*row[POSE].tolist()))
        self.recorder.add_rows(numbers, readings, text_attribute(self.controller, "task"))

    @property
    def _encoders(self) -> str:
        """Name of its wheel encoders; empty if it has none."""
        return next((device.name for device in self.robot.devices.values() if device.spec.kind == "encoders"), "")

    def _estimate(self, readings: Mapping[str, Any], pose: Pose) -> Pose | None:
        """Return the estimated pose: the controller's estimate, else dead reckoning with the encoders."""
        whole = getattr(self.controller, "estimate", None)
        estimate = whole.pose if isinstance(whole, Estimate) else getattr(self.controller, "estimated_pose", None)
        if isinstance(estimate, tuple) and len(estimate) == 3 and all_finite(*estimate):
            return Pose(*estimate)
        if self._odometry is None:
            device = self._encoders
            if device not in readings:
                return None
            self._odometry = device, make_odometry(self.robot.spec, pose)
        device, odometry = self._odometry
        return odometry.update(*readings[device].tolist()) if device in readings else None


def has_left(robot: Robot) -> bool:
    """Whether a robot was removed from its arena."""
    return isinstance(robot.body, RemovedBody)
