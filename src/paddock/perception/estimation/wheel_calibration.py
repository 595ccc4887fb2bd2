"""WheelCalibration: the wheels of an individual robot, which differ from those of the data sheet."""

from __future__ import annotations

from typing import NamedTuple

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose
from paddock.perception.estimation.odometry import Odometry


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
