"""MapLocaliser: localisation in a known map, with global localisation and recovery of a kidnapped robot."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose
from paddock.core.jit import kernel
from paddock.core.observation import Observation
from paddock.perception.estimation.measurements import Measurement
from paddock.perception.estimation.odometry import TravelSensors, check_sigma
from paddock.perception.estimation.particle_filter import ParticleFilter
from paddock.perception.mapping.matching import LikelihoodField
from paddock.perception.mapping.occupancy import FREE, OCCUPIED, OccupancyGrid
from paddock.perception.mapping.scan import Floats, RangeReader, Scan

RangeLikelihood = Literal["likelihood-field", "beam"]
"""Distance from beam ends to the nearest surface (smooth and fast), or expected ranges by ray casting in the map."""
Expectation = Callable[[Floats], Floats]
FINER = 0.5  # cell size of the field divided by that of the map
MAX_DISTANCE = 3.0  # maximum distance of a beam end [sigmas]
PROBE, PROBE_TURN = 0.01, 0.005  # steps of numerical derivatives [m, rad]


@kernel
def end_distances(points, poses, frame, values, most, distances):
    """Compute the distances of beam ends from surfaces, in units of the field's sigma, at most `most`.

    Args:
        points: beam ends in the robot's frame [m], shape (k, 2).
        poses: poses of the robot, shape (n, 3).
        frame: frame of the field.
        values: values of the field, exp(-d² / 2), 0 far from all surfaces.
        most: maximum distance.
        distances: receives the distances, shape (n, k).
    """
    least = math.exp(-0.5 * most * most)
    for i in range(poses.shape[0]):
        c, s = math.cos(poses[i, 2]), math.sin(poses[i, 2])
        for k in range(points.shape[0]):
            x, y = poses[i, 0] + c * points[k, 0] - s * points[k, 1], poses[i, 1] + s * points[k, 0] + c * points[k, 1]
            column, row = math.floor((x - frame.x) / frame.resolution), math.floor((y - frame.y) / frame.resolution)
            distances[i, k] = most
            if 0 <= row < values.shape[0] and 0 <= column < values.shape[1] and values[row, column] > least:
                distances[i, k] = math.sqrt(max(0.0, -2.0 * math.log(values[row, column])))


@kernel
def cast_beams(beams, poses, frame, occupied, limit, ranges):
    """Compute ranges [m] of beams (rows x, y, direction on the robot) to occupied cells, at most `limit`."""
    side = frame.resolution
    for i in range(poses.shape[0]):
        c, s = math.cos(poses[i, 2]), math.sin(poses[i, 2])
        for k in range(beams.shape[0]):
            x = (poses[i, 0] + c * beams[k, 0] - s * beams[k, 1] - frame.x) / side
            y = (poses[i, 1] + s * beams[k, 0] + c * beams[k, 1] - frame.y) / side
            direction = poses[i, 2] + beams[k, 2]
            ranges[i, k] = side * cast_beam(x, y, math.cos(direction), math.sin(direction), occupied, limit / side)


@kernel
def cast_beam(x, y, dx, dy, occupied, limit):
    """Return the distance along a ray to the middle of the first occupied cell, at most `limit`; lengths in cells."""
    column, row = math.floor(x), math.floor(y)
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    per_x, per_y = (1.0 / abs(dx) if dx != 0.0 else math.inf), (1.0 / abs(dy) if dy != 0.0 else math.inf)
    next_x = (column + (1 if dx > 0.0 else 0) - x) / dx if dx != 0.0 else math.inf
    next_y = (row + (1 if dy > 0.0 else 0) - y) / dy if dy != 0.0 else math.inf
    gone = 0.0
    while gone < limit:
        if 0 <= row < occupied.shape[0] and 0 <= column < occupied.shape[1] and occupied[row, column]:
            return min(limit, 0.5 * (gone + min(next_x, next_y)))
        gone = min(next_x, next_y)
        if next_x < next_y:
            next_x += per_x
            column += step_x
        else:
            next_y += per_y
            row += step_y
    return limit


class GridRangeModel:
    """A measurement model that uses some beams of each new scan."""

    def __init__(
        self,
        grid: OccupancyGrid,
        reader: RangeReader,
        *,
        model: RangeLikelihood = "likelihood-field",
        sigma: float = 0.1,
        beams: int = 60,
    ) -> None:
        """Create the model.

        Args:
            grid: the map.
            reader: the sensor.
            model: method of comparing readings with the map.
            sigma: standard deviation of a reading, including errors of the map [m].
            beams: maximum number of beams used per scan.
        """
        check_sigma("GridRangeModel", sigma)
        if model not in get_args(RangeLikelihood):
            raise UnknownName("model of ranges in a map", model, get_args(RangeLikelihood))
        occupied = grid.states() == OCCUPIED
        if not occupied.any():
            raise PaddockError("GridRangeModel: the map has no occupied cells: expected a map with obstacles")
        self.reader, self.model, self.sigma, self.beams = reader, model, sigma, beams
        self.frame, self._occupied = grid.frame, occupied.astype(np.uint8)
        self.field = LikelihoodField.from_points(grid.surface_points(), FINER * grid.resolution, sigma)

    def measure(self, observation: Observation, time: float) -> list[Measurement]:
        """Return the measurement of a new scan; empty if the scan is not new."""
        scan = self.reader.read(observation, time)
        if scan is None:
            return []
        made = self._ends(scan) if self.model == "likelihood-field" else self._ranges(scan)
        return [made] if len(made.value) else []

    def _ends(self, scan: Scan) -> Measurement:
        points = scan.points()
        points = np.ascontiguousarray(points[:: max(1, math.ceil(len(points) / self.beams))])

        def expect(poses: Floats) -> Floats:
            distances = np.empty((len(poses), len(points)))
            end_distances(
                points, np.ascontiguousarray(poses), self.field.frame, self.field.values, MAX_DISTANCE, distances
            )
            return distances

        return self._measurement(scan, np.zeros(len(points)), 1.0, MAX_DISTANCE, expect)

    def _ranges(self, scan: Scan) -> Measurement:
        ranges, beams = scan.clean_ranges(), scan.beams()
        valid = np.flatnonzero(~np.isnan(ranges))
        valid = valid[:: max(1, math.ceil(len(valid) / self.beams))]
        beams, value = np.ascontiguousarray(beams[valid]), np.minimum(ranges[valid], scan.max_range)

        def expect(poses: Floats) -> Floats:
            expected = np.empty((len(poses), len(beams)))
            cast_beams(beams, np.ascontiguousarray(poses), self.frame, self._occupied, scan.max_range, expected)
            return expected

        return self._measurement(scan, value, self.sigma, scan.max_range, expect)

    def _measurement(self, scan: Scan, value: Floats, sigma: float, limit: float, expect: Expectation) -> Measurement:
        def slopes(pose: Pose) -> Floats:
            steps = np.diag([PROBE, PROBE, PROBE_TURN])
            ahead, behind = expect(np.array(pose) + steps), expect(np.array(pose) - steps)
            by_pose: Floats = ((ahead - behind) / (2 * np.diag(steps)[:, None])).T
            return by_pose

        covariance = np.eye(len(value)) * sigma**2
        return Measurement(self.reader.device, scan.time, value, covariance, expect, slopes, limit=limit, separate=True)


class MapLocaliser(ParticleFilter):
    """Adaptive Monte Carlo localisation (Fox 2003) among the free cells of a grid; a `Localiser`."""

    def __init__(
        self,
        grid: OccupancyGrid,
        travel: TravelSensors,
        reader: RangeReader,
        *,
        model: RangeLikelihood = "likelihood-field",
        sigma: float = 0.1,
        beams: int = 60,
        covariance: Floats | None = None,
        particles: tuple[int, int] = (200, 5000),
        seed: int = 0,
        **options: Any,
    ) -> None:
        """Start anywhere in the map or, with a covariance, around the odometry's pose.

        Args:
            grid: the map; it is not changed.
            travel: encoders and gyroscope.
            reader: the range sensor.
            model: method of comparing readings with the map.
            sigma: standard deviation of a reading, including errors of the map [m].
            beams: maximum number of beams used per scan.
            covariance: of the start pose, shape (3, 3); None: anywhere in free space.
            particles: minimum and maximum number.
            seed: seed of all random numbers.
            options: options of `ParticleFilter`.
        """
        self.grid, self.reader = grid, reader
        self._free = grid.frame.centres(np.argwhere(grid.states() == FREE))
        if not len(self._free):
            raise PaddockError("MapLocaliser: the map has no free cells: expected free space for the robot")
        sees = GridRangeModel(grid, reader, model=model, sigma=sigma, beams=beams)
        area = grid.frame.bounds
        super().__init__(travel, [sees], seed=seed, covariance=covariance, area=area, particles=particles, **options)

    def reset(self, pose: Pose, covariance: Floats | None = None) -> None:
        """Restart at a pose; without a covariance, use that of the first start."""
        self.reader.reset()
        super().reset(pose, covariance)

    def _draw_anywhere(self, count: int) -> Floats:
        where = self._free[self._random.integers(len(self._free), size=count)]
        half = self.grid.resolution / 2
        jitter = self._random.uniform([-half, -half, -np.pi], [half, half, np.pi], (count, 3))
        return np.column_stack((where, np.zeros(count))) + jitter
