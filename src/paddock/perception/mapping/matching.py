"""Scan matching: search over a window, refinement of the pose, and covariance of the result."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.perception.mapping.frame import GridFrame
from paddock.perception.mapping.matching_kernels import (
    bound_squares,
    descend,
    measure_spread,
    pool_squares,
    refine,
    rotate_to_cells,
    score_pose,
    splat,
)
from paddock.perception.mapping.occupancy import OccupancyGrid
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
