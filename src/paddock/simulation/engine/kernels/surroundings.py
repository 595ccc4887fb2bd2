"""Gather walls, obstacles, other robots and things near a robot, transformed to the robot's own frame.

Gathered segments and discs have the columns of the model's items.
"""

from __future__ import annotations

import math

from paddock.core.jit import kernel
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.rays import distance_to_segment
from paddock.simulation.engine.state import HEADING, X, Y


@kernel
def find_column(grid, x):
    """Return the column of the grid cell at x, clipped to the grid."""
    return int(min(max(math.floor((x - grid[m.GRID_X]) * grid[m.GRID_SCALE]), 0.0), grid[m.GRID_COLUMNS] - 1.0))


@kernel
def find_row(grid, y):
    """Return the row of the grid cell at y, clipped to the grid."""
    return int(min(max(math.floor((y - grid[m.GRID_Y]) * grid[m.GRID_SCALE]), 0.0), grid[m.GRID_ROWS] - 1.0))


@kernel
def index_crowd(grids, motion, crowd):
    """Sort the bodies into cells, lower numbers first. `motion` is that of one tick, shape (N, ·)."""
    grid = grids[m.CROWD]
    count = motion.shape[0]
    width = int(grid[m.GRID_COLUMNS])
    cells = width * int(grid[m.GRID_ROWS])
    if count < 2:
        return
    for cell in range(cells + 1):
        crowd[cell] = 0
    for r in range(count):
        crowd[find_row(grid, motion[r, Y]) * width + find_column(grid, motion[r, X])] += 1
    total = cells + 1  # the list of bodies follows the start indices
    for cell in range(cells + 1):
        total += crowd[cell]
        crowd[cell] = total
    for r in range(count - 1, -1, -1):
        cell = find_row(grid, motion[r, Y]) * width + find_column(grid, motion[r, X])
        crowd[cell] -= 1
        crowd[crowd[cell]] = r


@kernel
def gather(model, motion, scratch, robot, x, y, c, s, reach, ticks_ago):
    """Collect all items and bodies within `reach` [m] of (x, y); return the numbers of segments and discs.

    Coordinates are transformed to the frame at (x, y) with heading cosine c, sine s. The crowd's index may
    be `ticks_ago` + 1 ticks older or newer than `motion`; the search is wide enough for that. `motion` may have only
    the first of the bodies.
    """
    segments, discs = 0, 0
    near = model.grids[m.NEAR]
    if reach <= near[m.GRID_REACH]:
        column = math.floor((x - near[m.GRID_X]) * near[m.GRID_SCALE])
        row = math.floor((y - near[m.GRID_Y]) * near[m.GRID_SCALE])
        if 0.0 <= column < near[m.GRID_COLUMNS] and 0.0 <= row < near[m.GRID_ROWS]:
            start = int(near[m.GRID_STARTS]) + int(row * near[m.GRID_COLUMNS] + column)
            for k in range(model.cells[start], model.cells[start + 1]):
                segments, discs = add_item(
                    model.items[model.cells[k]], scratch.segments, scratch.discs, x, y, c, s, reach, segments, discs
                )
    else:
        segments, discs = gather_far(model, scratch, x, y, c, s, reach)
    if motion.shape[0] > 1:
        segments, discs = gather_robots(model, motion, scratch, robot, x, y, c, s, reach, ticks_ago, segments, discs)
    return segments, discs


@kernel
def gather_far(model, scratch, x, y, c, s, reach):
    """Collect the items within a long reach, cell by cell."""
    segments, discs = 0, 0
    far = model.grids[m.FAR]
    left, right = find_column(far, x - reach), find_column(far, x + reach)
    bottom, top = find_row(far, y - reach), find_row(far, y + reach)
    for row in range(bottom, top + 1):
        for column in range(left, right + 1):
            start = int(far[m.GRID_STARTS]) + row * int(far[m.GRID_COLUMNS]) + column
            for k in range(model.cells[start], model.cells[start + 1]):
                item = model.cells[k]
                span = int(far[m.GRID_SPANS]) + 4 * item
                # An item may be in several cells; add it only in the first one that is searched.
                if max(model.cells[span], left) == column and max(model.cells[span + 1], bottom) == row:
                    segments, discs = add_item(
                        model.items[item], scratch.segments, scratch.discs, x, y, c, s, reach, segments, discs
                    )
    return segments, discs


@kernel
def gather_robots(model, motion, scratch, robot, x, y, c, s, reach, ticks_ago, segments, discs):
    """Add the other bodies within reach."""
    count = motion.shape[0]
    grid = model.grids[m.CROWD]
    wide = reach + grid[m.GRID_REACH] * (1.0 + ticks_ago) + grid[m.GRID_BODY]
    left, right = find_column(grid, x - wide), find_column(grid, x + wide)
    bottom, top = find_row(grid, y - wide), find_row(grid, y + wide)
    width = int(grid[m.GRID_COLUMNS])
    all_is_cheaper = (right - left + 1) * (top - bottom + 1) > count
    for row in range(bottom, bottom + 1 if all_is_cheaper else top + 1):
        # The cells of a row are contiguous.
        first = 0 if all_is_cheaper else scratch.crowd[row * width + left]
        last = count if all_is_cheaper else scratch.crowd[row * width + right + 1]
        for k in range(first, last):
            other = k if all_is_cheaper else scratch.crowd[k]
            if other != robot and other < count:
                px, py = motion[other, X] - x, motion[other, Y] - y
                far = reach + grid[m.GRID_BODY]
                radius = model.robots[model.robot_variant[other], m.RADIUS]
                if px * px + py * py <= far * far and math.hypot(px, py) <= reach + radius:
                    segments, discs = add_robot(
                        model, scratch, other, px, py, motion[other, HEADING], c, s, segments, discs
                    )
    return segments, discs


@kernel
def add_item(item, gathered_segments, gathered_discs, x, y, c, s, reach, segments, discs):
    """Add one wall segment or disc if it is within reach."""
    px, py = item[m.ITEM_X0] - x, item[m.ITEM_Y0] - y
    if item[m.ITEM_RADIUS] > 0.0:
        if math.hypot(px, py) - item[m.ITEM_RADIUS] <= reach:
            put(gathered_discs[discs], px, py, px, py, c, s, item[m.ITEM_RADIUS], item[m.ITEM_TOP], item[m.ITEM_COLOR])
            discs += 1
    else:
        qx, qy = item[m.ITEM_X1] - x, item[m.ITEM_Y1] - y
        if distance_to_segment(0.0, 0.0, px, py, qx, qy) <= reach:
            put(gathered_segments[segments], px, py, qx, qy, c, s, 0.0, item[m.ITEM_TOP], item[m.ITEM_COLOR])
            segments += 1
    return segments, discs


@kernel
def add_robot(model, scratch, other, px, py, heading, c, s, segments, discs):
    """Add the body at (px, py): a disc, or the edges of its outline."""
    row = model.robots[model.robot_variant[other]]
    kind = model.types[int(row[m.TYPE])]
    first, end = kind[m.FIRST_CORNER], kind[m.END_OF_CORNERS]
    if first == end:
        put(scratch.discs[discs], px, py, px, py, c, s, row[m.RADIUS], row[m.TOP], row[m.COLOR])
        return segments, discs + 1
    oc, os = math.cos(heading), math.sin(heading)
    lx, ly = model.constants[end - 2], model.constants[end - 1]
    ax, ay = px + oc * lx - os * ly, py + os * lx + oc * ly
    for k in range(first, end, 2):
        lx, ly = model.constants[k], model.constants[k + 1]
        bx, by = px + oc * lx - os * ly, py + os * lx + oc * ly
        put(scratch.segments[segments], ax, ay, bx, by, c, s, 0.0, row[m.TOP], row[m.COLOR])
        segments += 1
        ax, ay = bx, by
    return segments, discs


@kernel
def put(row, px, py, qx, qy, c, s, radius, top, color):
    """Write an item, rotated to the frame with heading cosine c, sine s."""
    row[m.ITEM_X0], row[m.ITEM_Y0] = c * px + s * py, c * py - s * px
    row[m.ITEM_X1], row[m.ITEM_Y1] = c * qx + s * qy, c * qy - s * qx
    row[m.ITEM_RADIUS], row[m.ITEM_TOP], row[m.ITEM_COLOR] = radius, top, color
