"""Gyroscope: turn rates. A robot on a flat floor turns only about z."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paddock.core.jit import kernel
from paddock.core.spec import NotNegative
from paddock.simulation.engine.state import TURN
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import SensorSpec, Shape


@dataclass(frozen=True, kw_only=True, slots=True)
class GyroscopeSpec(SensorSpec):
    """Three-axis gyroscope [rad/s]; z is positive counter-clockwise.

    Each axis has an error that changes slowly: `bias` is the standard deviation of its value at the start [rad/s],
    drawn once per robot, and `bias_walk` that of its random walk [rad/s per square root of a second].
    """

    bias: NotNegative = 0.0
    bias_walk: NotNegative = 0.0

    tag: ClassVar[tuple[str, str]] = ("kind", "gyroscope")
    look: ClassVar[Appearance] = Appearance(unit="rad/s", labels=("x", "y", "z"), gauge="levels", low=-4.0, high=4.0)
    shows: ClassVar[Shape] = "turn_rates"

    channels = 3

    @property
    def biases(self) -> tuple[float, float]:
        return self.bias, self.bias_walk


@kernel
def measure(model, scratch, view, device, values):
    """Write the actual turn rate."""
    values[0], values[1] = 0.0, 0.0
    values[2] = view.motion[view.robot, TURN]
