"""Small runs with results that are calculated by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from paddock.arena.episodes import Episode, Event, RobotRecord, Trace
from paddock.arena.episodes.recorder import TraceRecorder
from paddock.core.geometry import Pose


def record_square(robot: str = "red") -> TraceRecorder:
    """Record a lap of a 0.4 m square at 0.1 m/s, a row per second: 16 steps, 1.6 m, four sides as tasks."""
    recorder = TraceRecorder(robot, 1.0, error_of="wall distance", target=0.5)
    x, y = 0.6, 0.6
    for i in range(17):
        side = min(i // 4, 3)
        recorder.add(
            float(i),
            Pose(x, y, side * math.pi / 2),
            estimated=Pose(1.1 * x, 1.1 * y, 0.0),
            wheels=(0.1, 0.1 + 0.01 * side),
            readings={"proximity": [0.1 * i, 1 / 3], "compass": math.pi * i, "position": Pose(x, y, 0.0)},
            task=("east", "north", "west", "south")[side],
            error=None if i == 0 else (-1) ** i * 0.01 * i,
            contacts=int(i in (3, 4, 10)),
        )
        dx, dy = ((0.1, 0.0), (0.0, 0.1), (-0.1, 0.0), (0.0, -0.1))[min(i // 4, 3)]
        x, y = x + dx, y + dy
    recorder.events.append(Event(time=2.0, kind="note", robot=robot, text="half of the first side"))
    return recorder


def square(robot: str = "red") -> Trace:
    """Return the trace of such a run."""
    return record_square(robot).trace()


def make_episode(*traces: Trace, results: Mapping[str, float] | None = None, **more: Any) -> Episode:
    """Return an episode with the given traces."""
    seconds = max((float(trace.time[-1] - trace.time[0]) for trace in traces if len(trace)), default=0.0)
    values: dict[str, Any] = {
        "robots": {trace.robot: RobotRecord(trace=trace, metrics=dict(results or {})) for trace in traces},
        "events": tuple(event for trace in traces for event in trace.events),
        "reason": "time is up",
        "ticks": round(seconds),
        "seconds": seconds,
        "digest": "abc123",
    }
    return Episode(**{**values, **more})
