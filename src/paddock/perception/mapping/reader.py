"""RangeReader: reads each scan once from observations. A sensor reports the same sample until its next period."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose
from paddock.core.observation import Observation
from paddock.perception.mapping.scan import Floats, Scan

SAME_TIME = 1e-6  # [s]


@dataclass
class RangeReader:
    """Reads a laser, a ring of sonars or infrared sensors from a robot's observations."""

    device: str
    angles: Floats = field(repr=False)  # of the beams [rad], shape (n,)
    max_range: float  # [m]
    mount: Pose = ORIGIN
    origins: Floats | None = field(default=None, repr=False)  # of the beams [m], shape (n, 2)
    period: float = 0.0  # between samples [s]; 0: a new sample at every reading
    delay: float = 0.0  # age of a sample when it arrives [s]
    opening: float = 0.0  # opening angle of a cone [rad]; 0: rays
    _last: tuple[float, bytes] | None = field(default=None, repr=False)  # time and values of the last sample

    @property
    def reach(self) -> float:
        """Largest distance from the centre of the robot at which a sensor on its edge measures something [m]."""
        return self.max_range + (0.0 if self.origins is None else float(np.hypot(*self.origins.T).max()))

    def reset(self) -> None:
        """Treat the next sample as a new one."""
        self._last = None

    def read(self, observation: Observation, time: float) -> Scan | None:
        """Return the scan of an observation at a time [s]; None if it is not new."""
        ranges = np.array(getattr(observation, self.device), float).reshape(-1)
        if ranges.shape != self.angles.shape:
            raise PaddockError(
                f"RangeReader of {self.device!r}: expected {len(self.angles)} ranges, one for each beam, "
                f"got {len(ranges)}"
            )
        sample = self._time_of_sample(time), ranges.tobytes()
        # In open space all samples are equal, and clocks of real robots are not aligned, so either may show a new one.
        known = self._last is not None and sample[0] <= self._last[0] + SAME_TIME and sample[1] == self._last[1]
        if known or np.isnan(ranges).all():
            return None
        self._last = sample
        return Scan(sample[0], self.angles, ranges, self.max_range, self.mount, self.origins)

    def _time_of_sample(self, time: float) -> float:
        taken = time - self.delay
        return math.floor(taken / self.period + 1e-6) * self.period if self.period > 0 else taken
