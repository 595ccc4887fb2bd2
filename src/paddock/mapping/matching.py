"""Where a scan was taken, by what it sees: a search over a window, then a refinement, and how certain the result is."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose, wrap
from paddock.mapping.likelihood import Floats, LikelihoodField
from paddock.mapping.matching_kernels import (
    bound_squares,
    descend,
    measure_spread,
    refine,
    rotate_to_cells,
    score_pose,
)

# Neighbouring beams err together (people, glass, a shaken robot): a beam counts as this many independent ones.
INDEPENDENCE = 0.25
SPREAD_REACH = 4  # shifts each way in the volume that the covariance is taken from
SPREAD_STEP = 1.5  # grains between them: cells, or what of sigma is more
GRAIN = 0.7  # of sigma: in a field finer than that, neighbouring cells hardly differ
SPREAD_TURNS = 3  # headings each way
FLAT = 0.6  # of the deviation that no preference at all in the volume would give: then the scan does not say
UNKNOWN_DISTANCE, UNKNOWN_ANGLE = 10.0, 1.0  # deviation told where the scan does not say [m, rad]
REFINING_STEPS = 15
RIVAL = 0.9  # share of the best score from which on another peak is a rival


class SearchWindow(NamedTuple):
    """How far from the guess to look, each way."""

    distance: float  # in x and in y [m]
    angle: float  # [rad]
    pull: float = 0.0  # score that a pose at the edge loses: decides where the scan does not say, as in a corridor


class ScanMatch(NamedTuple):
    """The pose from which a scan fits best."""

    pose: Pose
    score: float  # mean likelihood of the points: 1 where all lie on surfaces
    covariance: Floats  # of x, y, heading [m², m rad, rad²], shape (3, 3)
    degenerate: bool  # whether some direction is left open, as along a corridor or in the middle of a round room


def match_scan(points: Floats, field: LikelihoodField, guess: Pose, window: SearchWindow) -> ScanMatch:
    """The pose in the window around a guess from which points (robot frame [m], shape (n, 2)) fit the field best.

    The search is exhaustive to a cell, and to the turn that moves a typical point by the field's sigma. The covariance
    is that of the scores around the best pose, read as log-likelihoods: near the peak 1 - exp(-d²/2s²) is d²/2s².
    """
    points = np.ascontiguousarray(points, float).reshape(-1, 2)
    if not len(points):
        return ScanMatch(guess, 0.0, np.diag([UNKNOWN_DISTANCE**2, UNKNOWN_DISTANCE**2, UNKNOWN_ANGLE**2]), True)
    cell = field.frame.resolution
    distance = max(math.sqrt((points**2).sum() / len(points)), cell)
    found = np.array(search_window(points, field, guess, window, max(cell, field.sigma) / distance))
    refine(points, field.frame, field.values, REFINING_STEPS, found, np.empty(3))
    score = score_pose(points, found, field.frame, field.values)
    covariance, degenerate = spread_around(points, field, found, distance)
    x, y, heading = found.tolist()
    return ScanMatch(Pose(x, y, wrap(heading)), score, covariance, degenerate)


def search_window(points: Floats, field: LikelihoodField, guess: Pose, window: SearchWindow, turn: float) -> Pose:
    """The best of all shifts by whole cells and headings `turn` [rad] apart, by branch and bound."""
    return find_peaks(points, field, guess, window, turn)[0].pose


class Peak(NamedTuple):
    """A pose and its score, to a cell."""

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
    """The best pose of a window, if its score exceeds `least`; with `apart`, also the best one further away than that.

    The second is looked for only as far as it matters: a score below nine tenths of the first is as good as none.
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
    """The covariance of the pose, and whether the scan leaves a direction open: there it is large.

    `distance` is how far away a typical point is [m].
    """
    cell = field.frame.resolution
    grain = max(cell, GRAIN * field.sigma)
    step, turn = SPREAD_STEP * grain, grain / distance
    moments, trial = np.empty((3, 3)), np.empty(3)
    sharpness = INDEPENDENCE * len(points)
    sizes = (SPREAD_REACH, step, SPREAD_TURNS, turn)
    measure_spread(points, pose, field.frame, field.values, *sizes, sharpness, trial, moments)
    moments += np.diag([cell**2, cell**2, (cell / distance) ** 2]) / 12
    # Units of the deviations that a flat volume would have: x, y and heading become comparable.
    flat = np.array([deviation_of_steps(SPREAD_REACH) * step] * 2 + [deviation_of_steps(SPREAD_TURNS) * turn])
    variances, axes = np.linalg.eigh(moments / np.outer(flat, flat))
    is_open = variances > FLAT**2
    if is_open.any():
        limits = np.array([UNKNOWN_DISTANCE, UNKNOWN_DISTANCE, UNKNOWN_ANGLE]) / flat
        variances = np.where(is_open, (limits[:, None] * axes**2).sum(0) ** 2, variances)
    covariance: Floats = (axes * variances) @ axes.T * np.outer(flat, flat)
    return covariance, bool(is_open.any())


def deviation_of_steps(count: int) -> float:
    """Standard deviation of equally likely whole numbers from -count to count."""
    return math.sqrt(count * (count + 1) / 3)
