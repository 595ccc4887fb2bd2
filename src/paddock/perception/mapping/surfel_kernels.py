"""Straight pieces of surfaces in scans, and their alignment with the surfels of a map."""

from __future__ import annotations

import math

from paddock.core.jit import kernel
from paddock.perception.mapping.matching_kernels import solve_three

REACH = 0.2  # [m] distance to either side of a beam's end used for a line
FEWEST = 3  # minimum number of beam ends on a line
BENT = 0.02  # [m] maximum root mean square distance from a line
LONG = 9.0  # minimum ratio of the variances along and across a line
ALIKE = 0.8  # minimum cosine between normals of the same surface
OUTLYING = 0.03  # [m] distance above which lines lose weight (Geman-McClure)
STEPS = 8
DONE = 1.0e-5  # [m and rad] step size at which the iteration ends


@kernel
def fit_lines(points, origin, lines):
    """Fit a straight piece of surface around each beam's end, in the order of the beams.

    Args:
        points: beam ends [m], shape (n, 2).
        origin: position of the sensor [m].
        lines: receives x, y on the piece [m] and its normal towards the sensor, shape (n, 4).

    Returns: the number of rows of `lines` used; ends that lie on no line have no row.
    """
    found = 0
    for k in range(points.shape[0]):
        x, y = points[k, 0], points[k, 1]
        count = 0
        sx = sy = sxx = sxy = syy = 0.0
        for side in (-1, 1):
            m = k if side < 0 else k + 1
            while 0 <= m < points.shape[0] and math.hypot(points[m, 0] - x, points[m, 1] - y) <= REACH:
                dx, dy = points[m, 0] - x, points[m, 1] - y
                count += 1
                sx, sy, sxx, sxy, syy = sx + dx, sy + dy, sxx + dx * dx, sxy + dx * dy, syy + dy * dy
                m += side
        sx, sy = sx / count, sy / count
        xx, xy, yy = sxx / count - sx * sx, sxy / count - sx * sy, syy / count - sy * sy
        middle, half = 0.5 * (xx + yy), math.hypot(0.5 * (xx - yy), xy)
        across = max(middle - half, 0.0)
        if count < FEWEST or across > BENT * BENT or middle + half <= LONG * across:
            continue
        angle = 0.5 * math.atan2(2.0 * xy, xx - yy)
        nx, ny = -math.sin(angle), math.cos(angle)
        if nx * (origin[0] - x) + ny * (origin[1] - y) < 0.0:
            nx, ny = -nx, -ny
        away = nx * sx + ny * sy
        lines[found, 0], lines[found, 1], lines[found, 2], lines[found, 3] = x + away * nx, y + away * ny, nx, ny
        found += 1
    return found


@kernel
def find_surfel(x, y, nx, ny, surfels, index, frame):
    """Return the nearest surfel with a similar normal in the nine cells around a point; -1 if there is none."""
    column, row = math.floor((x - frame.x) / frame.resolution), math.floor((y - frame.y) / frame.resolution)
    best, nearest = -1, math.inf
    for i in range(max(0, row - 1), min(index.shape[0], row + 2)):
        for j in range(max(0, column - 1), min(index.shape[1], column + 2)):
            for side in range(index.shape[2]):
                k = index[i, j, side]
                if k >= 0 and surfels[k, 2] * nx + surfels[k, 3] * ny > ALIKE:
                    distance = math.hypot(x - surfels[k, 0], y - surfels[k, 1])
                    if distance < nearest:
                        best, nearest = k, distance
    return best


@kernel
def align_lines(lines, surfels, index, frame, hold, pose):
    """Align a scan's lines with surfels by Gauss-Newton on distances along normals (point to line, Censi 2008).

    Distances along a surface do not count, so the position of beam ends on it does not matter. `hold` is the weight of
    the initial pose, which determines unconstrained directions.

    Returns: the quality of the fit, as the sum of the lines' weights of at most 1 each.
    """
    support = 0.0
    x0, y0, a0 = pose[0], pose[1], pose[2]
    for _ in range(STEPS):
        cos, sin = math.cos(pose[2]), math.sin(pose[2])
        support = 0.0
        hxx = hyy = haa = hold
        hxy = hxa = hya = 0.0
        gx, gy, ga = hold * (x0 - pose[0]), hold * (y0 - pose[1]), hold * (a0 - pose[2])
        for k in range(lines.shape[0]):
            rx, ry = cos * lines[k, 0] - sin * lines[k, 1], sin * lines[k, 0] + cos * lines[k, 1]
            nx, ny = cos * lines[k, 2] - sin * lines[k, 3], sin * lines[k, 2] + cos * lines[k, 3]
            x, y = pose[0] + rx, pose[1] + ry
            met = find_surfel(x, y, nx, ny, surfels, index, frame)
            if met < 0:
                continue
            nx, ny = surfels[met, 2], surfels[met, 3]
            off = nx * (surfels[met, 0] - x) + ny * (surfels[met, 1] - y)
            na = ny * rx - nx * ry
            weight = 1.0 / (1.0 + (off / OUTLYING) ** 2) ** 2
            support += weight
            gx, gy, ga = gx + weight * off * nx, gy + weight * off * ny, ga + weight * off * na
            hxx, hxy, hxa = hxx + weight * nx * nx, hxy + weight * nx * ny, hxa + weight * nx * na
            hyy, hya, haa = hyy + weight * ny * ny, hya + weight * ny * na, haa + weight * na * na
        dx, dy, da = solve_three(hxx, hxy, hxa, hyy, hya, haa, gx, gy, ga)
        pose[0], pose[1], pose[2] = pose[0] + dx, pose[1] + dy, pose[2] + da
        if abs(dx) + abs(dy) + abs(da) < DONE:
            break
    return support
