"""Kernel of run-and-tumble: sense, integrate the reaction network for one tick, then drive straight or turn."""

from __future__ import annotations

import math
import zlib

import numpy as np
from numpy.typing import NDArray

from paddock.core.jit import kernel
from paddock.core.rng import POLICY_STREAM, chain_key, gauss, make_key, uniform
from paddock.experiments.ecoli.reaction_networks.kernels import (
    POOLS,
    advance,
    find_tumble_odds,
    start_held,
    start_pools,
)

KEY_WORDS = 4
S16, LOW = np.uint64(16), np.uint64(0xFFFF)

# The plan: parameters, then the indices of the readings that look ahead, then the network's table.
(
    NOSE, SCALE, FLOOR, SENSING, NEAR, AHEAD, SPEED, TURN_SPEED, HILL, HALF, TUMBLE_TIME, ANGLE, SPREAD,
    INPUT, OUTPUT, METHOD, PLAN_COLUMNS,
) = range(17)  # fmt: skip
NO_SENSOR, AS_SENSED, INVERTED = range(3)

# Memory: a key, parameters of the run, the state of the walk, run statistics, then the pools and their scratch.
KEY = 0
(
    DT, SEPARATION, TOP_SPEED, STARTED, DRAWS, RUN_THRESHOLD, TURN_TICKS, TURN_WHEEL, RUN_TIME, RUN_FROM, RUN_SIGN,
    FAULT, RUNS_UP, TIME_UP, RUNS_DOWN, TIME_DOWN, BEGUN_UP, BEGUN_TIME_UP, BEGUN_DOWN, BEGUN_TIME_DOWN, TUMBLES,
    WALL_TURNS, FIRST_POOL,
) = range(KEY_WORDS, KEY_WORDS + 23)  # fmt: skip
NO_INPUT = 1000.0  # fault code: the input is not a concentration > 0
MAX_DRAWS = 64  # maximum number of draws for an angle between 0 and 180°
NO_LIMIT = 1e30  # maximum length of a sub-step [s]
PROBE = 0.1  # initial part of a run that determines its direction [s]


@kernel
def read_key(memory, first):
    """Return the key that is stored at an index of the memory."""
    key = np.uint64(memory[first + KEY_WORDS - 1])
    for k in range(KEY_WORDS - 2, -1, -1):
        key = (key << S16) | np.uint64(memory[first + k])
    return key


@kernel
def write_keys(memory, first, seeds, name, own):
    """Write the keys of one robot in many worlds; `memory` has one row per world."""
    for world in range(seeds.shape[0]):
        key = make_key(seeds[world], own, name, POLICY_STREAM, 0)
        for k in range(KEY_WORDS):
            memory[world, first + k] = np.float64(key & LOW)
            key = key >> S16


def seed_memory(
    memory: NDArray[np.float64], first: int, seeds: NDArray[np.int64], robot: str, *, seed: int = 0
) -> None:
    """Write the keys of a robot's policy.

    Args:
        memory: memory of the policy, shape (W, ·).
        first: index of the key.
        seeds: seeds of the worlds, shape (W).
        robot: name of the robot.
        seed: seed of the policy itself.
    """
    write_keys(memory, first, seeds, zlib.crc32(robot.encode()), seed)


@kernel
def draw_key(memory):
    """Return the key of the next draw."""
    memory[DRAWS] += 1.0
    return chain_key(read_key(memory, KEY), int(memory[DRAWS]))


@kernel
def begin_run(memory):
    """Start a new run. It ends when the tumble rate, integrated over time, exceeds an exponential random number."""
    memory[RUN_THRESHOLD] = -math.log(uniform(draw_key(memory), 0))
    memory[RUN_TIME], memory[RUN_SIGN] = 0.0, 0.0


@kernel
def note_direction(memory, reading):
    """Store the reading at the start of a run, and whether its initial part leads up or down the gradient."""
    if memory[RUN_TIME] == 0.0:
        memory[RUN_FROM] = reading
    elif memory[RUN_SIGN] == 0.0 and memory[RUN_TIME] >= PROBE:
        memory[RUN_SIGN] = 1.0 if reading > memory[RUN_FROM] else -1.0


@kernel
def begin_turn(plan, memory, angle):
    """Start a turn by an angle [rad] in whole ticks."""
    wheel = min(plan[TURN_SPEED], memory[TOP_SPEED])
    way = 0.5 * angle * memory[SEPARATION]
    ticks = max(1.0, math.ceil(abs(way) / (wheel * memory[DT])))
    memory[TURN_TICKS], memory[TURN_WHEEL] = ticks, way / (ticks * memory[DT])


@kernel
def draw_tumble(plan, memory):
    """Draw the angle of a tumble [rad]: normal, drawn again until it is between 0 and π, to a random side."""
    key = draw_key(memory)
    side = 1.0 if uniform(key, 0) < 0.5 else -1.0
    for k in range(MAX_DRAWS):
        angle = plan[ANGLE] + plan[SPREAD] * gauss(key, k + 1)
        if 0.0 <= angle <= math.pi:
            return side * angle
    return side * plan[ANGLE]


@kernel
def count_run(memory, reading):
    """Count a run that ended with a tumble, by its overall direction and by its initial direction."""
    memory[TUMBLES] += 1.0
    if memory[RUN_TIME] > 0.0 and reading != memory[RUN_FROM]:
        column = RUNS_UP if reading > memory[RUN_FROM] else RUNS_DOWN
        memory[column] += 1.0
        memory[column + 1] += memory[RUN_TIME]
    if memory[RUN_SIGN] != 0.0:
        column = BEGUN_UP if memory[RUN_SIGN] > 0.0 else BEGUN_DOWN
        memory[column] += 1.0
        memory[column + 1] += memory[RUN_TIME]


@kernel
def react(plan, memory, table, reading):
    """Integrate the network for one tick with the current reading. Return a fault code."""
    count, source = int(table[POOLS]), int(plan[INPUT])
    pools = memory[FIRST_POOL : FIRST_POOL + count]
    level = plan[SCALE] * reading + plan[FLOOR]
    if not level > 0.0:
        return NO_INPUT
    if plan[SENSING] == INVERTED:
        level = 1.0 / level
    if memory[STARTED] == 0.0:
        start_held(table, pools)
        pools[source] = level
        start_pools(table, pools)
    elif plan[SENSING] != NO_SENSOR:
        pools[source] = level
    return float(advance(table, pools, memory[FIRST_POOL + count :], memory[DT], int(plan[METHOD]), NO_LIMIT))


@kernel
def find_nearest(plan, readings):
    """Return the distance of the nearest object ahead [m]; infinite if no sensor looks ahead."""
    nearest = math.inf
    for k in range(int(plan[AHEAD])):
        nearest = min(nearest, readings[int(plan[PLAN_COLUMNS + k])])
    return nearest


@kernel
def run_and_tumble(plan, memory, readings, wheels):
    """Compute one decision: from the nose reading, through the network, to a run or a turn."""
    wheels[0], wheels[1] = 0.0, 0.0
    if memory[FAULT] != 0.0:
        return
    table = plan[PLAN_COLUMNS + int(plan[AHEAD]) :]
    reading = readings[int(plan[NOSE])]
    memory[FAULT] = react(plan, memory, table, reading)
    if memory[FAULT] != 0.0:
        return
    if memory[STARTED] == 0.0:
        memory[STARTED] = 1.0
        begin_run(memory)
    if memory[TURN_TICKS] == 0.0:
        note_direction(memory, reading)
        rate = find_tumble_odds(memory[FIRST_POOL + int(plan[OUTPUT])], plan[HILL], plan[HALF]) / plan[TUMBLE_TIME]
        if find_nearest(plan, readings) < plan[NEAR]:
            memory[WALL_TURNS] += 1.0
            begin_turn(plan, memory, math.pi * (2.0 * uniform(draw_key(memory), 0) - 1.0))
        elif memory[RUN_THRESHOLD] <= 0.0:
            count_run(memory, reading)
            begin_turn(plan, memory, draw_tumble(plan, memory))
        else:
            memory[RUN_THRESHOLD] -= rate * memory[DT]
            memory[RUN_TIME] += memory[DT]
            wheels[0] = wheels[1] = plan[SPEED]
            return
    wheels[0], wheels[1] = -memory[TURN_WHEEL], memory[TURN_WHEEL]
    memory[TURN_TICKS] -= 1.0
    if memory[TURN_TICKS] == 0.0:
        begin_run(memory)
