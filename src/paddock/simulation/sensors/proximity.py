"""Infrared proximity sensors: reflections of several rays over the aperture, and the effect of ambient light."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from paddock.core.jit import kernel
from paddock.core.spec import NotNegative, Number
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.rays import ray_to_disc, ray_to_segment
from paddock.simulation.sensors.aim import aim, mount_at
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.light import irradiance
from paddock.simulation.sensors.sensor_spec import OWN, RangeSensorSpec

RANGE, RAYS, AMBIENT, DIRECTIONS = range(4)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProximitySpec(RangeSensorSpec):
    """A ring of infrared sensors. The reflections of the rays add up, weighted by the inverse square of distance."""

    aperture_deg: Annotated[float, Number("degrees", low=0, high=180)] = 0.0
    rays: Annotated[int, Number("rays", low=1, high=64)] = 1
    ambient: NotNegative = 0.0  # apparent echo caused by 1 W/m² of light [1/m²]

    tag: ClassVar[tuple[str, str]] = ("kind", "proximity")
    look: ClassVar[Appearance] = replace(RangeSensorSpec.look, color="#e4572e", hint="taller is nearer")

    @property
    def opening(self) -> float:
        return math.radians(self.aperture_deg)

    @property
    def sees_lights(self) -> bool:
        return self.ambient > 0

    @property
    def nothing_raw(self) -> float:
        return 0.0 if self.response else self.range * (self.scale or 1.0)

    def parameters(self) -> list[float]:
        directions = []
        for i in range(self.rays):
            off = math.radians(self.aperture_deg) * (i / (self.rays - 1) - 0.5) if self.rays > 1 else 0.0
            directions += [math.cos(off), math.sin(off)]
        return [self.range, self.rays, self.ambient, *directions]


@kernel
def measure(model, scratch, view, device, values):
    """Write the distance [m] at which a surface straight ahead gives the same echo; infinity if out of range."""
    own = model.constants[model.devices[device, m.FIRST_PARAMETER] + OWN :]
    rays = int(own[RAYS])
    lit = own[AMBIENT] > 0.0 and model.sources.shape[0] > 0
    for channel in range(model.devices[device, m.CHANNELS]):
        values[channel] = math.inf
        if view.segments + view.discs == 0 and not lit:
            continue
        mount = model.constants[mount_at(model, device, channel) :]
        ax, ay = aim(model, view, device, mount)
        echo = 0.0
        for ray in range(rays):
            rc, rs = own[DIRECTIONS + 2 * ray], own[DIRECTIONS + 2 * ray + 1]
            dx, dy = rc * ax - rs * ay, rs * ax + rc * ay
            nearest = nearest_hit(scratch, view, mount[m.MOUNT_X], mount[m.MOUNT_Y], mount[m.MOUNT_Z], dx, dy)
            if nearest <= own[RANGE]:
                echo += 1.0 / max(nearest * nearest, 1e-12)
        echo /= own[RAYS]
        if lit:
            echo += own[AMBIENT] * irradiance(model, scratch, view, mount, ax, ay)
        if echo > 0.0 and echo * own[RANGE] * own[RANGE] >= 1.0:
            values[channel] = 1.0 / math.sqrt(echo)


@kernel
def nearest_hit(scratch, view, ox, oy, z, dx, dy):
    """Return the distance [m] along a ray to the nearest item that is taller than z."""
    nearest = math.inf
    for k in range(view.segments):
        row = scratch.segments[k]
        if row[m.ITEM_TOP] > z:
            t = ray_to_segment(ox, oy, dx, dy, row[m.ITEM_X0], row[m.ITEM_Y0], row[m.ITEM_X1], row[m.ITEM_Y1])
            nearest = min(nearest, t)
    for k in range(view.discs):
        row = scratch.discs[k]
        if row[m.ITEM_TOP] > z:
            nearest = min(nearest, ray_to_disc(ox, oy, dx, dy, row[m.ITEM_X0], row[m.ITEM_Y0], row[m.ITEM_RADIUS]))
    return nearest
