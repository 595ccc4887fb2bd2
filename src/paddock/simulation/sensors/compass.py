"""Compass: the heading, measured from the x axis of the world."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from paddock.core.jit import kernel
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import SensorSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class CompassSpec(SensorSpec):
    """Heading [rad], counter-clockwise from the world's x axis."""

    tag: ClassVar[tuple[str, str]] = ("kind", "compass")
    look: ClassVar[Appearance] = Appearance(
        unit="rad", labels=("heading",), gauge="dial", low=-math.pi, high=math.pi, digits=0
    )
    first_angle: ClassVar[int | None] = 0

    channels = 1  # whatever its mounts


@kernel
def measure(model, scratch, view, device, values):
    """Write the true heading."""
    values[0] = view.heading
