"""GridRangeModel: measurement model of a laser in a known map, for the filters of `paddock.perception.estimation`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose
from paddock.core.observation import Observation
from paddock.perception.estimation.measurements import Measurement, check_sigma
from paddock.perception.mapping.field_kernels import cast_beams, end_distances
from paddock.perception.mapping.likelihood import LikelihoodField
from paddock.perception.mapping.occupancy import OCCUPIED, OccupancyGrid
from paddock.perception.mapping.reader import RangeReader
from paddock.perception.mapping.scan import Floats, Scan

RangeLikelihood = Literal["likelihood-field", "beam"]
"""Distance from beam ends to the nearest surface (smooth and fast), or expected ranges by ray casting in the map."""
Expectation = Callable[[Floats], Floats]
FINER = 0.5  # cell size of the field divided by that of the map
MAX_DISTANCE = 3.0  # maximum distance of a beam end [sigmas]
PROBE, PROBE_TURN = 0.01, 0.005  # steps of numerical derivatives [m, rad]


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
