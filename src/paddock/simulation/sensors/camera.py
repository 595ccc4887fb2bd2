"""Camera: a colour image of walls, obstacles, robots, floor and sky; every object has a height (2.5 D).

Each surface is drawn into the image columns that it covers, with a depth buffer for every pixel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from paddock.core.errors import SpecError
from paddock.core.jit import kernel
from paddock.core.rng import gauss
from paddock.core.spec import Metres, Number
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.floor import floor_pixel
from paddock.simulation.sensors.aim import aim, mount_at, place
from paddock.simulation.sensors.appearance import Appearance
from paddock.simulation.sensors.sensor_spec import AT_CENTRE, OWN, OneMount, RangeSensorSpec

WIDTH, HEIGHT, FOCAL = range(3)
NEAREST = 0.001  # near clipping distance [m]
SKY_LOW, SKY_HIGH = (214, 228, 240), (138, 178, 220)


@dataclass(frozen=True, kw_only=True, slots=True)
class CameraSpec(RangeSensorSpec):
    """A pinhole camera: upright images of `width` × `height` pixels, uint8 [row, column, rgb]."""

    range: Metres = 20.0
    mounts: OneMount = AT_CENTRE
    width: Annotated[int, Number("pixels", low=1, high=4096)]
    height: Annotated[int, Number("pixels", low=1, high=4096)]
    fov_deg: Annotated[float, Number("degrees", above=0, high=150, minimum=0.01)]  # horizontal

    tag: ClassVar[tuple[str, str]] = ("kind", "camera")
    look: ClassVar[Appearance] = Appearance(color="#e6a117", gauge="image", rays="field", high=255.0, aims=True)

    @property
    def appearance(self) -> Appearance:
        return replace(self.look, hint=f"{self.width} × {self.height}")

    @property
    def opening(self) -> float:
        return math.radians(self.fov_deg)

    def check(self) -> None:
        RangeSensorSpec.check(self)
        for name in ("response", "scale", "noise_relative", "resolution"):
            if getattr(self, name):
                raise SpecError("expected nothing here: a camera has no such stage, only noise", path=name)

    @property
    def channels(self) -> int:
        return 0  # an image is not part of a row of readings

    def parameters(self) -> list[float]:
        focal = self.width / 2 / math.tan(math.radians(self.fov_deg) / 2)
        return [self.width, self.height, focal]


@kernel
def draw(model, scratch, view, device, depth, picture):
    """Render the camera's depth [m] and image, shapes (height, width) and (height, width, 3)."""
    own = model.constants[model.devices[device, m.FIRST_PARAMETER] + OWN :]
    width, height, focal = int(own[WIDTH]), int(own[HEIGHT]), own[FOCAL]
    mount = model.constants[mount_at(model, device, 0) :]
    ax, ay = aim(model, view, device, mount)
    z = mount[m.MOUNT_Z]
    for row in range(height):
        for column in range(width):
            depth[row, column] = math.inf
    for k in range(view.segments):
        row = scratch.segments[k]
        px, py = row[m.ITEM_X0] - mount[m.MOUNT_X], row[m.ITEM_Y0] - mount[m.MOUNT_Y]
        qx, qy = row[m.ITEM_X1] - mount[m.MOUNT_X], row[m.ITEM_Y1] - mount[m.MOUNT_Y]
        px, py = ax * px + ay * py, ax * py - ay * px
        qx, qy = ax * qx + ay * qy, ax * qy - ay * qx
        draw_wall(depth, picture, focal, z, px, py, qx, qy, row[m.ITEM_TOP], row[m.ITEM_COLOR])
    for k in range(view.discs):
        row = scratch.discs[k]
        px, py = row[m.ITEM_X0] - mount[m.MOUNT_X], row[m.ITEM_Y0] - mount[m.MOUNT_Y]
        px, py = ax * px + ay * py, ax * py - ay * px
        draw_disc(depth, picture, focal, z, px, py, row[m.ITEM_RADIUS], row[m.ITEM_TOP], row[m.ITEM_COLOR])
    draw_floor_and_sky(model, view, mount, ax, ay, focal, depth, picture)


@kernel
def draw_floor_and_sky(model, view, mount, ax, ay, focal, depth, picture):
    """Fill the pixels without an object with floor and sky."""
    height, width = depth.shape
    z = mount[m.MOUNT_Z]
    cx, cy = view.c * ax - view.s * ay, view.s * ax + view.c * ay
    ox, oy = place(view, mount)
    for row in range(height):
        below = (row + 0.5) - 0.5 * height
        if below > 0.0:
            away = focal * z / below
            for column in range(width):
                if depth[row, column] > away:
                    aside = away * (0.5 * width - column - 0.5) / focal
                    x, y = ox + cx * away - cy * aside, oy + cy * away + cx * aside
                    floor_row, floor_column = floor_pixel(model.floor, model.grids[m.FLOOR], x, y)
                    for part in range(3):
                        picture[row, column, part] = model.floor[floor_row, floor_column, part]
        else:
            up = -2.0 * below / height
            for column in range(width):
                if depth[row, column] == math.inf:
                    for part in range(3):
                        picture[row, column, part] = int(SKY_LOW[part] + up * (SKY_HIGH[part] - SKY_LOW[part]))


@kernel
def draw_wall(depth, picture, focal, z, px, py, qx, qy, top, color):
    """Draw a vertical rectangle from p to q in the camera's frame, x ahead and y left."""
    if px < NEAREST and qx < NEAREST:
        return
    if px < NEAREST:
        t = (NEAREST - px) / (qx - px)
        px, py = NEAREST, py + t * (qy - py)
    elif qx < NEAREST:
        t = (NEAREST - qx) / (px - qx)
        qx, qy = NEAREST, qy + t * (py - qy)
    middle = 0.5 * depth.shape[1]
    a, b = middle - focal * py / px, middle - focal * qy / qx
    first, last = max(0.0, math.ceil(min(a, b) - 0.5)), min(depth.shape[1] - 1.0, math.floor(max(a, b) - 0.5))
    ex, ey = qx - px, qy - py
    length = math.hypot(ex, ey)
    cross = px * ey - py * ex
    shade = 0.7 + 0.3 * abs(ey) / length if length > 0.0 else 1.0  # darker at grazing angles
    for column in range(int(first), int(last) + 1):
        slope = (middle - column - 0.5) / focal
        away = cross / (ey - slope * ex)
        draw_column(depth, picture, focal, z, column, away, top, shade, color)


@kernel
def draw_disc(depth, picture, focal, z, px, py, radius, top, color):
    """Draw a vertical cylinder."""
    square = px * px + py * py - radius * radius
    if square <= 0.0 or px <= -radius:
        return
    middle = 0.5 * depth.shape[1]
    first, last = 0.0, depth.shape[1] - 1.0
    if px > radius:  # bearings of both tangents
        half = math.asin(radius / math.hypot(px, py))
        bearing = math.atan2(py, px)
        if bearing + half < 1.57:
            first = max(first, math.floor(middle - focal * math.tan(bearing + half) - 0.5))
        if bearing - half > -1.57:
            last = min(last, math.ceil(middle - focal * math.tan(bearing - half) - 0.5))
    for column in range(int(first), int(last) + 1):
        slope = (middle - column - 0.5) / focal
        norm = 1.0 + slope * slope
        along = px + py * slope
        inside = along * along - norm * square
        if along > 0.0 and inside > 0.0:
            away = (along - math.sqrt(inside)) / norm
            shade = 0.7 + 0.3 * min(1.0, math.sqrt(inside / norm) / radius)
            draw_column(depth, picture, focal, z, column, away, top, shade, color)


@kernel
def draw_column(depth, picture, focal, z, column, away, top, shade, color):
    """Draw one column of a surface that is `away` metres ahead."""
    if away < NEAREST:
        return
    middle = 0.5 * depth.shape[0]
    first = max(0.0, math.ceil(middle - focal * (top - z) / away - 0.5))
    last = min(depth.shape[0] - 1.0, math.floor(middle + focal * z / away - 0.5))
    number = int(color)
    red, green, blue = int((number >> 16) * shade), int((number >> 8 & 255) * shade), int((number & 255) * shade)
    for row in range(int(first), int(last) + 1):
        if away < depth[row, column]:
            depth[row, column] = away
            picture[row, column, 0] = red
            picture[row, column, 1] = green
            picture[row, column, 2] = blue


@kernel
def grain(picture, key, sigma):
    """Add noise to every value of an image."""
    channel = 0
    for row in range(picture.shape[0]):
        for column in range(picture.shape[1]):
            for part in range(3):
                value = picture[row, column, part] + sigma * gauss(key, channel)
                picture[row, column, part] = int(min(255.0, max(0.0, value)) + 0.5)
                channel += 1
