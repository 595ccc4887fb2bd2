"""Laser scanner: an evenly spaced fan of beams. Each wall is drawn into the beams that it covers, like a scan line."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from paddock.core.jit import kernel
from paddock.core.rng import chain_key, uniform
from paddock.core.spec import Number
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.rays import ray_to_disc, ray_to_segment
from paddock.simulation.sensors.aim import aim, mount_at
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import AT_CENTRE, OWN, OneMount, RangeSensorSpec

RANGE, BEAMS, FIRST_ANGLE, STEP, DIRECTIONS = range(5)
TURN = 2.0 * math.pi
GRAZING = math.tan(math.radians(10.0))  # surfaces that a beam hits at a smaller angle also count as an edge
MIXED_STREAM = 1 << 20  # outside the range of the noise channels


@dataclass(frozen=True, kw_only=True, slots=True)
class LaserSpec(RangeSensorSpec):
    """A laser scanner: `beams` distances [m], counter-clockwise, evenly over `fov_deg` around the mount's heading."""

    mounts: OneMount = AT_CENTRE
    fov_deg: Annotated[float, Number("degrees", above=0, high=360, minimum=0.01)]
    beams: Annotated[int, Number("beams", low=2, high=4096)]
    mixed_pixels: Annotated[float, Number("a share", low=0, high=1)] = 0.0

    tag: ClassVar[tuple[str, str]] = ("kind", "laser")
    look: ClassVar[Appearance] = Appearance(unit="m", color="#2469c9", gauge="scan", rays="scan", aims=True)

    @property
    def appearance(self) -> Appearance:
        return replace(self.look, high=self.range, hint=f"{self.beams} beams")

    @property
    def opening(self) -> float:
        return math.radians(self.fov_deg)

    @property
    def channels(self) -> int:
        return self.beams

    @property
    def mixed_share(self) -> float:
        return self.mixed_pixels

    @property
    def angles(self) -> list[float]:
        """Directions of all beams, relative to the mount's heading [rad]."""
        # A full turn repeats no beam; a smaller fan has a beam on both edges.
        gaps = self.beams if self.fov_deg == 360 else self.beams - 1
        step = math.radians(self.fov_deg) / gaps
        return [-math.radians(self.fov_deg) / 2 + i * step for i in range(self.beams)]

    def parameters(self) -> list[float]:
        angles = self.angles
        directions = [part for a in angles for part in (math.cos(a), math.sin(a))]
        return [self.range, self.beams, angles[0], angles[1] - angles[0], *directions]


@kernel
def measure(model, scratch, view, device, values):
    """Write the distance [m] along every beam; infinity if out of range."""
    own = model.constants[model.devices[device, m.FIRST_PARAMETER] + OWN :]
    beams = int(own[BEAMS])
    mount = model.constants[mount_at(model, device, 0) :]
    ax, ay = aim(model, view, device, mount)
    ox, oy, z = mount[m.MOUNT_X], mount[m.MOUNT_Y], mount[m.MOUNT_Z]
    for beam in range(beams):
        values[beam] = math.inf
    for k in range(view.segments):
        row = scratch.segments[k]
        if row[m.ITEM_TOP] > z:
            px, py = row[m.ITEM_X0] - ox, row[m.ITEM_Y0] - oy
            qx, qy = row[m.ITEM_X1] - ox, row[m.ITEM_Y1] - oy
            px, py = ax * px + ay * py, ax * py - ay * px
            qx, qy = ax * qx + ay * qy, ax * qy - ay * qx
            if px * qy - py * qx < 0.0:  # counter-clockwise from p to q
                px, py, qx, qy = qx, qy, px, py
            low, high = math.atan2(py, px), math.atan2(qy, qx)
            if high < low:
                high += TURN
            for turn in range(-1, 2):
                first, last = find_beams(own, low + turn * TURN, high + turn * TURN)
                for beam in range(first, last + 1):
                    dx, dy = own[DIRECTIONS + 2 * beam], own[DIRECTIONS + 2 * beam + 1]
                    values[beam] = min(values[beam], ray_to_segment(0.0, 0.0, dx, dy, px, py, qx, qy))
    for k in range(view.discs):
        row = scratch.discs[k]
        if row[m.ITEM_TOP] > z:
            px, py, radius = row[m.ITEM_X0] - ox, row[m.ITEM_Y0] - oy, row[m.ITEM_RADIUS]
            px, py = ax * px + ay * py, ax * py - ay * px
            away = math.hypot(px, py)
            middle = math.atan2(py, px)
            half = math.asin(radius / away) if away > radius else math.pi
            for turn in range(-1, 2):
                first, last = find_beams(own, middle - half + turn * TURN, middle + half + turn * TURN)
                for beam in range(first, last + 1):
                    dx, dy = own[DIRECTIONS + 2 * beam], own[DIRECTIONS + 2 * beam + 1]
                    values[beam] = min(values[beam], ray_to_disc(0.0, 0.0, dx, dy, px, py, radius))
    for beam in range(beams):
        if values[beam] > own[RANGE]:
            values[beam] = math.inf


@kernel
def mix_pixels(model, device, key, values):
    """Let some beams at depth edges report a range between both surfaces, because their spot lies on both.

    At an edge, the line from one beam's end to its neighbour's is nearly parallel to the beams, which is the criterion
    of filters for such points. A beam next to one that hits nothing is not mixed, because there is only one echo.
    """
    own = model.constants[model.devices[device, m.FIRST_PARAMETER] + OWN :]
    share, beams = model.stages[device, m.MIXED], int(own[BEAMS])
    across, along = math.sin(own[STEP]), math.cos(own[STEP])
    mixed = chain_key(key, MIXED_STREAM)
    before = math.inf
    for beam in range(beams):
        here, after = values[beam], values[beam + 1] if beam + 1 < beams else math.inf
        is_first, is_last = is_edge(here, before, across, along), is_edge(here, after, across, along)
        if (is_first or is_last) and uniform(mixed, 2 * beam) < share:
            part = uniform(mixed, 2 * beam + 1)
            other = after if is_last else before
            if is_first and is_last:  # as on a wall at a flat angle: always the same side would turn the wall
                other, part = (before, 2.0 * part) if part < 0.5 else (after, 2.0 * part - 1.0)
            values[beam] = here + part * (other - here)
        before = here


@kernel
def is_edge(here, other, across, along):
    """Whether the ends of two neighbouring beams are on surfaces at different depths."""
    near, far = min(here, other), max(here, other)
    return far < math.inf and near * across < GRAZING * (far - near * along)


@kernel
def find_beams(own, low, high):
    """Return the first and last beam that may hit an item from angle low to high, plus one on either side."""
    first = max(0.0, math.floor((low - own[FIRST_ANGLE]) / own[STEP]))
    last = min(own[BEAMS] - 1.0, math.ceil((high - own[FIRST_ANGLE]) / own[STEP]))
    return int(first), int(last)
