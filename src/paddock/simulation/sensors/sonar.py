"""Sonar: the exact distance to the nearest point inside a cone that returns an echo."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from paddock.core.jit import kernel
from paddock.core.spec import MetresOrZero, Number
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.rays import cone_to_disc, cone_to_segment
from paddock.simulation.sensors.aim import aim, mount_at
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.proximity import nearest_hit
from paddock.simulation.sensors.sensor_spec import OWN, RangeSensorSpec

RANGE, COS_HALF, SIN_HALF, TAN_INCIDENCE, SIN_INCIDENCE = range(5)
GRAZE = 1e-9  # [m]


@dataclass(frozen=True, kw_only=True, slots=True)
class SonarSpec(RangeSensorSpec):
    """A ring of sonars, or any sensor that reports the distance to the nearest object in a cone."""

    cone_deg: Annotated[float, Number("degrees", above=0, high=175, minimum=0.001)]  # full opening angle
    max_incidence_deg: Annotated[float, Number("degrees", above=0, high=90, minimum=0.001)] = 90.0
    nothing_seen: MetresOrZero | None = None  # None: the range

    tag: ClassVar[tuple[str, str]] = ("kind", "sonar")
    look: ClassVar[Appearance] = replace(RangeSensorSpec.look, color="#d0213f", rays="cones", hint="taller is nearer")

    @property
    def opening(self) -> float:
        return math.radians(self.cone_deg)

    @property
    def nothing(self) -> float:
        return self.range if self.nothing_seen is None else self.nothing_seen

    def parameters(self) -> list[float]:
        half, incidence = math.radians(self.cone_deg / 2), math.radians(self.max_incidence_deg)
        steepest = math.tan(incidence) if self.max_incidence_deg < 90 else math.inf
        return [self.range, math.cos(half), math.sin(half), steepest, math.sin(incidence)]


@kernel
def measure(model, scratch, view, device, values):
    """Write the distance [m] to the nearest echo of each sonar; infinity if out of range."""
    own = model.constants[model.devices[device, m.FIRST_PARAMETER] + OWN :]
    # Surfaces without an echo still occlude others; if all surfaces return echoes, the nearest one is always visible.
    all_echo = own[TAN_INCIDENCE] == math.inf
    for channel in range(model.devices[device, m.CHANNELS]):
        mount = model.constants[mount_at(model, device, channel) :]
        ox, oy, z = mount[m.MOUNT_X], mount[m.MOUNT_Y], mount[m.MOUNT_Z]
        dx, dy = aim(model, view, device, mount)
        nearest = math.inf
        for k in range(view.segments):
            row = scratch.segments[k]
            if row[m.ITEM_TOP] > z:
                d, ex, ey = cone_to_segment(
                    ox, oy, dx, dy, own[COS_HALF], own[SIN_HALF], own[TAN_INCIDENCE],
                    row[m.ITEM_X0], row[m.ITEM_Y0], row[m.ITEM_X1], row[m.ITEM_Y1],
                )  # fmt: skip
                if d < nearest and (all_echo or nearest_hit(scratch, view, ox, oy, z, ex, ey) >= d - GRAZE):
                    nearest = d
        for k in range(view.discs):
            row = scratch.discs[k]
            if row[m.ITEM_TOP] > z:
                d, ex, ey = cone_to_disc(
                    ox, oy, dx, dy, own[COS_HALF], own[SIN_HALF], own[SIN_INCIDENCE],
                    row[m.ITEM_X0], row[m.ITEM_Y0], row[m.ITEM_RADIUS],
                )  # fmt: skip
                if d < nearest and (all_echo or nearest_hit(scratch, view, ox, oy, z, ex, ey) >= d - GRAZE):
                    nearest = d
        values[channel] = nearest if nearest <= own[RANGE] else math.inf
