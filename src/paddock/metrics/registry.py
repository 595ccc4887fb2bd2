"""All metrics: their classes, and the kernels that run the right one.

A new metric is a class with a kernel, and one line in each of the two lists here.
"""

from __future__ import annotations

from paddock.core.jit import kernel
from paddock.metrics.base import Metric
from paddock.metrics.coverage import Coverage, coverage
from paddock.metrics.goal import Along, Goal, along, goal
from paddock.metrics.motion import ContactTime, Distance, contact, distance
from paddock.metrics.sensing import Avoidance, Line, Nearness, avoidance, line, nearness

METRICS: tuple[type[Metric], ...] = (Distance, ContactTime, Goal, Along, Coverage, Nearness, Avoidance, Line)


@kernel
def note_motion(number, numbers, robot_state, tick, dt, sums, marks):
    """Look at a robot after a tick: 1 when it reached a goal in this tick, else 0."""
    if number == 0:
        distance(robot_state, sums)
    elif number == 1:
        contact(robot_state, sums)
    elif number == 2:
        return goal(numbers, robot_state, tick, sums)
    elif number == 3:
        along(numbers, robot_state, sums)
    elif number == 4:
        coverage(numbers, robot_state, sums, marks)
    return 0


@kernel
def note_readings(number, numbers, readings, first, count, robot_state, sums):
    """Look at what a robot senses before it acts."""
    if number == 5:
        nearness(numbers, readings, first, count, sums)
    elif number == 6:
        avoidance(numbers, readings, first, count, robot_state, sums)
    elif number == 7:
        line(numbers, readings, first, count, sums)
