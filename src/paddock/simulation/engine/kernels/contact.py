"""Contact between bodies and obstacles: penetration depth, and the nearest pose without overlap.

All coordinates are in the frame of the robot before it moved, as are the gathered segments and discs.
"""

from __future__ import annotations

import math

from paddock.core.jit import kernel
from paddock.simulation.engine.kernels.drive import wrap_angle
from paddock.simulation.engine.model import ITEM_RADIUS, ITEM_X0, ITEM_X1, ITEM_Y0, ITEM_Y1

ALLOWED = 1e-4  # overlap that may remain [m]
TOUCH = 1e-9  # additional distance by which bodies are separated [m]
SKIN = 1e-6  # objects within this distance are in contact [m]
PUSH = 1e-3  # contact may push a body this much farther than it would have moved [m]
TRIES = 12


@kernel
def settle(gathered_segments, gathered_discs, segments, discs, corners, first, end, radius, x, y, turn, farthest):
    """Push a body at pose (x, y, turn) out of all obstacles; return whether that succeeded, and its position x, y.

    The deepest overlap is resolved first, repeatedly. The push is along the surface normal, so the remaining
    motion slides along the surface. `farthest` limits the push [m].
    """
    start_x, start_y = x, y
    tries = 0
    while True:
        depth, nx, ny = deepest(
            gathered_segments, gathered_discs, segments, discs, corners, first, end, radius, x, y, turn
        )
        if depth <= 0.0 or tries == TRIES:
            break
        x += nx * (depth + TOUCH)
        y += ny * (depth + TOUCH)
        tries += 1
    return depth <= ALLOWED and math.hypot(x - start_x, y - start_y) <= farthest, x, y


@kernel
def deepest(gathered_segments, gathered_discs, segments, discs, corners, first, end, radius, x, y, turn):
    """Return the deepest overlap [m] and the direction out of it; 0 if there is none."""
    depth, nx, ny = 0.0, 0.0, 0.0
    c, s = math.cos(turn), math.sin(turn)
    for k in range(segments):
        d, dx, dy = body_in_segment(corners, first, end, radius, x, y, c, s, gathered_segments[k], 0.0)
        if d > depth:
            depth, nx, ny = d, dx, dy
    for k in range(discs):
        d, dx, dy = body_in_disc(corners, first, end, radius, x, y, c, s, gathered_discs[k], 0.0)
        if d > depth:
            depth, nx, ny = d, dx, dy
    return depth, nx, ny


@kernel
def note_contacts(
    gathered_segments, gathered_discs, segments, discs, corners, first, end, radius, x, y, turn, bearings
):
    """Store the bearings of contacts on the body [rad]; return their number, limited by the size of `bearings`."""
    count = 0
    c, s = math.cos(turn), math.sin(turn)
    for k in range(segments + discs):
        if k < segments:
            d, nx, ny = body_in_segment(corners, first, end, radius, x, y, c, s, gathered_segments[k], SKIN)
        else:
            d, nx, ny = body_in_disc(corners, first, end, radius, x, y, c, s, gathered_discs[k - segments], SKIN)
        if d > 0.0 and count < bearings.shape[0]:
            bearings[count] = wrap_angle(math.atan2(-ny, -nx) - turn)
            count += 1
    return count


@kernel
def body_in_segment(corners, first, end, radius, x, y, c, s, segment, skin):
    """Return the overlap of a body, grown by `skin`, with a segment, and the direction that separates them."""
    d, nx, ny = circle_in_segment(
        x, y, radius + skin, segment[ITEM_X0], segment[ITEM_Y0], segment[ITEM_X1], segment[ITEM_Y1]
    )
    if d > 0.0 and end > first:  # the bounding circle is only a first, cheap test
        return polygon_in_segment(
            corners,
            first,
            end,
            x,
            y,
            c,
            s,
            segment[ITEM_X0],
            segment[ITEM_Y0],
            segment[ITEM_X1],
            segment[ITEM_Y1],
            skin,
        )
    return d, nx, ny


@kernel
def body_in_disc(corners, first, end, radius, x, y, c, s, disc, skin):
    """Return the overlap of a body, grown by `skin`, with a disc, and the direction that separates them."""
    d, nx, ny = circle_in_disc(x, y, radius + skin, disc[ITEM_X0], disc[ITEM_Y0], disc[ITEM_RADIUS])
    if d > 0.0 and end > first:
        return polygon_in_disc(corners, first, end, x, y, c, s, disc[ITEM_X0], disc[ITEM_Y0], disc[ITEM_RADIUS] + skin)
    return d, nx, ny


@kernel
def circle_in_segment(x, y, radius, x0, y0, x1, y1):
    """Return the overlap of a circle with a segment, and the direction that separates them."""
    ex, ey = x1 - x0, y1 - y0
    px, py = x - x0, y - y0
    length2 = ex * ex + ey * ey
    t = min(1.0, max(0.0, (px * ex + py * ey) / length2)) if length2 > 0.0 else 0.0
    dx, dy = px - t * ex, py - t * ey
    square = dx * dx + dy * dy
    if square >= radius * radius:
        return 0.0, 0.0, 0.0
    away = math.sqrt(square)
    if away == 0.0:
        length = math.sqrt(length2)
        return radius, -ey / length, ex / length
    return radius - away, dx / away, dy / away


@kernel
def circle_in_disc(x, y, radius, px, py, size):
    """Return the overlap of two circles, and the direction that separates them."""
    dx, dy = x - px, y - py
    away = math.hypot(dx, dy)
    if away >= radius + size or away == 0.0:
        return 0.0, 0.0, 0.0
    return radius + size - away, dx / away, dy / away


@kernel
def polygon_in_segment(corners, first, end, x, y, c, s, x0, y0, x1, y1, skin):
    """Return the overlap of a convex body at (x, y, heading c, s) with a segment, by the separating axis theorem."""
    # The segment in the body's frame.
    ax, ay = c * (x0 - x) + s * (y0 - y), c * (y0 - y) - s * (x0 - x)
    bx, by = c * (x1 - x) + s * (y1 - y), c * (y1 - y) - s * (x1 - x)
    depth, nx, ny = math.inf, 0.0, 0.0
    lx, ly = corners[end - 2], corners[end - 1]
    for k in range(first, end, 2):
        mx, my = corners[k], corners[k + 1]
        ux, uy = my - ly, lx - mx  # outwards
        n = math.hypot(ux, uy)
        ux, uy = ux / n, uy / n
        inside = skin - min((ax - lx) * ux + (ay - ly) * uy, (bx - lx) * ux + (by - ly) * uy)
        if inside <= 0.0:
            return 0.0, 0.0, 0.0
        if inside < depth:
            depth, nx, ny = inside, -ux, -uy
        lx, ly = mx, my
    ux, uy = ay - by, bx - ax
    n = math.hypot(ux, uy)
    if n > 0.0:
        ux, uy = ux / n, uy / n
        low, high = math.inf, -math.inf
        for k in range(first, end, 2):
            side = (corners[k] - ax) * ux + (corners[k + 1] - ay) * uy
            low, high = min(low, side), max(high, side)
        low, high = low - skin, high + skin
        if low >= 0.0 or high <= 0.0:
            return 0.0, 0.0, 0.0
        if -low < depth:
            depth, nx, ny = -low, ux, uy
        if high < depth:
            depth, nx, ny = high, -ux, -uy
    return depth, c * nx - s * ny, s * nx + c * ny


@kernel
def polygon_in_disc(corners, first, end, x, y, c, s, px, py, size):
    """Return the overlap of a convex body with a disc, from the outline's nearest point."""
    qx, qy = c * (px - x) + s * (py - y), c * (py - y) - s * (px - x)
    nearest, nx, ny = math.inf, 0.0, 0.0
    inside = True
    lx, ly = corners[end - 2], corners[end - 1]
    for k in range(first, end, 2):
        mx, my = corners[k], corners[k + 1]
        ex, ey = mx - lx, my - ly
        wx, wy = qx - lx, qy - ly
        if ex * wy - ey * wx < 0.0:
            inside = False
        t = min(1.0, max(0.0, (wx * ex + wy * ey) / (ex * ex + ey * ey)))
        dx, dy = t * ex - wx, t * ey - wy  # from the disc's centre to the outline
        away = math.hypot(dx, dy)
        if away < nearest and away > 0.0:
            nearest, nx, ny = away, dx / away, dy / away
        lx, ly = mx, my
    if inside:
        return size + nearest, c * -nx - s * -ny, s * -nx + c * -ny
    if nearest >= size:
        return 0.0, 0.0, 0.0
    return size - nearest, c * nx - s * ny, s * nx + c * ny
