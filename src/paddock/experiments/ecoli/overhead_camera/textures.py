"""Textures: small pictures of bodies and markers, which lie in a horizontal plane, in their own frame."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import Pose, bounding_radius
from paddock.experiments.ecoli.overhead_camera.aruco import CELLS, marker_cells
from paddock.experiments.ecoli.overhead_camera.pixels import Image32, blur, sample
from paddock.report.drawing.canvas import FINER, Canvas
from paddock.report.drawing.colours import WHITE
from paddock.report.drawing.symbols import draw_robot_body
from paddock.simulation.robots import RobotSpec

INK, PAPER = (28, 28, 30), (235, 235, 230)  # printed black, and white
TEXELS = 3.0  # texels per pixel of the picture
PADDING = 4.0  # margin around a texture for its blurred edge [pixels]
PIXEL = 0.29  # standard deviation of a square of one pixel


class Texture(NamedTuple):
    """A picture in its own frame, with edges blurred like those of the camera; x points right, y up."""

    values: Image32  # colours times opacity, and the opacity 0 … 1, shape (n, n, 4)
    scale: float  # texels per metre
    reach: float  # half width of the picture around the frame's origin [m]

    def read(self, x: Image32, y: Image32) -> Image32:
        """Return colours times opacity, and opacity, at points of the frame [m]."""
        half, scale = np.float32(self.reach), np.float32(self.scale)
        return sample(self.values, (half - y) * scale - 0.5, (x + half) * scale - 0.5)


def draw_body(robot: RobotSpec, color: str, scale: float, sigma: float) -> Texture:
    """Draw a robot's body from above, for a picture with `scale` pixels per metre and a blur of `sigma` pixels."""
    reach = bounding_radius(robot.body.shape) + PADDING / scale
    colours, mask = _canvas(reach, scale, color), _canvas(reach, scale, "#000000")
    draw_robot_body(colours, robot, Pose(0, 0, 0), color)
    mask.shape(robot.body.shape, WHITE, WHITE, 0.0)
    opacity = np.asarray(mask.image.convert("L"), np.float32) / np.float32(255)
    return _soften(np.asarray(colours.image, np.float32), opacity, reach, scale, sigma)


def draw_sheet(marker: int, size: float, scale: float, sigma: float, *, rim: float | None = None) -> Texture:
    """Draw a marker [m], its top along x: on a round white lid of radius `rim`, or on paper with a border of one cell.

    The edges of the cells are exactly between texels.
    """
    cell = size / CELLS
    edge = rim if rim is not None else size / 2 + cell
    texels = max(2, math.ceil(TEXELS * scale * cell))  # of a cell
    count = math.ceil((edge + PADDING / scale) * texels / cell)  # of half the texture
    place = (np.arange(-count, count) + 0.5) / texels  # of the texels' middles [cells]
    left, ahead = np.meshgrid(place, -place, indexing="xy")  # columns go right along x, rows down against y
    # `left` is x and `ahead` is y of the frame. The marker's rows count from its top, which is at positive x.
    rows, columns = np.floor(CELLS / 2 - left).astype(int), np.floor(CELLS / 2 - ahead).astype(int)
    inside = (rows >= 0) & (rows < CELLS) & (columns >= 0) & (columns < CELLS)
    cells = marker_cells(marker)
    white = np.where(inside, cells[np.clip(rows, 0, CELLS - 1), np.clip(columns, 0, CELLS - 1)] > 0, True)
    colours = np.where(white[..., None], PAPER, INK).astype(np.float32)
    away = np.hypot(left, ahead) if rim is not None else np.maximum(np.abs(left), np.abs(ahead))
    opacity = np.clip((edge / cell - away) * texels + 0.5, 0, 1).astype(np.float32)
    return _soften(colours, opacity, count * cell / texels, scale, sigma)


def _canvas(reach: float, scale: float, paper: str) -> Canvas:
    """Return a canvas around the frame's origin. Its image at full resolution is the texture."""
    pixels = math.ceil(2 * reach * scale * TEXELS / FINER)
    canvas = Canvas(pixels, pixels, paper=paper)
    canvas.view(-reach, reach, 0.0, 0.0, pixels / (2 * reach))
    return canvas


def _soften(colours: Image32, opacity: Image32, reach: float, scale: float, sigma: float) -> Texture:
    """Return a texture of colours and opacity, blurred by the lens and by the size of a pixel."""
    values = np.concatenate([colours * opacity[..., None], opacity[..., None]], axis=-1)
    texels = len(values) / (2 * reach)
    return Texture(blur(values, math.hypot(sigma, PIXEL) * texels / scale), texels, reach)
