"""Ground sensors: the brightness of the floor, averaged over a small round footprint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from paddock.core.jit import kernel
from paddock.core.spec import MetresOrZero
from paddock.simulation.engine.kernels.floor import brightness
from paddock.simulation.engine.model import CHANNELS, FIRST_PARAMETER, FLOOR
from paddock.simulation.sensors.aim import mount_at, place
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import OWN, SensorSpec

SAMPLES = 8  # points on a circle inside the footprint, in addition to its centre


@dataclass(frozen=True, kw_only=True, slots=True)
class GroundSpec(SensorSpec):
    """Downward reflectance sensors: 0 dark … 1 bright."""

    footprint_radius: MetresOrZero = 0.002

    tag: ClassVar[tuple[str, str]] = ("kind", "ground")
    look: ClassVar[Appearance] = Appearance(color="#6b7280", gauge="bars", rays="points", hint="0 dark … 1 bright")
    lowest: ClassVar[float] = 0.0

    def parameters(self) -> list[float]:
        around = []
        for i in range(SAMPLES):
            # At 0.75 of the radius the eight points and the centre have the mean square distance of a disc.
            angle, r = 2 * math.pi * i / SAMPLES, 0.75 * self.footprint_radius
            around += [r * math.cos(angle), r * math.sin(angle)]
        return around


@kernel
def measure(model, scratch, view, device, values):
    """Write the mean brightness below each sensor, 0 … 1."""
    first = model.devices[device, FIRST_PARAMETER] + OWN
    around = model.constants[first : first + 2 * SAMPLES]
    for channel in range(model.devices[device, CHANNELS]):
        x, y = place(view, model.constants[mount_at(model, device, channel) :])
        values[channel] = brightness(model.floor, model.grids[FLOOR], x, y, around)
