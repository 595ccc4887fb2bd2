"""WheelTravel: motion of a robot since the last reading by encoders and gyroscope, with its covariance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.observation import Observation
from paddock.perception.estimation.measurements import check_sigma
from paddock.perception.estimation.odometry import Floats, Odometry


class WheelTravel(NamedTuple):
    """Travel of the wheels [m] between two readings."""

    left: float
    right: float
    covariance: Floats  # of right, left [m] and a turn that the encoders do not measure [rad], shape (3, 3)

    def split(self, share: float) -> tuple[WheelTravel, WheelTravel]:
        """Split the travel into a first share and the rest."""
        rest = 1 - share
        return (
            WheelTravel(self.left * share, self.right * share, self.covariance * share),
            WheelTravel(self.left * rest, self.right * rest, self.covariance * rest),
        )


@dataclass
class TravelSensors:
    """Reads encoders, a gyroscope or both. Without encoders, `unseen_speed` is the uncertainty of the wheel speeds."""

    odometry: Odometry  # the assumed wheels and their noise; it is updated, for comparison
    encoders: str | None = "encoders"
    gyroscope: str | None = None
    gyroscope_sigma: float = 0.0  # standard deviation of a turn rate [rad/s]
    unseen_speed: float = 0.0  # standard deviation of a wheel's speed without encoders [m/s]
    _last: float | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.gyroscope is not None:
            check_sigma(f"gyroscope {self.gyroscope!r}", self.gyroscope_sigma)
        if self.encoders is None:
            check_sigma("TravelSensors without encoders: unseen_speed, as", self.unseen_speed)

    def reset(self) -> None:
        """Restart with the next reading."""
        self._last = None

    def read(self, observation: Observation, time: float) -> WheelTravel:
        """Return the travel since the last reading; zero at the first reading."""
        before, self._last = self._last, time
        if before is not None and time < before - 1e-9:
            raise PaddockError(f"update: expected a time that never goes back, got {time:g} s after {before:g} s")
        seconds = 0.0 if before is None else time - before
        separation = self.odometry.wheel_separation
        if self.encoders is None:
            unseen = (self.unseen_speed * seconds) ** 2
            travel = WheelTravel(0.0, 0.0, np.diag([unseen, unseen, 0.0]))
        else:
            left, right = np.asarray(getattr(observation, self.encoders), float).tolist()
            self.odometry.update(left, right)
            left, right = self.odometry.last_travel
            travel = WheelTravel(left, right, self.odometry.noise.of_travel(left, right, separation))
        if self.gyroscope is None or not seconds:
            return travel
        rate = float(np.asarray(getattr(observation, self.gyroscope)).reshape(-1)[-1])  # about the axis that points up
        return correct_turn(travel, rate * seconds, (self.gyroscope_sigma * seconds) ** 2, separation)


def correct_turn(travel: WheelTravel, turn: float, variance: float, separation: float) -> WheelTravel:
    """Return the most likely travel, given also a measured turn [rad], by a Kalman update."""
    by_travel = np.array([1 / separation, -1 / separation, 1.0])
    spread = travel.covariance @ by_travel
    gain = spread / (by_travel @ spread + variance)
    change = gain * (turn - (travel.right - travel.left) / separation)
    keep = np.eye(3) - np.outer(gain, by_travel)
    covariance = keep @ travel.covariance @ keep.T + np.outer(gain, gain) * variance
    unseen = change[2] * separation / 2  # converted to travel of the wheels
    return WheelTravel(travel.left + change[1] - unseen, travel.right + change[0] + unseen, covariance)
