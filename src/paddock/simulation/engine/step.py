"""The step function: compute the next State from (Model, State, commands) in named phases."""

from __future__ import annotations

import math

from paddock.core.jit import kernel
from paddock.core.rng import ALONE, BIAS_STREAM, DRIFT_STREAM, SLIP_STREAM, gauss, make_key
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.contact import PUSH, SKIN, note_contacts, settle
from paddock.simulation.engine.kernels.drive import (
    arc,
    arc_length,
    find_travels,
    fit_sideways,
    steer,
    swerve,
    wheel_speed,
    wrap_angle,
)
from paddock.simulation.engine.kernels.surroundings import gather, index_crowd
from paddock.simulation.engine.state import (
    ACCELERATION,
    BEARINGS,
    COMMAND_LEFT,
    COMMAND_PANS,
    COMMAND_RIGHT,
    CONTACTS,
    ESTIMATE_HEADING,
    ESTIMATE_X,
    ESTIMATE_Y,
    FORWARD,
    HEADING,
    LEFT_SPEED,
    LEFT_TRAVEL,
    PANS,
    RIGHT_SPEED,
    RIGHT_TRAVEL,
    SEED,
    TICK,
    TURN,
    X,
    Y,
)
from paddock.simulation.engine.tape import write_inputs

MAX_PIECES = 200  # maximum number of pieces of a robot's path in a tick; worlds refuse robots that may need more
MAX_EFFORT = 50_000  # approximate maximum of comparisons per tick between sides of a body and nearby items
SHARES = 10  # attempts for each piece of a polygonal body's path: the full piece, then repeated halves

# A pivoting device's first three parameters: lowest and highest pan angle [rad], rate [rad/s].
PAN_LOW, PAN_HIGH, PAN_RATE = range(3)


@kernel
def step(model, state, commands, scratch, ticks):
    """Advance the first world by whole ticks."""
    for _ in range(ticks):
        step_world(model, state, commands, scratch, 0)


@kernel
def step_world(model, state, commands, scratch, world):
    """Advance one world by one tick."""
    kept = state.motion.shape[1]
    tick, seed = state.clock[world, TICK], state.clock[world, SEED]
    motion = state.motion[world, (tick + 1) % kept]
    if scratch.tape.shape[0] > 0:
        write_inputs(scratch.tape, tick, commands[world], state.motion[world, tick % kept])
    if kept > 1:
        copy_rows(state.motion[world, tick % kept], motion)
    index_crowd(model.grids, motion, scratch.crowd)
    move_bodies(model, motion, scratch, commands[world], seed, tick)
    state.clock[world, TICK] = tick + 1


@kernel
def move_bodies(model, motion, scratch, commands, seed, tick):
    """Move the robots one after the other, each only into free space. In worlds with things, `push` replaces this."""
    for robot in range(motion.shape[0]):
        row = model.robots[model.robot_variant[robot]]
        left, right, sideways = roll_wheels(row, motion[robot], commands[robot], model.dt, seed, robot, tick)
        along, across, turn = move(model, motion, scratch, robot, left, right, sideways)
        follow_motion(model, motion[robot], commands[robot], robot, along, across, turn, seed, tick)


@kernel
def follow_motion(model, robot_state, command, robot, along, across, turn, seed, tick):
    """Update what follows from a robot's motion in this tick: speeds, inertial navigation, pan angles."""
    row = model.robots[model.robot_variant[robot]]
    speed = arc_length(along, across, turn) / model.dt
    robot_state[ACCELERATION] = (speed - robot_state[FORWARD]) / model.dt
    robot_state[FORWARD], robot_state[TURN] = speed, turn / model.dt
    if row[m.DRIFT_DISTANCE] >= 0.0:
        drift_key = make_key(seed, ALONE, robot, DRIFT_STREAM, tick)
        bias_key = make_key(seed, ALONE, robot, BIAS_STREAM, 0)
        dead_reckon(row, robot_state, model.dt, along, across, turn, drift_key, bias_key)
    if command.shape[0] > COMMAND_PANS:
        turn_pans(model, robot, command, robot_state)


@kernel
def roll_wheels(row, robot_state, command, dt, seed, robot, tick):
    """Set the wheel speeds from the commands; return the true travel of the left and right wheel, and sideways [m]."""
    if row[m.DRIVE] == m.ACKERMANN:
        return roll_car(row, robot_state, command, dt, seed, robot, tick)
    most, step_size, gain = row[m.MAX_SPEED], row[m.SPEED_STEP], row[m.MAX_ACCELERATION] * dt
    fit, sideways = 1.0, 0.0
    if row[m.DRIVE] == m.OMNI:
        third = int(row[m.THIRD])
        fit = fit_sideways(command[COMMAND_LEFT], command[COMMAND_RIGHT], command[COMMAND_PANS + third], most)
        speed = wheel_speed(robot_state[PANS + third], command[COMMAND_PANS + third] * fit, most, step_size, gain)
        robot_state[PANS + third], sideways = speed, speed * dt
    robot_state[LEFT_SPEED] = wheel_speed(robot_state[LEFT_SPEED], command[COMMAND_LEFT] * fit, most, step_size, gain)
    robot_state[RIGHT_SPEED] = wheel_speed(
        robot_state[RIGHT_SPEED], command[COMMAND_RIGHT] * fit, most, step_size, gain
    )
    left, right = robot_state[LEFT_SPEED] * dt, robot_state[RIGHT_SPEED] * dt
    robot_state[LEFT_TRAVEL] += left
    robot_state[RIGHT_TRAVEL] += right
    left, right = left * row[m.LEFT_FACTOR], right * row[m.RIGHT_FACTOR]
    slip = row[m.SLIP] * row[m.NOISE]
    if slip > 0.0:
        key = make_key(seed, ALONE, robot, SLIP_STREAM, tick)
        left, right = left * (1.0 + slip * gauss(key, 0)), right * (1.0 + slip * gauss(key, 1))
        sideways *= 1.0 + slip * gauss(key, 2)
    return left, right, sideways


@kernel
def roll_car(row, robot_state, command, dt, seed, robot, tick):
    """Set speed and steering angle of a car from the commands; return the travels of the sides, and sideways [m].

    The command is the speed of the rear wheels, whose difference asks for a curve, and a steering angle, which is added
    to that of the curve. A car that stands keeps its steering angle, unless another one is commanded.
    """
    separation, wheelbase, third = row[m.WHEEL_SEPARATION], row[m.WHEELBASE], PANS + int(row[m.THIRD])
    gain = row[m.MAX_ACCELERATION] * dt
    asked = 0.5 * (command[COMMAND_LEFT] + command[COMMAND_RIGHT])
    before = 0.5 * (robot_state[LEFT_SPEED] + robot_state[RIGHT_SPEED])
    speed = wheel_speed(before, asked, row[m.CAR_SPEED], row[m.SPEED_STEP], gain)
    first, target = robot_state[third], command[third - PANS + COMMAND_PANS]
    if asked != 0.0:
        curve = (command[COMMAND_RIGHT] - command[COMMAND_LEFT]) / (separation * asked)
        target += math.atan(wheelbase * curve)
    elif target == 0.0:
        target = first
    last = steer(first, target, row[m.MAX_STEERING], row[m.STEERING_RATE] * dt)
    difference = 0.5 * separation * math.tan(last) / wheelbase * speed
    robot_state[third], robot_state[LEFT_SPEED], robot_state[RIGHT_SPEED] = last, speed - difference, speed + difference
    travel = speed * dt
    _, _, turn = swerve(travel, first, last, wheelbase)
    robot_state[LEFT_TRAVEL] += travel - 0.5 * separation * turn
    robot_state[RIGHT_TRAVEL] += travel + 0.5 * separation * turn
    travel *= 0.5 * (row[m.LEFT_FACTOR] + row[m.RIGHT_FACTOR])
    slip = row[m.SLIP] * row[m.NOISE]
    if slip > 0.0:
        travel *= 1.0 + slip * gauss(make_key(seed, ALONE, robot, SLIP_STREAM, tick), 0)
    along, across, turn = swerve(travel, first, last, wheelbase)
    return find_travels(along, across, turn, separation)


@kernel
def move(model, motion, scratch, robot, left, right, sideways):
    """Follow the arc as far as obstacles allow; return the motion along, across [m] in the old frame, and the turn."""
    row, robot_state = model.robots[model.robot_variant[robot]], motion[robot]
    radius = row[m.RADIUS]
    kind = model.types[int(row[m.TYPE])]
    first, end = kind[m.FIRST_CORNER], kind[m.END_OF_CORNERS]
    along, across, turn = arc(left, right, sideways, row[m.WHEEL_SEPARATION])
    c, s = math.cos(robot_state[HEADING]), math.sin(robot_state[HEADING])
    # Upper bound of the travel of any point of the body along the arc.
    sweep = 0.5 * abs(left + right) + abs(sideways) + (abs(turn) * radius if end > first else 0.0)
    reach = radius + sweep + PUSH + SKIN
    segments, discs = gather(model, motion, scratch, robot, robot_state[X], robot_state[Y], c, s, reach, 0)
    robot_state[CONTACTS] = 0.0
    if segments + discs > 0:
        along, across, turn, touch_x, touch_y, touch_turn = slide(
            scratch.segments, scratch.discs, segments, discs, model.constants, first, end, row,
            left, right, sideways, sweep,
        )  # fmt: skip
        robot_state[CONTACTS] = note_contacts(
            scratch.segments, scratch.discs, segments, discs, model.constants, first, end,
            radius, touch_x, touch_y, touch_turn, robot_state[BEARINGS:PANS],
        )  # fmt: skip
    robot_state[X] += c * along - s * across
    robot_state[Y] += s * along + c * across
    robot_state[HEADING] = wrap_angle(robot_state[HEADING] + turn)
    return along, across, turn


@kernel
def slide(gathered_segments, gathered_discs, segments, discs, corners, first, end, row, left, right, sideways, sweep):
    """Follow an arc among obstacles, in pieces too small to skip an obstacle.

    The amount of work is limited; if the limit is reached, the rest of the path is omitted.
    Return the final pose in the old frame, and the pose at which to check for contacts: the same pose, or the
    first pose that was blocked.
    """
    pieces = max(1.0, math.ceil(sweep / (0.5 * row[m.THICKNESS])))
    along, across, turn = 0.0, 0.0, 0.0
    touch_x, touch_y, touch_turn = 0.0, 0.0, 0.0
    blocked = False
    effort, cost = 0, (segments + discs) * (1 + (end - first) // 2)
    for _ in range(int(min(pieces, MAX_PIECES))):
        share = 1.0 / pieces
        turning = True
        for _ in range(SHARES):
            if effort > MAX_EFFORT:
                break
            effort += cost
            ahead, aside, more = arc(left * share, right * share, sideways * share, row[m.WHEEL_SEPARATION])
            c, s = math.cos(turn), math.sin(turn)
            wish_x, wish_y = along + c * ahead - s * aside, across + s * ahead + c * aside
            more = more if turning else 0.0
            free, x, y = settle(
                gathered_segments, gathered_discs, segments, discs, corners, first, end,
                row[m.RADIUS], wish_x, wish_y, turn + more, 2.0 * sweep * share + PUSH,
            )  # fmt: skip
            if free and math.hypot(x, y) <= sweep + PUSH:  # else it would leave the gathered area
                along, across, turn = x, y, turn + more
                break
            if not blocked:
                blocked, touch_x, touch_y, touch_turn = True, wish_x, wish_y, turn + more
            if end == first:
                turn += more  # a round body can always turn
                break
            if turning and ahead != 0.0 and share * pieces == 1.0:
                turning = False  # a polygonal body that cannot turn may still slide
            else:
                turning, share = True, 0.5 * share  # or move half as far
    if not blocked:
        touch_x, touch_y, touch_turn = along, across, turn
    return along, across, turn, touch_x, touch_y, touch_turn


@kernel
def dead_reckon(row, robot_state, dt, along, across, turn, key, bias_key):
    """Update the pose of inertial navigation by the true motion plus accumulated errors."""
    noise = row[m.NOISE]
    error = noise * row[m.DRIFT_BIAS] * gauss(bias_key, 0) * dt
    error += noise * row[m.DRIFT_HEADING] * math.sqrt(dt) * gauss(key, 0)
    scale = 1.0 + noise * row[m.DRIFT_DISTANCE] * gauss(key, 1)
    heading = robot_state[ESTIMATE_HEADING] + 0.5 * error
    c, s = math.cos(heading), math.sin(heading)
    robot_state[ESTIMATE_X] += scale * (c * along - s * across)
    robot_state[ESTIMATE_Y] += scale * (s * along + c * across)
    robot_state[ESTIMATE_HEADING] = wrap_angle(robot_state[ESTIMATE_HEADING] + turn + error)


@kernel
def turn_pans(model, robot, command, robot_state):
    """Turn pivoting devices towards their target angle, at most at their pan rate."""
    kind = model.types[int(model.robots[model.robot_variant[robot], m.TYPE])]
    for device in range(kind[m.FIRST_DEVICE], kind[m.END_OF_DEVICES]):
        pan = model.devices[device, m.PAN]
        if pan >= 0:
            limits = model.constants[model.devices[device, m.FIRST_PARAMETER] :]
            angle = robot_state[PANS + pan]
            goal = min(limits[PAN_HIGH], max(limits[PAN_LOW], command[COMMAND_PANS + pan]))
            most = limits[PAN_RATE] * model.dt
            robot_state[PANS + pan] = min(angle + most, max(angle - most, goal))


@kernel
def copy_rows(source, target):
    """Copy a table. Kernels use no array expressions, because these would allocate."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]
