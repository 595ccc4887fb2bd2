"""RunLog: what one robot did, noted tick by tick in flat arrays."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose
from paddock.worlds.spec import WorldSpec

Floats = NDArray[np.float64]
NUMBERS = ("time", "x", "y", "heading", "believed_x", "believed_y", "believed_heading", "left", "right", "error")
TIME, POSE, BELIEVED, WHEELS, ERROR = 0, slice(1, 4), slice(4, 7), slice(7, 9), 9
OTHERS = ("task", "contact")  # columns of a trace that are no plain numbers
UNKNOWN = Pose(math.nan, math.nan, math.nan)
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Span(NamedTuple):
    """A task and when it was done [s]."""

    task: str
    start: float
    end: float


class Line(NamedTuple):
    """Something worth telling, and when it happened [s]."""

    time: float
    text: str


class RunLog:
    """What one robot did: a row of numbers for every note, and lines of text."""

    def __init__(
        self,
        world: WorldSpec,
        robot: str,
        dt: float,
        *,
        measured: str = "error",
        unit: str = "m",
        target: float | None = None,
    ) -> None:
        """Begin a log.

        Args:
            world: where it happens.
            robot: the robot's name in that world.
            dt: length of a tick [s].
            measured: what the errors are errors of, such as "wall distance".
            unit: of the errors and the target; lengths in "m" are shown in cm or mm where that reads better.
            target: what the measured quantity should be; an error is the measured value less the target.
        """
        names = [placed.name for placed in world.robots]
        if robot not in names:
            raise UnknownName(f"robot in {world.name}", robot, names)
        self.world, self.robot, self.dt = world, robot, dt
        self.measured, self.unit, self.target = measured, unit, target
        self.lines: list[Line] = []
        self._numbers = array("d")  # one row of NUMBERS after the other
        self._tasks = array("l")  # number of the task of every note
        self._task_numbers: dict[str, int] = {}
        self._contacts = bytearray()
        self._devices: dict[str, Readings | None] = {}  # None: a picture, which no table can hold
        self._latest = -math.inf

    def note(
        self,
        time: float,
        pose: Pose,
        *,
        believed: Pose | None = None,
        wheels: tuple[float, float] = (0.0, 0.0),
        readings: Mapping[str, Any] = NOTHING,
        task: str = "",
        error: float | None = None,
        contact: bool = False,
    ) -> None:
        """Add a row.

        Args:
            time: of the note [s], never earlier than that of the one before.
            pose: where the robot really is [m, rad].
            believed: where it thinks it is [m, rad].
            wheels: rim speeds left, right [m/s].
            readings: numbers, arrays of numbers or named tuples by device; pictures are left out.
            task: what it is doing from now on.
            error: how far it is from what the task wants, in the unit of the log.
            contact: whether it touched anything since the last note.
        """
        if not time >= self._latest:
            raise PaddockError(
                f"log of {self.robot!r}: a note at {time!r} s cannot follow one at {self._latest:g} s; "
                "begin a new log for a new run"
            )
        x, y, heading = pose
        believed_x, believed_y, believed_heading = UNKNOWN if believed is None else believed
        left, right = wheels
        off = math.nan if error is None else error
        row = array("d", (time, x, y, heading, believed_x, believed_y, believed_heading, left, right, off))
        for name, value in readings.items():
            device = self._devices[name] if name in self._devices else self._add_device(name, value)
            if device is not None:
                device.add(len(self._contacts), value)
        self._latest = time
        self._numbers.extend(row)
        self._tasks.append(self._task_numbers.setdefault(task, len(self._task_numbers)))
        self._contacts.append(bool(contact))

    def say(self, time: float, text: str) -> None:
        """Add a line of text at a time [s]."""
        self.lines.append(Line(float(time), text))

    def _add_device(self, name: str, value: Any) -> Readings | None:
        self._devices[name] = Readings(name, value) if np.ndim(value) <= 1 else None
        return self._devices[name]

    # What was noted. Arrays are copies, with a row for every note.

    def __len__(self) -> int:
        return len(self._contacts)

    @property
    def numbers(self) -> Floats:
        """All NUMBERS, shape (note, 10); unknown ones are NaN."""
        return np.array(self._numbers).reshape(-1, len(NUMBERS))

    @property
    def times(self) -> Floats:
        """Time of every note [s]."""
        return self.numbers[:, TIME]

    @property
    def poses(self) -> Floats:
        """True x, y [m], heading [rad], shape (note, 3)."""
        return self.numbers[:, POSE]

    @property
    def believed(self) -> Floats:
        """Believed x, y [m], heading [rad], shape (note, 3)."""
        return self.numbers[:, BELIEVED]

    @property
    def wheels(self) -> Floats:
        """Rim speeds left, right [m/s], shape (note, 2)."""
        return self.numbers[:, WHEELS]

    @property
    def errors(self) -> Floats:
        """Errors in the log's unit."""
        return self.numbers[:, ERROR]

    @property
    def contacts(self) -> NDArray[np.bool_]:
        """Whether the robot touched anything since the note before."""
        return np.frombuffer(bytes(self._contacts), np.bool_)

    @property
    def tasks(self) -> list[str]:
        """The task of every note."""
        names = list(self._task_numbers)
        return [names[number] for number in self._tasks]

    def spans(self) -> list[Span]:
        """The tasks one after the other; the last one ends with the last note."""
        if not self:
            return []
        numbers, times, names = np.array(self._tasks), self.times, list(self._task_numbers)
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        ends = np.append(times[first[1:]], times[-1])
        return [
            Span(names[numbers[i]], float(times[i]), float(end)) for i, end in zip(first.tolist(), ends, strict=True)
        ]

    def channels(self) -> dict[str, Floats]:
        """Every channel of every sensor by its column's name; rows without a reading are NaN."""
        columns: dict[str, Floats] = {}
        for device in self._devices.values():
            if device is not None:
                columns.update(zip(device.labels, device.table(len(self)).T, strict=True))
        return columns


class Readings:
    """What one device read, a row for every note; rows that were left out are NaN."""

    __slots__ = ("labels", "name", "values", "width")

    def __init__(self, name: str, first: Any) -> None:
        self.name, self.values = name, array("d")
        self.labels: list[str]
        if np.ndim(first) == 0:
            taken = name in NUMBERS or name in OTHERS
            self.labels = [f"{name}.0" if taken else name]
        else:
            fields: Sequence[object] = getattr(first, "_fields", range(len(first)))
            self.labels = [f"{name}.{field}" for field in fields]
        self.width = len(self.labels)

    def add(self, row: int, value: Any) -> None:
        """Put a reading into a row."""
        self._fill(row)
        if isinstance(value, float):
            numbers = array("d", (value,))
        else:
            numbers = array("d", np.asarray(value, np.float64).tobytes())
        if len(numbers) != self.width:
            raise PaddockError(f"{self.name}: expected {self.width} channels as before, got {len(numbers)}")
        self.values.extend(numbers)

    def table(self, rows: int) -> Floats:
        """All readings, shape (note, channel)."""
        self._fill(rows)
        return np.array(self.values).reshape(rows, self.width)

    def _fill(self, rows: int) -> None:
        missing = rows * self.width - len(self.values)
        if missing > 0:
            self.values.extend(array("d", (math.nan,)) * missing)
        elif missing < 0:  # a note that was refused half-way
            del self.values[missing:]
