"""ScanToMap: each scan is matched with the map so far. Where it leaves a direction open, the wheels decide."""

from __future__ import annotations

import math

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.estimate.motion_model import Floats
from paddock.mapping.likelihood import LikelihoodField
from paddock.mapping.matching import ScanMatch, SearchWindow, match_scan
from paddock.mapping.method import MappingMethod, MapSetup
from paddock.mapping.occupancy import OccupancyGrid
from paddock.mapping.scan import Scan, transform
from paddock.mapping.surfaces import join_surfaces, trace_surfaces
from paddock.mapping.surfels import SurfelMap

FINER = 0.5  # side of the field's cells over those of the map: between cells as wide as sigma a field is flat
UNSURE = -1.0  # log-odds of cells that are not known to be free
FEW = 10  # points; a scan with fewer says nothing
LEAST_SCORE = 0.3  # of a match that is believed
SIGMAS = 3.0  # of the guess, to search
LEAST_WINDOW, MOST_WINDOW = (0.06, math.radians(3)), (0.6, math.radians(25))  # [m], [rad]
SIGHT = 25.0  # of a large map, what lies further from the robot than this is left out of the field [m]
PULL = 0.1  # score that a pose at the edge of the window loses: else the far face of a thin wall may fit as well
# Wheels that err by a share err the same way for ever: a guess that had its say in each pose would bend the whole map.
# So where the scan says anything, it decides; directions that it leaves open have a far larger covariance and stay.
DOUBT: Floats = np.diag([0.5, 0.5, math.radians(20)]) ** 2  # [m, m, rad]


class ScanToMap(MappingMethod):
    """The field that scans are matched with is made anew after some way, not after every scan.

    Far beams end metres apart. Where nobody has looked between them, the field has the surface that joins them: else
    scans would fit best where their beams end in the same places, and a robot in a corridor would seem to stand.
    """

    def __init__(self, setup: MapSetup, *, sigma: float = 0.05, way: float = 0.25, turn: float = 0.3) -> None:
        """Set up.

        Args:
            setup: of the map.
            sigma: width of the field around surfaces [m].
            way: after which the field is made anew [m].
            turn: likewise [rad].
        """
        if setup.opening > 0:
            raise PaddockError("ScanToMap: expected a laser's rays, got cones: use method 'odometry'")
        self.sigma, self.way, self.turn = sigma, way, turn
        super().__init__(setup)

    def reset(self, pose: Pose, covariance: Floats) -> None:
        """Begin anew at a pose, with an empty map."""
        super().reset(pose, covariance)
        self._field: LikelihoodField | None = None
        self._made_at = pose
        self._surfels = SurfelMap(self.setup.resolution)
        self._gaps: Floats = np.empty((0, 2))  # points of surfaces between beams, in cells that nobody has seen yet
        self.unmatched = 0  # scans that the wheels alone located

    def locate(self, scan: Scan, guess: Pose, covariance: Floats) -> tuple[Pose, Floats]:
        """Where a scan was taken, by map and wheels."""
        points = scan.points()
        if self._field is None:
            return guess, covariance
        if len(points) >= FEW:
            match = match_scan(points, self._field, guess, window_of(covariance))
            if match.score >= LEAST_SCORE:
                # Points may fit the far face of a thin wall. Lines do not, and from the guess they find the near one.
                return fuse(guess, covariance, match._replace(pose=self._surfels.align(scan, guess, match.pose)))
        self.unmatched += 1
        return guess, covariance

    def draw(self, scan: Scan, pose: Pose) -> None:
        """Put a scan into the map."""
        super().draw(scan, pose)
        moved, turned = math.dist(pose[:2], self._made_at[:2]), abs(wrap(pose.heading - self._made_at.heading))
        if self._field is None or moved >= self.way or turned >= self.turn:
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
    """The points that lie in cells of which little is known, one for each cell."""
    cells = grid.frame.cells(points)
    inside = ((cells >= 0) & (cells < grid.frame.shape)).all(axis=1)
    points, cells = points[inside], cells[inside]
    known = grid.log_odds[cells[:, 0], cells[:, 1]]
    unseen = (known > UNSURE) & (known < grid.occupied)
    points, cells = points[unseen], cells[unseen]
    _, first = np.unique(cells[:, 0] * grid.frame.columns + cells[:, 1], return_index=True)
    chosen: Floats = points[np.sort(first)]
    return chosen


def window_of(covariance: Floats) -> SearchWindow:
    """Where to look for a pose that is known as well as a covariance says."""
    spread = math.sqrt(max(0.0, float(np.linalg.eigvalsh(covariance[:2, :2])[-1])))
    turn = math.sqrt(max(0.0, float(covariance[2, 2])))
    distance = min(MOST_WINDOW[0], max(LEAST_WINDOW[0], SIGMAS * spread))
    return SearchWindow(distance, min(MOST_WINDOW[1], max(LEAST_WINDOW[1], SIGMAS * turn)), PULL)


def fuse(guess: Pose, covariance: Floats, match: ScanMatch) -> tuple[Pose, Floats]:
    """The pose by the scan, and in directions that it leaves open, by the guess; and how sure that is."""
    off = np.array([match.pose.x - guess.x, match.pose.y - guess.y, wrap(match.pose.heading - guess.heading)])
    gain = DOUBT @ np.linalg.inv(DOUBT + match.covariance)
    x, y, heading = (np.array(guess) + gain @ off).tolist()
    keep = np.eye(3) - gain
    spread: Floats = keep @ covariance @ keep.T + gain @ match.covariance @ gain.T
    return Pose(x, y, wrap(heading)), spread
