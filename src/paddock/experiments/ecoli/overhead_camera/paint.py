"""Paint robots into a picture, in slices of ascending height, each in its own plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Disc, bounding_radius
from paddock.core.spec import rgb
from paddock.experiments.ecoli.overhead_camera.backdrop import TEXELS, Backdrop, Texture, draw_body, draw_sheet
from paddock.experiments.ecoli.overhead_camera.pixels import Image32, Window, find_window, frame_of_pixels
from paddock.perception.vision.camera_model import CameraModel
from paddock.report.drawing.colours import darken
from paddock.simulation.robots import RobotSpec

RED, GREEN, WARM = (255, 40, 30), (60, 255, 90), (255, 90, 60)
STILL = 0.2  # [pixels]; robots that move less during the exposure have no motion blur
INSTANTS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # sampled instants of the exposure, for motion blur
GLOW, BRIGHTNESS = 0.004, 330.0  # of an LED: radius [m], grey levels at its middle
BLOOM = 0.25  # share of an LED's light that is visible on a lid above it
RIM = (214, 214, 209)  # colour of a lid's side


class Led(NamedTuple):
    """An LED on a robot's rim, or one that illuminates the whole rim."""

    number: int
    at: tuple[float, float] | None  # in the robot's frame [m]; None: the whole rim
    color: tuple[int, int, int]


class RobotLook(NamedTuple):
    """Appearance of a robot from above."""

    body: Texture
    side: tuple[int, int, int]  # colour
    body_height: float
    lid: Texture | None
    lid_height: float
    leds: tuple[Led, ...]
    radius: float  # bounding radius around its centre [m]


def make_look(
    robot: RobotSpec, color: str, marker: int | None, size: float, rise: float, scale: float, sigma: float
) -> RobotLook:
    """Return the appearance of a robot.

    Args:
        robot: its type.
        color: colour of its body.
        marker: number of the marker on its lid, or None.
        size: size of the marker [m].
        rise: height of the lid above the body [m].
        scale: pixels of the picture per metre.
        sigma: standard deviation of the lens's blur [pixels].
    """
    shape = robot.body.shape
    radius = bounding_radius(shape)
    leds = tuple(place_leds(robot.leds, shape.radius if isinstance(shape, Disc) else 0.8 * radius))
    lid = None
    if marker is not None:
        rim = max(size / math.sqrt(2) + 0.0002, shape.radius if isinstance(shape, Disc) else 0.0)
        lid = draw_sheet(marker, size, scale, sigma, rim=rim)
        radius = max(radius, rim)
    height = robot.body.height
    body = draw_body(robot, color, scale, sigma)
    return RobotLook(body, rgb(darken(color, 0.25)), height, lid, height + rise, leds, radius)


def place_leds(names: tuple[str, ...], radius: float) -> list[Led]:
    """Return the LEDs: `body` is the whole rim, `front` the front, all others a ring, clockwise from the front."""
    ring = [name for name in names if name not in ("body", "front")]
    leds = []
    for number, name in enumerate(names):
        if name == "body":
            leds.append(Led(number, None, GREEN))
        elif name == "front":
            leds.append(Led(number, (radius, 0.0), WARM))
        else:
            angle = -math.tau * ring.index(name) / len(ring)
            leds.append(Led(number, (radius * math.cos(angle), radius * math.sin(angle)), RED))
    return leds


class Slice(NamedTuple):
    """A part of a robot in a horizontal plane."""

    height: float
    robot: int
    texture: Texture | None  # None: its LEDs
    color: tuple[int, int, int] | None = None  # None: the colours of the texture
    share: float = 1.0  # share of the LEDs' light


def paint_robots(
    picture: Image32,
    backdrop: Backdrop,
    model: CameraModel,
    looks: Sequence[RobotLook],
    poses: NDArray[np.float64],
    smears: NDArray[np.float64],
    leds: Sequence[Sequence[float]],
) -> None:
    """Paint robots at poses (x, y, heading) that move by ± smears (ahead [m], rotation [rad]) during the exposure."""
    slices: list[Slice] = []
    windows: list[Window | None] = []
    for i, look in enumerate(looks):
        x, y, _ = poses[i]
        windows.append(find_window(model, x, y, look.radius + 2 * GLOW, look.lid_height))
        slices += slice_robot(i, look, model, x, y, any(leds[i]))
    for part in sorted(slices, key=lambda part: part.height):
        window = windows[part.robot]
        if window is None:
            continue
        look, pose, smear = looks[part.robot], poses[part.robot], smears[part.robot]
        seen = backdrop.heights[window] <= part.height
        area = picture[window]
        if part.texture is None:
            light = _shine(look, backdrop, window, model, pose, leds[part.robot])
            area += light * seen[..., None] * np.float32(part.share)
            continue
        values = _read(part.texture, backdrop, window, model, part.height, pose, smear)
        opacity = values[..., 3:] * seen[..., None]
        light = values[..., 3:] * np.array(part.color, np.float32) if part.color else values[..., :3]
        area *= 1 - opacity
        area += light * seen[..., None] * backdrop.shade[window]


def slice_robot(number: int, look: RobotLook, model: CameraModel, x: float, y: float, lit: bool) -> list[Slice]:
    """Return the slices of a robot: its side, the top of its body, LEDs, and the lid above them."""
    foot, top = model.project([[x, y, 0.0], [x, y, look.body_height]])
    lean = float(np.nan_to_num(np.hypot(*(top - foot))))
    width = look.radius * 2 * look.body.scale / TEXELS  # pixels
    count = max(1, math.ceil(lean / max(2.0, width / 8)))
    slices = [Slice(look.body_height * k / count, number, look.body, look.side) for k in range(count)]
    slices.append(Slice(look.body_height, number, look.body))
    if lit:
        slices.append(Slice(look.body_height, number, None))
    if look.lid is not None:
        rise = look.lid_height - look.body_height  # the lid is a cap whose rim reaches down to the body
        slices += [Slice(look.body_height + rise * k / 3, number, look.lid, RIM) for k in range(3)]
        slices.append(Slice(look.lid_height, number, look.lid))
        if lit:
            slices.append(Slice(look.lid_height, number, None, share=BLOOM))
    return slices


def _read(
    texture: Texture,
    backdrop: Backdrop,
    window: Window,
    model: CameraModel,
    height: float,
    pose: NDArray[np.float64],
    smear: NDArray[np.float64],
) -> Image32:
    """Return a texture at the window's pixels, averaged over the exposure."""
    moved = (abs(smear[0]) + abs(smear[1]) * texture.reach) * texture.scale / TEXELS  # pixels
    if moved < STILL:
        return texture.read(*frame_of_pixels(backdrop.slopes, window, model, height, pose))
    total = None
    for instant in INSTANTS:
        x, y, heading = pose
        turned = heading + instant * smear[1]
        ahead = instant * smear[0]
        at = np.array([x + ahead * math.cos(turned), y + ahead * math.sin(turned), turned])
        values = texture.read(*frame_of_pixels(backdrop.slopes, window, model, height, at))
        total = values if total is None else total + values
    assert total is not None
    return total / np.float32(len(INSTANTS))


def _shine(
    look: RobotLook,
    backdrop: Backdrop,
    window: Window,
    model: CameraModel,
    pose: NDArray[np.float64],
    brightness: Sequence[float],
) -> Image32:
    """Return the light of a robot's LEDs."""
    x, y = frame_of_pixels(backdrop.slopes, window, model, look.body_height, pose)
    light = np.zeros((*x.shape, 3), np.float32)
    for led in look.leds:
        share = brightness[led.number] if led.number < len(brightness) else 0.0
        if share <= 0:
            continue
        if led.at is None:
            rim = np.exp(-0.5 * ((np.hypot(x, y) - look.radius) / (GLOW / 2)) ** 2)
        else:
            rim = np.exp(-0.5 * ((x - led.at[0]) ** 2 + (y - led.at[1]) ** 2) / GLOW**2)
        light += rim[..., None] * (np.array(led.color, np.float32) / 255 * np.float32(BRIGHTNESS * share))
    return light
