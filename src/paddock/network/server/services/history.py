"""History of a run since the last reset, at a reduced rate, for pages that are opened during a run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Arena, Robot
from paddock.core.observation import Readings
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import Service, handles
from paddock.network.server.core.session import Session
from paddock.report.recordings.streams import handle_with_all
from paddock.simulation.engine.state import LEFT_SPEED, RIGHT_SPEED, X, Y

log = logging.getLogger("paddock.server")

MAX_SAMPLES, LEAST_SAMPLES = 600, 16
MAX_POINTS = 120_000  # of all robots together
FIRST_INTERVAL = 0.04  # simulated seconds between samples; doubles whenever there are too many
FEW_ROBOTS = 12  # with more robots, readings are not stored
MAX_CHANNELS = 16  # of a device with more values only the minimum is stored: a scan's nearest distance
SLACK = 0.02  # metres that rounding and contacts may add to the distance driven by the wheels
COLUMNS = [X, Y, LEFT_SPEED, RIGHT_SPEED]


class RunSample(NamedTuple):
    """All robots at one tick."""

    tick: int
    numbers: Mapping[str, int]  # row of each robot
    rows: NDArray[np.float32]  # columns COLUMNS, shape (robots, 4)
    jumps: NDArray[np.bool_]  # which robots were teleported since the previous sample
    readings: dict[str, dict[str, Readings]]  # by robot and device


class RunHistory:
    """Samples at equal intervals of simulated time. When there are too many, every second one is dropped.

    This bounds the memory and the work: each time the length of a run doubles, half of the maximum number is added.

    Args:
        arena: the recorded arena.
        list_spawned: returns robots that clients spawned, with arbitrary sensors; their readings are not stored.
    """

    def __init__(self, arena: Arena, list_spawned: Callable[[], Collection[str]] = frozenset) -> None:
        self.arena, self._list_spawned = arena, list_spawned
        self._failed = False
        self._layout = -1
        self.clear()

    def clear(self) -> None:
        """Delete all samples, because the time was set back."""
        self.samples: list[RunSample] = []
        self.due = self.arena.tick  # tick of the next sample
        self.interval = max(1, round(FIRST_INTERVAL / self.arena.dt))

    def sample(self) -> None:
        """Take a sample. An error is logged and does not stop the clock."""
        if not self._failed:
            try:
                self._take_sample()
            except Exception:
                log.exception("the history of this run cannot be recorded")
                self._failed = True

    def break_path(self, robot: str) -> None:
        """Interrupt the path of a teleported robot at its current position."""
        self.sample()
        if self.samples and robot in self.samples[-1].numbers:
            self.samples[-1].jumps[self.samples[-1].numbers[robot]] = True

    def _take_sample(self) -> None:
        arena = self.arena
        with arena.mutex:
            tick, rows = arena.tick, arena.motion[:, COLUMNS].astype(np.float32)
            if arena.layout != self._layout:
                self._note_robots()
            if self.samples and tick < self.samples[-1].tick:
                self.clear()
            readings = {robot.name: read_devices(arena, robot) for robot in self._robots}
        jumps = np.zeros(len(rows), bool)
        if self.samples and self.samples[-1].numbers is self._numbers:
            last = self.samples[-1]
            farthest = 1.5 * self._fastest * (tick - last.tick) * arena.dt + SLACK
            jumps = np.hypot(*(rows[:, :2] - last.rows[:, :2]).T) > farthest
        self.samples.append(RunSample(tick, self._numbers, rows, jumps, readings))
        if len(self.samples) > self._most:
            self._drop_every_second()
        self.due = tick + self.interval

    def _note_robots(self) -> None:
        """Update the tables of robots after robots were added or removed."""
        arena = self.arena
        self._layout, self._numbers = arena.layout, arena.numbers
        count = len(self._numbers)
        self._most = max(LEAST_SAMPLES, min(MAX_SAMPLES, MAX_POINTS // max(1, count)))
        self._fastest = np.array([spec.drive.max_speed for spec in arena.built.robots])
        charted = [name for name in self._numbers if name not in self._list_spawned()] if count <= FEW_ROBOTS else []
        self._robots = [handle_with_all(arena, name) for name in charted]

    def _drop_every_second(self) -> None:
        for dropped, kept in zip(self.samples[1::2], self.samples[2::2], strict=False):
            if dropped.numbers is kept.numbers:
                kept.jumps[:] |= dropped.jumps  # a break before the dropped one is a break before the next
        self.samples = self.samples[::2]
        self.interval *= 2

    # ---- data for clients

    @property
    def ticks(self) -> Readings:
        """Ticks of the samples."""
        return np.array([sample.tick for sample in self.samples], float)

    def paths(self, sees: Callable[[str], bool] | None = None) -> bytes:
        """Return x, y [m] of the current robots at every sample, float32; NaN if it did not exist or was teleported.

        `sees` selects robots; None: all.
        """
        there_now = [name for name in self.arena.numbers if sees is None or sees(name)]
        points = np.full((len(self.samples), len(there_now), 2), np.nan, "<f4")
        first = 0
        for _, group in groupby(self.samples, key=lambda sample: id(sample.numbers)):  # with the same robots
            part = list(group)
            there = [(column, part[0].numbers[n]) for column, n in enumerate(there_now) if n in part[0].numbers]
            columns, rows = [list(each) for each in zip(*there, strict=True)] if there else ([], [])
            moved = np.stack([sample.rows[:, :2] for sample in part])
            moved[np.stack([sample.jumps for sample in part])] = np.nan
            points[first : first + len(part), columns] = moved[:, rows]
            first += len(part)
        return points.tobytes()

    def wheels(self, robot: str) -> Readings:
        """Return a robot's wheel speeds left, right [m/s] at every sample; NaN where it did not exist."""
        there = [(sample, sample.numbers.get(robot)) for sample in self.samples]
        speeds = [(np.nan, np.nan) if row is None else sample.rows[row, 2:] for sample, row in there]
        return np.array(speeds, float).ravel()

    def readings(self, robot: str) -> dict[str, Readings]:
        """Return a robot's values by device, sample after sample; NaN where it did not exist."""
        samples = [sample.readings.get(robot, {}) for sample in self.samples]
        widths = {device: len(values) for sample in samples for device, values in sample.items()}
        return {
            device: np.concatenate([sample.get(device, np.full(width, np.nan)) for sample in samples])
            for device, width in widths.items()
        }


def read_devices(arena: Arena, robot: Robot) -> dict[str, Readings]:
    """Return the readings of the enabled devices; of devices with many values, the minimum."""
    slots, length, mask, _ = robot.chosen
    values: Readings = np.empty(length)
    if slots:
        arena.read(arena.numbers[robot.name], mask, values)
    seen = {name: values[slot.first : slot.last] for name, slot in slots.items()}
    return {name: part if len(part) <= MAX_CHANNELS else part.min(keepdims=True) for name, part in seen.items()}


class HistoryService(Service):
    """Records the run of the served arena, and sends it to clients that ask for it."""

    def attach(self, session: Session) -> None:
        super().attach(session)
        self.run = RunHistory(session.arena, session.ownership.list_client_robots)
        self.due = self.run.due

    def before_ticks(self) -> None:
        if not self.run.samples:
            self._sample()

    def after_ticks(self) -> None:
        self._sample()

    def _sample(self) -> None:
        self.run.sample()
        self.due = self.run.due

    def on_jump(self) -> None:
        self.run.clear()
        self.due = self.run.due

    def on_teleport(self, robots: Iterable[str]) -> None:
        for robot in robots:
            self.run.break_path(robot)
        self.due = self.run.due

    @handles(m.GetHistory)
    def recall(self, client: Client, request: m.GetHistory) -> Message:
        run, grant = self.run, client.grant
        if not request.robot:
            hidden = grant.shows == "nothing"
            paths = b"" if hidden else run.paths(None if grant.shows == "all" else grant.sees)
            return m.History(id=request.id, ticks=run.ticks[:0] if hidden else run.ticks, paths=paths)
        self.session.ownership.check_known(client, request.robot)
        grant.check_robot(request.robot, "read")
        wheels = run.wheels(request.robot)
        readings = {name: values for name, values in run.readings(request.robot).items() if grant.allows(name)}
        return m.History(id=request.id, ticks=run.ticks, wheels=wheels, readings=readings)
