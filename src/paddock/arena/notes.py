"""Notes: what a run writes down beside the state: the sums of its measures, goals still ahead, and traces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paddock.arena.brains import slot_of
from paddock.arena.measures.base import Measure, Run
from paddock.core.errors import PaddockError, UnknownName
from paddock.engine.batch import ENDLESS, FIRST, FIRST_SUM, MEASURE_COLUMNS, MEASURED, SLOT_COLUMNS, Notes
from paddock.engine.model import Bytes, Floats, Ints
from paddock.worlds.build import BuiltWorld


def nothing_noted(robots: int) -> Notes:
    """Notes of a single world that nobody wants to know anything about."""
    whole, empty = np.zeros(1, np.int64), np.zeros((1, robots, 0))
    tables = np.zeros((0, MEASURE_COLUMNS), np.int64), np.zeros((0, robots, SLOT_COLUMNS), np.int64), np.zeros((1, 0))
    return Notes(
        *tables, empty, empty.astype(np.uint8), whole, np.full(1, ENDLESS), np.zeros((1, 0, robots, 3)), every=1
    )


def notes_of(
    scenes: Sequence[BuiltWorld], measures: Sequence[Measure], enabled: Bytes, poses: Floats, ticks: Ints, moments: int,
    every: int,
) -> Notes:  # fmt: skip
    """Lay out the measures of a run, and switch on the devices that they look at."""
    worlds, robots = poses.shape[:2]
    rows: list[list[int]] = []
    slots = np.zeros((len(measures), robots, SLOT_COLUMNS), np.int64)
    numbers: list[list[float]] = [[] for _ in scenes]
    sums, marks = [np.zeros((worlds, robots, 0))], 0
    ahead = np.full(worlds, ENDLESS)
    _refuse_twins(measures)
    for k, measure in enumerate(measures):
        if not isinstance(measure, Measure):
            raise PaddockError(f"measures[{k}]: expected a measure such as Travel(), got {measure!r}")
        if measure.scenes() not in (None, len(scenes)):
            kind = type(measure).__name__
            raise PaddockError(f"{kind}: made for {measure.scenes()} scenes, but there are {len(scenes)}")
        first_number = len(numbers[0])
        rows.append([measure.number, first_number, sum(one.shape[2] for one in sums), marks])
        for scene, built in enumerate(scenes):
            numbers[scene] += measure.numbers(built, scene)
        _pad(numbers)
        marks += max(measure.marks(built) for built in scenes)
        slots[k] = _slots(scenes[0], measure, enabled)
        of_world = np.array(numbers)[np.arange(worlds) % len(scenes), first_number:]
        started = measure.start(poses, of_world)
        sums.append(started)
        if measure.is_goal:
            unreached = ((started[..., -1] < 0) & (slots[k, :, MEASURED] == 1)).sum(axis=1)
            ahead = np.where(ahead == ENDLESS, 0, ahead) + unreached
    return Notes(
        np.array(rows, np.int64).reshape(-1, MEASURE_COLUMNS),
        slots,
        np.array(numbers, np.float64).reshape(len(scenes), -1),
        np.ascontiguousarray(np.concatenate(sums, axis=2)),
        np.zeros((worlds, robots, marks), np.uint8),
        ticks.copy(),
        ahead.astype(np.int64),
        np.full((worlds, moments, robots, 3), np.nan),
        max(1, every),
    )


def _refuse_twins(measures: Sequence[Measure]) -> None:
    names = [name for measure in measures if isinstance(measure, Measure) for name in measure.names()]
    for name in names:
        if names.count(name) > 1:
            raise PaddockError(f"two measures are called {name!r}: give one of them another name")


def figures_of(notes: Notes, measures: Sequence[Measure], run: Run) -> dict[str, Floats]:
    """The measures' figures by name, shape (W, N) each; not a number for robots that are not measured."""
    figures: dict[str, Floats] = {}
    for measure, row, slots in zip(measures, notes.measures, notes.slots, strict=True):
        sums = notes.sums[:, :, row[FIRST_SUM] : row[FIRST_SUM] + measure.columns]
        for name, values in zip(measure.names(), measure.figures(sums, run), strict=True):
            figures[name] = np.where(slots[:, MEASURED] == 1, values, np.nan)
    return figures


def _slots(built: BuiltWorld, measure: Measure, enabled: Bytes) -> Ints:
    """Which robots are measured, and where their device's values lie."""
    names = [robot.name for robot in built.spec.robots]
    if measure.robot is not None and measure.robot not in names:
        raise UnknownName("robot", measure.robot, names)
    rows = np.zeros((len(names), SLOT_COLUMNS), np.int64)
    device = measure.looks_at()
    for robot, name in enumerate(names):
        if measure.robot in (None, name):
            rows[robot, MEASURED] = 1
            if device is not None:
                slot = slot_of(built, robot, device)
                rows[robot, FIRST:] = slot.first, slot.values
                enabled[robot, slot.number] = 1
    return rows


def _pad(numbers: list[list[float]]) -> None:
    longest = max(len(row) for row in numbers)
    for row in numbers:
        row += [0.0] * (longest - len(row))
