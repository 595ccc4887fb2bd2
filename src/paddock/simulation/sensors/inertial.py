"""Inertial navigation: a pose that is exact at the start and then drifts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from paddock.core.jit import kernel
from paddock.core.spec import Number, Share
from paddock.simulation.engine.state import ESTIMATE_HEADING, ESTIMATE_X, ESTIMATE_Y
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import SensorSpec, Shape


@dataclass(frozen=True, kw_only=True, slots=True)
class InertialSpec(SensorSpec):
    """Estimated x, y [m] and heading [rad]. The engine accumulates the errors, whether it is read or not."""

    distance_error: Share = 0.01  # standard deviation of each tick's travel, relative
    heading_walk_deg: Annotated[float, Number("degrees per square root of a second", low=0, limit=3600)] = 0.1
    bias_deg_s: Annotated[float, Number("degrees per second", low=0, limit=3600)] = (
        0.02  # standard deviation over robots
    )

    tag: ClassVar[tuple[str, str]] = ("kind", "inertial")
    look: ClassVar[Appearance] = Appearance(unit="m, m, rad", labels=("x", "y", "heading"), gauge="dial", digits=3)
    shows: ClassVar[Shape] = "pose"
    first_angle: ClassVar[int | None] = 2

    channels = 3

    @property
    def drift(self) -> tuple[float, float, float]:
        """Distance error, heading walk [rad/√s], bias [rad/s]."""
        return self.distance_error, math.radians(self.heading_walk_deg), math.radians(self.bias_deg_s)


@kernel
def measure(model, scratch, view, device, values):
    """Write the estimated pose that the step function maintains."""
    values[0] = view.motion[view.robot, ESTIMATE_X]
    values[1] = view.motion[view.robot, ESTIMATE_Y]
    values[2] = view.motion[view.robot, ESTIMATE_HEADING]
