"""A controller file that is independent of the kind of its robot: it receives an arena."""

from __future__ import annotations

from typing import Any


def act(seen: Any) -> tuple[float, float]:
    """Follow the line by the ground sensors; turn away from near obstacles."""
    left, _, right = seen.ground
    if min(seen.proximity[0], seen.proximity[7]) < 0.03:
        return -0.04, 0.04
    return (0.06 if right > 0.4 else 0.02), (0.06 if left > 0.4 else 0.02)


def drive(arena: Any, name: str, seconds: float) -> list[tuple[Any, ...]]:
    """Drive for a while, first with `run`, then step by step; return the trace of observations and commands."""
    trace: list[tuple[Any, ...]] = []
    robot = arena[name]
    robot.enable("ground", "proximity", "encoders", "accelerometer")

    def noted(seen: Any) -> tuple[float, float]:
        speeds = act(seen)
        travel = seen.encoders
        trace.append(
            (seen.time, *seen.ground, *seen.proximity, travel.left, travel.right, seen.accelerometer.z, *speeds)
        )
        return speeds

    arena.run(seconds / 2, {name: noted})
    end = arena.time + seconds / 2
    while arena.time < end - 1e-6:
        robot.apply(noted(robot.sense()))
        arena.step()
    robot.stop()
    return trace
