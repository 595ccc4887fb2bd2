"""The backdrop: the static part of the camera's picture, drawn once, with the height that each pixel shows.

A ray from above meets the highest object first. Objects are therefore drawn in slices of ascending height.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from paddock.core.geometry import Disc, Point, Pose, Shape, arc_points, bounding_radius
from paddock.core.spec import rgb
from paddock.experiments.ecoli.overhead_camera.board_pictures import CELLS, marker_cells
from paddock.experiments.ecoli.overhead_camera.fit import floor_marker_size, place_floor_markers
from paddock.experiments.ecoli.overhead_camera.overhead_spec import OverheadSpec
from paddock.experiments.ecoli.overhead_camera.pixels import Image32, blur, find_window, frame_of_pixels, sample
from paddock.perception.vision.camera_model import CameraModel
from paddock.report.drawing.canvas import FINER, Canvas
from paddock.report.drawing.colours import WHITE, darken, tint
from paddock.report.drawing.symbols import draw_robot_body
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.floor import draw_floor
from paddock.simulation.worlds.solids import Solid, solids

INK, PAPER = (28, 28, 30), (235, 235, 230)  # printed black, and white
TEXELS = 3.0  # texels per pixel of the picture
PADDING = 4.0  # margin around a texture for its blurred edge [pixels]
PIXEL = 0.29  # standard deviation of a square of one pixel
ROOM_FLOOR = "#a39d92"  # colour outside the world
GRAIN, GRAIN_SIZE = 2.5, 6  # grain of the floor [grey levels], [pixels]
MAX_SLICES = 60  # maximum number of slices of a wall
LONGEST_EDGE = 0.05  # [m]; longer edges are subdivided, because the lens bends them
MAX_PIXELS = 24_000_000  # maximum size of the floor's texture


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


class Backdrop(NamedTuple):
    """The static part of a picture."""

    picture: Image32  # 0 … 255, shape (height, width, 3)
    heights: Image32  # height of the visible surface [m], shape (height, width)
    slopes: Image32  # of the pixels' rays, see `CameraModel.find_slopes`, shape (height, width, 2)
    shade: Image32  # transmission of the lens (vignetting), shape (height, width, 1)


def draw_backdrop(world: WorldSpec, spec: OverheadSpec, model: CameraModel) -> Backdrop:
    """Draw the empty world as the camera sees it, blurred by the lens, without noise."""
    width, height = spec.size
    columns, rows = np.meshgrid(np.arange(width, dtype=float), np.arange(height, dtype=float))
    slopes = model.find_slopes(np.stack([columns, rows], axis=-1)).astype(np.float32)
    canvas = Canvas(width, height)
    seen = _see_floor(world, model, slopes)
    _lay_markers(seen, world, spec, model, slopes)
    floor = Image.fromarray(np.clip(seen + 0.5, 0, 255).astype(np.uint8))
    canvas.image.paste(floor.resize(canvas.image.size, Image.Resampling.NEAREST))
    heights = Image.new("F", (width, height), 0.0)
    _draw_solids(solids(world), model, canvas, heights)
    picture = np.asarray(canvas.to_image(), np.float32)
    away = np.hypot((columns - (width - 1) / 2) / width, (rows - (height - 1) / 2) / width)
    shade = (1 - spec.optics.vignetting * (away / away.max()) ** 2).astype(np.float32)[..., None]
    return Backdrop(blur(picture, spec.optics.blur) * shade, np.asarray(heights, np.float32), slopes, shade)


def _see_floor(world: WorldSpec, model: CameraModel, slopes: Image32) -> Image32:
    """Return the picture of the floor through the lens."""
    left, bottom, right, top = _seen_region(world, model, slopes)
    scale = 1.5 * float(np.abs(model.scale_at(*model.pose.at, 0.0)).max())
    scale = min(scale, math.sqrt(MAX_PIXELS / ((right - left) * (top - bottom))))
    canvas = Canvas(math.ceil((right - left) * scale / FINER), math.ceil((top - bottom) * scale / FINER))
    canvas.view(left, top, 0.0, 0.0, scale / FINER)
    _paint_floor(canvas, world)
    raster = np.asarray(canvas.image, np.float32)
    size = (raster.shape[1] // GRAIN_SIZE + 1, raster.shape[0] // GRAIN_SIZE + 1)
    grain = np.random.Generator(np.random.Philox(key=1)).normal(0, GRAIN, size[::-1]).astype(np.float32)
    smooth = Image.fromarray(grain).resize((raster.shape[1], raster.shape[0]), Image.Resampling.BICUBIC)
    raster = raster + np.asarray(smooth)[..., None]
    fall = np.float32(model.pose.height)
    columns = (slopes[..., 0] * fall + np.float32(model.pose.at[0] - left)) * np.float32(scale) - 0.5
    rows = (np.float32(top - model.pose.at[1]) - slopes[..., 1] * fall) * np.float32(scale) - 0.5
    return sample(raster, rows.astype(np.float32), columns.astype(np.float32))


def _seen_region(world: WorldSpec, model: CameraModel, slopes: Image32) -> tuple[float, float, float, float]:
    """Return the bounds [m] of the visible floor, limited to one length of the world around the world."""
    x0, y0, x1, y1 = world.bounds
    far = max(x1 - x0, y1 - y0)
    seen = slopes.reshape(-1, 2) * model.pose.height + np.array(model.pose.at)
    (left, bottom), (right, top) = seen.min(axis=0).tolist(), seen.max(axis=0).tolist()
    return max(left, x0 - far), max(bottom, y0 - far), min(right, x1 + far), min(top, y1 + far)


def _paint_floor(canvas: Canvas, world: WorldSpec) -> None:
    """Paint the floor from above: its texture, and soft shadows of obstacles."""
    x0, y0, x1, y1 = world.bounds
    canvas.image.paste(rgb(ROOM_FLOOR), (0, 0, *canvas.image.size))
    (left, bottom), (right, top) = canvas.at((x0, y0)), canvas.at((x1, y1))
    box = [round(part * FINER) for part in (left, top, right, bottom)]
    texture, _ = draw_floor(world)
    canvas.image.paste(
        Image.fromarray(texture).resize((box[2] - box[0], box[3] - box[1]), Image.Resampling.BILINEAR), (box[0], box[1])
    )
    inside: list[Shape] = [piece.shape for piece in solids(world) if piece.path != "border"]
    canvas.shadows(inside, (left, top, right, bottom), 0.006 * canvas.scale)


def _lay_markers(picture: Image32, world: WorldSpec, spec: OverheadSpec, model: CameraModel, slopes: Image32) -> None:
    """Draw the markers on the floor, with their tops along the world's y axis."""
    scale = math.sqrt(abs(np.linalg.det(model.scale_at(*model.pose.at, 0.0))))
    for number, (x, y) in place_floor_markers(world, spec).items():
        sheet = draw_sheet(number, floor_marker_size(world, spec), scale, 0.0)
        window = find_window(model, x, y, sheet.reach, 0.0)
        if window is not None:
            values = sheet.read(*frame_of_pixels(slopes, window, model, 0.0, (x, y, math.pi / 2)))
            picture[window] += values[..., :3] - picture[window] * values[..., 3:]


def _draw_solids(pieces: Sequence[Solid], model: CameraModel, canvas: Canvas, heights: Image.Image) -> None:
    """Draw all obstacles in slices from the floor up. Sides are darker than tops."""
    draw = ImageDraw.Draw(heights)
    slices: list[tuple[float, bool, Solid]] = []
    for piece in pieces:
        count = _count_slices(piece, model)
        slices += [(piece.height * k / count, k == count, piece) for k in range(count + 1)]
    slices.sort(key=lambda entry: entry[:2])
    for z, is_top, piece in slices:
        outline = outline_points(piece.shape)
        pixels = model.project(np.array([(x, y, z) for x, y in outline]))
        if np.isnan(pixels).any():
            continue  # behind the camera, or outside the lens's view
        corners = [(x + 0.5, y + 0.5) for x, y in pixels.tolist()]
        canvas.fill(corners, tint(piece.color if is_top else darken(piece.color, 0.45)))
        draw.polygon([(x, y) for x, y in pixels.tolist()], fill=z)


def _count_slices(piece: Solid, model: CameraModel) -> int:
    """Return the number of slices for a side without gaps: one per pixel of offset between top and foot."""
    points = outline_points(piece.shape)
    foot = model.project(np.array([(x, y, 0.0) for x, y in points]))
    top = model.project(np.array([(x, y, piece.height) for x, y in points]))
    lean = np.nan_to_num(np.abs(top - foot)).max()
    return int(min(MAX_SLICES, max(1, math.ceil(lean))))


def outline_points(shape: Shape) -> list[Point]:
    """Return points around a shape, dense enough for a lens that bends lines."""
    if isinstance(shape, Disc):
        return arc_points((shape.x, shape.y), shape.radius, 0.0, math.tau, 5e-4)[:-1]
    points: list[Point] = []
    for a, b in zip(shape, (*shape[1:], shape[0]), strict=True):
        pieces = max(1, min(400, math.ceil(math.dist(a, b) / LONGEST_EDGE)))
        points += [(a[0] + (b[0] - a[0]) * k / pieces, a[1] + (b[1] - a[1]) * k / pieces) for k in range(pieces)]
    return points
