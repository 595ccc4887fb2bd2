"""The compiled loop: sense, act and step, for controllers that are policies."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable

from paddock.arena.batches import batch_tables as t
from paddock.arena.metrics.metric import Metric
from paddock.arena.metrics.metric_dispatch import note_motion, note_readings
from paddock.arena.metrics.metric_registry import NOTE_MOTION, NOTE_READINGS, get_metric_number
from paddock.control.policies.kernel_policy import KernelPolicy, own
from paddock.control.policies.policy import Policy
from paddock.control.policies.policy_dispatch import act
from paddock.control.policies.policy_registry import ACT
from paddock.core.errors import SimulationError
from paddock.core.jit import Kernel, kernel, rebuild_kernel
from paddock.simulation.engine.kernels.surroundings import index_crowd
from paddock.simulation.engine.model import CROWD, GRID_COLUMNS, GRID_ROWS, MAX_SPEED, Model
from paddock.simulation.engine.push import replace_moving
from paddock.simulation.engine.state import (
    COMMAND_LEFT,
    COMMAND_RIGHT,
    CONTACTS,
    HEADING,
    LEFT_SPEED,
    RIGHT_SPEED,
    TICK,
    X,
    Y,
)
from paddock.simulation.engine.step import step_world
from paddock.simulation.sensors.sense import replace_measure, sense
from paddock.simulation.sensors.sensor_spec import SensorSpec


def loop_for(
    policies: Collection[Policy],
    model: Model,
    kinds: Iterable[type[SensorSpec]] = (),
    metrics: Iterable[Metric] = (),
) -> Kernel:
    """Return the loop for these policies, worlds, sensor kinds and metrics: the built-in one, or an extended one.

    An extended loop is compiled again when the source of a user's kernel or of another package changes.
    """
    own_kernels = {policy.decide: None for policy in policies if isinstance(policy, KernelPolicy)}
    if len(own_kernels) > 1:
        names = ", ".join(kernel.function.__name__ for kernel in own_kernels)
        raise SimulationError(f"{names}: a run can use only one kernel of your own, for any number of robots")
    numbers = [get_metric_number(metric) for metric in metrics]
    swaps = {
        **dict.fromkeys([own] if own_kernels else [], next(iter(own_kernels), own)),
        **replace_moving(model),
        **replace_measure(kinds),
        **ACT.extend(act, [ACT.number(type(policy)) for policy in policies]),
        **NOTE_MOTION.extend(note_motion, numbers),
        **NOTE_READINGS.extend(note_readings, numbers),
    }
    return _loop_with(tuple(swaps.items()))


@functools.cache
def _loop_with(swaps: tuple[tuple[Kernel, Kernel], ...]) -> Kernel:
    loop: Kernel = rebuild_kernel(roll, dict(swaps))
    return loop


@kernel
def roll(model, state, commands, scratch, policy_table, readings, metric_sums, worlds, ticks):
    """Advance some worlds by whole ticks, or until they have reached all their goals.

    Robots without a policy (-1) keep their commands. `readings` is one row of scratch memory.
    """
    kept, bodies, robots = state.motion.shape[1], state.motion.shape[2], commands.shape[1]
    listed = int(model.grids[CROWD, GRID_COLUMNS]) * int(model.grids[CROWD, GRID_ROWS]) + 1
    for k in range(worlds.shape[0]):
        world = worlds[k]
        index_crowd(model.grids, state.motion[world, state.clock[world, TICK] % kept], scratch.crowd)
        for _ in range(ticks):
            if metric_sums.ahead[world] == 0:
                break
            for j in range(bodies):
                # Neighbours one after the other, while their surroundings are in the processor's cache.
                robot = scratch.crowd[listed + j] if bodies > 1 else j
                if robot < robots:
                    sense(model, state, scratch, world, robot, policy_table.enabled[robot], False, readings)
                    decide(model, state, commands, policy_table, readings, metric_sums, world, robot)
            step_world(model, state, commands, scratch, world)
            write_down(model, state, commands, metric_sums, world)


@kernel
def decide(model, state, commands, policy_table, readings, metric_sums, world, robot):
    """Update the metrics of readings, and compute the robot's commands."""
    row = policy_table.rows[robot]
    command = commands[world, robot]
    if metric_sums.trace.shape[3] > t.ROW_COLUMNS:
        write_readings(metric_sums, readings, state.clock[world, TICK] - metric_sums.start[world], world, robot)
    for k in range(metric_sums.metrics.shape[0]):
        metric, slot = metric_sums.metrics[k], metric_sums.slots[k, robot]
        if slot[t.COUNT] > 0 and slot[t.MEASURED] == 1:
            robot_state = state.motion[world, state.clock[world, TICK] % state.motion.shape[1], robot]
            numbers = metric_sums.numbers[world % metric_sums.numbers.shape[0], metric[t.FIRST_NUMBER] :]
            sums = metric_sums.sums[world, robot, metric[t.FIRST_SUM] :]
            note_readings(metric[t.KIND], numbers, readings, slot[t.FIRST], slot[t.COUNT], robot_state, sums)
    if row[t.NUMBER] >= 0:
        weights = policy_table.weights[world // policy_table.share, row[t.WEIGHT] :]
        act(
            row[t.NUMBER],
            policy_table.plans[row[t.PLAN] :],
            weights,
            policy_table.memory[world, row[t.MEMORY] :],
            readings,
            command,
        )
        most = model.robots[model.robot_variant[robot], MAX_SPEED]
        command[COMMAND_LEFT] = capped(command[COMMAND_LEFT], most)
        command[COMMAND_RIGHT] = capped(command[COMMAND_RIGHT], most)


@kernel
def write_down(model, state, commands, metric_sums, world):
    """Update the metrics of motion, the goals and the trace after a tick."""
    tick = state.clock[world, TICK]
    motion = state.motion[world, tick % state.motion.shape[1]][: commands.shape[1]]  # of the robots
    passed = tick - metric_sums.start[world]
    for k in range(metric_sums.metrics.shape[0]):
        metric = metric_sums.metrics[k]
        numbers = metric_sums.numbers[world % metric_sums.numbers.shape[0], metric[t.FIRST_NUMBER] :]
        for robot in range(motion.shape[0]):
            if metric_sums.slots[k, robot, t.MEASURED] == 1:
                sums = metric_sums.sums[world, robot, metric[t.FIRST_SUM] :]
                marks = metric_sums.marks[world, robot, metric[t.FIRST_MARK] :]
                metric_sums.ahead[world] -= note_motion(
                    metric[t.KIND], numbers, motion, robot, motion[robot], passed, model.dt, sums, marks
                )
    if metric_sums.trace.shape[1] > 0:
        if passed % metric_sums.every == 0:
            for robot in range(motion.shape[0]):
                write_motion(motion[robot], metric_sums.trace[world, passed // metric_sums.every, robot])
        if (passed - 1) % metric_sums.every == 0:  # the command of the previous tick, for this one
            for robot in range(motion.shape[0]):
                row = metric_sums.trace[world, (passed - 1) // metric_sums.every, robot]
                row[t.ROW_COMMAND_LEFT] = commands[world, robot, COMMAND_LEFT]
                row[t.ROW_COMMAND_RIGHT] = commands[world, robot, COMMAND_RIGHT]


@kernel
def write_motion(robot_state, row):
    """Write a row of the trace, except for the command, which is not known before the next tick."""
    row[t.ROW_X], row[t.ROW_Y], row[t.ROW_HEADING] = robot_state[X], robot_state[Y], robot_state[HEADING]
    row[t.ROW_LEFT], row[t.ROW_RIGHT] = robot_state[LEFT_SPEED], robot_state[RIGHT_SPEED]
    row[t.ROW_CONTACTS] = robot_state[CONTACTS]


@kernel
def write_readings(metric_sums, readings, passed, world, robot):
    """Write the readings of a row of the trace."""
    if passed % metric_sums.every == 0:
        row = metric_sums.trace[world, passed // metric_sums.every, robot]
        for k in range(metric_sums.trace.shape[3] - t.ROW_COLUMNS):
            row[t.ROW_COLUMNS + k] = readings[k]


@kernel
def capped(speed, most):
    """Limit a commanded speed to the data sheet's maximum; NaN becomes 0."""
    if speed != speed:
        return 0.0
    return min(most, max(-most, speed))
