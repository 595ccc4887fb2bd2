"""Small runs whose outcome can be worked out by hand."""

from __future__ import annotations

import math

from paddock.core.geometry import Pose
from paddock.report import RunLog
from paddock.worlds import load_world


def square(robot: str = "red", world: str = "empty") -> RunLog:
    """Once around a square of 0.4 m with 0.1 m/s, a note every second: 16 steps, 1.6 m, four sides as tasks."""
    log = RunLog(load_world(world), robot, 1.0, measured="wall distance", target=0.5)
    x, y = 0.6, 0.6
    for i in range(17):
        side = min(i // 4, 3)
        log.note(
            float(i),
            Pose(x, y, side * math.pi / 2),
            believed=Pose(1.1 * x, 1.1 * y, 0.0),
            wheels=(0.1, 0.1 + 0.01 * side),
            readings={"proximity": [0.1 * i, 1 / 3], "compass": math.pi * i, "position": Pose(x, y, 0.0)},
            task=("east", "north", "west", "south")[side],
            error=None if i == 0 else (-1) ** i * 0.01 * i,
            contact=i in (3, 4, 10),
        )
        dx, dy = ((0.1, 0.0), (0.0, 0.1), (-0.1, 0.0), (0.0, -0.1))[min(i // 4, 3)]
        x, y = x + dx, y + dy
    log.say(2.0, "half of the first side")
    return log
