"""Appearance of robots from above: body, lid with a marker, LEDs."""

from __future__ import annotations

import math
from typing import NamedTuple

from paddock.core.geometry import Disc, bounding_radius
from paddock.core.spec import rgb
from paddock.experiments.ecoli.overhead_camera.textures import Texture, draw_body, draw_sheet
from paddock.report.drawing.colours import darken
from paddock.simulation.robots import RobotSpec

RED, GREEN, WARM = (255, 40, 30), (60, 255, 90), (255, 90, 60)


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
