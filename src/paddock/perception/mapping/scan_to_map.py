"""ScanToMap: matches each scan with the map so far. Odometry determines directions that it does not constrain."""

from __future__ import annotations

import math

import numpy as np

from paddock.core.geometry import Pose, wrap
from paddock.perception.mapping.matching import LikelihoodField, SearchWindow, join_surfaces, match_scan, trace_surfaces
from paddock.perception.mapping.method import MappingMethod, MapSetup, MotionStep, fuse
from paddock.perception.mapping.occupancy import OccupancyGrid
from paddock.perception.mapping.scan import Floats, Scan, transform
from paddock.perception.mapping.surfels import SurfelMap

FINER = 0.5  # cell size of the field divided by that of the map: with cells as wide as sigma the field is flat
UNSURE = -1.0  # log-odds above which a cell is not known to be free
FEW = 10  # minimum number of points of a usable scan
LEAST_SCORE = 0.3  # minimum score of an accepted match
SIGMAS = 3.0  # size of the search window in standard deviations of the guess
LEAST_WINDOW, MAX_WINDOW = (0.06, math.radians(3)), (0.6, math.radians(25))  # [m], [rad]
SIGHT = 25.0  # maximum distance from the robot of surfaces in the field [m]
PULL = 0.1  # penalty of a pose at the edge of the window; without it the far face of a thin wall may fit as well
# Odometry with a scale error has the same error in every step: with a weight in each pose it would bend the whole map.
# Therefore the scan decides in directions that it constrains. Others have a far larger covariance and follow odometry.
DOUBT: Floats = np.diag([0.5, 0.5, math.radians(20)]) ** 2  # [m, m, rad]


class ScanToMap(MappingMethod):
    """Matches scans with a likelihood field of the map. The field is rebuilt after some distance, not after every scan.

    Far beams end metres apart. Where the cells between them were not seen yet, the field contains the surface that
    joins them. Otherwise scans would fit best where their beams end at the same points, and a robot in a corridor would
    appear stationary.
    """

    needs_rays = True

    def __init__(
        self, setup: MapSetup, *, sigma: float = 0.05, rebuild_distance: float = 0.25, rebuild_angle: float = 0.3
    ) -> None:
        """Create the method.

        Args:
            setup: common settings of mapping methods.
            sigma: width of the field around surfaces [m].
            rebuild_distance: distance after which the field is rebuilt [m].
            rebuild_angle: turn after which the field is rebuilt [rad].
        """
        self.sigma, self.rebuild_distance, self.rebuild_angle = sigma, rebuild_distance, rebuild_angle
        super().__init__(setup)

    def reset(self, pose: Pose, covariance: Floats) -> None:
        """Restart at a pose with an empty map."""
        super().reset(pose, covariance)
        self._field: LikelihoodField | None = None
        self._made_at = pose
        self._surfels = SurfelMap(self.setup.resolution)
        self._gaps: Floats = np.empty((0, 2))  # points of surfaces between beams, in cells that were not seen yet
        self.unmatched = 0  # scans located by odometry alone

    def locate(self, scan: Scan, guess: Pose, covariance: Floats) -> tuple[Pose, Floats]:
        """Return the pose of a scan by map and odometry, with its covariance."""
        points, self.match_covariance = scan.points(), None
        if self._field is None:
            return guess, covariance
        if len(points) >= FEW:
            match = match_scan(points, self._field, guess, make_window(covariance))
            if match.score >= LEAST_SCORE:
                # Points may match the far face of a thin wall. Lines do not: from the guess they find the near face.
                self.match_covariance = match.covariance
                aligned = self._surfels.align(scan, guess, match.pose)
                return fuse(guess, covariance, aligned, match.covariance, DOUBT)
        self.unmatched += 1
        return guess, covariance

    def draw(self, scan: Scan, pose: Pose) -> None:
        """Add a scan to the map."""
        super().draw(scan, pose)
        moved, turned = math.dist(pose[:2], self._made_at[:2]), abs(wrap(pose.heading - self._made_at.heading))
        if self._field is None or moved >= self.rebuild_distance or turned >= self.rebuild_angle:
            self._make_field(scan, pose)

    def _make_field(self, scan: Scan, pose: Pose) -> None:
        self._surfels.add(scan, pose, self.grid)
        traced = transform(trace_surfaces(scan, self.setup.resolution), pose)
        self._gaps = choose_unseen(self.grid, np.concatenate((self._gaps, traced)))
        points = np.concatenate((join_surfaces(self.grid), self._gaps))
        points = points[np.abs(points - pose[:2]).max(axis=1) <= min(scan.max_range, SIGHT)]
        self._field = LikelihoodField.from_points(points, self.setup.resolution * FINER, self.sigma)
        self._made_at = pose


def choose_unseen(grid: OccupancyGrid, points: Floats) -> Floats:
    """Return the points in cells with an uncertain state, one per cell."""
    cells = grid.frame.cells(points)
    inside = grid.frame.inside(cells)
    points, cells = points[inside], cells[inside]
    known = grid.log_odds[cells[:, 0], cells[:, 1]]
    unseen = (known > UNSURE) & (known < grid.occupied)
    points, cells = points[unseen], cells[unseen]
    _, first = np.unique(cells[:, 0] * grid.frame.columns + cells[:, 1], return_index=True)
    chosen: Floats = points[np.sort(first)]
    return chosen


def make_window(covariance: Floats) -> SearchWindow:
    """Return the search window for a pose with a given covariance."""
    spread = math.sqrt(max(0.0, float(np.linalg.eigvalsh(covariance[:2, :2])[-1])))
    turn = math.sqrt(max(0.0, float(covariance[2, 2])))
    distance = min(MAX_WINDOW[0], max(LEAST_WINDOW[0], SIGMAS * spread))
    return SearchWindow(distance, min(MAX_WINDOW[1], max(LEAST_WINDOW[1], SIGMAS * turn)), PULL)


class ScanToScan(MappingMethod):
    """Matches scans with the last key scan; after some distance the current scan becomes the next key scan."""

    needs_rays = True

    def __init__(self, setup: MapSetup, *, sigma: float = 0.05, key_spacing: float = 0.3) -> None:
        """Create the method.

        Args:
            setup: common settings of mapping methods.
            sigma: width of the likelihood field around surfaces [m].
            key_spacing: distance between key scans, in m and in rad.
        """
        self.sigma, self.key_spacing = sigma, key_spacing
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
            match = match_scan(points, self._field, guess, make_window(covariance))
            if match.score >= LEAST_SCORE:
                guess, covariance = fuse(guess, covariance, match.pose, match.covariance, DOUBT)
        self._since = MotionStep(guess, covariance)
        self.pose, self.covariance = self._since.after(*self._key)
        self.draw(scan, self.pose)
        if self._field is None or max(math.hypot(guess.x, guess.y), abs(guess.heading)) >= self.key_spacing:
            self._key, self._since = (self.pose, self.covariance), MotionStep()
            self._field = LikelihoodField.from_points(
                trace_surfaces(scan, self.setup.resolution), FINER * self.setup.resolution, self.sigma
            )
