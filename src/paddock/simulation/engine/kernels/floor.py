"""Look up the floor image and scalar fields at a point of the world."""

from __future__ import annotations

import math

from paddock.core.jit import kernel
from paddock.simulation.engine import model as m


@kernel
def floor_pixel(floor, grid, x, y):
    """Return the row and column of the floor image below a point; the edge pixels extend outside."""
    column = math.floor((x - grid[m.GRID_X]) * grid[m.GRID_SCALE])
    row = math.floor((grid[m.GRID_Y] - y) * grid[m.GRID_SCALE])
    column = min(max(column, 0.0), floor.shape[1] - 1.0)
    row = min(max(row, 0.0), floor.shape[0] - 1.0)
    return int(row), int(column)


@kernel
def brightness(floor, grid, x, y, around):
    """Return the mean brightness 0 … 1 of the floor at a point and at the offsets x, y [m] in the list `around`."""
    u, v = (x - grid[m.GRID_X]) * grid[m.GRID_SCALE], (grid[m.GRID_Y] - y) * grid[m.GRID_SCALE]
    rows, columns = floor.shape[0], floor.shape[1]
    total = luminance(floor, rows, columns, u, v)
    for k in range(0, around.shape[0], 2):
        total += luminance(
            floor, rows, columns, u + around[k] * grid[m.GRID_SCALE], v - around[k + 1] * grid[m.GRID_SCALE]
        )
    return total / (255000.0 * (1 + around.shape[0] // 2))


@kernel
def luminance(floor, rows, columns, u, v):
    """Return a pixel's brightness, 0 … 255,000 (weights of ITU-R BT.601); the edge pixels extend outside."""
    column = min(max(int(u), 0), columns - 1)
    row = min(max(int(v), 0), rows - 1)
    return 299 * int(floor[row, column, 0]) + 587 * int(floor[row, column, 1]) + 114 * int(floor[row, column, 2])


@kernel
def field_value(field, constants, x, y):
    """Return the value of a scalar field at a point, in the field's own unit."""
    dx, dy = x - field[m.SOURCE_X], y - field[m.SOURCE_Y]
    if field[m.SOURCE_KIND] == m.RADIAL:
        return field[m.SOURCE_STRENGTH] * max(0.0, 1.0 - math.hypot(dx, dy) / field[m.SOURCE_EXTENT])
    if field[m.SOURCE_KIND] == m.GAUSSIAN:
        spread = field[m.SOURCE_EXTENT]
        return field[m.SOURCE_STRENGTH] * math.exp(-0.5 * (dx * dx + dy * dy) / (spread * spread))
    return field[m.SOURCE_STRENGTH] * bilinear(field, constants, dx, dy)


@kernel
def bilinear(field, constants, dx, dy):
    """Interpolate an image field, 0 … 1, bilinearly; (dx, dy) [m] is measured from the upper left corner."""
    rows, columns = int(field[m.SOURCE_ROWS]), int(field[m.SOURCE_WIDTH])
    u = min(max(dx * field[m.SOURCE_SCALE] - 0.5, 0.0), columns - 1.0)
    v = min(max(-dy * field[m.SOURCE_SCALE] - 0.5, 0.0), rows - 1.0)
    column, row = min(int(u), max(columns - 2, 0)), min(int(v), max(rows - 2, 0))
    fu, fv = u - column, v - row
    first = int(field[m.SOURCE_PIXELS]) + row * columns + column
    right = 1 if columns > 1 else 0
    down = columns if rows > 1 else 0
    upper = constants[first] * (1.0 - fu) + constants[first + right] * fu
    lower = constants[first + down] * (1.0 - fu) + constants[first + down + right] * fu
    return upper * (1.0 - fv) + lower * fv
