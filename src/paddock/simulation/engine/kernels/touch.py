"""Where and how deep two bodies touch: discs and convex polygons at their poses, and the items of a world."""

from __future__ import annotations

import math

from paddock.core.jit import kernel
from paddock.simulation.engine import model as m
from paddock.simulation.engine.state import HEADING, X, Y

PARALLEL = 1e-12  # [m]
SHORTEST = 1e-12  # [m]


@kernel
def find_touch(model, motion, first, second):
    """Return how deep two bodies overlap [m], the direction from the second to the first, and where they touch.

    Bodies that are apart have a negative depth. The second body may be an item: -1 for the first item, -2 for the next.
    """
    constants = model.constants
    row = model.robots[model.robot_variant[first]]
    kind = model.types[int(row[m.TYPE])]
    ax, ay, ah = motion[first, X], motion[first, Y], motion[first, HEADING]
    radius_a, start_a, end_a = row[m.RADIUS], kind[m.FIRST_CORNER], kind[m.END_OF_CORNERS]
    if second >= 0:
        row = model.robots[model.robot_variant[second]]
        kind = model.types[int(row[m.TYPE])]
        bx, by, bh = motion[second, X], motion[second, Y], motion[second, HEADING]
        radius_b, start_b, end_b, corners_b = row[m.RADIUS], kind[m.FIRST_CORNER], kind[m.END_OF_CORNERS], constants
    else:
        corners_b = model.items[-1 - second]  # the ends of a segment are a polygon of two corners
        bx, by, bh, radius_b, start_b, end_b = 0.0, 0.0, 0.0, corners_b[m.ITEM_RADIUS], 0, m.ITEM_RADIUS
        if radius_b > 0.0:
            bx, by, end_b = corners_b[m.ITEM_X0], corners_b[m.ITEM_Y0], 0
    if end_a > start_a and end_b > start_b:
        return touch_polygons(constants, start_a, end_a, ax, ay, ah, corners_b, start_b, end_b, bx, by, bh)
    if end_a > start_a:
        depth, nx, ny, px, py = touch_disc(constants, start_a, end_a, ax, ay, ah, bx, by, radius_b)
        return depth, -nx, -ny, px, py
    if end_b > start_b:
        return touch_disc(corners_b, start_b, end_b, bx, by, bh, ax, ay, radius_a)
    dx, dy = ax - bx, ay - by
    away = math.hypot(dx, dy)
    nx, ny = (dx / away, dy / away) if away > 0.0 else (1.0, 0.0)
    return radius_a + radius_b - away, nx, ny, bx + radius_b * nx, by + radius_b * ny


@kernel
def touch_disc(corners, first, end, x, y, heading, px, py, radius):
    """Return the touch of a disc at (px, py) with a polygon: depth, direction to the disc, point on the outline."""
    c, s = math.cos(heading), math.sin(heading)
    qx, qy = c * (px - x) + s * (py - y), c * (py - y) - s * (px - x)
    nearest, nx, ny, ox, oy, inside = math.inf, 0.0, 0.0, 0.0, 0.0, True
    lx, ly = corners[end - 2], corners[end - 1]
    for k in range(first, end, 2):
        mx, my = corners[k], corners[k + 1]
        ex, ey = mx - lx, my - ly
        wx, wy = qx - lx, qy - ly
        length2 = ex * ex + ey * ey
        if ex * wy - ey * wx < 0.0:
            inside = False
        t = min(1.0, max(0.0, (wx * ex + wy * ey) / length2)) if length2 > 0.0 else 0.0
        dx, dy = wx - t * ex, wy - t * ey
        away = math.hypot(dx, dy)
        if away < nearest:
            nearest, ox, oy = away, lx + t * ex, ly + t * ey
            if away > 0.0:
                nx, ny = dx / away, dy / away
            else:
                length = math.sqrt(length2)
                nx, ny = ey / length, -ex / length
        lx, ly = mx, my
    if inside and nearest > 0.0:
        nearest, nx, ny = -nearest, -nx, -ny
    return radius - nearest, c * nx - s * ny, s * nx + c * ny, x + c * ox - s * oy, y + s * ox + c * oy


@kernel
def touch_polygons(corners_a, first_a, end_a, ax, ay, ah, corners_b, first_b, end_b, bx, by, bh):
    """Return the touch of two convex polygons, by the separating axis theorem: depth, direction to a, point.

    Sides that lie on each other touch in the middle of their common part, weighted by depth.
    """
    ca, sa, cb, sb = math.cos(ah), math.sin(ah), math.cos(bh), math.sin(bh)
    gap_a, side_a = find_side(corners_a, first_a, end_a, ax, ay, ca, sa, corners_b, first_b, end_b, bx, by, cb, sb)
    gap_b, side_b = find_side(corners_b, first_b, end_b, bx, by, cb, sb, corners_a, first_a, end_a, ax, ay, ca, sa)
    if gap_b >= gap_a:
        nx, ny, px, py = touch_side(
            corners_b, first_b, end_b, bx, by, cb, sb, side_b, corners_a, first_a, end_a, ax, ay, ca, sa
        )
        return -gap_b, nx, ny, px, py
    nx, ny, px, py = touch_side(
        corners_a, first_a, end_a, ax, ay, ca, sa, side_a, corners_b, first_b, end_b, bx, by, cb, sb
    )
    return -gap_a, -nx, -ny, px, py


@kernel
def find_side(corners, first, end, x, y, c, s, others, first_other, end_of_others, ox, oy, oc, os):
    """Return the largest gap between a side of a polygon and another polygon, and that side's second corner."""
    gap, side = -math.inf, first
    lx, ly = corners[end - 2], corners[end - 1]
    for k in range(first, end, 2):
        mx, my = corners[k], corners[k + 1]
        ux, uy = my - ly, lx - mx  # outwards
        n = max(math.hypot(ux, uy), SHORTEST)
        ux, uy = (c * ux - s * uy) / n, (s * ux + c * uy) / n
        vx, vy = oc * ux + os * uy, oc * uy - os * ux
        low = math.inf
        for j in range(first_other, end_of_others, 2):
            low = min(low, others[j] * vx + others[j + 1] * vy)
        low += (ox - x - c * lx + s * ly) * ux + (oy - y - s * lx - c * ly) * uy
        if low > gap:
            gap, side = low, k
        lx, ly = mx, my
    return gap, side


@kernel
def touch_side(corners, first, end, x, y, c, s, side, others, first_other, end_of_others, ox, oy, oc, os):
    """Return the outward normal of a polygon's side, and the point where another polygon touches this side."""
    before = side - 2 if side > first else end - 2
    ax, ay = x + c * corners[before] - s * corners[before + 1], y + s * corners[before] + c * corners[before + 1]
    tx, ty = x + c * corners[side] - s * corners[side + 1] - ax, y + s * corners[side] + c * corners[side + 1] - ay
    length = max(math.hypot(tx, ty), SHORTEST)
    tx, ty = tx / length, ty / length
    nx, ny = ty, -tx
    # The other polygon's side that faces this one, from p to q.
    px = py = qx = qy = 0.0
    vx, vy = oc * nx + os * ny, oc * ny - os * nx
    facing = math.inf
    lx, ly = others[end_of_others - 2], others[end_of_others - 1]
    for k in range(first_other, end_of_others, 2):
        mx, my = others[k], others[k + 1]
        ux, uy = my - ly, lx - mx
        towards = (ux * vx + uy * vy) / max(math.hypot(ux, uy), SHORTEST)
        if towards < facing:
            facing, px, py, qx, qy = towards, lx, ly, mx, my
        lx, ly = mx, my
    px, py = ox + oc * px - os * py - ax, oy + os * px + oc * py - ay
    qx, qy = ox + oc * qx - os * qy - ax, oy + os * qx + oc * qy - ay
    depth_p, depth_q = -(px * nx + py * ny), -(qx * nx + qy * ny)
    along_p, along_q = px * tx + py * ty, qx * tx + qy * ty
    low, high = 0.0, 1.0  # the part of p … q beside this side
    if abs(along_q - along_p) > PARALLEL:
        start, stop = -along_p / (along_q - along_p), (length - along_p) / (along_q - along_p)
        low, high = max(low, min(start, stop)), min(high, max(start, stop))
        if low > high:
            low = high = 0.0 if depth_p > depth_q else 1.0
    depth_low, depth_high = depth_p + low * (depth_q - depth_p), depth_p + high * (depth_q - depth_p)
    weight_low, weight_high = max(0.0, depth_low), max(0.0, depth_high)
    if weight_low + weight_high > 0.0:
        at = (weight_low * low + weight_high * high) / (weight_low + weight_high)
    else:
        at = low if depth_low > depth_high else high
    return nx, ny, ax + px + at * (qx - px), ay + py + at * (qy - py)
