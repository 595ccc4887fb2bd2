"""MappingMethod: base class of methods that estimate a pose and a map, from motion and scans; registered by name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose, compose, wrap
from paddock.core.registry import Registry
from paddock.perception.estimation.odometry import WheelTravel, roll, roll_jacobians
from paddock.perception.mapping.occupancy import OccupancyGrid
from paddock.perception.mapping.scan import Floats, Scan

NO_SPREAD: Floats = np.zeros((3, 3))


class MotionStep(NamedTuple):
    """A pose in the frame of an earlier one."""

    pose: Pose = ORIGIN
    covariance: Floats = NO_SPREAD  # in that frame [m, m, rad], shape (3, 3)

    def roll(self, travel: WheelTravel, separation: float) -> MotionStep:
        """Return the step extended by the travel of both wheels [m]."""
        left, right, noise = travel
        by_pose, by_travel = roll_jacobians(self.pose.heading, left, right, separation)
        spread = by_pose @ self.covariance @ by_pose.T + by_travel @ noise @ by_travel.T
        return MotionStep(roll(self.pose, left, right, separation), spread)

    def after(self, start: Pose, covariance: Floats) -> tuple[Pose, Floats]:
        """Return the end pose and its covariance, from a start pose and its covariance."""
        end = compose(start, self.pose)
        c, s = math.cos(start.heading), math.sin(start.heading)
        by_start = np.array([[1.0, 0.0, start.y - end.y], [0.0, 1.0, end.x - start.x], [0.0, 0.0, 1.0]])
        by_step = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return end, by_start @ covariance @ by_start.T + by_step @ self.covariance @ by_step.T

    def then(self, further: MotionStep) -> MotionStep:
        """Return this step followed by a further one."""
        return MotionStep(*further.after(self.pose, self.covariance))


def subtract(pose: Pose, other: Pose) -> Floats:
    """Return the difference of two poses in one frame: x, y [m] and heading [rad], within half a turn."""
    return np.array([pose.x - other.x, pose.y - other.y, wrap(pose.heading - other.heading)])


def fuse(guess: Pose, covariance: Floats, seen: Pose, seen_covariance: Floats, doubt: Floats) -> tuple[Pose, Floats]:
    """Return the pose by a scan, or by odometry in unconstrained directions, and its covariance.

    Args:
        guess: the pose by odometry.
        covariance: its covariance.
        seen: the pose by the scan.
        seen_covariance: its covariance.
        doubt: covariance of the guess in the weights of both. It is larger than that of odometry, because odometry with
            a scale error has the same error in every step.
    """
    gain = doubt @ np.linalg.inv(doubt + seen_covariance)
    x, y, heading = (np.array(guess) + gain @ subtract(seen, guess)).tolist()
    keep = np.eye(3) - gain
    return Pose(x, y, wrap(heading)), keep @ covariance @ keep.T + gain @ seen_covariance @ gain.T


@dataclass(frozen=True, kw_only=True)
class MapSetup:
    """Common settings of mapping methods."""

    resolution: float = 0.05  # side of a cell [m]
    opening: float = 0.0  # of a sonar's cone [rad]; 0: a laser's rays
    seed: int = 0  # of all random numbers


class MappingMethod:
    """Dead reckoning: the pose is that of odometry. Other methods correct the pose before they update the map."""

    needs_rays: ClassVar[bool] = False  # whether it cannot use the cones of sonars
    match_covariance: Floats | None = None  # of the pose by the last scan alone; None: it was not matched

    def __init__(self, setup: MapSetup) -> None:
        if self.needs_rays and setup.opening > 0:
            raise PaddockError(f"{type(self).__name__}: expected a laser's rays, got cones: use method 'odometry'")
        self.setup = setup
        self.reset(ORIGIN, NO_SPREAD)

    def reset(self, pose: Pose, covariance: Floats) -> None:
        """Restart at a pose with an empty map."""
        self.pose, self.covariance = pose, covariance  # of the robot at the time of the last scan
        self.particles: Floats | None = None  # x, y [m], heading [rad], weight; shape (n, 4)
        self.grid = OccupancyGrid(self.setup.resolution)

    def add(self, scan: Scan, step: MotionStep) -> None:
        """Add a scan and the motion since the last one."""
        self.pose, self.covariance = self.locate(scan, *step.after(self.pose, self.covariance))
        self.draw(scan, self.pose)

    def locate(self, scan: Scan, guess: Pose, covariance: Floats) -> tuple[Pose, Floats]:
        """Return the pose of a scan and its covariance, given those by odometry."""
        return guess, covariance

    def draw(self, scan: Scan, pose: Pose) -> None:
        """Add a scan to the map."""
        if self.setup.opening > 0:
            self.grid.add_cones(scan, pose, self.setup.opening)
        else:
            self.grid.add_scan(scan, pose)


MAPPING_METHODS: Registry[type[MappingMethod]] = Registry(
    "mapping method",
    group="paddock.mapping_methods",
    base=MappingMethod,
    builtin={
        "odometry": "paddock.perception.mapping.method:MappingMethod",
        "scan-to-scan": "paddock.perception.mapping.scan_to_map:ScanToScan",
        "scan-to-map": "paddock.perception.mapping.scan_to_map:ScanToMap",
        "particles": "paddock.perception.mapping.particle_slam:ParticleSlam",
        "graph": "paddock.perception.mapping.graph_slam:GraphMapping",
    },
)


def rotation(angle: float) -> Floats:
    """Return the matrix that converts x, y, heading to a frame turned by an angle [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def rotate_covariance(covariance: Floats, angle: float) -> Floats:
    """Return a covariance of x, y, heading in a frame turned by an angle [rad]."""
    turned = rotation(angle)
    rotated: Floats = turned @ covariance @ turned.T
    return rotated
