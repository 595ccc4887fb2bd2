"""TraceRecorder: takes down what one robot does, row by row, while it runs."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds
from paddock.episodes.events import Event
from paddock.episodes.trace import NUMBERS, TIME, DeviceReadings, Floats, Trace

UNKNOWN = Pose(math.nan, math.nan, math.nan)
NOTHING: Mapping[str, Any] = MappingProxyType({})
STANDSTILL = WheelSpeeds(0.0, 0.0)


class TraceRecorder:
    """Rows of one robot, in flat arrays that grow."""

    def __init__(
        self, robot: str, dt: float, *, error_of: str = "error", unit: str = "m", target: float | None = None
    ) -> None:
        """Begin a recording.

        Args:
            robot: its name.
            dt: length of a tick [s].
            error_of: what the errors are errors of, such as "wall distance".
            unit: of the errors and the target; lengths in "m" are shown in cm or mm where that reads better.
            target: what the quantity should be; an error is its value less the target.
        """
        self.robot, self.dt = robot, dt
        self.error_of, self.unit, self.target = error_of, unit, target
        self.events: list[Event] = []
        self._numbers = array("d")  # one row of NUMBERS after the other
        self._tasks: list[str] = []
        self._devices: dict[str, DeviceRows | None] = {}  # None: a picture, which no table can hold
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
            time: of the row [s], never earlier than that of the row before.
            pose: where the robot is [m, rad].
            estimated: where its own program takes it to be [m, rad].
            command: commanded wheel speeds left, right [m/s] from now on.
            wheels: actual wheel speeds left, right [m/s].
            readings: numbers, arrays of numbers or named tuples by device; pictures are left out.
            task: what it is doing from now on.
            error: how far it is from what the task wants, in the recording's unit.
            contacts: how many things it touched in the tick before.
            jumped: it was put elsewhere by hand since the row before.
        """
        if not time >= self.latest:
            raise PaddockError(
                f"trace of {self.robot!r}: a row at {time!r} s cannot follow one at {self.latest:g} s; "
                "begin a new recording for a new run"
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
        """Add many rows at once, later than all before.

        Args:
            numbers: see NUMBERS, shape (row, 14).
            readings: by device its first reading, and all, shape (row, channel).
            task: what it is doing meanwhile.
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
        """What was recorded up to now, from a row on; `more` are events of the whole arena."""
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
    """What one device read, row by row; rows that were left out are NaN."""

    __slots__ = ("labels", "name", "values", "width")

    def __init__(self, name: str, first: Any) -> None:
        self.name, self.values = name, array("d")
        if np.ndim(first) == 0:
            self.labels = [f"{name}.0" if name in NUMBERS or name in ("task", "events") else name]
        else:
            fields: Sequence[object] = getattr(first, "_fields", range(len(first)))
            self.labels = [f"{name}.{field}" for field in fields]
        self.width = len(self.labels)

    def add(self, row: int, value: Any) -> None:
        """Put a reading into a row, or several from that row on, shape (row, channel)."""
        self._fill(row)
        if isinstance(value, float):
            numbers = array("d", (value,))
        else:
            numbers = array("d", np.asarray(value, np.float64).tobytes())
        if len(numbers) != self.width and not (np.ndim(value) == 2 and np.shape(value)[1] == self.width):
            raise PaddockError(f"{self.name}: expected {self.width} channels as before, got {len(numbers)}")
        self.values.extend(numbers)

    def table(self, rows: int, first: int = 0) -> Floats:
        """All readings from a row on, shape (row, channel)."""
        self._fill(rows)
        return np.array(self.values[first * self.width :]).reshape(rows - first, self.width)

    def _fill(self, rows: int) -> None:
        missing = rows * self.width - len(self.values)
        if missing > 0:
            self.values.extend(array("d", (math.nan,)) * missing)
        elif missing < 0:  # a row that was refused half-way
            del self.values[missing:]
