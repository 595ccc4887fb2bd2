"""Rollout: sense, act and step fused into one compiled loop, for controllers that are policies."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from paddock.arena.measures.registry import note_motion, note_readings
from paddock.control.own import KernelPolicy, own
from paddock.control.policy import Policy, act
from paddock.core.errors import SimulationError
from paddock.core.jit import Kernel, kernel
from paddock.core.remake import remade
from paddock.engine.batch import (
    COUNT,
    FIRST,
    FIRST_MARK,
    FIRST_NUMBER,
    FIRST_SUM,
    KIND,
    MEASURED,
    MEMORY,
    NUMBER,
    PLAN,
    WEIGHT,
)
from paddock.engine.kernels.surroundings import index_crowd
from paddock.engine.model import CROWD, GRID_COLUMNS, GRID_ROWS, MAX_SPEED
from paddock.engine.state import HEADING, TICK, WANT_LEFT, WANT_RIGHT, X, Y
from paddock.engine.step import step_world
from paddock.sensors.sense import sense


def loop_for(policies: Iterable[Policy]) -> Kernel:
    """The loop with the user's own kernel in it, if there is one; compiled once per process."""
    own_ones = {policy.decide: None for policy in policies if isinstance(policy, KernelPolicy)}
    if not own_ones:
        return roll
    if len(own_ones) > 1:
        names = ", ".join(one.function.__name__ for one in own_ones)
        raise SimulationError(f"{names}: one run can have one kernel of your own only, for as many robots as you like")
    return _loop_with(next(iter(own_ones)))


@functools.cache
def _loop_with(decide: Kernel) -> Kernel:
    loop: Kernel = remade(roll, {own: decide})
    return loop


@kernel
def roll(model, state, commands, space, brains, readings, notes, worlds, ticks):
    """Advance some worlds by whole ticks, or until they have reached all their goals.

    Robots without a policy (-1) keep their commands. `readings` is one row of scratch memory.
    """
    kept, robots = state.motion.shape[1], state.motion.shape[2]
    listed = int(model.grids[CROWD, GRID_COLUMNS]) * int(model.grids[CROWD, GRID_ROWS]) + 1
    for k in range(worlds.shape[0]):
        world = worlds[k]
        index_crowd(model.grids, state.motion[world, state.clock[world, TICK] % kept], space.crowd)
        for _ in range(ticks):
            if notes.ahead[world] == 0:
                break
            for j in range(robots):
                # Neighbours one after the other: what they see is still in the processor's cache.
                robot = space.crowd[listed + j] if robots > 1 else j
                sense(model, state, space, world, robot, brains.enabled[robot], False, readings)
                decide(model, state, commands, brains, readings, notes, world, robot)
            step_world(model, state, commands, space, world)
            write_down(model, state, notes, world)


@kernel
def decide(model, state, commands, brains, readings, notes, world, robot):
    """Measure what was sensed, and act: the robot's commands."""
    row = brains.rows[robot]
    wanted = commands[world, robot]
    for k in range(notes.measures.shape[0]):
        measure, slot = notes.measures[k], notes.slots[k, robot]
        if slot[COUNT] > 0 and slot[MEASURED] == 1:
            moving = state.motion[world, state.clock[world, TICK] % state.motion.shape[1], robot]
            numbers = notes.numbers[world % notes.numbers.shape[0], measure[FIRST_NUMBER] :]
            sums = notes.sums[world, robot, measure[FIRST_SUM] :]
            note_readings(measure[KIND], numbers, readings, slot[FIRST], slot[COUNT], moving, sums)
    if row[NUMBER] >= 0:
        weights = brains.weights[world // brains.share, row[WEIGHT] :]
        act(row[NUMBER], brains.plans[row[PLAN] :], weights, brains.memory[world, row[MEMORY] :], readings, wanted)
        most = model.robots[model.makes[robot], MAX_SPEED]
        wanted[WANT_LEFT] = capped(wanted[WANT_LEFT], most)
        wanted[WANT_RIGHT] = capped(wanted[WANT_RIGHT], most)


@kernel
def write_down(model, state, notes, world):
    """After a tick: the measures of motion, goals reached, and the trace."""
    tick = state.clock[world, TICK]
    motion = state.motion[world, tick % state.motion.shape[1]]
    passed = tick - notes.start[world]
    for k in range(notes.measures.shape[0]):
        measure = notes.measures[k]
        numbers = notes.numbers[world % notes.numbers.shape[0], measure[FIRST_NUMBER] :]
        for robot in range(motion.shape[0]):
            if notes.slots[k, robot, MEASURED] == 1:
                sums = notes.sums[world, robot, measure[FIRST_SUM] :]
                marks = notes.marks[world, robot, measure[FIRST_MARK] :]
                notes.ahead[world] -= note_motion(measure[KIND], numbers, motion[robot], passed, model.dt, sums, marks)
    if notes.trace.shape[1] > 0 and passed % notes.every == 0:
        for robot in range(motion.shape[0]):
            row = notes.trace[world, passed // notes.every, robot]
            row[0], row[1], row[2] = motion[robot, X], motion[robot, Y], motion[robot, HEADING]


@kernel
def capped(speed, most):
    """A wanted speed within the data sheet's maximum; what is no number stands still."""
    if speed != speed:
        return 0.0
    return min(most, max(-most, speed))
