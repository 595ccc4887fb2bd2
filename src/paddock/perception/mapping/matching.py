"""Scan matching: search over a window, refinement of the pose, and covariance of the result."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.core.jit import kernel
from paddock.perception.mapping.occupancy import GridFrame, OccupancyGrid
from paddock.perception.mapping.scan import Floats, Scan

Values = NDArray[np.float32]

# Neighbouring beams have correlated errors (people, glass, a shaken robot): effective number of beams per beam.
INDEPENDENCE = 0.25
SPREAD_REACH = 4  # shifts in each direction in the volume for the covariance
SPREAD_STEP = 1.5  # grains between them; a grain is a cell or GRAIN sigma, whichever is larger
GRAIN = 0.7  # share of sigma: in a finer field, neighbouring cells hardly differ
SPREAD_TURNS = 3  # headings in each direction
FLAT = 0.6  # share of the deviation of a flat volume, above which a direction is unconstrained
UNKNOWN_DISTANCE, UNKNOWN_ANGLE = 10.0, 1.0  # deviation of unconstrained directions [m, rad]
REFINING_STEPS = 15
RIVAL = 0.9  # share of the best score above which another peak is a competitor
STRAIGHT = 0.97  # cosine of the largest bend between neighbouring pieces of a wall
NEAR = 2  # spacings between points that belong together without a third point
FINE, COARSE = 0.05, 0.2  # sides of cells [m]
REACH = 20.0  # maximum distance of beam ends; further away they are too sparse to locate a wall [m]


class LikelihoodField:
    """1 on surfaces, decreasing with the distance like a Gaussian of width `sigma` [m]; 0 far from all surfaces."""

    def __init__(self, frame: GridFrame, sigma: float) -> None:
        if not (sigma > 0 and frame.resolution > 0):
            raise PaddockError(f"LikelihoodField: expected sigma and resolution > 0, got {sigma}, {frame.resolution}")
        self.frame = GridFrame(float(frame.x), float(frame.y), float(frame.resolution), frame.rows, frame.columns)
        self.sigma = float(sigma)
        self._tables: Values = np.zeros((1, *frame.shape), np.float32)
        self._pooled = 0  # number of levels above the first that are up to date

    @classmethod
    def from_points(cls, points: Floats, resolution: float = 0.05, sigma: float = 0.1) -> LikelihoodField:
        """Create a field around points of surfaces [m], shape (n, 2)."""
        points = np.asarray(points, float).reshape(-1, 2)
        (x0, y0), (x1, y1) = (points.min(0), points.max(0)) if len(points) else ((0.0, 0.0), (0.0, 0.0))
        field = cls(GridFrame.around(x0, y0, x1, y1, resolution, margin=3 * sigma + resolution), sigma)
        field.add_points(points)
        return field

    @property
    def values(self) -> Values:
        """Values of the field, in the shape of the frame."""
        return self._tables[0]  # type: ignore[no-any-return]

    def add_points(self, points: Floats) -> None:
        """Add points of surfaces [m], shape (n, 2). Points outside the frame are ignored."""
        self._pooled = 0
        splat(np.ascontiguousarray(points, float).reshape(-1, 2), self.frame, self.sigma, self.values)

    def tables(self, levels: int) -> Values:
        """Return tables of maxima: level k has the largest value in the square of 2^k cells that starts at a cell."""
        if len(self._tables) <= levels:
            kept, self._tables = self._tables, np.empty((levels + 1, *self.frame.shape), np.float32)
            self._tables[: len(kept)] = kept
        while self._pooled < levels:
            pool_squares(self._tables[self._pooled], 1 << self._pooled, self._tables[self._pooled + 1])
            self._pooled += 1
        return self._tables


class SearchWindow(NamedTuple):
    """Size of the search around a guess, in each direction."""

    distance: float  # in x and in y [m]
    angle: float  # [rad]
    pull: float = 0.0  # penalty of a pose at the edge; it decides in directions the scan does not constrain


class ScanMatch(NamedTuple):
    """The pose at which a scan fits best."""

    pose: Pose
    score: float  # mean likelihood of the points; 1 if all lie on surfaces
    covariance: Floats  # of x, y, heading [m², m rad, rad²], shape (3, 3)
    degenerate: bool  # whether a direction is unconstrained, as along a corridor or in the middle of a round room


def match_scan(points: Floats, field: LikelihoodField, guess: Pose, window: SearchWindow) -> ScanMatch:
    """Find the pose in the window around a guess at which points (robot frame [m], shape (n, 2)) fit the field best.

    The search is exhaustive, with steps of a cell and of the turn that moves a typical point by the field's sigma. The
    covariance is that of the scores around the best pose, used as log-likelihoods: near the peak 1 - exp(-d²/2s²) is
    d²/2s².
    """
    points = np.ascontiguousarray(points, float).reshape(-1, 2)
    if not len(points):
        return ScanMatch(guess, 0.0, np.diag([UNKNOWN_DISTANCE**2, UNKNOWN_DISTANCE**2, UNKNOWN_ANGLE**2]), True)
    cell = field.frame.resolution
    distance = max(math.sqrt((points**2).sum() / len(points)), cell)
    found = np.array(find_peaks(points, field, guess, window, max(cell, field.sigma) / distance)[0].pose)
    refine(points, field.frame, field.values, REFINING_STEPS, found, np.empty(3))
    score = score_pose(points, found, field.frame, field.values)
    covariance, degenerate = spread_around(points, field, found, distance)
    x, y, heading = found.tolist()
    return ScanMatch(Pose(x, y, wrap(heading)), score, covariance, degenerate)


class Peak(NamedTuple):
    """A pose, accurate to a cell, and its score."""

    pose: Pose
    score: float


def find_peaks(
    points: Floats,
    field: LikelihoodField,
    guess: Pose,
    window: SearchWindow,
    turn: float,
    *,
    least: float = -math.inf,
    apart: SearchWindow | None = None,
) -> list[Peak]:
    """Find the best pose of a window with a score above `least`; with `apart`, also the best one further away.

    Shifts by whole cells and headings `turn` [rad] apart are compared, by branch and bound. The second peak is returned
    only if its score is more than nine tenths of the first.
    """
    cell = field.frame.resolution
    reach, turns = math.ceil(window.distance / cell), math.ceil(window.angle / turn)
    level = max(0, math.floor(math.log2(max(reach, 1) / 1.5)))
    tables = field.tables(level)
    headings = guess.heading + turn * np.arange(-turns, turns + 1)
    cells = np.empty((len(headings), len(points), 2), np.int32)
    rotate_to_cells(points, guess.x, guess.y, headings, field.frame, cells)
    squares = math.ceil((2 * reach + 1) / (1 << level))
    bounds = np.empty((len(headings), squares, squares))
    bound_squares(cells, tables, level, reach, turns, window.pull, bounds)
    order: NDArray[np.int64] = np.argsort(-bounds, axis=None, kind="stable")
    stack, banned = np.empty((4 * level + 4, 4)), np.array([0.0, 0.0, 0.0, -1.0, -1.0])
    peaks: list[Peak] = []
    while len(peaks) < (1 if apart is None else 2):
        best = np.array([0.0, 0.0, 0.0, max(least, -1e9)])
        descend(cells, tables, level, reach, turns, window.pull, bounds, order, stack, banned, best)
        if best[3] <= max(least, -1e9):
            break
        x, y = guess.x + float(best[2]) * cell, guess.y + float(best[1]) * cell
        peaks.append(Peak(Pose(x, y, float(headings[int(best[0])])), float(best[3])))
        least = RIVAL * peaks[0].score
        if apart is not None:
            banned[:] = *best[:3], math.ceil(apart.angle / turn), math.ceil(apart.distance / cell)
    return peaks


def spread_around(points: Floats, field: LikelihoodField, pose: Floats, distance: float) -> tuple[Floats, bool]:
    """Return the covariance of the pose, and whether the scan leaves a direction unconstrained.

    The covariance is large in unconstrained directions. `distance` is the distance of a typical point [m].
    """
    cell = field.frame.resolution
    grain = max(cell, GRAIN * field.sigma)
    step, turn = SPREAD_STEP * grain, grain / distance
    moments, trial = np.empty((3, 3)), np.empty(3)
    sharpness = INDEPENDENCE * len(points)
    sizes = (SPREAD_REACH, step, SPREAD_TURNS, turn)
    measure_spread(points, pose, field.frame, field.values, *sizes, sharpness, trial, moments)
    moments += np.diag([cell**2, cell**2, (cell / distance) ** 2]) / 12
    # In units of the deviations of a flat volume, x, y and heading are comparable.
    flat = np.array([deviation_of_steps(SPREAD_REACH) * step] * 2 + [deviation_of_steps(SPREAD_TURNS) * turn])
    variances, axes = np.linalg.eigh(moments / np.outer(flat, flat))
    is_open = variances > FLAT**2
    if is_open.any():
        limits = np.array([UNKNOWN_DISTANCE, UNKNOWN_DISTANCE, UNKNOWN_ANGLE]) / flat
        variances = np.where(is_open, (limits[:, None] * axes**2).sum(0) ** 2, variances)
    covariance: Floats = (axes * variances) @ axes.T * np.outer(flat, flat)
    return covariance, bool(is_open.any())


def deviation_of_steps(count: int) -> float:
    """Return the standard deviation of equally likely integers from -count to count."""
    return math.sqrt(count * (count + 1) / 3)


def trace_surfaces(scan: Scan, spacing: float) -> Floats:
    """Return the points of a scan (robot frame [m], shape (n, 2)) and points `spacing` [m] apart between them.

    The gap between two neighbouring beams is filled if it is a straight continuation of the previous or next one.
    """
    points = scan.points()
    if len(points) < 3:
        return points
    pieces = np.diff(points, axis=0)
    lengths = np.hypot(*pieces.T)
    beams = np.flatnonzero(scan.hits)
    together = (np.diff(beams) == 1) & (lengths > 0)
    directions = pieces / np.where(lengths > 0, lengths, 1.0)[:, None]
    straight = ((directions[1:] * directions[:-1]).sum(1) > STRAIGHT) & together[1:] & together[:-1]
    on_line = np.append(straight, False) | np.append(False, straight)
    counts = np.where(on_line | (together & (lengths < NEAR * spacing)), np.ceil(lengths / spacing).astype(int) - 1, 0)
    counts = np.maximum(counts, 0)
    piece = np.repeat(np.arange(len(pieces)), counts)
    within = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    filled = points[piece] + pieces[piece] * (within / (counts[piece] + 1))[:, None]
    return np.vstack((points, filled))


def join_surfaces(grid: OccupancyGrid) -> Floats:
    """Return the mean beam ends in the occupied cells of a map, x, y [m], and points midway between neighbours.

    Without the midway points the field has a ripple of an eighth along walls, with local maxima for scans.
    """
    points = grid.surface_points()
    rows, columns = grid.frame.shape
    index = np.full((rows + 1, columns + 2), -1)  # with a margin, so that cells at the edge have no neighbours outside
    index[:-1, 1:-1][grid.log_odds >= grid.occupied] = np.arange(len(points))
    here = index[:-1, 1:-1]
    midways = []
    for neighbour in (index[:-1, 2:], index[1:, 1:-1], index[1:, 2:], index[1:, :-2]):
        both = (here >= 0) & (neighbour >= 0)
        midways.append((points[here[both]] + points[neighbour[both]]) / 2)
    return np.concatenate((points, *midways))


class KeyScan(NamedTuple):
    """A scan at a pose of the graph, in the robot's frame."""

    points: Floats  # beam ends [m], shape (n, 2)
    surface: Floats  # beam ends and the surfaces between them, at most one point per fine cell
    outline: Floats  # the same, at most one point per coarse cell

    @classmethod
    def of(cls, scan: Scan) -> KeyScan:
        """Create a key scan from a scan."""
        points, surface = (within(each, REACH) for each in (scan.points(), trace_surfaces(scan, FINE)))
        return cls(points, thin_points(surface, FINE), thin_points(surface, COARSE))


def within(points: Floats, reach: float) -> Floats:
    """Return the points no further away than `reach` [m]."""
    near: Floats = points[(points**2).sum(1) <= reach**2]
    return near


def thin_points(points: Floats, cell: float) -> Floats:
    """Return the first point in each cell of a grid [m]."""
    cells = np.floor(points / cell).astype(np.int64)
    _, first = np.unique(cells[:, 0] * 1_000_003 + cells[:, 1], return_index=True)
    thinned: Floats = points[np.sort(first)]
    return thinned


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
