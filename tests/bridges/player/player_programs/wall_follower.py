"""A wall-following Pioneer in the usual style of programs for Player: read, check the ranges, set a speed."""

from __future__ import annotations

import math

import numpy as np

from bridges.player.player_fixtures import POSITION, RANGER, PlayerProgram, pose_in

CLEARANCE, SPEED, GAIN, DAMPING, AHEAD, MOST = 0.5, 0.3, 2.0, 4.0, 0.7, 1.0
SETTLE, WITHIN = 20.0, 0.07  # [s] before the loop is closed at the earliest, [m]


def follow_walls(program: PlayerProgram, seconds: float) -> tuple[float, float]:
    """Drive to a wall and follow it on the left; return the time of loop closure and the remaining gap."""
    program.open(POSITION, RANGER)
    before, begin, since = math.inf, None, math.inf
    while True:
        data = program.read()
        now, pose = data[POSITION, 0].time, pose_in(data[POSITION, 0])
        ranges = np.frombuffer(data[RANGER, 0].payload, ">f8", offset=8)
        left, ahead = float(ranges[:3].min()), float(ranges[2:6].min())
        if begin is None and left < CLEARANCE + 0.05:
            since = min(since, now)
            begin = pose[:2] if now - since > SETTLE else None
        elif (begin is not None and now - since > 2 * SETTLE and math.dist(begin, pose[:2]) < WITHIN) or now > seconds:
            program.drive(0.0, 0.0)
            program.read()
            return now, math.dist(begin, pose[:2]) if begin else math.inf
        turn = GAIN * (min(left, 2 * CLEARANCE) - CLEARANCE) + DAMPING * (left - before if left < 1 > before else 0.0)
        before = left
        if since == math.inf and ahead > AHEAD:
            turn = 0.0  # no wall yet
        program.drive(SPEED, max(-MOST, min(MOST, turn))) if ahead > AHEAD else program.drive(0.05, -MOST)
