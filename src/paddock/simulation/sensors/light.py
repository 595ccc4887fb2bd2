"""Light sensors: irradiance from the lights that are not in shadow."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from paddock.core.jit import kernel
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.rays import ray_to_disc, ray_to_segment
from paddock.simulation.sensors.aim import mount_at
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import SensorSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class LightSpec(SensorSpec):
    """A ring of light sensors [W/m²]."""

    tag: ClassVar[tuple[str, str]] = ("kind", "light")
    look: ClassVar[Appearance] = Appearance(unit="W/m²", color="#c9a200", gauge="bars", aims=True)
    lowest: ClassVar[float] = 0.0

    @property
    def appearance(self) -> Appearance:
        return replace(self.look, high=self.full_scale or 2.0)

    sees_lights = True


@kernel
def measure(model, scratch, view, device, values):
    """Write the irradiance at each sensor [W/m²]."""
    for channel in range(model.devices[device, m.CHANNELS]):
        mount = model.constants[mount_at(model, device, channel) :]
        values[channel] = irradiance(model, scratch, view, mount, mount[m.MOUNT_COS], mount[m.MOUNT_SIN])


@kernel
def irradiance(model, scratch, view, mount, ax, ay):
    """Return the irradiance at a sensor that points along (ax, ay) in the robot's frame, with shadows [W/m²]."""
    total = 0.0
    for k in range(model.sources.shape[0]):
        lamp = model.sources[k]
        if lamp[m.SOURCE_KIND] != m.LIGHT:
            continue
        wx, wy = lamp[m.SOURCE_X] - view.x, lamp[m.SOURCE_Y] - view.y
        lx = view.c * wx + view.s * wy - mount[m.MOUNT_X]
        ly = view.c * wy - view.s * wx - mount[m.MOUNT_Y]
        rise = lamp[m.SOURCE_Z] - mount[m.MOUNT_Z]
        flat = math.hypot(lx, ly)
        away = math.hypot(flat, rise)
        facing = (lx * ax + ly * ay) / away if away > 0.0 else 1.0
        if facing <= 0.0:
            continue
        if flat > 0.0 and in_shadow(scratch, view, mount, lx / flat, ly / flat, flat, rise):
            continue
        total += lamp[m.SOURCE_STRENGTH] * facing / max(away * away, 1e-4)
    return total


@kernel
def in_shadow(scratch, view, mount, dx, dy, flat, rise):
    """Whether an item is tall enough to block a light that is `flat` away from and `rise` above the sensor [m]."""
    ox, oy, z = mount[m.MOUNT_X], mount[m.MOUNT_Y], mount[m.MOUNT_Z]
    for k in range(view.segments):
        row = scratch.segments[k]
        t = ray_to_segment(ox, oy, dx, dy, row[m.ITEM_X0], row[m.ITEM_Y0], row[m.ITEM_X1], row[m.ITEM_Y1])
        if t < flat and row[m.ITEM_TOP] > z + rise * t / flat:
            return True
    for k in range(view.discs):
        row = scratch.discs[k]
        t = ray_to_disc(ox, oy, dx, dy, row[m.ITEM_X0], row[m.ITEM_Y0], row[m.ITEM_RADIUS])
        if t < flat and row[m.ITEM_TOP] > z + rise * t / flat:
            return True
    return False
