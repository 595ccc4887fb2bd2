"""Motion model of a differential drive: pose and covariance after the travel of two wheels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap

Floats = NDArray[np.float64]
NO_TURN = 1e-9  # [rad] a smaller turn counts as zero
SMALL = 1e-4  # [rad] below this the ratio of chord and arc is computed by its series


@dataclass(frozen=True, kw_only=True, slots=True)
class MotionNoise:
    """Noise of a robot's travel. Variances grow with the path length, so they do not depend on the tick."""

    wheel: float = 0.0  # variance of a wheel's travel per travel [m²/m]
    slip: float = 0.0  # standard deviation of a wheel's travel in an update, relative
    turn: float = 0.0  # further variance of the heading per angle turned [rad²/rad]
    drift: float = 0.0  # further variance of the heading per distance driven [rad²/m]
    count: float = 0.0  # travel per encoder count [m]; its quantisation error does not accumulate

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if not (all_finite(value) and value >= 0):
                raise PaddockError(f"MotionNoise: {name}: expected a finite number >= 0, got {value!r}")

    def of_travel(self, left: float, right: float, separation: float) -> Floats:
        """Return the covariance of right and left travel and of a turn not measured by encoders, shape (3, 3)."""
        turn, along = abs(right - left) / separation, abs(left + right) / 2
        wheels = [self.wheel * abs(travel) + (self.slip * travel) ** 2 for travel in (right, left)]
        return np.diag([*wheels, self.turn * turn + self.drift * along])

    def of_count(self, heading: float, separation: float) -> Floats:
        """Return the covariance of a pose due to quantisation of both encoders, shape (3, 3)."""
        _, by_travel = roll_jacobians(heading, 0.0, 0.0, separation)
        covariance: Floats = by_travel[:, :2] @ by_travel[:, :2].T * (self.count**2 / 12)
        return covariance


def wrap_angles(angles: Floats) -> Floats:
    """Wrap angles to [-pi, pi) [rad]."""
    wrapped: Floats = np.remainder(angles + np.pi, 2 * np.pi) - np.pi
    return wrapped


def chord_share(half: float) -> tuple[float, float]:
    """Return the ratio of chord and arc for half the arc's angle [rad], and its derivative."""
    if abs(half) < SMALL:
        return 1.0 - half * half / 6, -half / 3
    share = math.sin(half) / half
    return share, (math.cos(half) - share) / half


def roll(pose: Pose, left: float, right: float, separation: float, *, exact: bool = True) -> Pose:
    """Return the pose after both wheels have rolled [m], on an exact arc or with the common θ + Δθ/2 approximation.

    Args:
        pose: pose before the motion.
        left: travel of the left wheel.
        right: travel of the right wheel.
        separation: distance between the wheels [m].
        exact: False uses the length of the arc instead of the chord: x += Δs·cos(θ + Δθ/2).
    """
    along, turn = (left + right) / 2, (right - left) / separation
    chord = along * math.sin(turn / 2) / (turn / 2) if exact and abs(turn) > NO_TURN else along
    middle = pose.heading + turn / 2
    return Pose(pose.x + chord * math.cos(middle), pose.y + chord * math.sin(middle), wrap(pose.heading + turn))


def roll_jacobians(
    heading: float, left: float, right: float, separation: float, *, exact: bool = True
) -> tuple[Floats, Floats]:
    """Return the derivatives of `roll` by the pose and by the motion, both of shape (3, 3).

    The motion is the travel of the right wheel, of the left wheel [m], and a turn that the encoders do not measure
    [rad].
    """
    along, turn = (left + right) / 2, (right - left) / separation
    share, slope = chord_share(turn / 2) if exact else (1.0, 0.0)
    chord, middle = along * share, heading + turn / 2
    c, s = math.cos(middle), math.sin(middle)
    by_pose = np.array([[1.0, 0.0, -chord * s], [0.0, 1.0, chord * c], [0.0, 0.0, 1.0]])
    bend = along * slope / (2 * separation)  # change of the chord due to the change of the turn by a wheel's travel
    lever = chord / (2 * separation)
    grows = share / 2
    by_travel = np.array(
        [
            [(grows + bend) * c - lever * s, (grows - bend) * c + lever * s, -chord / 2 * s],
            [(grows + bend) * s + lever * c, (grows - bend) * s - lever * c, chord / 2 * c],
            [1 / separation, -1 / separation, 1.0],
        ]
    )
    return by_pose, by_travel
