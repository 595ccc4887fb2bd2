"""MarkerTracker: measures the poses of robots from the markers on their lids, each in its own plane."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from paddock.core.errors import SpecError
from paddock.core.geometry import wrap
from paddock.perception.estimation import PoseFix
from paddock.perception.vision.camera_model import CameraModel, Floats
from paddock.perception.vision.floor_pose import FloorPose, MarkedRobot, SiteSpec, marker_corners
from paddock.perception.vision.markers import Pixels8, find_markers

LEAST_NOISE = 0.05  # [pixels], lower limit of the corner noise
JITTER = 0.02  # [m], allowed apparent motion of a stationary robot
LARGEST_MISFIT = 0.12  # maximum deviation from a square, as a share of the marker's side


class Coverages:
    """Counts all pictures, and the pictures in which each robot was found."""

    def __init__(self, robots: Iterable[str]) -> None:
        self.pictures = 0
        self.found = dict.fromkeys(robots, 0)

    def count(self, robots: Iterable[str]) -> None:
        """Count a picture in which these robots were found."""
        self.pictures += 1
        for robot in robots:
            self.found[robot] = self.found.get(robot, 0) + 1

    @property
    def shares(self) -> dict[str, float]:
        """Share of pictures by robot; 0 before the first picture."""
        return {robot: found / max(1, self.pictures) for robot, found in self.found.items()}


class MarkerSighting(NamedTuple):
    """Measured pose of a robot in a picture."""

    robot: str
    time_of_exposure: float  # [s], in the camera's clock
    x: float  # [m]
    y: float
    heading: float  # [rad]; NaN if only the position is measured
    covariance: Floats  # of x, y [m], heading [rad], shape (3, 3)

    @property
    def fix(self) -> PoseFix:
        """The measurement as a pose fix for an estimator."""
        return PoseFix(self.time_of_exposure, self.x, self.y, self.heading, self.covariance)


class MarkerTracker:
    """Measures robots in pictures of a calibrated camera, and counts how often each is found.

    Args:
        floor_pose: lens and pose of the camera, with their uncertainty.
        site: number, size and height of the marker of each robot.
        fastest: maximum speed of a robot [m/s]; a jump is accepted only when the robot is seen there again.
    """

    def __init__(self, floor_pose: FloorPose, site: SiteSpec, *, fastest: float = 1.0) -> None:
        self.floor_pose, self.site = floor_pose, site
        self.camera: CameraModel = floor_pose.camera
        self.corner_noise = max(LEAST_NOISE, floor_pose.corner_noise)
        self.coverages = Coverages([robot.name for robot in site.robots])
        self.fastest = fastest
        self._last: dict[str, MarkerSighting] = {}  # accepted or not

    def locate(self, picture: Pixels8, time_of_exposure: float = 0.0) -> list[MarkerSighting]:
        """Return all robots whose markers are found in a picture."""
        self.camera.lens.check_size(picture)
        wanted = [robot.marker for robot in self.site.robots]
        return self.measure(find_markers(picture, wanted), time_of_exposure)

    def measure(self, seen: dict[int, Floats], time_of_exposure: float = 0.0) -> list[MarkerSighting]:
        """Return all robots of a picture, from the corners of its markers."""
        sightings = []
        for robot in self.site.robots:
            if robot.marker in seen:
                sighting = self._measure_robot(robot, seen[robot.marker], time_of_exposure)
                if sighting is not None and self._is_plausible(sighting):
                    sightings.append(sighting)
        self.coverages.count(sighting.robot for sighting in sightings)
        return sightings

    @property
    def coverage(self) -> dict[str, float]:
        """Share of all pictures in which each robot was found."""
        return self.coverages.shares

    def _measure_robot(self, robot: MarkedRobot, corners: Floats, time: float) -> MarkerSighting | None:
        try:
            points = self.camera.locate(corners, robot.height)
        except SpecError:  # a corner outside the view of the lens, where its distortion is not known
            return None
        x, y, heading, misfit = fit_square(points, robot.size)
        if misfit > LARGEST_MISFIT * robot.size:
            return None
        covariance = self._covariance(x, y, heading, robot)
        return MarkerSighting(robot.name, time, x, y, heading, covariance)

    def _is_plausible(self, seen: MarkerSighting) -> bool:
        """Whether a robot can have moved here since its last sighting. A misread marker appears at random positions."""
        before = self._last.get(seen.robot)
        self._last[seen.robot] = seen
        if before is None:
            return True
        passed = abs(seen.time_of_exposure - before.time_of_exposure)
        return passed == 0 or math.dist(seen[2:4], before[2:4]) <= self.fastest * passed + JITTER

    def _covariance(self, x: float, y: float, heading: float, robot: MarkedRobot) -> Floats:
        """Combine the corners' noise in the fit of the square, their common error, and the camera pose uncertainty."""
        scale = self.camera.scale_at(x, y, robot.height)
        c, s = math.cos(heading), math.sin(heading)
        ahead = marker_corners(robot.size)[:, ::-1] * (1, -1)  # in the robot's frame: x ahead, y left
        information = np.zeros((3, 3))
        for dx, dy in ahead:
            slope = scale @ np.array([[1, 0, -s * dx - c * dy], [0, 1, c * dx - s * dy]])
            information += slope.T @ slope
        covariance = np.linalg.inv(information) * self.corner_noise**2
        # The residual error of the lens model moves all four corners alike; the floor markers' residuals contain it.
        covariance[:2, :2] += np.linalg.inv(scale.T @ scale) * self.corner_noise**2
        covariance[:2, :2] += self.floor_pose.place_covariance(x, y, robot.height)
        return np.asarray(covariance)


def fit_square(points: Floats, size: float) -> tuple[float, float, float, float]:
    """Return centre, heading and misfit of a marker with corners at points [m], clockwise from the upper left.

    The size of the square is known. The heading is the direction of its top. Least squares in the plane (Umeyama 1991).
    """
    shape = marker_corners(size)
    centre = points.mean(axis=0)
    offset = points - centre
    across = float((shape[:, 0] * offset[:, 1] - shape[:, 1] * offset[:, 0]).sum())
    along = float((shape * offset).sum())
    turn = math.atan2(across, along)
    c, s = math.cos(turn), math.sin(turn)
    turned = shape @ np.array([[c, s], [-s, c]])
    misfit = float(np.sqrt(((offset - turned) ** 2).sum(axis=1).mean()))
    return float(centre[0]), float(centre[1]), wrap(turn + math.pi / 2), misfit
