"""Runs in the compiled loop: its tables, and their traces and metrics for the episode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.arena.batches.batch_result import trace_numbers
from paddock.arena.batches.batch_tables import FIRST_MARK, FIRST_SUM, ROW_COLUMNS
from paddock.arena.batches.loop import loop_for
from paddock.arena.batches.metric_sums import compute_results, find_summing_robot, make_metric_sums, write_motions
from paddock.arena.batches.policy_table import build_policy_table, check_runs, remember
from paddock.arena.episode_loop import ALL_GOALS, EpisodeLoop
from paddock.arena.episode_robot import EpisodeRobot, has_left
from paddock.arena.episodes import Event, Trace
from paddock.arena.metrics.metric import RunTime
from paddock.arena.robot import Robot
from paddock.control.policies.policy import Policy
from paddock.core.errors import DeviceNotEnabled, DeviceRefused
from paddock.core.jit import progress_while_compiling
from paddock.simulation.engine.model import Bytes, Floats, Ints
from paddock.simulation.engine.state import HEADING, X
from paddock.simulation.worlds.build import BuiltWorld

if TYPE_CHECKING:
    from paddock.arena.arena import Arena


def check_devices(robot: Robot, policy: Policy) -> None:
    """Raise if a device of a policy is disabled, incomplete or polled only."""
    for device in (robot.device(name) for name in policy.devices):
        if not device.enabled:
            raise DeviceNotEnabled(robot.name, device.name)
        if device.some_are_off:
            raise DeviceRefused(f"{device}: a policy needs the whole ring: call {device}.enable()")
        if device.polled:
            raise DeviceRefused(f"{device} is polled only, so a policy cannot read it: call poll_only(False)")


def drive_compiled(arena: Arena, loop: EpisodeLoop) -> str:
    """Sense, act and step in the compiled loop; metrics and traces are those of the loop in Python."""
    plan = loop.plan
    policies = {arena.numbers[robot.name]: (robot, policy) for robot, policy in plan.controllers.items()}
    by_number = {number: policy for number, (_, policy) in policies.items()}
    table = build_policy_table(arena.built, by_number)
    for robot, policy in policies.values():
        check_devices(robot, policy)
    for followed in loop.robots:
        mask = followed.robot.chosen.mask  # all devices that sense() would read, used by a policy or not
        table.enabled[arena.numbers[followed.name], : len(mask)] = mask
    recording = CompiledRecording(loop, arena.built, arena.motion, table.enabled)
    compiled = loop_for(by_number.values(), arena.model, arena.built.sensor_kinds, plan.metrics)
    more = (table, np.zeros(max(1, arena.built.values)), recording.sums, np.zeros(1, np.int64))
    with progress_while_compiling("its compiled loop", compiled):
        compiled(arena.model, arena.state, arena.commands, arena.scratch, *more, 0)

    def run_slice(*tables: Any) -> None:
        try:
            compiled.compiled(*tables)
        finally:  # Ctrl-C is raised when the kernel has returned
            loop.count_ticks()

    try:
        rows = recording if recording.has_rows else None
        arena.advance_kernel(plan.ticks, run_slice, *more, run=rows, interrupted=lambda: bool(loop.events))
    finally:
        remember(table, by_number)
        recording.hand_over()
    check_runs(table, by_number)
    if loop.events:  # an intervention from another thread
        recording.resume_in_python()
        loop.look_at_events()
        return loop.drive()
    return loop.time_is_over if loop.passed >= plan.ticks else ALL_GOALS


class CompiledRecording:
    """The tables that the compiled loop writes to, for the robots of an episode."""

    def __init__(self, loop: EpisodeLoop, built: BuiltWorld, motion: Floats, enabled: Bytes) -> None:
        self.loop = loop
        plan = loop.plan
        self._numbers = {robot.name: i for i, robot in enumerate(built.spec.robots)}
        # Rows contain all robots. If only some robots of a large world are recorded, only the first row is allocated.
        self.has_rows = len(loop.robots) == len(built.robots)
        self.every = plan.every if self.has_rows else max(1, plan.ticks)
        rows = -(-plan.ticks // self.every) + 1
        poses, ticks = motion[None, :, X : HEADING + 1].copy(), np.array([loop.start])
        self.sums = make_metric_sums([built], plan.metrics, enabled, poses, ticks, rows, self.every)
        write_motions(self.sums.trace[:, 0], motion[None])

    def hand_over(self) -> None:
        """Pass the rows and figures of the run to the episode's robots, which record the last row themselves."""
        loop, plan = self.loop, self.loop.plan
        rows = max(0, -(-loop.passed // self.every))
        for robot in loop.robots:
            robot.answers, robot.computed = 1, {}  # no figures if a metric raises
            if rows > 0:
                ticks = loop.start + self.every * np.arange(rows)
                add_compiled_rows(robot, ticks, self.sums.trace[0, :rows, self._numbers[robot.name]])
        results = compute_results(self.sums, plan.metrics, RunTime(np.array([[loop.passed]]), loop.arena.dt))
        for robot in loop.robots:
            number = self._numbers[robot.name]
            mine = [name for metric in plan.metrics if metric.robot in (None, robot.name) for name in metric.names()]
            robot.computed = {name: float(results[name][0, number]) for name in mine}

    def resume_in_python(self) -> None:
        """Prepare for the Python loop to continue the run from here."""
        for robot in self.loop.robots:
            if has_left(robot.robot):
                continue
            number = self._numbers[robot.name]
            robot.computed = None
            if robot.meter is not None:
                tables = []
                for metric, row, slots in zip(self.loop.plan.metrics, *self.sums[:2], strict=True):
                    if robot.measures(metric):
                        source = find_summing_robot(slots) if metric.of_world else number
                        sums, marks = self.sums.sums[0, source], self.sums.marks[0, source]
                        tables.append((sums[row[FIRST_SUM] :], marks[row[FIRST_MARK] :]))
                body = robot.robot.body
                robot.meter.resume(tables, body.motion(), self.loop.passed, body.states(everyone=True))


def add_compiled_rows(robot: EpisodeRobot, ticks: Ints, rows: Floats) -> None:
    """Add all rows of one robot at once, since adding single rows would take longer than the run itself."""
    readings = {}
    for name, slot in robot.robot.chosen.slots.items():
        values = rows[:, ROW_COLUMNS + slot.first : ROW_COLUMNS + slot.last]
        first = slot.show(values[0])
        readings[name] = first, np.asarray(slot.show(values) if isinstance(first, np.ndarray) else values, float)
    robot.add_rows(trace_numbers(rows, ticks, robot.robot.arena.dt), readings)


def make_trace(robot: Robot, devices: Sequence[str], ticks: Ints, rows: Floats, events: Sequence[Event]) -> Trace:
    """Return the trace of a robot that a batch has driven, from its rows with the readings of some devices."""
    for name in devices:
        robot.enable(name)
    recorded = EpisodeRobot(robot, None, (), events)
    if len(rows):
        add_compiled_rows(recorded, ticks, rows)
    return recorded.recorder.trace(events)
