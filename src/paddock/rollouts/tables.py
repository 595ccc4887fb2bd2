"""What a fused run adds to Model and State: the robots' policies, and what is written down meanwhile."""

from __future__ import annotations

from typing import NamedTuple

from paddock.engine.model import Bytes, Floats, Ints

# Columns of `rows`: the policy's number (-1 for none), and where its own tables begin.
NUMBER, PLAN, WEIGHT, MEMORY, BRAIN_COLUMNS = range(5)

# Columns of `metrics`: the metric's number, and where its own tables begin.
KIND, FIRST_NUMBER, FIRST_SUM, FIRST_MARK, METRIC_COLUMNS = range(5)

# Columns of `slots`: whether the robot is measured, and where its device's values lie.
MEASURED, FIRST, COUNT, SLOT_COLUMNS = range(4)

# Columns of a row of `trace`; a robot's readings may follow.
(
    ROW_X, ROW_Y, ROW_HEADING, ROW_COMMAND_LEFT, ROW_COMMAND_RIGHT, ROW_LEFT, ROW_RIGHT, ROW_CONTACTS, ROW_COLUMNS,
) = range(9)  # fmt: skip

ENDLESS = -1  # goals ahead of a world that has none


class PolicyTable(NamedTuple):
    """Policies of W worlds with N robots; world w is run by individual w // share."""

    rows: Ints  # see NUMBER …, shape (N, BRAIN_COLUMNS)
    plans: Floats  # one after the other
    weights: Floats  # shape (individuals, weights of all robots)
    share: int
    memory: Floats  # shape (W, memory of all robots)
    enabled: Bytes  # which devices are read, shape (N, most devices of a robot)


class MetricSums(NamedTuple):
    """What is written down about W worlds with N robots; world w shows scene w % S of S scenes."""

    metrics: Ints  # see KIND …
    slots: Ints  # see MEASURED …, shape (metrics, N, SLOT_COLUMNS)
    numbers: Floats  # of all metrics, shape (S, ·)
    sums: Floats  # of all metrics, shape (W, N, ·)
    marks: Bytes  # … shape (W, N, ·)
    start: Ints  # tick of every world when the run began, shape (W)
    ahead: Ints  # goals that every world has still to reach, shape (W)
    trace: Floats  # see ROW_X …, every `every` ticks, shape (W, moments, N, ROW_COLUMNS + readings)
    every: int
