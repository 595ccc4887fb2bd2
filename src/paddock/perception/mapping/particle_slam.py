"""ParticleSlam: a Rao-Blackwellised particle filter; each particle has its own map (Grisetti et al. 2007)."""

from __future__ import annotations

import math

import numpy as np

from paddock.core.argument_checks import check_seed
from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose
from paddock.perception.estimation.particle_cloud import (
    carry_along,
    draw_systematically,
    effective_count,
    normalise,
    summarise,
)
from paddock.perception.mapping.method import MappingMethod, MapSetup, MotionStep
from paddock.perception.mapping.occupancy import OccupancyGrid
from paddock.perception.mapping.scan import Floats, Scan
from paddock.perception.mapping.tile_maps import TileMaps, climb, draw_normal

# Minimum covariance of a step: a systematic error of odometry must not outweigh the scans.
LEAST_SPREAD = np.diag([0.02, 0.02, math.radians(0.8)]) ** 2
WHEEL_SPREAD = np.diag([0.005, 0.005, math.radians(0.3)]) ** 2  # the same in directions the scan does not constrain
MAX_POINTS = 90  # of a scan that are used
OPEN = 0.3  # share of the largest precision below which a direction counts as unconstrained
APART = 0.2  # maximum distance of neighbouring points, see `choose_dense` [m]
WORST = -3.0  # minimum log-likelihood of a beam
FEW = 10  # minimum number of points of a usable scan


class ParticleSlam(MappingMethod):
    """Draws particles from scan and odometry, weights them in logarithms, and resamples when few are effective."""

    needs_rays = True

    def __init__(
        self,
        setup: MapSetup,
        *,
        particles: int = 30,
        sigma: float = 0.03,
        independence: float = 0.5,
        min_motion: float = 0.1,
    ) -> None:
        """Create the method.

        Args:
            setup: common settings of mapping methods.
            particles: number of particles.
            sigma: standard deviation of a beam's end [m].
            independence: share of beams with independent errors.
            min_motion: scans nearer than this to the last used one, in m and in rad, are skipped.
        """
        if particles < 1:
            raise PaddockError(f"ParticleSlam: particles: expected at least 1, got {particles!r}")
        self.count, self.sigma, self.independence, self.min_motion = particles, sigma, independence, min_motion
        check_seed(setup.seed)
        super().__init__(setup)

    def reset(self, pose: Pose, covariance: Floats) -> None:
        """Restart at a pose with empty maps."""
        self.maps = TileMaps(self.count, self.setup.resolution)
        self.poses = np.tile(np.array(pose, float), (self.count, 1))
        self.log_weights = np.zeros(self.count)
        self.used = self.resampled = 0  # number of used scans and of resamplings
        self._step = MotionStep()  # since the last used scan
        self._grid: OccupancyGrid | None = None
        self._within = covariance
        self._conclude(self.poses)

    @property
    def grid(self) -> OccupancyGrid:  # type: ignore[override]
        """Map of the particle with the largest weight."""
        if self._grid is None:
            self._grid = self.maps.grid(self._best)
            self._grid.version = self.used
        return self._grid

    def add(self, scan: Scan, step: MotionStep) -> None:
        """Add a scan and the motion since the last one."""
        self._step = self._step.then(step)
        moved = self._step.pose
        if self.used and math.hypot(moved.x, moved.y) < self.min_motion and abs(moved.heading) < self.min_motion:
            self._conclude(carry_along(self.poses, ORIGIN, moved))
            return
        self._propose(scan, self._step)
        for number, (x, y, heading) in enumerate(self.poses.tolist()):
            self.maps.add_scan(number, scan, Pose(x, y, heading))
        self.used += 1
        self._step, self._grid = MotionStep(), None
        self._conclude(self.poses)

    def _propose(self, scan: Scan, step: MotionStep) -> None:
        """Draw each particle's next pose from its own map and the motion, and weight it by the likelihood of both."""
        guesses = carry_along(self.poses, ORIGIN, step.pose)
        spreads = turn_matrices(self.poses[:, 2], step.covariance + LEAST_SPREAD)
        points = choose_dense(scan)
        points = points[:: max(1, len(points) // MAX_POINTS)]
        noise = np.empty((self.count, 3))
        start = draw_normal(self.setup.seed, self.used, noise)
        if not self.used or len(points) < FEW:
            if self.used:
                self.poses = guesses + draw_spread(spreads, noise)
            return
        precisions = np.linalg.inv(spreads)
        peaks, values = np.empty((self.count, 3)), np.empty(self.count)
        curvatures = np.empty((self.count, 3, 3))
        # Beams have correlated errors, so the log-likelihood of the scan is scaled down.
        sharp = self.independence * 0.5 * (self.setup.resolution / self.sigma) ** 2
        climb(
            self.maps.cells, self.maps.offsets, self.maps.places, points, self.maps.origin, guesses, precisions,
            sharp, self.independence * WORST, 0.5, peaks, values, curvatures,
        )  # fmt: skip
        information = compute_information(curvatures)
        spreads = np.asarray(np.linalg.inv(precisions + information), float)
        peaks[:, :2] = guesses[:, :2] + hold_back(peaks[:, :2] - guesses[:, :2], information[:, :2, :2])
        # Along a corridor particles spread by the error of odometry only. With a larger spread, particles that the map
        # pulls back would survive.
        wheels = np.linalg.inv(turn_matrices(self.poses[:, 2], step.covariance + WHEEL_SPREAD))
        self.poses = peaks + draw_spread(np.asarray(np.linalg.inv(wheels + information), float), noise)
        far = max(1.0, float(np.sqrt((points**2).sum(axis=1).mean())))
        grain = self.setup.resolution * np.array([1.0, 1.0, 1.0 / far])  # limit of accuracy due to the cell size
        self._within = spreads.mean(axis=0) + np.diag(grain**2 / 12)
        self.log_weights += values
        self.log_weights += 0.5 * np.log(np.linalg.det(spreads))
        weights = normalise(self.log_weights)
        if effective_count(weights) < self.count / 2:
            survivors = np.empty(self.count, np.int64)
            draw_systematically(weights, start, survivors)
            self.poses = self.poses[survivors]
            self.maps.choose(survivors)
            self.log_weights = np.zeros(self.count)
            self.resampled += 1

    def _conclude(self, poses: Floats) -> None:
        weights = normalise(self.log_weights)
        self._best = int(np.argmax(weights))
        self.particles = np.column_stack((poses, weights))
        _, covariance = summarise(poses, weights, "mean")
        self.pose, self.covariance = Pose(*poses[self._best].tolist()), covariance + self._within


def choose_dense(scan: Scan) -> Floats:
    """Return the points of a scan (robot frame [m]) that have a neighbour nearby.

    Far along a wall, beams end metres apart, with empty cells between them. Such points match best at their previous
    positions, so that a robot that drives along a corridor would appear stationary.
    """
    points = scan.points()
    near = (np.diff(np.flatnonzero(scan.hits)) == 1) & (np.hypot(*np.diff(points, axis=0).T) < APART)
    dense: Floats = points[np.append(near, False) | np.append(False, near)] if len(points) > 1 else points[:0]
    return dense


def hold_back(moves: Floats, information: Floats) -> Floats:
    """Return moves of particles [m], shape (n, 2), without the components that the scan does not constrain.

    The map of a corridor ends ahead of the robot, so that every scan fits slightly better further back. Each of these
    errors is small, but all have the same direction.
    """
    values, vectors = np.linalg.eigh(information)
    squared = np.maximum(values, 0.0) ** 2
    shares = squared / (squared + (OPEN * values[:, -1:]) ** 2 + 1e-12)
    held: Floats = np.einsum("nij,nj,nkj,nk->ni", vectors, shares, vectors, moves)
    return held


def compute_information(curvatures: Floats) -> Floats:
    """Return precisions from second derivatives of log-likelihoods, with negative ones set to 0; shape (n, 3, 3)."""
    values, vectors = np.linalg.eigh(-curvatures)
    information: Floats = np.einsum("nij,nj,nkj->nik", vectors, np.maximum(values, 0.0), vectors)
    return information


def turn_matrices(headings: Floats, covariance: Floats) -> Floats:
    """Rotate a covariance from the robot's frame to the world's, for several headings; shape (n, 3, 3)."""
    c, s, zero, sure = np.cos(headings), np.sin(headings), np.zeros(len(headings)), np.ones(len(headings))
    turns = np.array([[c, -s, zero], [s, c, zero], [zero, zero, sure]]).transpose(2, 0, 1)
    turned: Floats = turns @ covariance @ turns.transpose(0, 2, 1)
    return turned


def draw_spread(spreads: Floats, noise: Floats) -> Floats:
    """Return offsets with given covariances from standard normal numbers; shape (n, 3)."""
    drawn: Floats = np.einsum("nij,nj->ni", np.linalg.cholesky(spreads), noise)
    return drawn
