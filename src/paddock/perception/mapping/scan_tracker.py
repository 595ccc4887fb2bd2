"""ScanTracker: steps between key scans by odometry, corrected by matching each scan with the previous ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import ORIGIN, Pose, compose, relative
from paddock.perception.mapping.frame import GridFrame
from paddock.perception.mapping.key_scans import FINE, REACH, KeyScan
from paddock.perception.mapping.likelihood import LikelihoodField
from paddock.perception.mapping.matching import SearchWindow, match_scan
from paddock.perception.mapping.motion_step import MotionStep, fuse
from paddock.perception.mapping.pose_graph import rotate_covariance
from paddock.perception.mapping.scan import Floats, transform

LEAST_SPREAD = np.diag([0.01, 0.01, math.radians(0.15)]) ** 2  # limit of accuracy of matching in cells


@dataclass(frozen=True, kw_only=True)
class TrackerOptions:
    """Options of scan tracking."""

    sigma: float = 0.05  # of the field [m]
    scans: int = 15  # number of scans at the start of a local map; it is rebuilt at twice this number
    least: float = 0.4  # score below which only odometry is used
    most_distance: float = 0.6  # maximum search distance [m]
    most_angle: float = 0.5  # maximum search angle [rad]
    pull: float = 0.05  # see `SearchWindow`
    doubt: float = 100.0  # factor on the covariance of odometry in a match: its scale error is the same in every step


class TrackedStep(NamedTuple):
    """A step between two key scans, in the frame of the first."""

    step: Pose
    covariance: Floats
    score: float  # of the match; 0 without a match


class ScanTracker:
    """Tracks scans in a local map of the latest ones, in its own frame."""

    def __init__(self, options: TrackerOptions | None = None) -> None:
        self.options = options or TrackerOptions()
        self.pose = ORIGIN
        self._recent: list[tuple[KeyScan, Pose]] = []
        self._field: LikelihoodField | None = None

    def follow(self, scan: KeyScan, motion: MotionStep) -> TrackedStep:
        """Return the corrected step to a scan; the first step is not corrected."""
        found = self._correct(scan, motion)
        self.pose = compose(self.pose, found.step)
        self._remember(scan)
        return found

    def _correct(self, scan: KeyScan, motion: MotionStep) -> TrackedStep:
        spread = motion.covariance + LEAST_SPREAD
        if self._field is None or not len(scan.points):
            return TrackedStep(motion.pose, spread, 0.0)
        options, guess = self.options, compose(self.pose, motion.pose)
        deviations = np.sqrt(np.diag(spread))
        distance = min(options.most_distance, 0.1 + 3 * float(deviations[:2].max()))
        angle = min(options.most_angle, 0.03 + 3 * float(deviations[2]))
        match = match_scan(scan.points, self._field, guess, SearchWindow(distance, angle, options.pull))
        if match.score < options.least:
            return TrackedStep(motion.pose, spread, match.score)
        # The steps by odometry and by the match, in the frame of the first pose, weighted by their covariances.
        seen, matched = relative(self.pose, match.pose), rotate_covariance(match.covariance, self.pose.heading)
        step, covariance = fuse(motion.pose, spread, seen, matched, options.doubt * spread)
        return TrackedStep(step, covariance + LEAST_SPREAD, match.score)

    def _remember(self, scan: KeyScan) -> None:
        self._recent.append((scan, self.pose))
        if self._field is not None and len(self._recent) < 2 * self.options.scans:
            self._field.add_points(transform(scan.surface, self.pose))
            return
        self._recent = self._recent[-self.options.scans :]
        half = REACH + self.options.scans * 0.5
        x, y, _ = self.pose
        frame = GridFrame.around(x - half, y - half, x + half, y + half, FINE)
        self._field = LikelihoodField(frame, self.options.sigma)
        for each, pose in self._recent:
            self._field.add_points(transform(each.surface, pose))
