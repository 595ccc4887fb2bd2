"""BatchResult: the result of a run of many worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paddock.arena.batches.batch_tables import ROW_COMMAND_LEFT, ROW_CONTACTS, ROW_HEADING, ROW_LEFT, ROW_X
from paddock.arena.episodes import Episode, Event, RobotRecord
from paddock.arena.episodes.trace import COMMAND, CONTACT, JUMP, NUMBERS, POSE, TIME, WHEELS
from paddock.core.errors import SimulationError, UnknownName
from paddock.simulation.engine.model import Floats, Ints

if TYPE_CHECKING:
    from paddock.arena.batches.batch import Batch


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class BatchResult:
    """Result of a run of W worlds with N robots."""

    metrics: Mapping[str, Floats]  # by name, shape (W, N)
    ticks: Ints  # ticks that every world ran, shape (W)
    poses: Floats  # at the end: x, y [m], heading [rad], shape (W, N, 3)
    rows: Floats  # traces from the start, see batches/batch_tables.py; NaN after a world's end; shape (W, rows, N, ·)
    last: Floats  # row of every world at its end, shape (W, 1, N, ·); without traces (W, 0, N, ·)
    devices: Sequence[Sequence[str]]  # names of the devices whose readings the rows contain, for every robot
    every: int  # ticks between two rows
    reached: NDArray[np.bool_]  # whether a world stopped because all goals were reached, shape (W)
    start: Ints  # first tick of every world, shape (W)
    batch: Batch = field(compare=False)

    def __repr__(self) -> str:
        return f"<BatchResult of {len(self.ticks)} worlds: {', '.join(self.metrics) or 'no metrics'}>"

    def __getitem__(self, name: str) -> Floats:
        if name not in self.metrics:
            raise UnknownName("metric", name, self.metrics)
        return self.metrics[name]

    @property
    def trace(self) -> Floats:
        """Poses x, y [m], heading [rad] of all rows, shape (W, rows, N, 3)."""
        return self.rows[..., ROW_X : ROW_HEADING + 1]

    def episode(self, world: int) -> Episode:
        """Return one of the worlds as an episode, with a trace and the metrics of each robot."""
        from paddock.arena.compiled_run import make_trace

        reason = self.reason(world)
        arena, dt, ran = self.batch.arena(world), self.batch.dt, int(self.ticks[world])
        full = -(-ran // self.every)  # rows before the last one
        rows = np.concatenate([self.rows[world, :full], self.last[world]])
        ticks = self.start[world] + np.array([*(self.every * np.arange(full)), ran])[: len(rows)]
        end = Event(time=(int(self.start[world]) + ran) * dt, kind="end", text=f"ended: {reason}")
        records = {}
        for robot, name in enumerate(self.batch.robots):
            metrics = {figure: float(values[world, robot]) for figure, values in self.metrics.items()}
            trace = make_trace(arena[name], self.devices[robot], ticks, rows[:, robot], [end])
            records[name] = RobotRecord(trace=trace, metrics=metrics)
        now = int(self.batch.ticks[world]) == self.start[world] + ran  # the batch has not run since
        return Episode(
            robots=records,
            events=(end,),
            reason=reason,
            ticks=ran,
            seconds=round(ran * dt, 9),
            digest=self.batch.digest(world) if now else None,
            world=self.batch.scenes[world % len(self.batch.scenes)].spec,
        )

    def reason(self, world: int) -> str:
        """Return the reason why one of the worlds ended."""
        if not isinstance(world, (int, np.integer)) or not 0 <= world < len(self.ticks):
            raise SimulationError(f"world: expected a whole number from 0 to {len(self.ticks) - 1}, got {world!r}")
        if self.reached[world]:
            return "all goals are reached"
        return f"{round(int(self.ticks[world]) * self.batch.dt, 9):g} s elapsed"


def trace_numbers(rows: Floats, ticks: Ints, dt: float) -> Floats:
    """Convert rows of the compiled loop, with their ticks, to rows of a Trace, see episodes/trace.py."""
    numbers = np.full((len(rows), len(NUMBERS)), np.nan)
    numbers[:, TIME] = ticks * dt
    numbers[:, POSE] = rows[:, ROW_X : ROW_HEADING + 1]
    numbers[:, COMMAND] = rows[:, ROW_COMMAND_LEFT:ROW_LEFT]
    numbers[:, WHEELS] = rows[:, ROW_LEFT:ROW_CONTACTS]
    numbers[:, CONTACT] = rows[:, ROW_CONTACTS]
    numbers[:, JUMP] = 0.0
    return numbers
