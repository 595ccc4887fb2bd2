"""UMBmark: calibration with squares in both directions, which separate the errors of diameters and separation."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.perception.estimation.motion_model import Floats
from paddock.perception.estimation.wheel_calibration import WheelCalibration


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
