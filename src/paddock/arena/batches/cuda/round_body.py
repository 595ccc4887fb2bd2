"""Motion of a round body on the GPU, among the obstacles that were gathered for sensing in the same tick."""

from __future__ import annotations

import math

from paddock.core.jit import Kernel, kernel
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.contact import PUSH, SKIN, circle_in_disc, circle_in_segment, settle
from paddock.simulation.engine.kernels.drive import arc, wrap_angle
from paddock.simulation.engine.state import BEARINGS, CONTACTS, HEADING, X, Y
from paddock.simulation.engine.step import move

DISTANCE = m.ITEM_COLOR  # gathered items need no colour, so this column has their distance [m]


@kernel
def roll_on(model, motion, scratch, robot, left, right, sideways):
    """Follow the wheels' arc among the gathered obstacles. Return along, across [m] in the old frame, and turn."""
    row, robot_state = model.robots[model.robot_variant[0]], motion[0]
    radius = row[m.RADIUS]
    along, across, turn = arc(left, right, sideways, row[m.WHEEL_SEPARATION])
    c, s = math.cos(robot_state[HEADING]), math.sin(robot_state[HEADING])
    sweep = 0.5 * abs(left + right) + abs(sideways)
    reach = radius + sweep + PUSH + SKIN
    segments, discs = scratch.crowd[0], scratch.crowd[1]
    nearest = math.inf
    for k in range(segments):
        nearest = min(nearest, scratch.segments[k, DISTANCE])
    for k in range(discs):
        nearest = min(nearest, scratch.discs[k, DISTANCE])
    robot_state[CONTACTS] = 0.0
    if nearest <= reach:
        along, across, turn, touch_x, touch_y, touch_turn = slide_round(
            model.constants, scratch, segments, discs, row, left, right, sideways, sweep
        )
        for k in range(segments + discs):
            if k < segments:
                item = scratch.segments[k]
                d, nx, ny = circle_in_segment(
                    touch_x, touch_y, radius + SKIN, item[m.ITEM_X0], item[m.ITEM_Y0], item[m.ITEM_X1], item[m.ITEM_Y1]
                )
            else:
                item = scratch.discs[k - segments]
                d, nx, ny = circle_in_disc(
                    touch_x, touch_y, radius + SKIN, item[m.ITEM_X0], item[m.ITEM_Y0], item[m.ITEM_RADIUS]
                )
            if d > 0.0:
                note_bearing(robot_state, wrap_angle(math.atan2(-ny, -nx) - touch_turn))
    robot_state[X] += c * along - s * across
    robot_state[Y] += s * along + c * across
    robot_state[HEADING] = wrap_angle(robot_state[HEADING] + turn)
    return along, across, turn


@kernel
def slide_round(corners, scratch, segments, discs, row, left, right, sideways, sweep):
    """Move a round body in steps too small to skip an obstacle. It can always turn. See `slide` of the step."""
    pieces = max(1.0, math.ceil(sweep / (0.5 * row[m.THICKNESS])))
    share = 1.0 / pieces
    along, across, turn = 0.0, 0.0, 0.0
    touch_x, touch_y, touch_turn = 0.0, 0.0, 0.0
    blocked = False
    for _ in range(int(pieces)):
        ahead, aside, more = arc(left * share, right * share, sideways * share, row[m.WHEEL_SEPARATION])
        c, s = math.cos(turn), math.sin(turn)
        wish_x, wish_y = along + c * ahead - s * aside, across + s * ahead + c * aside
        free, x, y = settle(
            scratch.segments, scratch.discs, segments, discs, corners, 0, 0,
            row[m.RADIUS], wish_x, wish_y, turn + more, 2.0 * sweep * share + PUSH,
        )  # fmt: skip
        turn += more
        if free and math.hypot(x, y) <= sweep + PUSH:
            along, across = x, y
        elif not blocked:
            blocked, touch_x, touch_y, touch_turn = True, wish_x, wish_y, turn
    if not blocked:
        touch_x, touch_y, touch_turn = along, across, turn
    return along, across, turn, touch_x, touch_y, touch_turn


@kernel
def note_bearing(robot_state, bearing):
    """Store the bearing of a contact. Constant indices keep the array in registers."""
    count = robot_state[CONTACTS]
    if count == 0.0:
        robot_state[BEARINGS] = bearing
    elif count == 1.0:
        robot_state[BEARINGS + 1] = bearing
    elif count == 2.0:
        robot_state[BEARINGS + 2] = bearing
    elif count == 3.0:
        robot_state[BEARINGS + 3] = bearing
    robot_state[CONTACTS] = min(count + 1.0, 4.0)


SWAPS: dict[Kernel, Kernel] = {move: roll_on}
