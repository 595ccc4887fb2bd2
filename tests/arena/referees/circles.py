"""Robots on circles around (1, 1), whose laps are known from the angle at the centre."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

import paddock
from paddock.arena import Arena
from paddock.simulation.worlds import RobotPlacement, WorldSpec

CENTRE = (1.0, 1.0)


def ray(degrees: float) -> list[list[float]]:
    """A gate from the edge to the centre, oriented for a counter-clockwise robot."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [[CENTRE[0] + 0.5 * c, CENTRE[1] + 0.5 * s], list(CENTRE)]


LAPS = {"kind": "laps", "line": ray(0), "checkpoints": [ray(90), ray(180), ray(270)]}


def circle_world(*radii: float, start_deg: float = -10.0) -> WorldSpec:
    """A world with a robot for each circle, just before the line."""
    angle = math.radians(start_deg)
    robots = tuple(
        RobotPlacement(
            name=f"robot-{i}", type="e-puck", heading_deg=start_deg + 90, noise=False,
            at=(CENTRE[0] + radius * math.cos(angle), CENTRE[1] + radius * math.sin(angle)),
        )
        for i, radius in enumerate(radii)
    )  # fmt: skip
    return WorldSpec(name="circles", bounds=(0.0, 0.0, 2.0, 2.0), robots=robots)


def wheels_for(radius: float, speed: float = 0.1, separation: float | None = None) -> tuple[float, float]:
    """Wheel speeds for a counter-clockwise circle."""
    half = (separation or paddock.open("empty")["red"].spec.drive.wheel_separation) / 2
    return speed * (1 - half / radius), speed * (1 + half / radius)


def compute_turns(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """The counter-clockwise turns of a path around the centre since angle 0, shape (T)."""
    angles = np.unwrap(np.arctan2(places[:, 1] - CENTRE[1], places[:, 0] - CENTRE[0]))
    turns: NDArray[np.float64] = angles / (2 * math.pi)
    return turns


def crossing_times(turns: NDArray[np.float64], dt: float) -> list[float]:
    """The times of the first completion of each whole turn [s], without the first, which starts the lap."""
    times, best = [], 0
    for tick in range(1, len(turns)):
        while turns[tick] >= best and turns[tick - 1] < best:
            share = (best - turns[tick - 1]) / (turns[tick] - turns[tick - 1])
            times.append((tick - 1 + share) * dt)
            best += 1
    return times[1:]


def drive_circle(arena: Arena, robot: str, speed: float = 0.1) -> None:
    """Set a robot's wheels once, so that it stays on its circle."""
    x, y, _ = arena[robot].pose
    radius = math.dist((x, y), CENTRE)
    arena[robot].wheels.set(*wheels_for(radius, speed, arena[robot].spec.drive.wheel_separation))
