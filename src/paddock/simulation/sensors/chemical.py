"""Scalar field sensor ("chemical"): the concentration at a point of the robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from paddock.core.jit import kernel
from paddock.core.spec import Number
from paddock.simulation.engine.kernels.floor import field_value
from paddock.simulation.engine.model import CHANNELS, FIRST_PARAMETER, RADIAL, SOURCE_KIND
from paddock.simulation.sensors.aim import mount_at, place
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import OWN, SensorSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class ChemicalSpec(SensorSpec):
    """Measures the world's field number `field`; the reading is 0 in a world without that field."""

    field: Annotated[int, Number("the number of a field", low=0, limit=1000)] = 0

    tag: ClassVar[tuple[str, str]] = ("kind", "chemical")
    look: ClassVar[Appearance] = Appearance(color="#2f9e6e", gauge="bars", digits=3, hint="strength of the field")

    def parameters(self) -> list[float]:
        return [self.field]


@kernel
def measure(model, scratch, view, device, values):
    """Write the strength of the field at each mount."""
    field = int(model.constants[model.devices[device, FIRST_PARAMETER] + OWN])
    for channel in range(model.devices[device, CHANNELS]):
        mount = model.constants[mount_at(model, device, channel) :]
        x, y = place(view, mount)
        values[channel] = 0.0
        number = 0
        for k in range(model.sources.shape[0]):
            if model.sources[k, SOURCE_KIND] >= RADIAL:
                if number == field:
                    values[channel] = field_value(model.sources[k], model.constants, x, y)
                number += 1
