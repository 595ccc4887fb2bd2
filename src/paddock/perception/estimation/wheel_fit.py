"""Least-squares calibration of wheels from runs of any shape that a camera observed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.perception.estimation.motion_model import Floats, wrap_angles
from paddock.perception.estimation.wheel_calibration import WheelCalibration


class FreeRun(NamedTuple):
    """A run of any shape. The true pose is known in its first row and in some others."""

    travel: Floats  # travel of the left and right wheel since the start, by encoders [m], shape (n, 2)
    poses: Floats  # x, y [m], heading [rad] by a camera, shape (n, 3); NaN in rows without a measurement


class WheelFit(NamedTuple):
    """Result of the calibration: the best-fitting wheels."""

    wheels: WheelCalibration
    sigmas: WheelCalibration  # standard deviation of each value
    residual: float  # root of the mean squared error of all positions [m]


SIGMAS = (0.001, 0.001, math.radians(1.0))  # [m, m, rad] of a camera's poses
PIECE = 1.0  # [m] maximum path length of a piece; longer runs are split, because slip accumulates
STEPS = np.array([1e-6, 1e-6, 1e-6])  # of numerical derivatives
MAX_ROUNDS, CLOSE = 30, 1e-10
MAX_RATIO = 1.5  # of fitted to assumed wheels; beyond, the fit is not at the true wheels


def fit_wheels(
    runs: Sequence[FreeRun], wheels: WheelCalibration, *, sigmas: Sequence[float] = SIGMAS, piece: float = PIECE
) -> WheelFit:
    """Fit wheels to runs of any shape by least squares (Gauss-Newton); each piece of a run has its own start pose.

    Args:
        runs: travel and measured poses, with straight motion and turns in both directions.
        wheels: the nominal wheels, as the initial value.
        sigmas: standard deviations of a measured pose [m, m, rad].
        piece: path length after which a new piece begins [m].
    """
    pieces = [part for run in runs for part in _cut(run, piece)]
    if sum(int(_find_known_rows(part).sum()) for part in pieces) < 2 * len(pieces) + 3 or not pieces:
        raise PaddockError("fit_wheels: expected runs with more poses: at least three for each piece")
    numbers = np.array([*wheels.diameters(1.0), 1.0])  # ratios of the left and right wheel and of the separation
    starts = np.array([part.poses[0] for part in pieces])
    for _ in range(MAX_ROUNDS):
        errors, slopes = _linearise(pieces, numbers, starts, wheels.wheel_separation, np.array(sigmas))
        change, _, rank, _ = np.linalg.lstsq(slopes, errors, rcond=None)
        if rank < slopes.shape[1]:
            raise PaddockError("fit_wheels: these runs do not determine the wheels: drive straight and turn both ways")
        numbers, starts = numbers + change[:3], starts + change[3:].reshape(-1, 3)
        if np.abs(change).max() < CLOSE:
            break
    ratios = numbers / [*wheels.diameters(1.0), 1.0]
    if not (ratios.min() > 1 / MAX_RATIO and ratios.max() < MAX_RATIO):
        raise PaddockError(
            "fit_wheels: no plausible wheels fit these runs: they differ too much from the assumed wheels. Drive "
            "shorter sides first, such as a quarter of these, and use the result as the assumed wheels for longer ones"
        )
    errors, slopes = _linearise(pieces, numbers, starts, wheels.wheel_separation, np.array(sigmas))
    seen = np.concatenate([_find_known_rows(part) for part in pieces])
    variance = float(errors @ errors) / max(1, 3 * int(seen.sum()) - slopes.shape[1])
    spread = np.linalg.inv(slopes.T @ slopes)[:3, :3] * variance
    left, right, separation = numbers.tolist()
    by_number = np.array([[0, 0, wheels.wheel_separation], [0.5, 0.5, 0], [-right / left**2, 1 / left, 0]])
    places = errors.reshape(-1, 3)[seen, :2] * np.array(sigmas)[:2]
    return WheelFit(
        WheelCalibration(separation * wheels.wheel_separation, (left + right) / 2, right / left),
        WheelCalibration(*np.sqrt(np.diag(by_number @ spread @ by_number.T)).tolist()),
        float(np.sqrt((places**2).sum(axis=1).mean())),
    )


def _cut(run: FreeRun, piece: float) -> list[FreeRun]:
    travel, poses = np.asarray(run.travel, float), np.asarray(run.poses, float)
    if travel.shape != (len(poses), 2) or poses.shape != (len(travel), 3):
        raise PaddockError(
            f"FreeRun: expected travel (n, 2) and poses (n, 3), got shapes {travel.shape} and {poses.shape}"
        )
    seen = _find_known_rows(run)
    if len(seen) and not seen[0]:
        raise PaddockError("FreeRun: expected a pose in the first row, got NaN")
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(travel, axis=0)).mean(axis=1))])
    last_look = np.maximum.accumulate(np.where(seen, np.arange(len(seen)), 0))
    number = np.floor(way[last_look] / piece)  # so that each piece begins with a pose
    parts = [np.flatnonzero(number == k) for k in np.unique(number)]
    return [FreeRun(travel[rows], poses[rows]) for rows in parts if seen[rows].sum() >= 3]


def _find_known_rows(run: FreeRun) -> NDArray[np.bool_]:
    """Return a mask of the rows with a known pose."""
    known: NDArray[np.bool_] = np.isfinite(np.asarray(run.poses, float)).all(axis=1)
    return known


def _linearise(
    pieces: Sequence[FreeRun], numbers: Floats, starts: Floats, separation: float, sigmas: Floats
) -> tuple[Floats, Floats]:
    """Return all errors in units of their standard deviations, and their derivatives by the unknowns."""
    rows = sum(len(part.poses) for part in pieces)
    errors, slopes = np.zeros((rows, 3)), np.zeros((rows, 3, 3 + 3 * len(pieces)))
    first = 0
    for k, part in enumerate(pieces):
        last = first + len(part.poses)
        poses = _drive(part.travel, numbers, starts[k], separation)
        errors[first:last] = part.poses - poses
        for i, step in enumerate(STEPS):
            moved = _drive(part.travel, numbers + step * np.eye(3)[i], starts[k], separation)
            slopes[first:last, :, i] = (moved - poses) / step
        at = 3 + 3 * k
        slopes[first:last, :, at : at + 3] = np.eye(3)
        slopes[first:last, 0, at + 2] = -(poses[:, 1] - starts[k, 1])
        slopes[first:last, 1, at + 2] = poses[:, 0] - starts[k, 0]
        first = last
    unseen = np.isnan(errors).any(axis=1)
    errors[unseen], slopes[unseen] = 0.0, 0.0
    errors[:, 2] = wrap_angles(errors[:, 2])
    return (errors / sigmas).reshape(-1), (slopes / sigmas[:, None]).reshape(3 * rows, -1)


def _drive(travel: Floats, numbers: Floats, start: Floats, separation: float) -> Floats:
    """Return the poses by odometry from a start; the numbers are ratios of both wheels and of the separation."""
    steps = np.diff(travel, axis=0) * numbers[:2]
    turns = (steps[:, 1] - steps[:, 0]) / (numbers[2] * separation)
    headings = start[2] + np.concatenate([[0.0], np.cumsum(turns)])
    chords = steps.mean(axis=1) * np.sinc(turns / 2 / np.pi)
    middles = headings[:-1] + turns / 2
    places = np.cumsum(np.stack([chords * np.cos(middles), chords * np.sin(middles)], axis=1), axis=0)
    return np.column_stack([start[:2] + np.concatenate([[[0.0, 0.0]], places]), headings])
