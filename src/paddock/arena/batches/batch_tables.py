"""Tables of the compiled loop in addition to Model and State: the policies, metrics and traces of the robots."""

from __future__ import annotations

from typing import NamedTuple

from paddock.simulation.engine.model import Bytes, Floats, Ints

# Columns of `rows`: the policy's number (-1 for none), and the offsets of its tables.
NUMBER, PLAN, WEIGHT, MEMORY, POLICY_COLUMNS = range(5)

# Columns of `metrics`: the metric's number, and the offsets of its tables.
KIND, FIRST_NUMBER, FIRST_SUM, FIRST_MARK, METRIC_COLUMNS = range(5)

# Columns of `slots`: whether the robot is measured, and the position of its device's values.
MEASURED, FIRST, COUNT, SLOT_COLUMNS = range(4)
SHARED = 2  # value of MEASURED of a robot that has the figure of the world, which another robot's sums contain

# Columns of a row of `trace`; a robot's readings may follow.
(
    ROW_X, ROW_Y, ROW_HEADING, ROW_COMMAND_LEFT, ROW_COMMAND_RIGHT, ROW_LEFT, ROW_RIGHT, ROW_CONTACTS, ROW_COLUMNS,
) = range(9)  # fmt: skip

ENDLESS = -1  # value of `ahead` for a world without goals


class PolicyTable(NamedTuple):
    """Policies of W worlds with N robots. Individual w // share drives world w."""

    rows: Ints  # see NUMBER …, shape (N, POLICY_COLUMNS)
    plans: Floats  # one after the other
    weights: Floats  # shape (individuals, weights of all robots)
    share: int
    memory: Floats  # shape (W, memory of all robots)
    enabled: Bytes  # devices to read, shape (N, maximum number of devices of a robot)


class MetricSums(NamedTuple):
    """Metrics and traces of W worlds with N robots. World w is scene w % S of S scenes."""

    metrics: Ints  # see KIND …
    slots: Ints  # see MEASURED …, shape (metrics, N, SLOT_COLUMNS)
    numbers: Floats  # of all metrics, shape (S, ·)
    sums: Floats  # of all metrics, shape (W, N, ·)
    marks: Bytes  # of all metrics, shape (W, N, ·)
    start: Ints  # tick of every world when the run began, shape (W)
    ahead: Ints  # number of unreached goals of every world, shape (W)
    trace: Floats  # see ROW_X …, every `every` ticks, shape (W, moments, N, ROW_COLUMNS + readings)
    every: int
