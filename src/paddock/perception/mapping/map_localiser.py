"""MapLocaliser: localisation in a known map, with global localisation and recovery of a kidnapped robot."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.perception.estimation.motion_model import Floats
from paddock.perception.estimation.particle_filter import ParticleFilter
from paddock.perception.estimation.travel import TravelSensors
from paddock.perception.mapping.grid_model import GridRangeModel, RangeLikelihood
from paddock.perception.mapping.occupancy import FREE, OccupancyGrid
from paddock.perception.mapping.reader import RangeReader


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
