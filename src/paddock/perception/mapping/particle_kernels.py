"""Compiled loops of particle SLAM: the best pose of a scan in each particle's map, and the curvature of that peak.

Maps are tiles as in `occupancy_kernels`, with a table of tiles for each particle.
"""

from __future__ import annotations

import math

from paddock.core.jit import kernel
from paddock.core.rng import ALONE, gauss, key_of, uniform
from paddock.perception.mapping.occupancy_kernels import TILE, TILE_BITS, TILE_MASK

STREAM = (1 << 20) + 40  # of random numbers
FIRST_STEP, FIRST_TURN, HALVINGS, MAX_ROUNDS = 0.05, 0.03, 5, 60  # of the hill climbing [m, rad]
PROBE, PROBE_TURN = 0.03, 0.015  # steps for the curvature of the peak [m, rad]


@kernel
def explain_scan(cells, offsets, tiles, points, origin, x, y, heading, sharp, worst, occupied):
    """Return the log-likelihood of points (robot frame) at a pose: -sharp d² each, d in cells, at least `worst`."""
    c, s = math.cos(heading), math.sin(heading)
    rows, columns = tiles.shape[0] * TILE, tiles.shape[1] * TILE
    total = 0.0
    for k in range(points.shape[0]):
        u = (x + c * points[k, 0] - s * points[k, 1] - origin[0]) / origin[2]
        v = (y + s * points[k, 0] + c * points[k, 1] - origin[1]) / origin[2]
        column, row = math.floor(u), math.floor(v)
        nearest = -worst / sharp
        for i in range(max(0, row - 1), min(rows, row + 2)):
            for j in range(max(0, column - 1), min(columns, column + 2)):
                place = tiles[i >> TILE_BITS, j >> TILE_BITS] + (i & TILE_MASK) * TILE + (j & TILE_MASK)
                if cells[place] >= occupied:
                    dx, dy = j + offsets[place, 0] - u, i + offsets[place, 1] - v
                    nearest = min(nearest, dx * dx + dy * dy)
        total -= sharp * nearest
    return total


@kernel
def favour(x, y, heading, guess, precision):
    """Return the log density of the motion at a pose, up to a constant; precision of x, y, heading, shape (3, 3)."""
    dx, dy, da = x - guess[0], y - guess[1], heading - guess[2]
    along = precision[0, 0] * dx * dx + precision[1, 1] * dy * dy + precision[2, 2] * da * da
    return -0.5 * along - precision[0, 1] * dx * dy - precision[0, 2] * dx * da - precision[1, 2] * dy * da


@kernel
def climb(
    cells, offsets, tables, points, origin, guesses, precisions, sharp, worst, occupied, peaks, values, curvatures
):
    """Find the most likely pose of each particle near its guess, given the scan and the motion, by hill climbing.

    Args:
        cells: log-odds of all tiles, flat.
        offsets: mean position of the hits in each cell, shape (cells, 2).
        tables: offsets of tiles, shape (particle, tile rows, tile columns).
        points: points of the scan in the robot's frame [m], shape (n, 2).
        origin: x, y of the grid's corner, and the side of a cell [m].
        guesses: poses by the motion alone, shape (particle, 3).
        precisions: precisions of the guesses, shape (particle, 3, 3).
        sharp: log-likelihood lost per squared distance of a point, in cells.
        worst: minimum log-likelihood of a point.
        occupied: minimum log-odds of an occupied cell.
        peaks: receives the poses.
        values: receives the log-likelihoods of scan and motion there.
        curvatures: receives the second derivatives of the scan's log-likelihood there, shape (particle, 3, 3).
    """
    for p in range(guesses.shape[0]):
        tiles, guess, precision = tables[p], guesses[p], precisions[p]
        x, y, heading = guess[0], guess[1], guess[2]
        best = explain_scan(cells, offsets, tiles, points, origin, x, y, heading, sharp, worst, occupied)
        step, turn, halved = FIRST_STEP, FIRST_TURN, 0
        for _ in range(MAX_ROUNDS):
            bx, by, ba, reached = x, y, heading, best
            for way in range(6):
                sign = 1.0 if way % 2 else -1.0
                tx = x + (sign * step if way // 2 == 0 else 0.0)
                ty = y + (sign * step if way // 2 == 1 else 0.0)
                ta = heading + (sign * turn if way // 2 == 2 else 0.0)
                value = explain_scan(cells, offsets, tiles, points, origin, tx, ty, ta, sharp, worst, occupied)
                value += favour(tx, ty, ta, guess, precision)
                if value > reached:
                    bx, by, ba, reached = tx, ty, ta, value
            if reached > best:
                x, y, heading, best = bx, by, ba, reached
            elif halved == HALVINGS:
                break
            else:
                step, turn, halved = 0.5 * step, 0.5 * turn, halved + 1
        peaks[p, 0], peaks[p, 1], peaks[p, 2], values[p] = x, y, heading, best
        middle = explain_scan(cells, offsets, tiles, points, origin, x, y, heading, sharp, worst, occupied)
        for a in range(3):
            for b in range(a + 1):
                total = -2.0 * middle if a == b else 0.0
                for ways in range(2 if a == b else 4):
                    first, second = (1.0 if ways % 2 else -1.0), (1.0 if ways // 2 else -1.0)
                    tx = x + (first * PROBE if a == 0 else 0.0) + (second * PROBE if b == 0 and a != b else 0.0)
                    ty = y + (first * PROBE if a == 1 else 0.0) + (second * PROBE if b == 1 and a != b else 0.0)
                    ta = heading + (first * PROBE_TURN if a == 2 else 0.0)
                    value = explain_scan(cells, offsets, tiles, points, origin, tx, ty, ta, sharp, worst, occupied)
                    total += value if a == b else first * second * value
                scale = (PROBE_TURN if a == 2 else PROBE) * (PROBE_TURN if b == 2 else PROBE)
                curvatures[p, a, b] = total / scale if a == b else 0.25 * total / scale
                curvatures[p, b, a] = curvatures[p, a, b]


@kernel
def draw_normal(seed, number, noise):
    """Draw standard normal numbers for a scan, shape (particle, n), and return a uniform one."""
    for p in range(noise.shape[0]):
        key = key_of(seed, ALONE, p, STREAM, number)
        for k in range(noise.shape[1]):
            noise[p, k] = gauss(key, k)
    return uniform(key_of(seed, ALONE, noise.shape[0], STREAM, number), 0)
