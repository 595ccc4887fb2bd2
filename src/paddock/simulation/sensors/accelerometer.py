"""Accelerometer: forward, leftward and upward acceleration, gravity included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paddock.core.jit import kernel
from paddock.simulation.engine.state import ACCELERATION, FORWARD, TURN
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import SensorSpec, Shape

GRAVITY = 9.80665


@dataclass(frozen=True, kw_only=True, slots=True)
class AccelerometerSpec(SensorSpec):
    """Three-axis accelerometer [m/s²]: x forward, y left, z up; at rest (0, 0, 9.81)."""

    tag: ClassVar[tuple[str, str]] = ("kind", "accelerometer")
    look: ClassVar[Appearance] = Appearance(unit="m/s²", labels=("x", "y", "z"), gauge="levels", low=-12.0, high=12.0)
    shows: ClassVar[Shape] = "acceleration"

    channels = 3


@kernel
def measure(model, scratch, view, device, values):
    """Write the change of speed along x, the centripetal acceleration along y, and gravity along z."""
    row = view.motion[view.robot]
    values[0] = row[ACCELERATION]
    values[1] = row[FORWARD] * row[TURN]
    values[2] = GRAVITY
