"""TraceRecorder: records the rows of a robot's trace during a run."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from paddock.arena.episodes.events import Event
from paddock.arena.episodes.trace import NUMBERS, TIME, DeviceReadings, Floats, Trace
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds

UNKNOWN = Pose(math.nan, math.nan, math.nan)
NOTHING: Mapping[str, Any] = MappingProxyType({})
STANDSTILL = WheelSpeeds(0.0, 0.0)
TAKEN = (*NUMBERS, "task", "events", "about", "file", "allow_pickle")  # other columns, and names that .npz files use


class TraceRecorder:
    """Records the rows of one robot in flat, growing arrays."""

    def __init__(
        self, robot: str, dt: float, *, error_of: str = "error", unit: str = "m", target: float | None = None
    ) -> None:
        """Start a recording.

        Args:
            robot: name of the robot.
            dt: length of a tick [s].
            error_of: quantity of the errors, such as "wall distance".
            unit: unit of the errors and the target; small lengths in "m" are shown in cm or mm.
            target: target value of the quantity; an error is its value minus the target.
        """
        self.robot, self.dt = robot, dt
        self.error_of, self.unit, self.target = error_of, unit, target
        self.events: list[Event] = []
        self._numbers = array("d")  # one row of NUMBERS after the other
        self._tasks: list[str] = []
        self._devices: dict[str, DeviceRows | None] = {}  # None: an image, which does not fit into a table
        self.latest = -math.inf  # time of the last row [s]

    def __len__(self) -> int:
        return len(self._tasks)

    def add(
        self,
        time: float,
        pose: Pose,
        *,
        estimated: Pose | None = None,
        command: Sequence[float] = STANDSTILL,
        wheels: Sequence[float] = STANDSTILL,
        readings: Mapping[str, Any] = NOTHING,
        task: str = "",
        error: float | None = None,
        contacts: float = 0,
        jumped: bool = False,
    ) -> None:
        """Add a row.

        Args:
            time: time of the row [s], not earlier than that of the previous row.
            pose: pose of the robot [m, rad].
            estimated: pose estimated by its controller [m, rad].
            command: commanded wheel speeds left, right [m/s] from now on.
            wheels: actual wheel speeds left, right [m/s].
            readings: numbers, arrays of numbers or named tuples by device; images are left out.
            task: task from now on.
            error: error of the task, in the recording's unit.
            contacts: number of contacts in the previous tick.
            jumped: whether the robot was moved by hand since the previous row.
        """
        if not time >= self.latest:
            raise PaddockError(
                f"trace of {self.robot!r}: a row at {time!r} s cannot follow one at {self.latest:g} s; "
                "start a new recording for a new run"
            )
        off = math.nan if error is None else error
        row = array("d", (time, *pose, *(estimated or UNKNOWN), *command, *wheels, contacts, jumped, off))
        if len(row) != len(NUMBERS):
            raise PaddockError(f"trace of {self.robot!r}: expected two wheel speeds, got {command!r} and {wheels!r}")
        for name, value in readings.items():
            device = self._devices[name] if name in self._devices else self._add_device(name, value)
            if device is not None:
                device.add(len(self), value)
        self.latest = time
        self._numbers.extend(row)
        self._tasks.append(task)

    def add_rows(self, numbers: Floats, readings: Mapping[str, tuple[Any, Floats]], task: str = "") -> None:
        """Add many rows at once, later than all previous ones.

        Args:
            numbers: see NUMBERS, shape (row, 14).
            readings: by device, its first reading and all readings, shape (row, channel).
            task: task of all these rows.
        """
        for name, (first, table) in readings.items():
            device = self._devices[name] if name in self._devices else self._add_device(name, first)
            if device is not None:
                device.add(len(self), table)
        self.latest = float(numbers[-1, TIME])
        self._numbers.frombytes(np.ascontiguousarray(numbers).tobytes())
        self._tasks.extend([task] * len(numbers))

    def _add_device(self, name: str, value: Any) -> DeviceRows | None:
        self._devices[name] = DeviceRows(name, value) if np.ndim(value) <= 1 else None
        return self._devices[name]

    def trace(self, more: Sequence[Event] = (), *, first: int = 0) -> Trace:
        """Return the trace recorded so far, starting at row `first`. `more` are events of the whole arena."""
        rows, start = len(self), first * len(NUMBERS)
        begin = self._numbers[start + TIME] if 0 < first < rows else -math.inf
        devices = {name: device for name, device in self._devices.items() if device is not None}
        return Trace(
            self.robot,
            self.dt,
            np.array(self._numbers[start:]).reshape(-1, len(NUMBERS)),
            {name: DeviceReadings(tuple(device.labels), device.table(rows, first)) for name, device in devices.items()},
            tuple(self._tasks[first:]) if any(self._tasks) else (),
            tuple(sorted((e for e in (*self.events, *more) if e.time >= begin), key=lambda event: event.time)),
            self.error_of,
            self.unit,
            self.target,
        )


class DeviceRows:
    """Readings of one device in rows; omitted rows are NaN."""

    __slots__ = ("labels", "name", "values", "width")

    def __init__(self, name: str, first: Any) -> None:
        self.name, self.values = name, array("d")
        if np.ndim(first) == 0:
            self.labels = [f"{name}.0" if name in TAKEN else name]
        else:
            fields: Sequence[object] = getattr(first, "_fields", range(len(first)))
            self.labels = [f"{name}.{field}" for field in fields]
        self.width = len(self.labels)

    def add(self, row: int, value: Any) -> None:
        """Add a reading at a row, or several from that row on, shape (row, channel)."""
        self._fill(row)
        if isinstance(value, float):
            numbers = array("d", (value,))
        else:
            numbers = array("d", np.asarray(value, np.float64).tobytes())
        if len(numbers) != self.width and not (np.ndim(value) == 2 and np.shape(value)[1] == self.width):
            raise PaddockError(f"{self.name}: expected {self.width} channels as before, got {len(numbers)}")
        self.values.extend(numbers)

    def table(self, rows: int, first: int = 0) -> Floats:
        """Return all readings from a row on, shape (row, channel)."""
        self._fill(rows)
        return np.array(self.values[first * self.width :]).reshape(rows - first, self.width)

    def _fill(self, rows: int) -> None:
        missing = rows * self.width - len(self.values)
        if missing > 0:
            self.values.extend(array("d", (math.nan,)) * missing)
        elif missing < 0:  # a row that was refused partway
            del self.values[missing:]
