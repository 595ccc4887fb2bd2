"""Compiled loops of occupancy grids: add beams and cones to log-odds, each cell at most once per scan.

Cells lie in a flat array: cell [row, column] of tile [i, j] is at `tiles[i, j] + row % TILE * stride + column % TILE`.
The same kernels therefore work with a plain array and with tiles that several maps share. `stamps` contains the number
of the last scan that changed each cell.
"""

from __future__ import annotations

import math

from paddock.core.jit import kernel

TILE, TILE_BITS, TILE_MASK = 64, 6, 63  # side of a tile, in cells
SLOWEST = 0.1  # minimum weight of a new hit in the mean of the hits in a cell


@kernel
def add_beams(cells, offsets, tiles, stride, stamps, stamp, beams, ranges, origin, pose, model):
    """Add the beams of a scan, first the hits and then the passed cells, so that a hit outweighs a miss.

    Args:
        cells: log-odds, flat.
        offsets: mean position of the hits within each cell, x, y, 0 … 1; shape (cells, 2).
        tiles: offset of each tile in `cells`, shape (tile rows, tile columns).
        stride: offset from one row of a tile to the next.
        stamps: scan number of the last change of each cell, shape (rows, columns).
        stamp: number of this scan, larger than any in `stamps`.
        beams: x, y [m] and direction [rad] of each beam on the robot, shape (n, 3).
        ranges: ranges [m]; infinity: no return, NaN: no reading.
        origin: x, y of the grid's corner and the side of a cell [m].
        pose: pose of the robot.
        model: log-odds of hit and miss, lowest and highest log-odds, and the clearing distance of a beam without a
            return [m].
    """
    side, hit, low, high, clears = origin[2], model[0], model[2], model[3], model[4]
    c, s = math.cos(pose[2]), math.sin(pose[2])
    for k in range(beams.shape[0]):
        if math.isfinite(ranges[k]):
            x, y, dx, dy = aim_beam(beams[k], pose, c, s)
            u, v = (x + ranges[k] * dx - origin[0]) / side, (y + ranges[k] * dy - origin[1]) / side
            column, row = math.floor(u), math.floor(v)
            place = tiles[row >> TILE_BITS, column >> TILE_BITS] + (row & TILE_MASK) * stride + (column & TILE_MASK)
            weight = max(SLOWEST, 1.0 / (1.0 + max(0.0, cells[place]) / hit))
            offsets[place, 0] += weight * (u - column - offsets[place, 0])
            offsets[place, 1] += weight * (v - row - offsets[place, 1])
            if stamps[row, column] != stamp:
                stamps[row, column] = stamp
                cells[place] = min(high, cells[place] + hit)
    for k in range(beams.shape[0]):
        if ranges[k] > 0.0:
            x, y, dx, dy = aim_beam(beams[k], pose, c, s)
            far = ranges[k] if math.isfinite(ranges[k]) else clears
            clear_beam(cells, tiles, stride, stamps, stamp, (x - origin[0]) / side, (y - origin[1]) / side,
                       dx, dy, far / side, model[1], low)  # fmt: skip


@kernel
def aim_beam(beam, pose, c, s):
    """Return origin and direction of a beam in the world."""
    direction = pose[2] + beam[2]
    return (
        pose[0] + c * beam[0] - s * beam[1],
        pose[1] + s * beam[0] + c * beam[1],
        math.cos(direction),
        math.sin(direction),
    )


@kernel
def clear_beam(cells, tiles, stride, stamps, stamp, x, y, dx, dy, far, miss, low):
    """Lower all cells that a beam crosses before its end (Amanatides and Woo 1987); all lengths in cells."""
    column, row = math.floor(x), math.floor(y)
    last_column, last_row = math.floor(x + far * dx), math.floor(y + far * dy)
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    per_x, per_y = (1.0 / abs(dx) if dx != 0.0 else math.inf), (1.0 / abs(dy) if dy != 0.0 else math.inf)
    next_x = (column + (1 if dx > 0.0 else 0) - x) / dx if dx != 0.0 else math.inf
    next_y = (row + (1 if dy > 0.0 else 0) - y) / dy if dy != 0.0 else math.inf
    for _ in range(abs(last_column - column) + abs(last_row - row)):
        if stamps[row, column] != stamp:
            stamps[row, column] = stamp
            place = tiles[row >> TILE_BITS, column >> TILE_BITS] + (row & TILE_MASK) * stride + (column & TILE_MASK)
            cells[place] = max(low, cells[place] + miss)
        if next_x < next_y:
            next_x += per_x
            column += step_x
        else:
            next_y += per_y
            row += step_y


@kernel
def add_cones(cells, tiles, stride, beams, ranges, half, origin, pose, model):
    """Add sonar cones (Elfes 1989): free inside, occupied on the arc at the range; both fade towards the edges.

    The arguments are those of `add_beams`, with half the opening angle [rad]. The sixth number of `model` is the
    thickness of the arc [m].
    """
    side, low, high, thickness = origin[2], model[2], model[3], model[5]
    c, s = math.cos(pose[2]), math.sin(pose[2])
    for k in range(beams.shape[0]):
        if not ranges[k] > 0.0:
            continue
        x, y, dx, dy = aim_beam(beams[k], pose, c, s)
        met = math.isfinite(ranges[k])
        far = ranges[k] if met else model[4]
        x0, y0, x1, y1 = box_of_cone(x, y, pose[2] + beams[k, 2], half, far + thickness)
        for row in range(math.floor((y0 - origin[1]) / side), math.floor((y1 - origin[1]) / side) + 1):
            py = origin[1] + (row + 0.5) * side - y
            for column in range(math.floor((x0 - origin[0]) / side), math.floor((x1 - origin[0]) / side) + 1):
                px = origin[0] + (column + 0.5) * side - x
                away = math.hypot(px, py)
                wide = half + 0.5 * side / (away + 1e-9)  # a cone narrower than a cell still covers some cells
                off = abs(math.atan2(py * dx - px * dy, px * dx + py * dy)) / wide
                if off > 1.0 or away > far + thickness:
                    continue
                change = 0.0
                if away < far - thickness:
                    change = model[1]
                elif met:
                    change = model[0]
                place = tiles[row >> TILE_BITS, column >> TILE_BITS] + (row & TILE_MASK) * stride + (column & TILE_MASK)
                cells[place] = min(high, max(low, cells[place] + change * (1.0 - off * off)))


@kernel
def box_of_cone(x, y, direction, half, reach):
    """Return a rectangle around a cone: x0, y0, x1, y1 [m]."""
    x0, y0, x1, y1 = x, y, x, y
    reach *= 2.0 - math.cos(0.5 * half)  # the arc extends beyond the chords between the sampled directions
    for side in range(-1, 2):
        px, py = x + reach * math.cos(direction + side * half), y + reach * math.sin(direction + side * half)
        x0, y0, x1, y1 = min(x0, px), min(y0, py), max(x1, px), max(y1, py)
    return x0, y0, x1, y1
