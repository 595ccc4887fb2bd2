"""MetricSums: the output of a run in addition to the state: sums of metrics, unreached goals, and traces."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from paddock.arena.batches import batch_tables as t
from paddock.arena.batches.batch_tables import MetricSums
from paddock.arena.batches.policy_table import find_device_slot, readings_length
from paddock.arena.metrics.metric import Metric, RunTime
from paddock.arena.metrics.metric_registry import get_metric_number
from paddock.core.errors import PaddockError, UnknownName
from paddock.simulation.engine.kernels.surroundings import index_crowd
from paddock.simulation.engine.model import Bytes, Floats, Ints
from paddock.simulation.engine.state import CONTACTS, HEADING, LEFT_SPEED, RIGHT_SPEED, TICK, State, Workspace, X, Y
from paddock.simulation.sensors.sense import sense_for
from paddock.simulation.worlds.build import BuiltWorld


def make_metric_sums(
    scenes: Sequence[BuiltWorld], metrics: Sequence[Metric], enabled: Bytes, poses: Floats, ticks: Ints, moments: int,
    every: int, readings: bool = True,
) -> MetricSums:  # fmt: skip
    """Allocate the tables for the metrics and the trace of a run, and enable the devices that the metrics need.

    Args:
        scenes: the different worlds.
        metrics: metrics to compute.
        enabled: a flag for each device of each robot; changed in place.
        poses: current poses of all robots, shape (W, N, 3).
        ticks: current ticks of all worlds, shape (W).
        moments: rows of the trace; 0 for no trace.
        every: ticks between two rows.
        readings: whether a row also has the readings of the enabled devices.
    """
    worlds, robots = poses.shape[:2]
    rows: list[list[int]] = []
    slots = np.zeros((len(metrics), robots, t.SLOT_COLUMNS), np.int64)
    numbers: list[list[float]] = [[] for _ in scenes]
    sums = np.zeros(
        (worlds, robots, sum(metric.columns for metric in metrics))
    )  # untouched pages of zeros use no memory
    column = marks = 0
    ahead = np.full(worlds, t.ENDLESS)
    for k, metric in enumerate(metrics):
        if metric.scenes() not in (None, len(scenes)):
            kind = type(metric).__name__
            raise PaddockError(f"{kind}: made for {metric.scenes()} scenes, but there are {len(scenes)}")
        first_number = len(numbers[0])
        rows.append([get_metric_number(metric), first_number, column, marks])
        for scene, built in enumerate(scenes):
            numbers[scene] += metric.numbers(built.spec, scene)
        _pad(numbers)
        marks += max(metric.marks(built.spec) for built in scenes)
        slots[k] = _slots(scenes[0], metric, enabled)
        of_world = np.tile(np.array(numbers)[:, first_number:], (worlds // len(scenes), 1))
        started = sums[..., column : column + metric.columns]
        if type(metric).start is not Metric.start:
            started[...] = metric.start(poses, of_world)
        column += metric.columns
        if metric.is_goal:
            unreached = ((started[..., -1] < 0) & (slots[k, :, t.MEASURED] == 1)).sum(axis=1)
            ahead = np.where(ahead == t.ENDLESS, 0, ahead) + unreached
    length = readings_length(scenes[0], enabled) if readings and moments else 0
    return MetricSums(
        np.array(rows, np.int64).reshape(-1, t.METRIC_COLUMNS),
        slots,
        np.array(numbers, np.float64).reshape(len(scenes), -1),
        sums,
        np.zeros((worlds, robots, marks), np.uint8),
        ticks.copy(),
        ahead.astype(np.int64),
        _empty_traces(worlds, moments, robots, t.ROW_COLUMNS + length),
        max(1, every),
    )


def _empty_traces(*shape: int) -> Floats:
    try:
        return np.full(shape, np.nan)
    except (MemoryError, ValueError):  # ValueError: more than an array can have
        size = f"{math.prod(shape) * 8 / 2**30:.0f} GiB"
        raise PaddockError(
            f"the traces of this run need {size} of memory: shorten the run, choose a larger every, or readings=False"
        ) from None


def write_motions(rows: Floats, motion: Floats) -> None:
    """Write the current motion of all robots, shape (W, N, ·), into rows of their traces, shape (W, N, ·)."""
    for column, state in (
        (t.ROW_X, X), (t.ROW_Y, Y), (t.ROW_HEADING, HEADING),
        (t.ROW_LEFT, LEFT_SPEED), (t.ROW_RIGHT, RIGHT_SPEED), (t.ROW_CONTACTS, CONTACTS),
    ):  # fmt: skip
        rows[..., column] = motion[..., state]


def read_all(
    scenes: Sequence[BuiltWorld], state: State, enabled: Bytes, scratch: Workspace, readings: Floats, rows: Floats
) -> None:
    """Write the current readings of the enabled devices of all robots into rows, shape (W, N, ·)."""
    kernel, (worlds, robots, length) = sense_for(scenes[0].sensor_kinds), rows.shape
    for world in range(worlds) if length else ():
        model = scenes[world % len(scenes)].model
        index_crowd(model.grids, state.motion[world, state.clock[world, TICK] % state.motion.shape[1]], scratch.crowd)
        for robot in range(robots):
            kernel(model, state, scratch, world, robot, enabled[robot], False, readings)
            rows[world, robot] = readings[:length]


def compute_results(metric_sums: MetricSums, metrics: Sequence[Metric], run: RunTime) -> dict[str, Floats]:
    """Return the metrics' figures by name, shape (W, N) each; NaN for robots that are not measured."""
    results: dict[str, Floats] = {}
    for metric, row, slots in zip(metrics, metric_sums.metrics, metric_sums.slots, strict=True):
        sums = metric_sums.sums[:, :, row[t.FIRST_SUM] : row[t.FIRST_SUM] + metric.columns]
        measured = slots[:, t.MEASURED] > 0
        for name, values in metric.compute_by_name(sums, run).items():
            if metric.of_world:
                values = np.repeat(np.asarray(values)[:, [find_summing_robot(slots)]], len(slots), axis=1)
            results[name] = np.array(values, np.float64) if measured.all() else np.where(measured, values, np.nan)
    return results


def find_summing_robot(slots: Ints) -> int:
    """Return the number of the robot whose sums contain a figure of the world."""
    return int((slots[:, t.MEASURED] == 1).argmax())


def _slots(built: BuiltWorld, metric: Metric, enabled: Bytes) -> Ints:
    """Return which robots are measured, and the positions of their device's values."""
    names = [robot.name for robot in built.spec.robots]
    if metric.robot is not None and metric.robot not in names:
        raise UnknownName("robot", metric.robot, names)
    rows = np.zeros((len(names), t.SLOT_COLUMNS), np.int64)
    device = metric.required_device()
    concerned = [robot for robot, name in enumerate(names) if metric.robot in (None, name)]
    has_it = [device is None or any(s.name == device for s in built.robots[robot].sensors) for robot in concerned]
    for robot, measured in zip(concerned, has_it, strict=True):
        if measured or not any(has_it):  # raises below if no robot has the device
            rows[robot, t.MEASURED] = 1
            if device is not None:
                slot = find_device_slot(built, robot, device)
                rows[robot, t.FIRST :] = slot.first, slot.values
                enabled[robot, slot.number] = 1
    if metric.of_world:  # once per world, not once per robot
        rows[concerned[1:], t.MEASURED] = t.SHARED
    return rows


def _pad(numbers: list[list[float]]) -> None:
    longest = max(len(row) for row in numbers)
    for row in numbers:
        row += [0.0] * (longest - len(row))
