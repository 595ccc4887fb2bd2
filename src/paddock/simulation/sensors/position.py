"""Ground truth: the true pose, for experiments and supervisors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paddock.core.jit import kernel
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import SensorSpec, Shape


@dataclass(frozen=True, kw_only=True, slots=True)
class PositionSpec(SensorSpec):
    """True x, y [m] and heading [rad]; with `noise`, it models a positioning system."""

    tag: ClassVar[tuple[str, str]] = ("kind", "position")
    look: ClassVar[Appearance] = Appearance(unit="m, m, rad", labels=("x", "y", "heading"), gauge="dial", digits=3)
    shows: ClassVar[Shape] = "pose"
    first_angle: ClassVar[int | None] = 2

    channels = 3


@kernel
def measure(model, scratch, view, device, values):
    """Write the pose at the sample's time."""
    values[0], values[1], values[2] = view.x, view.y, view.heading
