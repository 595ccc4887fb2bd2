"""Trace: the recording of one robot, with times, poses, wheel speeds, readings, contacts, tasks and events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.arena.episodes.events import Event
from paddock.arena.metrics.meter import Meter
from paddock.arena.metrics.metric import Metric
from paddock.arena.metrics.metric_registry import make_metrics
from paddock.core.display import display_html
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose
from paddock.core.motion import Motion
from paddock.core.observation import WheelSpeeds
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    import pandas

Floats = NDArray[np.float64]

# Columns of `numbers`.
NUMBERS = (
    "time", "x", "y", "heading", "estimated_x", "estimated_y", "estimated_heading",
    "command_left", "command_right", "left", "right", "contacts", "jumped", "error",
)  # fmt: skip
TIME, POSE, ESTIMATE, COMMAND, WHEELS = 0, slice(1, 4), slice(4, 7), slice(7, 9), slice(9, 11)
CONTACT, JUMP, ERROR = 11, 12, 13


class Span(NamedTuple):
    """A task with its start and end time [s]."""

    task: str
    start: float
    end: float


class DeviceReadings(NamedTuple):
    """Readings of one device: a label per channel, and values of shape (row, channel), NaN while it was disabled."""

    labels: tuple[str, ...]
    values: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """Recording of one robot. All arrays have one row per recorded time step. A slice of a trace is a trace."""

    robot: str
    dt: float  # length of a tick [s]
    numbers: Floats  # see NUMBERS, shape (row, 14); NaN if unknown
    readings: Mapping[str, DeviceReadings] = field(default_factory=dict)  # by device
    tasks: tuple[str, ...] = ()  # the task of each row; empty if no row has a task
    events: tuple[Event, ...] = ()
    error_of: str = "error"  # quantity of the errors, such as "wall distance"
    unit: str = "m"  # of the errors and the target
    target: float | None = None  # target value of the quantity; an error is its value minus the target

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        end = f", {self.time[0]:g} to {self.time[-1]:g} s" if len(self) else ""
        return f"<Trace of {self.robot}: {len(self)} rows{end}, devices: {', '.join(self.readings) or 'none'}>"

    def _repr_html_(self) -> str | None:
        return display_html("trace", self)

    def __getitem__(self, rows: slice) -> Trace:
        """Return a trace of some of the rows, with the events of their time span."""
        if not isinstance(rows, slice) or (rows.step or 1) < 0:
            expected = "a slice of rows in order of time, trace[10:20]"
            raise PaddockError(f"trace of {self.robot}: expected {expected}, got {rows!r}")
        numbers = self.numbers[rows].copy()
        if len(numbers):  # a jump in an omitted row belongs to the next row
            numbers[1:, JUMP] = np.diff(np.cumsum(self.numbers[:, JUMP] > 0)[rows]) != 0
        first, last = (numbers[0, TIME], numbers[-1, TIME]) if len(numbers) else (np.inf, -np.inf)
        return replace(
            self,
            numbers=numbers,
            readings={name: device._replace(values=device.values[rows]) for name, device in self.readings.items()},
            tasks=self.tasks[rows],
            events=tuple(event for event in self.events if first <= event.time <= last),
        )

    @property
    def time(self) -> Floats:
        """Time of each row [s], shape (row)."""
        return self.numbers[:, TIME]

    @property
    def pose(self) -> Floats:
        """Pose x, y [m], heading [rad], shape (row, 3): true pose in a simulation, odometry on a real robot."""
        return self.numbers[:, POSE]

    @property
    def estimated_pose(self) -> Floats:
        """Pose estimated by the robot's controller, x, y [m], heading [rad], shape (row, 3)."""
        return self.numbers[:, ESTIMATE]

    @property
    def commands(self) -> Floats:
        """Commanded wheel speeds left, right [m/s] from the time of each row on, shape (row, 2)."""
        return self.numbers[:, COMMAND]

    @property
    def wheels(self) -> Floats:
        """Actual wheel speeds left, right [m/s], shape (row, 2)."""
        return self.numbers[:, WHEELS]

    @property
    def contacts(self) -> Floats:
        """Number of contacts in the tick before each row, shape (row); a short contact can lie between two rows."""
        return self.numbers[:, CONTACT]

    @property
    def errors(self) -> Floats:
        """Error of the task in `unit`, shape (row)."""
        return self.numbers[:, ERROR]

    @property
    def jumps(self) -> NDArray[np.bool_]:
        """Whether the robot was moved by hand since the previous row, shape (row)."""
        return self.numbers[:, JUMP] > 0

    def path(self) -> Floats:
        """Return x, y [m] with a row of NaN at each jump, where a plotted line is interrupted."""
        return np.insert(self.pose[:, :2], np.flatnonzero(self.jumps), np.nan, axis=0)

    def reading(self, device: str) -> Floats:
        """Return the readings of a device, shape (row, channel)."""
        if device not in self.readings:
            raise UnknownName("recorded device", device, self.readings)
        return self.readings[device].values

    def channels(self) -> dict[str, Floats]:
        """Return each channel of each device by its column name, such as `proximity.3`."""
        return {
            label: column
            for device in self.readings.values()
            for label, column in zip(device.labels, device.values.T, strict=True)
        }

    def spans(self) -> list[Span]:
        """Return the tasks in order of time. Each ends when the next one starts, the last one with the last row."""
        starts = [event.time - self.dt / 2 for event in self.events if event.kind == "task"]
        first_rows = set(np.searchsorted(self.time, starts).tolist())  # of tasks that may have the same name
        spans: list[Span] = []
        for i, (task, time) in enumerate(zip(self.tasks, self.time.tolist(), strict=False)):  # no tasks: no spans
            if spans:
                spans[-1] = spans[-1]._replace(end=time)
            if not spans or task != self.tasks[i - 1] or i in first_rows:
                spans.append(Span(task, time, time))
        return spans

    def evaluate(self, metrics: Sequence[Metric | str], world: WorldSpec | None = None) -> dict[str, float]:
        """Compute metrics from the trace, by name.

        They equal those of the run if the trace has one row per tick and the robot was not moved by hand.

        Args:
            metrics: metrics to compute; also by name, as "distance" or "my_file.py:Mine".
            world: world of the run, for metrics that depend on it.
        """
        if not len(self):
            raise PaddockError(f"trace of {self.robot}: it has no rows to evaluate")
        steps = np.diff(self.time)
        whole = len(steps) == 0 or bool((np.rint(steps / self.dt) == 1).all())
        dt = self.dt if whole else float(steps.mean())
        meter = Meter(make_metrics(metrics, "evaluate"), self._motion(0), dt, robot=self.robot, world=world)
        jumps = self.jumps
        for row in range(1, len(self)):
            meter.sense({device: self.reading(device)[row - 1] for device in meter.devices})
            meter.move(self._motion(row), jumped=bool(jumps[row]))
        return meter.compute_results()

    def _motion(self, row: int) -> Motion:
        pose, wheels = Pose(*self.pose[row].tolist()), WheelSpeeds(*self.wheels[row].tolist())
        return Motion(pose, wheels, float(self.contacts[row]))

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return all columns of the table: numbers, task, events as text, and the channels of all devices."""
        texts = [""] * len(self)
        for event in self.events:
            row = min(int(np.searchsorted(self.time, event.time, side="left")), len(self) - 1)
            if row >= 0:
                texts[row] += ("; " if texts[row] else "") + f"{event.kind}: {event.text}"
        numbers = dict(zip(NUMBERS, self.numbers.T, strict=True))
        return {**numbers, "task": self.tasks or [""] * len(self), "events": texts, **self.channels()}

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas DataFrame with a column for each number, task, events and channel."""
        from paddock.arena.episodes.trace_files import import_extra

        return import_extra("pandas").DataFrame(self.columns())  # type: ignore[no-any-return]

    def save(self, path: str | Path) -> None:
        """Write the trace as `.csv`, `.npz` or `.parquet`, depending on the file name extension."""
        from paddock.arena.episodes.trace_files import save_trace

        save_trace(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Read a trace written by `save`. Events of a CSV file have the times of their rows."""
        from paddock.arena.episodes.trace_files import load_trace

        return load_trace(Path(path))


def iterate_events(traces: Sequence[Trace]) -> Iterator[tuple[str, Event]]:
    """Iterate over the events of several traces in order of time, with the robot's name. Arena events occur once."""
    found: dict[tuple[str, Event], None] = {}
    for trace in traces:
        for event in trace.events:
            found[event.robot or "", event] = None
    yield from sorted(found, key=lambda entry: entry[1].time)
