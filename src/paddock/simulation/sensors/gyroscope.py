"""Gyroscope: turn rates. A robot on a flat floor turns only about z."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paddock.core.jit import kernel
from paddock.simulation.engine.state import TURN
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import SensorSpec, Shape


@dataclass(frozen=True, kw_only=True, slots=True)
class GyroscopeSpec(SensorSpec):
    """Three-axis gyroscope [rad/s]; z is positive counter-clockwise."""

    tag: ClassVar[tuple[str, str]] = ("kind", "gyroscope")
    look: ClassVar[Appearance] = Appearance(unit="rad/s", labels=("x", "y", "z"), gauge="levels", low=-4.0, high=4.0)
    shows: ClassVar[Shape] = "turn_rates"

    @property
    def channels(self) -> int:
        return 3


@kernel
def measure(model, scratch, view, device, values):
    """Write the actual turn rate."""
    values[0], values[1] = 0.0, 0.0
    values[2] = view.motion[view.robot, TURN]
