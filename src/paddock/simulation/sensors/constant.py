"""Constant: a number that the simulation does not change, such as a selector's position or a battery's voltage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from paddock.core.jit import kernel
from paddock.core.spec import Quantity
from paddock.simulation.engine.model import FIRST_PARAMETER
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import OWN, SensorSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class ConstantSpec(SensorSpec):
    """One constant number plus noise. Links to real robots read the real value."""

    value: Quantity
    unit: str = ""  # shown next to the value, such as V

    tag: ClassVar[tuple[str, str]] = ("kind", "constant")
    look: ClassVar[Appearance] = Appearance(digits=2)

    @property
    def appearance(self) -> Appearance:
        return replace(self.look, unit=self.unit)

    channels = 1  # whatever its mounts

    def parameters(self) -> list[float]:
        return [self.value]


@kernel
def measure(model, scratch, view, device, values):
    """Write the value of the spec."""
    values[0] = model.constants[model.devices[device, FIRST_PARAMETER] + OWN]
