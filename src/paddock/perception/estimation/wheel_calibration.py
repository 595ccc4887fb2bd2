"""Calibration of wheels: from squares driven both ways (UMBmark), and from free runs between known poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose
from paddock.perception.estimation.odometry import Floats, Odometry, wrap_angles

SIGMAS = (0.001, 0.001, math.radians(1.0))  # [m, m, rad] of a camera's poses
PIECE = 1.0  # [m] maximum path length of a piece; longer runs are split, because slip accumulates
STEPS = np.array([1e-6, 1e-6, 1e-6])  # of numerical derivatives
MAX_ROUNDS, CLOSE = 30, 1e-10
MAX_RATIO = 1.5  # of fitted to assumed wheels; beyond, the fit is not at the true wheels


class WheelCalibration(NamedTuple):
    """The wheels that odometry should assume."""

    wheel_separation: float  # [m]
    wheel_ratio: float = 1.0  # mean diameter divided by the one that scales the encoders
    right_to_left: float = 1.0  # diameter of the right wheel divided by that of the left

    def odometry(self, pose: Pose = ORIGIN) -> Odometry:
        """Create odometry with these wheels, at a pose."""
        return Odometry(self.wheel_separation, self.wheel_ratio, pose, right_to_left=self.right_to_left)

    def diameters(self, nominal: float) -> tuple[float, float]:
        """Return the diameters of the left and right wheel [m], from the nominal one."""
        return self.odometry().correct(nominal, nominal)

    def scale(self, measured: float, estimated: float) -> WheelCalibration:
        """Return the calibration corrected by a straight run: its measured length, and that by odometry [m].

        Diameters and separation are scaled together, so that turns are unchanged.
        """
        if not (all_finite(measured, estimated) and measured > 0 and estimated > 0):
            raise PaddockError(f"a straight run: expected lengths > 0, got {measured!r} and {estimated!r} m")
        scale = measured / estimated
        return self._replace(wheel_ratio=self.wheel_ratio * scale, wheel_separation=self.wheel_separation * scale)


class Umbmark(NamedTuple):
    """Result of squares in both directions (Borenstein and Feng 1996)."""

    clockwise: Floats  # true end minus odometry's end of each run, x along the first side, y to its left [m], (n, 2)
    counterclockwise: Floats
    alpha: float  # [rad] error of each turn due to the wheel separation
    beta: float  # [rad] bend of each side due to unequal wheels
    diameter_ratio: float  # E_d, right divided by left
    separation_ratio: float  # E_b, true divided by assumed

    @property
    def largest_error(self) -> float:
        """E_max,syst [m]: the larger distance of both centres of gravity of the errors from zero."""
        return max(math.hypot(*runs.mean(axis=0)) for runs in (self.clockwise, self.counterclockwise))

    def correct(self, wheels: WheelCalibration) -> WheelCalibration:
        """Return the corrected wheels, from those used to drive the squares."""
        return wheels._replace(
            wheel_separation=wheels.wheel_separation * self.separation_ratio,
            right_to_left=wheels.right_to_left * self.diameter_ratio,
        )


def evaluate_squares(
    clockwise: ArrayLike, counterclockwise: ArrayLike, *, side: float, wheel_separation: float
) -> Umbmark:
    """Evaluate the return errors of squares, rows x, y [m]. Both coordinates are used, which halves the noise.

    Args:
        clockwise: true end minus odometry's end; x along the first side, y to its left.
        counterclockwise: the same for squares in the other direction.
        side: side of the square [m].
        wheel_separation: wheel separation that odometry assumed [m].
    """
    right, left = (np.atleast_2d(np.asarray(runs, float)) for runs in (clockwise, counterclockwise))
    if not all(len(runs) and runs.shape[1:] == (2,) and np.isfinite(runs).all() for runs in (right, left)):
        raise PaddockError("UMBmark: expected at least one run in each direction, with finite errors x, y")
    if not (all_finite(side, wheel_separation) and side > 0 and wheel_separation > 0):
        raise PaddockError(f"UMBmark: expected a side and a separation > 0, got {side!r} and {wheel_separation!r} m")
    (x_cw, y_cw), (x_ccw, y_ccw) = (runs.mean(axis=0).tolist() for runs in (right, left))
    alpha = ((x_cw + x_ccw) + (y_cw - y_ccw)) / (-8 * side)
    beta = ((x_cw - x_ccw) + (y_cw + y_ccw)) / (-8 * side)
    half = wheel_separation / 2 * 2 * math.sin(beta / 2) / side  # half the separation divided by the radius of a side
    return Umbmark(right, left, alpha, beta, (1 + half) / (1 - half), (math.pi / 2) / (math.pi / 2 - alpha))


class FreeRun(NamedTuple):
    """A run of any shape. The true pose is known in its first row and in some others."""

    travel: Floats  # travel of the left and right wheel since the start, by encoders [m], shape (n, 2)
    poses: Floats  # x, y [m], heading [rad] by a camera, shape (n, 3); NaN in rows without a measurement


class WheelFit(NamedTuple):
    """Result of the calibration: the best-fitting wheels."""

    wheels: WheelCalibration
    sigmas: WheelCalibration  # standard deviation of each value
    residual: float  # root of the mean squared error of all positions [m]


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
