"""What has happened since the last reset, thinned: for pages that join a run when it is under way."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Arena, Robot
from paddock.core.observation import Readings
from paddock.engine.state import LEFT_SPEED, RIGHT_SPEED, X, Y

log = logging.getLogger("paddock.server")

MOST_SAMPLES, LEAST_SAMPLES = 600, 16
MOST_POINTS = 120_000  # of all robots together
FIRST_INTERVAL = 0.04  # simulated seconds between samples; doubles whenever there are too many
FEW_ROBOTS = 12  # with more than this, readings are not kept
MOST_CHANNELS = 16  # of a device with more values only the least is kept: a scan's nearest distance
SLACK = 0.02  # metres that rounding and contacts may add to what the wheels can do
COLUMNS = [X, Y, LEFT_SPEED, RIGHT_SPEED]


class RunSample(NamedTuple):
    """All robots at one tick."""

    tick: int
    numbers: Mapping[str, int]  # a robot's row by its name
    rows: NDArray[np.float32]  # columns COLUMNS, shape (robots, 4)
    jumps: NDArray[np.bool_]  # which robots were teleported since the sample before
    readings: dict[str, dict[str, Readings]]  # by robot and device


class RunHistory:
    """Samples at equal intervals of simulated time. When there are too many, every second one is dropped.

    So memory is bounded, and work too: when the length of a run doubles, half as many samples as are kept are added.

    Args:
        arena: whose past it is.
        guests: tells the robots whose readings are not kept: strangers brought them, with whatever sensors they like.
    """

    def __init__(self, arena: Arena, guests: Callable[[], Collection[str]] = frozenset) -> None:
        self.arena, self._guests = arena, guests
        self._failed = False
        self._layout = -1
        self.clear()

    def clear(self) -> None:
        """Forget everything: time was set back."""
        self.samples: list[RunSample] = []
        self.due = self.arena.tick  # when the next sample is taken
        self._interval = max(1, round(FIRST_INTERVAL / self.arena.dt))

    def look(self) -> None:
        """Take a sample. What fails here must not stop the clock."""
        if not self._failed:
            try:
                self._take_sample()
            except Exception:
                log.exception("the history of this run cannot be kept")
                self._failed = True

    def break_path(self, robot: str) -> None:
        """A robot was teleported: no line leads to where it is now."""
        self.look()
        if self.samples and robot in self.samples[-1].numbers:
            self.samples[-1].jumps[self.samples[-1].numbers[robot]] = True

    def _take_sample(self) -> None:
        arena = self.arena
        with arena.turn:
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
        self.due = tick + self._interval

    def _note_robots(self) -> None:
        """Robots came or went."""
        arena = self.arena
        self._layout, self._numbers = arena.layout, arena.numbers
        count = len(self._numbers)
        self._most = max(LEAST_SAMPLES, min(MOST_SAMPLES, MOST_POINTS // max(1, count)))
        self._fastest = np.array([spec.drive.max_speed for spec in arena.built.robots])
        charted = [name for name in self._numbers if name not in self._guests()] if count <= FEW_ROBOTS else []
        self._robots = [charted_robot(arena, name) for name in charted]

    def _drop_every_second(self) -> None:
        for dropped, kept in zip(self.samples[1::2], self.samples[2::2], strict=False):
            if dropped.numbers is kept.numbers:
                kept.jumps[:] |= dropped.jumps  # a break before the dropped one is a break before the next
        self.samples = self.samples[::2]
        self._interval *= 2

    # ---- what clients are told

    @property
    def ticks(self) -> Readings:
        """Ticks of the samples."""
        return np.array([sample.tick for sample in self.samples], float)

    def paths(self, sees: Callable[[str], bool] | None = None) -> bytes:
        """x, y [m] of the present robots at every sample, float32; NaN where one was not there or was teleported.

        Those of all, or of those that one sees.
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
        """A robot's wheel speeds left, right [m/s] at every sample; NaN where it was not there."""
        there = [(sample, sample.numbers.get(robot)) for sample in self.samples]
        speeds = [(np.nan, np.nan) if row is None else sample.rows[row, 2:] for sample, row in there]
        return np.array(speeds, float).ravel()

    def readings(self, robot: str) -> dict[str, Readings]:
        """A robot's values by device, sample after sample; NaN where it was not there."""
        samples = [sample.readings.get(robot, {}) for sample in self.samples]
        widths = {device: len(values) for sample in samples for device, values in sample.items()}
        return {
            device: np.concatenate([sample.get(device, np.full(width, np.nan)) for sample in samples])
            for device, width in widths.items()
        }


def charted_robot(arena: Arena, name: str) -> Robot:
    """A handle of its own, with those devices enabled that have charts: not cameras, not what is only polled."""
    robot = arena.robots.new_handle(name)
    devices = [device.name for device in robot.devices.values() if device.spec.kind != "camera" and not device.polled]
    if devices:
        robot.enable(*devices)
    return robot


def read_devices(arena: Arena, robot: Robot) -> dict[str, Readings]:
    """What the enabled devices see; of those with many values, the least."""
    slots, length, mask, _ = robot.chosen
    values: Readings = np.empty(length)
    if slots:
        arena.read(arena.numbers[robot.name], mask, values)
    seen = {name: values[slot.first : slot.last] for name, slot in slots.items()}
    return {name: part if len(part) <= MOST_CHANNELS else part.min(keepdims=True) for name, part in seen.items()}
