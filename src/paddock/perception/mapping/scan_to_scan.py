"""ScanToScan: matches each scan with an earlier one. Errors accumulate, but more slowly than those of odometry."""

from __future__ import annotations

import math

from paddock.core.geometry import Pose
from paddock.perception.estimation.motion_model import Floats
from paddock.perception.mapping.likelihood import LikelihoodField
from paddock.perception.mapping.matching import match_scan
from paddock.perception.mapping.method import MappingMethod, MapSetup
from paddock.perception.mapping.motion_step import MotionStep, fuse
from paddock.perception.mapping.scan import Scan
from paddock.perception.mapping.scan_to_map import DOUBT, FEW, FINER, LEAST_SCORE, window_of
from paddock.perception.mapping.surfaces import trace_surfaces


class ScanToScan(MappingMethod):
    """Matches scans with the last key scan; after some distance the current scan becomes the next key scan."""

    needs_rays = True

    def __init__(self, setup: MapSetup, *, sigma: float = 0.05, way: float = 0.3) -> None:
        """Create the method.

        Args:
            setup: common settings of mapping methods.
            sigma: width of the likelihood field around surfaces [m].
            way: distance between key scans, in m and in rad.
        """
        self.sigma, self.way = sigma, way
        super().__init__(setup)

    def reset(self, pose: Pose, covariance: Floats) -> None:
        """Restart at a pose with an empty map."""
        super().reset(pose, covariance)
        self._field: LikelihoodField | None = None  # of the key scan, in its robot frame
        self._key = pose, covariance
        self._since = MotionStep()  # since the key scan

    def add(self, scan: Scan, step: MotionStep) -> None:
        """Add a scan and the motion since the last one."""
        guess, covariance = self._since.then(step)
        points = scan.points()
        if self._field is not None and len(points) >= FEW:
            match = match_scan(points, self._field, guess, window_of(covariance))
            if match.score >= LEAST_SCORE:
                guess, covariance = fuse(guess, covariance, match.pose, match.covariance, DOUBT)
        self._since = MotionStep(guess, covariance)
        self.pose, self.covariance = self._since.after(*self._key)
        self.draw(scan, self.pose)
        if self._field is None or max(math.hypot(guess.x, guess.y), abs(guess.heading)) >= self.way:
            self._key, self._since = (self.pose, self.covariance), MotionStep()
            self._field = LikelihoodField.from_points(
                trace_surfaces(scan, self.setup.resolution), FINER * self.setup.resolution, self.sigma
            )
