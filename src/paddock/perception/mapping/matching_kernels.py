"""Scores of scans over a likelihood field: search over a window, refinement, and covariance of the peak.

Cells of a rotated scan are rounded once for each heading, so that a shift by whole cells is an addition. `tables`
contains the field (level 0) and, in level k, the largest value in the square of 2^k cells whose lowest corner is the
cell. The score over level k is an upper bound of the scores of 4^k shifts (branch and bound, Hess et al. 2016; Olson
2009).
"""

from __future__ import annotations

import math

from paddock.core.jit import kernel

FAINT = 0.01  # points where the field is smaller are ignored
NEAREST = 0.1  # squared distance [sigma²] below which a slope gives no information on the curvature


@kernel
def splat(points, frame, sigma, values):
    """Raise cells around points to exp(-d² / 2 sigma²), with d from a cell's centre to the nearest point [m]."""
    resolution = frame.resolution
    reach = math.ceil(3.0 * sigma / resolution)
    width = resolution * resolution / (2.0 * sigma * sigma)
    shrink = math.exp(-2.0 * width)
    for k in range(points.shape[0]):
        u, v = (points[k, 0] - frame.x) / resolution, (points[k, 1] - frame.y) / resolution
        column, row = math.floor(u), math.floor(v)
        first, last = max(0, column - reach), min(values.shape[1], column + reach + 1)
        for i in range(max(0, row - reach), min(values.shape[0], row + reach + 1)):
            # exp(-(j + 0.5 - u)² w) changes from cell to cell by a factor, and the factor by a constant factor.
            dx, dy = first + 0.5 - u, i + 0.5 - v
            value, factor = math.exp(-(dx * dx + dy * dy) * width), math.exp(-(2.0 * dx + 1.0) * width)
            for j in range(first, last):
                if value > values[i, j]:
                    values[i, j] = value
                value *= factor
                factor *= shrink


@kernel
def pool_squares(below, step, above):
    """Compute the largest of four values `step` cells apart, for squares of twice the side that may reach outside."""
    rows, columns = below.shape
    for i in range(rows):
        lower = min(i + step, rows - 1)  # if that is outside, the square contains the last row anyway
        for j in range(columns - step):
            low, high = max(below[i, j], below[i, j + step]), max(below[lower, j], below[lower, j + step])
            above[i, j] = max(low, high)
        for j in range(max(0, columns - step), columns):
            low, high = max(below[i, j], below[i, columns - 1]), max(below[lower, j], below[lower, columns - 1])
            above[i, j] = max(low, high)


@kernel
def rotate_to_cells(points, x, y, headings, frame, cells):
    """Compute row and column of every point from x, y, for every heading; cells has shape (heading, point, 2)."""
    for a in range(headings.shape[0]):
        c, s = math.cos(headings[a]), math.sin(headings[a])
        for k in range(points.shape[0]):
            px, py = x + c * points[k, 0] - s * points[k, 1], y + s * points[k, 0] + c * points[k, 1]
            cells[a, k, 0] = math.floor((py - frame.y) / frame.resolution)
            cells[a, k, 1] = math.floor((px - frame.x) / frame.resolution)


@kernel
def score_shift(cells, table, size, rows, columns):
    """Return the mean of a table's values over the points, shifted by whole cells; the value outside is 0.

    With size > 1 the table contains the maxima of squares of that many cells, and squares that begin outside count.
    """
    total = 0.0
    for k in range(cells.shape[0]):
        i, j = cells[k, 0] + rows, cells[k, 1] + columns
        if -size < i < table.shape[0] and -size < j < table.shape[1]:
            total += table[max(i, 0), max(j, 0)]
    return total / cells.shape[0]


@kernel
def compute_loss(rows, columns, turn, size, reach, turns, pull):
    """Return the penalty for the distance from the guess: `pull` at the edges; for a square of shifts, the smallest."""
    last = size - 1
    dy = max(0, rows, -(rows + last)) / max(reach, 1)
    dx = max(0, columns, -(columns + last)) / max(reach, 1)
    da = turn / max(turns, 1)
    return pull * (dx * dx + dy * dy + da * da)


@kernel
def bound_squares(cells, tables, level, reach, turns, pull, bounds):
    """Compute upper bounds of all squares of shifts of a level; bounds has shape (heading, square, square)."""
    size = 1 << level
    for a in range(bounds.shape[0]):
        for i in range(bounds.shape[1]):
            for j in range(bounds.shape[2]):
                rows, columns = i * size - reach, j * size - reach
                loss = compute_loss(rows, columns, a - turns, size, reach, turns, pull)
                bounds[a, i, j] = score_shift(cells[a], tables[level], size, rows, columns) - loss


@kernel
def descend(cells, tables, level, reach, turns, pull, bounds, order, stack, banned, best):
    """Find the best shift of all squares, in the order of their bounds.

    `best[3]` is the score that must be exceeded. `best` receives heading, rows, columns and score. `banned` contains
    heading, rows, columns and the numbers of turns and cells around them to exclude. `stack` is scratch with rows
    (level, rows, columns, bound).
    """
    across = bounds.shape[1] * bounds.shape[2]
    for position in range(order.shape[0]):
        a, square = order[position] // across, order[position] % across
        i, j = square // bounds.shape[2], square % bounds.shape[2]
        if bounds[a, i, j] <= best[3]:
            break
        stack[0, 0], stack[0, 3] = level, bounds[a, i, j]
        stack[0, 1], stack[0, 2] = i * (1 << level) - reach, j * (1 << level) - reach
        top = 1
        while top > 0:
            top -= 1
            at, rows, columns, bound = int(stack[top, 0]), int(stack[top, 1]), int(stack[top, 2]), stack[top, 3]
            if bound <= best[3] or rows > reach or columns > reach:
                continue
            last, near = (1 << at) - 1, banned[4]
            inside = abs(a - banned[0]) <= banned[3] and banned[1] - near <= rows and rows + last <= banned[1] + near
            if inside and banned[2] - near <= columns and columns + last <= banned[2] + near:
                continue
            if at == 0:
                best[0], best[1], best[2], best[3] = a, rows, columns, bound
                continue
            size = 1 << (at - 1)
            first = top
            for child in range(4):
                r, c = rows + (child // 2) * size, columns + (child % 2) * size
                loss = compute_loss(r, c, a - turns, size, reach, turns, pull)
                score = score_shift(cells[a], tables[at - 1], size, r, c) - loss
                place = top  # the best child on top
                while place > first and stack[place - 1, 3] > score:
                    for field in range(4):
                        stack[place, field] = stack[place - 1, field]
                    place -= 1
                stack[place, 0], stack[place, 1], stack[place, 2], stack[place, 3] = at - 1, r, c, score
                top += 1


@kernel
def value_and_slope(x, y, frame, values):
    """Return the interpolated field and its derivatives by x and y [1/m]; 0 outside."""
    u, v = (x - frame.x) / frame.resolution - 0.5, (y - frame.y) / frame.resolution - 0.5
    j, i = math.floor(u), math.floor(v)
    if i < 0 or j < 0 or i + 1 >= values.shape[0] or j + 1 >= values.shape[1]:
        return 0.0, 0.0, 0.0
    s, t = u - j, v - i
    a, b, c, d = values[i, j], values[i, j + 1], values[i + 1, j], values[i + 1, j + 1]
    low, high = a + s * (b - a), c + s * (d - c)
    return low + t * (high - low), ((1 - t) * (b - a) + t * (d - c)) / frame.resolution, (high - low) / frame.resolution


@kernel
def score_pose(points, pose, frame, values):
    """Return the mean interpolated value of the field over the points, transformed by a pose."""
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    total = 0.0
    for k in range(points.shape[0]):
        px = pose[0] + cos * points[k, 0] - sin * points[k, 1]
        py = pose[1] + sin * points[k, 0] + cos * points[k, 1]
        total += value_and_slope(px, py, frame, values)[0]
    return total / points.shape[0]


@kernel
def refine(points, frame, values, steps, pose, trial):
    """Refine `pose` by damped Newton on the sum of values, and return its score.

    A value is exp(-d²/2s²), so that its slope s also contains the second derivative: v n nᵀ/s² = s sᵀ / (v d²/s²),
    where d²/s² = -2 ln v. Gauss-Newton on (1 - v)² would stop too early, because the best points have no weight there.
    """
    score = score_pose(points, pose, frame, values)
    damping = 1.0e-3
    for _ in range(steps):
        hxx = hxy = hxa = hyy = hya = haa = gx = gy = ga = 0.0
        cos, sin = math.cos(pose[2]), math.sin(pose[2])
        for k in range(points.shape[0]):
            rx, ry = cos * points[k, 0] - sin * points[k, 1], sin * points[k, 0] + cos * points[k, 1]
            value, sx, sy = value_and_slope(pose[0] + rx, pose[1] + ry, frame, values)
            sa = sy * rx - sx * ry
            if value < FAINT:
                continue
            weight = 1.0 / (value * max(NEAREST, -2.0 * math.log(value)))
            gx += sx
            gy += sy
            ga += sa
            hxx += weight * sx * sx
            hxy += weight * sx * sy
            hxa += weight * sx * sa
            hyy += weight * sy * sy
            hya += weight * sy * sa
            haa += weight * sa * sa
        hxx, hyy, haa = hxx * (1 + damping) + 1e-9, hyy * (1 + damping) + 1e-9, haa * (1 + damping) + 1e-9
        dx, dy, da = solve_three(hxx, hxy, hxa, hyy, hya, haa, gx, gy, ga)
        trial[0], trial[1], trial[2] = pose[0] + dx, pose[1] + dy, pose[2] + da
        reached = score_pose(points, trial, frame, values)
        if reached <= score:
            damping *= 10.0
            if damping > 1.0e3:
                break
            continue
        gained, score, damping = reached - score, reached, damping * 0.1
        pose[0], pose[1], pose[2] = trial[0], trial[1], trial[2]
        if gained < 1.0e-6:
            break
    return score


@kernel
def solve_three(hxx, hxy, hxa, hyy, hya, haa, gx, gy, ga):
    """Solve three symmetric, positive definite equations by Cholesky."""
    l11 = math.sqrt(hxx)
    l21, l31 = hxy / l11, hxa / l11
    l22 = math.sqrt(max(hyy - l21 * l21, 1e-12))
    l32 = (hya - l31 * l21) / l22
    l33 = math.sqrt(max(haa - l31 * l31 - l32 * l32, 1e-12))
    y1 = gx / l11
    y2 = (gy - l21 * y1) / l22
    y3 = (ga - l31 * y1 - l32 * y2) / l33
    da = y3 / l33
    dy = (y2 - l32 * da) / l22
    return (y1 - l21 * dy - l31 * da) / l11, dy, da


@kernel
def measure_spread(points, pose, frame, values, reach, step, turns, turn, sharpness, trial, moments):
    """Compute second moments of x, y, heading around a pose, weighted by exp(sharpness (score - best)).

    The volume has 2 reach + 1 shifts of `step` [m] per axis and 2 turns + 1 headings `turn` [rad] apart. See
    `match_scan`.
    """
    best = score_pose(points, pose, frame, values)
    total = xx = xy = xa = yy = ya = aa = 0.0
    for a in range(-turns, turns + 1):
        for i in range(-reach, reach + 1):
            for j in range(-reach, reach + 1):
                dx, dy, da = j * step, i * step, a * turn
                trial[0], trial[1], trial[2] = pose[0] + dx, pose[1] + dy, pose[2] + da
                score = score_pose(points, trial, frame, values)
                weight = math.exp(sharpness * min(0.0, score - best))
                total += weight
                xx += weight * dx * dx
                xy += weight * dx * dy
                xa += weight * dx * da
                yy += weight * dy * dy
                ya += weight * dy * da
                aa += weight * da * da
    moments[0, 0], moments[0, 1], moments[0, 2] = xx / total, xy / total, xa / total
    moments[1, 0], moments[1, 1], moments[1, 2] = xy / total, yy / total, ya / total
    moments[2, 0], moments[2, 1], moments[2, 2] = xa / total, ya / total, aa / total
