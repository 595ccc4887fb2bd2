"""Scan matching: search over a window, refinement of the pose, and covariance of the result."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose, wrap
from paddock.perception.mapping.likelihood import LikelihoodField
from paddock.perception.mapping.matching_kernels import (
    bound_squares,
    descend,
    measure_spread,
    refine,
    rotate_to_cells,
    score_pose,
)
from paddock.perception.mapping.scan import Floats

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
