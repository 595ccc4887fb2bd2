"""Wheel encoders: travel of each wheel, in whole counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from paddock.core.jit import kernel
from paddock.core.spec import Number
from paddock.simulation.engine.state import LEFT_TRAVEL, RIGHT_TRAVEL
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import SensorSpec, Shape


@dataclass(frozen=True, kw_only=True, slots=True)
class EncodersSpec(SensorSpec):
    """Travel of the left and right wheel at the rim [m], for nominal diameters; `scale` is in counts per metre."""

    bits: Annotated[int, Number("bits", low=1, high=53)] | None = None  # raw counters wrap around

    tag: ClassVar[tuple[str, str]] = ("kind", "encoders")
    look: ClassVar[Appearance] = Appearance(unit="m", labels=("left", "right"), digits=3, hint="travel at the rim")
    shows: ClassVar[Shape] = "travel"

    channels = 2

    @property
    def wrap(self) -> float:
        return 0.0 if self.bits is None else 2.0 ** (self.bits - 1)


@kernel
def measure(model, scratch, view, device, values):
    """Write the wheel travel since the start; wheel rotation counts even if the robot is stuck."""
    values[0] = view.motion[view.robot, LEFT_TRAVEL]
    values[1] = view.motion[view.robot, RIGHT_TRAVEL]
