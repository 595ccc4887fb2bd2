"""The worlds every peer is asked to simulate, in SI units, and the one line each run reports.

S1 single  one e-puck in a 1.5 x 1.5 m arena with 10 round obstacles, 8 proximity rays of 0.1 m
S2 swarm   N e-pucks, one per 0.09 m2 (side 0.3 sqrt(N) m), one round obstacle per 10 robots
S3 laser   one Pioneer-like disc, 180 beams of 8 m over 180 degrees, a 15 x 15 m room of 40 segments
S4 vector  1,024 worlds as in S1 at once, random actions

The control loop closes in every step: read the sensors, compute two wheel speeds, step.
Every peer script imports this file, so it needs nothing but the standard library.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

Point = tuple[float, float]  # x, y [m]
Pose = tuple[float, float, float]  # x, y [m], heading [rad]
Segment = tuple[float, float, float, float]  # x1, y1, x2, y2 [m]
WheelSpeeds = tuple[float, float]  # left, right [m/s]

DT = 0.05  # control step of S1 and S2 [s]
DT_LASER = 0.1  # control step of S3 [s]

RADIUS, WHEEL_SEPARATION = 0.037, 0.053  # e-puck body radius and wheel base [m]
WHEEL = 0.0205  # e-puck wheel radius [m]
CRUISE = 0.1  # e-puck wheel speed [m/s]
IR_RANGE = 0.1  # [m] from the rim
IR_ANGLES = [math.radians(a) for a in (-17, -46, -90, -151, 151, 90, 46, 17)]  # ps0 .. ps7
OBSTACLE_RADIUS = 0.05

PIONEER_RADIUS, PIONEER_SEPARATION, PIONEER_WHEEL = 0.25, 0.33, 0.0975
PIONEER_CRUISE = 0.4
BEAMS, LASER_RANGE = 180, 8.0
ROOM = 15.0  # side of the S3 room [m]
ROOM_CENTRE: Pose = (ROOM / 2, ROOM / 2, 0.0)


@dataclass(frozen=True)
class Arena:
    """The world of S1 and S2: a walled square; nothing in it overlaps."""

    side: float
    poses: list[Pose]
    obstacles: list[Point]

    @property
    def walls(self) -> list[Segment]:
        return square(self.side)


@dataclass(frozen=True)
class Simulation:
    """A peer with its world loaded: one control step, and where robot 0 is now [m]."""

    step: Callable[[], object]
    position: Callable[[], Sequence[float]]


def arena(robots: int, seed: int = 1) -> Arena:
    """S1 for one robot, S2 for more."""
    if robots == 1:
        side, obstacle_count = 1.5, 10
    else:
        side, obstacle_count = 0.3 * math.sqrt(robots), robots // 10
    rng = random.Random(seed)
    taken: list[tuple[float, float, float]] = []

    def free_spot(radius: float) -> Point:
        margin = radius + 0.02
        while True:
            x, y = rng.uniform(margin, side - margin), rng.uniform(margin, side - margin)
            if all(math.hypot(x - a, y - b) > margin + r for a, b, r in taken):
                taken.append((x, y, radius))
                return x, y

    obstacles = [free_spot(OBSTACLE_RADIUS) for _ in range(obstacle_count)]
    poses = [(*free_spot(RADIUS), rng.uniform(-math.pi, math.pi)) for _ in range(robots)]
    return Arena(side, poses, obstacles)


def room(seed: int = 2) -> list[Segment]:
    """The walls of S3: 4 outer and 36 inner ones, none within 1 m of the centre."""
    walls, rng = square(ROOM), random.Random(seed)
    while len(walls) < 40:
        x, y = rng.uniform(1, ROOM - 1), rng.uniform(1, ROOM - 1)
        angle, length = rng.uniform(0, math.pi), rng.uniform(0.5, 2)
        dx, dy = length * math.cos(angle), length * math.sin(angle)
        inside = 0 < x + dx < ROOM and 0 < y + dy < ROOM
        along = [(x + t * dx / 10, y + t * dy / 10) for t in range(11)]
        if inside and min(math.dist(p, ROOM_CENTRE[:2]) for p in along) > 1:
            walls.append((x, y, x + dx, y + dy))
    return walls


def square(side: float) -> list[Segment]:
    return [(0, 0, side, 0), (side, 0, side, side), (side, side, 0, side), (0, side, 0, 0)]


def beam_angles() -> list[float]:
    """Direction of each laser beam [rad], right to left."""
    return [math.radians(i - 89.5) for i in range(BEAMS)]


def avoid(distances: Sequence[float]) -> WheelSpeeds:
    """The S1 and S2 controller, from 8 distances [m] (ps0 .. ps7).

    Spins left while something is ahead (so it cannot wedge itself in a corner), else veers away
    from the nearer side.
    """
    near = [1 - min(d, IR_RANGE) / IR_RANGE for d in distances]
    if near[0] + near[7] + 0.5 * (near[1] + near[6]) > 0.4:
        return -CRUISE / 2, CRUISE / 2
    return CRUISE * (1 - 0.5 * near[2]), CRUISE * (1 - 0.5 * near[5])


def avoid_laser(nearest: float) -> WheelSpeeds:
    """The S3 controller: drive on, or turn on the spot while a hit is nearer than 0.7 m."""
    return (PIONEER_CRUISE, PIONEER_CRUISE * 0.95) if nearest > 0.7 else (-0.2, 0.2)


def forward_and_turn(speeds: WheelSpeeds, axle: float) -> tuple[float, float]:
    """Wheel speeds as (forward [m/s], turn [rad/s]), for peers that are driven so."""
    left, right = speeds
    return (left + right) / 2, (right - left) / axle


def main(peer: str, scenarios: dict[str, Callable[[int], Simulation]], package: str = "") -> None:
    """The command line of every Python peer: `script.py SCENARIO ROBOTS STEPS`, one JSON line out.

    Args:
        peer: name in the report.
        scenarios: builds the simulation of a scenario for that many robots.
        package: the distribution whose version goes into the report.
    """
    parser = argparse.ArgumentParser(description=f"time {peer} on a scenario")
    parser.add_argument("scenario", choices=scenarios)
    parser.add_argument("robots", type=int)
    parser.add_argument("steps", type=int)
    chosen = parser.parse_args()

    simulation = scenarios[chosen.scenario](chosen.robots)
    simulation.step()  # the first step allocates and fills caches
    start = tuple(simulation.position())
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(chosen.steps):
        simulation.step()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    line = {
        "peer": peer,
        "version": version(package) if package else "",
        "scenario": chosen.scenario,
        "robots": chosen.robots,
        "steps": chosen.steps,
        "dt": DT_LASER if chosen.scenario in ("S3", "S4") else DT,
        "wall_s": round(wall, 4),
        "cpu_s": round(cpu, 4),
        "moved_m": round(math.dist(start, tuple(simulation.position())), 3),
    }
    print(json.dumps(line), flush=True)
