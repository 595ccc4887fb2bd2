"""RobotActivity: whether a student's robot drives, stands idle or is stuck, as far as the arena shows it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paddock.arena import Arena
from paddock.core.geometry import bounding_radius
from paddock.simulation.engine.state import BEARINGS, CONTACTS, HEADING, LEFT_TRAVEL, RIGHT_TRAVEL, X, Y

IDLE = 15.0  # wall seconds without motion after which a robot counts as idle
STUCK = 4.0  # wall seconds of pushing after which a robot counts as stuck
PUSHES = 0.25  # a robot that touches something and moves less than this share of what its wheels roll pushes
STILL = 0.002  # [m], and [rad] times a tenth of it: a smaller motion between two looks is none
SLOWEST = 1e-3  # [m/s] commanded speed that counts as driving
REACH = 0.01  # [m] between two bodies that touch each other


@dataclass
class RobotActivity:
    """What one robot has been doing, from looks at its arena every half second."""

    state: str = "driving"  # or "idle", "stuck"
    detail: str = ""
    _pose: tuple[float, float, float] = (math.nan, math.nan, math.nan)
    _travel: tuple[float, float] = (math.nan, math.nan)  # of the wheels
    _moved_at: float = 0.0  # by the loop's clock
    _free_at: float = 0.0  # when it last did not push
    _commanded_at: float = math.nan

    def restart(self, now: float) -> None:
        """Begin anew, because a program has connected or the robot was moved."""
        self._moved_at = self._free_at = self._commanded_at = now
        self._pose, self.state, self.detail = (math.nan, math.nan, math.nan), "driving", ""

    def look(self, arena: Arena, robot: str, now: float, *, stopped: str = "") -> None:
        """Look at the robot; `stopped` is the reason why the clock stands still, which is not the robot's fault."""
        if math.isnan(self._commanded_at):  # the first look counts from now
            self.restart(now)
        row = arena.motion[arena.numbers[robot]]
        x, y, heading = (float(row[i]) for i in (X, Y, HEADING))
        left, right = (float(speed) for speed in arena.commands[0, arena.numbers[robot], :2])
        drives = max(abs(left), abs(right)) > SLOWEST
        before, self._pose = self._pose, (x, y, heading)
        rolled, self._travel = self._travel, (float(row[LEFT_TRAVEL]), float(row[RIGHT_TRAVEL]))
        moved, keeps_heading = (
            math.dist((x, y), before[:2]),
            abs(math.remainder(heading - before[2], math.tau)) <= 10 * STILL,
        )
        if not (moved <= STILL and keeps_heading):
            self._moved_at = now
        if not (
            int(row[CONTACTS]) and moved < PUSHES * math.dist(self._travel, rolled) / math.sqrt(2) and keeps_heading
        ):
            self._free_at = now
        if drives:
            self._commanded_at = now
        still = now - self._moved_at
        if stopped:
            self.state, self.detail = ("driving", "") if still < IDLE else ("idle", stopped)
        elif drives and now - self._free_at >= STUCK:
            self.state, self.detail = "stuck", f"pushes against {find_touched(arena, robot, float(row[BEARINGS]))}"
        elif now - self._commanded_at >= IDLE:
            self.state, self.detail = "idle", "its program commands no motion"
        elif drives and still >= IDLE:
            self.state, self.detail = "idle", "it is commanded to drive and does not move"
        else:
            self.state, self.detail = "driving", ""


def find_touched(arena: Arena, robot: str, bearing: float) -> str:
    """Return what a robot touches: another robot by name, or a part of the world with its bearing."""
    number = arena.numbers[robot]
    bodies = arena.built.robots
    x, y = arena.motion[number, X : Y + 1]
    for name, other in arena.numbers.items():
        reach = bounding_radius(bodies[number].body.shape) + bounding_radius(bodies[other].body.shape) + REACH
        if other != number and math.hypot(*(arena.motion[other, X : Y + 1] - (x, y))) < reach:
            return f"robot {name}"
    sides = ("ahead", "to its left", "behind it", "to its right")
    return f"the world, {sides[round(bearing / (math.pi / 2)) % 4]}"
