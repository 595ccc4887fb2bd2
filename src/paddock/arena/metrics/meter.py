"""Meter: computes the metrics of one robot outside of the compiled loop, with the same kernels."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from paddock.arena.metrics.metric import Metric, RunTime, refuse_unknown_state
from paddock.arena.metrics.metric_dispatch import note_motion, note_readings
from paddock.arena.metrics.metric_registry import NOTE_MOTION, NOTE_READINGS, get_metric_number
from paddock.core.errors import PaddockError
from paddock.core.jit import explain_mistakes
from paddock.core.motion import Motion, States
from paddock.simulation.engine.model import Bytes, Floats
from paddock.simulation.engine.state import CONTACTS, HEADING, LEFT_SPEED, PANS, RIGHT_SPEED, X
from paddock.simulation.worlds.world_spec import WorldSpec

MAX_UNSEEN = 1000  # maximum number of unobserved ticks that are added one by one


class Meter:
    """Updates metrics tick by tick. Call `sense` before a tick and `move` after it."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        motion: Motion,
        dt: float,
        *,
        robot: str,
        world: WorldSpec | None = None,
        states: States | None = None,
    ) -> None:
        """Create the tables of the metrics.

        Args:
            metrics: metrics to compute; those of other robots are ignored.
            motion: current motion of the robot.
            dt: length of a tick [s].
            robot: name of the robot.
            world: world of the robot; None if unknown, as for a real robot.
            states: the simulation's rows; None if only its motion is known, as of remote robots and in traces.
        """
        self.dt, self.ticks, self.robot = dt, 0, robot
        self._parts = [Part(metric, motion.pose, world, robot) for metric in metrics if metric.robot in (None, robot)]
        self._goals = [part for part in self._parts if part.metric.is_goal]
        self.devices = tuple({part.device: None for part in self._parts if part.device is not None})
        self.sees_everyone = any(part.sees_everyone for part in self._parts)  # whether it needs the rows of all robots
        if states is None:
            for part in self._parts:
                refuse_unknown_state(part.metric, robot)
        self._set_state(motion, states)
        for part in self._parts:  # load kernels before robots move, since a Ctrl-C during loading is lost
            with explain_mistakes(part.metric.kernel):
                self._note_motion(part, part.sums.copy(), part.marks.copy())

    @property
    def ahead(self) -> int:
        """Number of goals that the robot has not reached yet; -1 if it has none."""
        return sum(part.sums[-1] < 0 for part in self._goals) if self._goals else -1

    def resume(
        self, tables: Sequence[tuple[Floats, Bytes]], motion: Motion, ticks: int, states: States | None = None
    ) -> None:
        """Continue from the sums and marks of each metric computed by the compiled loop."""
        self.ticks = ticks
        for part, (sums, marks) in zip(self._parts, tables, strict=True):
            part.sums[:], part.marks[:] = sums[: len(part.sums)], marks[: len(part.marks)]
        self._set_state(motion, states)

    def sense(self, readings: Mapping[str, Any] | Any) -> None:
        """Process the readings before a tick: an observation, or a mapping by device."""
        for part in self._parts:
            if part.device is not None:
                values = readings[part.device] if isinstance(readings, Mapping) else getattr(readings, part.device)
                loaded = part.row is not None
                part.row = np.atleast_1d(np.asarray(values, np.float64))
                with nullcontext() if loaded else explain_mistakes(part.metric.kernel):
                    part.note_readings(part.number, part.numbers, part.row, 0, len(part.row), self._state, part.sums)

    def move(self, motion: Motion, ticks: int = 1, *, jumped: bool = False, states: States | None = None) -> None:
        """Process the motion after a tick, or after several if the clock is free-running and only the last is known."""
        for passed in range(ticks):
            if 0 < passed < MAX_UNSEEN:
                self._sense_again()
            self.ticks += 1
            if passed == 0:
                self._set_state(motion, states)
            for part in self._parts if passed < MAX_UNSEEN else ():
                if jumped:
                    part.metric.skip_jump(part.sums, motion.pose)
                self._note_motion(part, part.sums, part.marks)

    def _note_motion(self, part: Part, sums: Floats, marks: Bytes) -> None:
        rows, row = self._states
        part.note_motion(part.number, part.numbers, rows, row, self._state, self.ticks, self.dt, sums, marks)

    def _sense_again(self) -> None:
        for part in self._parts:
            if part.row is not None:
                part.note_readings(part.number, part.numbers, part.row, 0, len(part.row), self._state, part.sums)

    def _set_state(self, motion: Motion, states: States | None) -> None:
        if states is None:
            states = States(np.full((1, PANS), np.nan), 0)  # what is unknown is NaN, never a number
            row = states.rows[0]
            row[X : HEADING + 1] = motion.pose
            row[LEFT_SPEED : RIGHT_SPEED + 1] = motion.wheels
            row[CONTACTS] = motion.contacts
        self._states, self._state = states, states.rows[states.robot]

    def compute_results(self) -> dict[str, float]:
        """Return the figures by name."""
        run = RunTime(np.array([[self.ticks]]), self.dt)
        return {
            name: float(np.asarray(value).reshape(()))
            for part in self._parts
            for name, value in part.metric.compute_by_name(part.sums[None, None], run).items()
        }


class Part:
    """One metric of a Meter, with its tables."""

    __slots__ = (
        "device", "marks", "metric", "note_motion", "note_readings", "number", "numbers", "row", "sees_everyone",
        "sums",
    )  # fmt: skip

    def __init__(self, metric: Metric, pose: Sequence[float], world: WorldSpec | None, robot: str) -> None:
        self.metric, self.device, self.number = metric, metric.required_device(), get_metric_number(metric)
        self.row: Floats | None = None  # last reading of its device
        self.sees_everyone = "robots" in inspect.signature(metric.kernel.function).parameters
        self.note_motion = NOTE_MOTION.kernel_for(self.number, note_motion).compiled
        self.note_readings = NOTE_READINGS.kernel_for(self.number, note_readings).compiled
        if metric.scenes() not in (None, 1):
            raise PaddockError(f"{type(metric).__name__}: made for {metric.scenes()} worlds, but this run has one")
        if world is None and metric.needs_world:
            raise PaddockError(f"{type(metric).__name__}: the world of {robot!r} is not known")
        self.numbers: Floats = np.array(metric.numbers(world, 0), np.float64)  # type: ignore[arg-type]
        self.marks = np.zeros(metric.marks(world), np.uint8)  # type: ignore[arg-type]
        start = metric.start(np.array(pose, np.float64)[None, None], self.numbers[None])
        self.sums: Floats = np.ascontiguousarray(start[0, 0])
