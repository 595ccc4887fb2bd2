"""Pushing: how robots move things, and things each other.

A thing that is pushed slowly has no momentum: it moves only while something pushes it. Its friction with the floor is
an ellipsoidal limit surface (Goyal, Ruina and Papadopoulos 1991) with the largest force f and the largest moment f·c,
where c is the mean distance of the footprint from its centre. So a force F along the line of contact, with the moment
M, moves the thing by F/f and turns it by M/(f·c²). A correction of an overlap with these weights is therefore a step of
this model (facts: Lynch, Maekawa and Tanie 1992), and many touching things are solved by sweeps over their contacts.

Robots move first, as if there were no things, and push the things out of their way. If things do not get out of the
way without overlap, or if that takes more work than the wheels can do, then the robots of this group return to
the start and move again, among things that stand as firmly as walls. So no tick ends with an overlap.
"""

from __future__ import annotations

import functools
import math

from paddock.core.jit import Kernel, kernel, rebuild_kernel
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.drive import wrap_angle
from paddock.simulation.engine.kernels.rays import distance_to_segment
from paddock.simulation.engine.kernels.surroundings import find_column, find_row
from paddock.simulation.engine.kernels.touch import find_touch
from paddock.simulation.engine.model import Model
from paddock.simulation.engine.state import (
    BEARINGS,
    CONTACTS,
    FORWARD,
    HEADING,
    PAIRS,
    PANS,
    TURN,
    X,
    Y,
    has_things,
)
from paddock.simulation.engine.step import follow_motion, move, move_bodies, roll_wheels, step

SWEEPS = 150  # maximum number of sweeps over the contacts
PLAIN_SWEEPS = 8  # then corrections are enlarged, so that long chains of things converge
ENLARGED = 1.7
WATCHED = 30  # sweeps after which the largest correction must have fallen to HOPE of its value, or a jam is assumed
HOPE = 0.7
FINE = 1e-6  # sweeps end when none moved a body farther [m]
SLACK = 5e-5  # overlap that may remain after the last sweep [m]
TRIES = 4  # attempts of a piece of a tick, each with more robots that do not push; then none pushes

# Columns of a body's memory: its pose at the start of the piece; the group of bodies that touch, as the number of
# another of them; its state; and of the group's first body the work of friction, and that of which its wheels are
# capable [J].
FROM_X, FROM_Y, FROM_HEADING, GROUP, STATE, WORK, BUDGET = range(7)
ASLEEP, AWAKE, BLOCKED = range(3)  # things without and with listed contacts; robots that do not push
# Columns of a body's other memory: its pose at the start of the tick, and a robot's wheel travels [m].
START_X, START_Y, START_HEADING, LEFT, RIGHT, SIDEWAYS = range(6)
# Columns of a contact: a thing, another body or -1 - item, the corrections so far along and across the normal [N·m],
# the normal, and whether an overlap is left.
FIRST, SECOND, NORMAL, ACROSS, NORMAL_X, NORMAL_Y, OVERLAPS = range(7)


def step_for(model: Model) -> Kernel:
    """Return the step function of a world: with or without pushing, which compiles slowly."""
    return _pushing_step() if has_things(model) else step


@functools.cache
def _pushing_step() -> Kernel:
    pushing: Kernel = rebuild_kernel(step, {move_bodies: push})
    return pushing


def replace_moving(model: Model) -> dict[Kernel, Kernel]:
    """Return the replacement of `move_bodies` in a world with things."""
    return {move_bodies: push} if has_things(model) else {}


@kernel
def push(model, motion, scratch, commands, seed, tick):
    """Move the robots and the things that they push, in pieces too small to skip a body."""
    robots, bodies = commands.shape[0], motion.shape[0]
    starts = scratch.segments[scratch.segments.shape[0] - bodies * (1 + PAIRS) :]
    memory = scratch.discs[scratch.discs.shape[0] - bodies :]
    thinnest = math.inf
    for k in range(model.robots.shape[0]):
        thinnest = min(thinnest, model.robots[k, m.THICKNESS])
    for body in range(bodies):
        for k in range(3):
            starts[body, START_X + k] = motion[body, X + k]
        if body < robots:
            row = model.robots[model.robot_variant[body]]
            left, right, sideways = roll_wheels(row, motion[body], commands[body], model.dt, seed, body, tick)
            starts[body, LEFT], starts[body, RIGHT], starts[body, SIDEWAYS] = left, right, sideways
    travel = model.grids[m.CROWD, m.GRID_REACH]
    pieces = math.ceil(travel / (0.5 * thinnest))
    for _ in range(int(pieces)):
        push_piece(model, motion, scratch, robots, starts, memory, 1.0 / pieces, travel / pieces)
    for body in range(bodies):
        body_state, start = motion[body], starts[body]
        dx, dy = body_state[X] - start[START_X], body_state[Y] - start[START_Y]
        turn = wrap_angle(body_state[HEADING] - start[START_HEADING])
        if body < robots:
            c, s = math.cos(start[START_HEADING]), math.sin(start[START_HEADING])
            along, across = c * dx + s * dy, c * dy - s * dx
            follow_motion(model, body_state, commands[body], body, along, across, turn, seed, tick)
        else:
            body_state[FORWARD], body_state[TURN] = math.hypot(dx, dy) / model.dt, turn / model.dt


@kernel
def push_piece(model, motion, scratch, robots, starts, memory, share, farthest):
    """Move all bodies by a share of the tick; things move no farther than `farthest` [m]."""
    bodies = motion.shape[0]
    for body in range(bodies):
        for k in range(3):
            memory[body, FROM_X + k] = motion[body, X + k]
        memory[body, STATE] = ASLEEP
    for attempt in range(TRIES + 1):
        for body in range(bodies):
            if attempt > 0:
                for k in range(3):
                    motion[body, X + k] = memory[body, FROM_X + k]
            if body >= robots:
                memory[body, STATE] = ASLEEP
        for robot in range(robots):
            if attempt == TRIES:
                memory[robot, STATE] = BLOCKED
            around = bodies if memory[robot, STATE] == BLOCKED else robots
            start = starts[robot]
            left, right, sideways = start[LEFT] * share, start[RIGHT] * share, start[SIDEWAYS] * share
            move(model, motion[:around], scratch, robot, left, right, sideways)
        if attempt == TRIES or clear(model, motion, scratch, robots, starts, memory, share, farthest):
            break


@kernel
def clear(model, motion, scratch, robots, starts, memory, share, farthest):
    """Push the things out of the robots' way. If that fails, block the robots that pushed, and return False."""
    pairs = scratch.segments[scratch.segments.shape[0] - motion.shape[0] * PAIRS :]
    count, most = 0, pairs.shape[0]
    for robot in range(robots):
        count = list_touches(model, motion, scratch, robots, memory, pairs, count, robot, farthest)
    is_last, before = False, math.inf
    for sweep in range(SWEEPS + 1):
        factor = 1.0 if sweep < PLAIN_SWEEPS else ENLARGED
        largest = 0.0
        k = 0
        while k < min(count, most):
            pair = pairs[k]
            first = int(pair[FIRST])
            moved = correct(model, motion, memory, robots, pair, factor, is_last)
            largest = max(largest, moved)
            if is_last:
                pair[OVERLAPS] = 1.0 if moved > SLACK else 0.0
            elif pair[NORMAL] > 0.0 and memory[first, STATE] == ASLEEP:
                memory[first, STATE] = AWAKE
                count = list_items(model, memory, pairs, count, first, farthest)
                count = list_touches(model, motion, scratch, robots, memory, pairs, count, first, 2.0 * farthest)
            k += 1
        if is_last or largest <= FINE:
            break
        is_last = sweep == SWEEPS - 1
        if sweep % WATCHED == WATCHED - 1:
            is_last |= largest > HOPE * before
            before = largest
    if count > most:
        for robot in range(robots):
            memory[robot, STATE] = BLOCKED
        return False
    return share_work(model, motion, robots, starts, memory, pairs, count, share, farthest)


@kernel
def list_touches(model, motion, scratch, robots, memory, pairs, count, body, reach):
    """List the contacts of a body with all things nearby that are asleep; return the number of contacts."""
    grid = model.grids[m.CROWD]
    x, y = motion[body, X], motion[body, Y]
    reach += model.robots[model.robot_variant[body], m.RADIUS]
    wide = reach + 2.0 * grid[m.GRID_REACH] + grid[m.GRID_BODY]
    left, right = find_column(grid, x - wide), find_column(grid, x + wide)
    width = int(grid[m.GRID_COLUMNS])
    for row in range(find_row(grid, y - wide), find_row(grid, y + wide) + 1):
        for k in range(scratch.crowd[row * width + left], scratch.crowd[row * width + right + 1]):
            other = scratch.crowd[k]
            if other >= robots and other != body and memory[other, STATE] == ASLEEP:
                radius = model.robots[model.robot_variant[other], m.RADIUS]
                if math.hypot(motion[other, X] - x, motion[other, Y] - y) <= reach + radius:
                    count = list_pair(pairs, count, other, body)
    return count


@kernel
def list_items(model, memory, pairs, count, thing, reach):
    """List the contacts of a thing with walls and obstacles nearby; return the number of contacts."""
    near = model.grids[m.NEAR]
    x, y = memory[thing, FROM_X], memory[thing, FROM_Y]
    reach += model.robots[model.robot_variant[thing], m.RADIUS]
    column = math.floor((x - near[m.GRID_X]) * near[m.GRID_SCALE])
    row = math.floor((y - near[m.GRID_Y]) * near[m.GRID_SCALE])
    if 0.0 <= column < near[m.GRID_COLUMNS] and 0.0 <= row < near[m.GRID_ROWS]:
        start = int(near[m.GRID_STARTS]) + int(row * near[m.GRID_COLUMNS] + column)
        for k in range(model.cells[start], model.cells[start + 1]):
            item = model.items[model.cells[k]]
            away = distance_to_segment(x, y, item[m.ITEM_X0], item[m.ITEM_Y0], item[m.ITEM_X1], item[m.ITEM_Y1])
            if away - item[m.ITEM_RADIUS] <= reach:
                count = list_pair(pairs, count, thing, -1 - model.cells[k])
    return count


@kernel
def list_pair(pairs, count, first, second):
    """List a contact if the list is long enough; return the number of contacts, including those that did not fit."""
    if count < pairs.shape[0]:
        pair = pairs[count]
        pair[FIRST], pair[SECOND] = first, second
        pair[NORMAL] = pair[ACROSS] = pair[OVERLAPS] = 0.0
    return count + 1


@kernel
def correct(model, motion, memory, robots, pair, factor, only_look):
    """Move the things of a contact out of each other, with friction; return how far they overlapped or moved [m]."""
    first, second = int(pair[FIRST]), int(pair[SECOND])
    depth, nx, ny, px, py = find_touch(model, motion, first, second)
    if only_look:
        return depth
    if depth <= 0.0 and pair[NORMAL] == 0.0:
        return 0.0
    pair[NORMAL_X], pair[NORMAL_Y] = nx, ny
    a = model.robots[model.robot_variant[first]]
    b, state_b = a, motion[first]  # not used unless the second body is a thing
    if second >= robots:
        b, state_b = model.robots[model.robot_variant[second]], motion[second]
    yields = second >= robots
    give = respond(a, motion[first], nx, ny, px, py) + (respond(b, state_b, nx, ny, px, py) if yields else 0.0)
    change = max(-pair[NORMAL], factor * depth / give)
    pair[NORMAL] += change
    shift(a, motion[first], change, nx, ny, px, py)
    if yields:
        shift(b, state_b, -change, nx, ny, px, py)
    moved = abs(change) * give
    grip = min(a[m.GRIP], b[m.GRIP])
    if grip > 0.0:
        slip = slide_along(motion[first], memory[first], -ny, nx, px, py)
        if second >= 0:
            slip -= slide_along(motion[second], memory[second], -ny, nx, px, py)
        give = respond(a, motion[first], -ny, nx, px, py) + (respond(b, state_b, -ny, nx, px, py) if yields else 0.0)
        limit = grip * pair[NORMAL]
        change = min(limit, max(-limit, pair[ACROSS] - slip / give)) - pair[ACROSS]
        pair[ACROSS] += change
        shift(a, motion[first], change, -ny, nx, px, py)
        if yields:
            shift(b, state_b, -change, -ny, nx, px, py)
        moved = max(moved, abs(change) * give)
    return moved


@kernel
def respond(row, body_state, nx, ny, px, py):
    """Return how far a thing's point moves per unit of a correction at this point in direction n [1/N]."""
    arm = (px - body_state[X]) * ny - (py - body_state[Y]) * nx
    return (1.0 + arm * arm / (row[m.LEVER] * row[m.LEVER])) / row[m.FORCE]


@kernel
def shift(row, body_state, change, nx, ny, px, py):
    """Move and turn a thing by a correction at a point [N·m] in direction n."""
    arm = (px - body_state[X]) * ny - (py - body_state[Y]) * nx
    body_state[X] += change * nx / row[m.FORCE]
    body_state[Y] += change * ny / row[m.FORCE]
    body_state[HEADING] = wrap_angle(body_state[HEADING] + change * arm / (row[m.LEVER] * row[m.LEVER] * row[m.FORCE]))


@kernel
def slide_along(body_state, start, tx, ty, px, py):
    """Return how far a body's point at (px, py) has moved in direction t since the start of the piece [m]."""
    turn = start[FROM_HEADING] - body_state[HEADING]
    c, s = math.cos(turn), math.sin(turn)
    x, y = px - body_state[X], py - body_state[Y]
    return (px - start[FROM_X] - c * x + s * y) * tx + (py - start[FROM_Y] - s * x - c * y) * ty


@kernel
def share_work(model, motion, robots, starts, memory, pairs, count, share, farthest):
    """Whether every group of bodies that touch was cleared, and its wheels can do the work; else block its robots."""
    for body in range(motion.shape[0]):
        memory[body, GROUP] = body
        memory[body, WORK] = memory[body, BUDGET] = 0.0
    for k in range(count):
        if pairs[k, NORMAL] > 0.0 and pairs[k, SECOND] >= 0.0:
            a, b = find_group(memory, int(pairs[k, FIRST])), find_group(memory, int(pairs[k, SECOND]))
            memory[max(a, b), GROUP] = min(a, b)
    for body in range(motion.shape[0]):
        row, group = model.robots[model.robot_variant[body]], memory[find_group(memory, body)]
        if body < robots:
            way = (0.5 * (abs(starts[body, LEFT]) + abs(starts[body, RIGHT])) + abs(starts[body, SIDEWAYS])) * share
            if memory[body, STATE] != BLOCKED and way > 0.0:
                group[BUDGET] += row[m.FORCE] * way
        elif memory[body, STATE] == AWAKE:
            dx, dy = motion[body, X] - memory[body, FROM_X], motion[body, Y] - memory[body, FROM_Y]
            turn = wrap_angle(motion[body, HEADING] - memory[body, FROM_HEADING])
            turned = row[m.LEVER] * turn
            group[WORK] += row[m.FORCE] * math.sqrt(dx * dx + dy * dy + turned * turned)
            if math.hypot(dx, dy) + row[m.RADIUS] * abs(turn) > farthest:
                group[WORK] = math.inf
    for k in range(count):
        if pairs[k, OVERLAPS] > 0.0:
            memory[find_group(memory, int(pairs[k, FIRST])), WORK] = math.inf
    fails, blocks = False, False
    for body in range(motion.shape[0]):
        group = memory[find_group(memory, body)]
        if group[WORK] > group[BUDGET] or group[WORK] == math.inf:
            fails = True
            if body < robots and memory[body, STATE] != BLOCKED:
                memory[body, STATE] = BLOCKED
                blocks = True
    if fails and not blocks:
        for robot in range(robots):
            memory[robot, STATE] = BLOCKED
    if not fails:
        note_pushes(motion, robots, pairs, count)
    return not fails


@kernel
def find_group(memory, body):
    """Return the lowest number in a body's group."""
    while int(memory[body, GROUP]) != body:
        body = int(memory[body, GROUP])
    return body


@kernel
def note_pushes(motion, robots, pairs, count):
    """Add the bearings of pushed things to the robots' contacts [rad]."""
    for k in range(count):
        robot = int(pairs[k, SECOND])
        if 0 <= robot < robots and pairs[k, NORMAL] > 0.0:
            robot_state = motion[robot]
            number = int(robot_state[CONTACTS])
            if number < PANS - BEARINGS:
                bearing = math.atan2(pairs[k, NORMAL_Y], pairs[k, NORMAL_X]) - robot_state[HEADING]
                robot_state[BEARINGS + number] = wrap_angle(bearing)
                robot_state[CONTACTS] = number + 1.0
