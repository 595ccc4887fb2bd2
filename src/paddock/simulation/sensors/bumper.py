"""Bumpers: pressed while the body touches something on their side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from paddock.core.jit import kernel
from paddock.core.spec import Number
from paddock.simulation.engine.kernels.drive import wrap_angle
from paddock.simulation.engine.model import CHANNELS, FIRST_PARAMETER, MOUNT_HEADING
from paddock.simulation.engine.state import BEARINGS, CONTACTS
from paddock.simulation.sensors.aim import mount_at
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import OWN, SensorSpec, Shape


@dataclass(frozen=True, kw_only=True, slots=True)
class BumperSpec(SensorSpec):
    """One bumper per mount, which covers `width_deg` of the body around the mount's heading."""

    width_deg: Annotated[float, Number("degrees", above=0, high=360, minimum=0.001)]

    tag: ClassVar[tuple[str, str]] = ("kind", "bumper")
    look: ClassVar[Appearance] = Appearance(
        color="#b5179e", gauge="flags", rays="edges", digits=0, hint="lit when pressed"
    )
    shows: ClassVar[Shape] = "truth"

    @property
    def opening(self) -> float:
        return math.radians(self.width_deg)

    def parameters(self) -> list[float]:
        return [self.opening / 2]


@kernel
def measure(model, scratch, view, device, values):
    """Write 1 for each bumper with a contact in the last tick, else 0."""
    half = model.constants[model.devices[device, FIRST_PARAMETER] + OWN]
    for channel in range(model.devices[device, CHANNELS]):
        heading = model.constants[mount_at(model, device, channel) + MOUNT_HEADING]
        values[channel] = 0.0
        for k in range(int(view.motion[view.robot, CONTACTS])):
            if abs(wrap_angle(view.motion[view.robot, BEARINGS + k] - heading)) <= half:
                values[channel] = 1.0
