"""Pictures of calibration boards and markers: as a camera sees them, and to print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from paddock.core.errors import PaddockError
from paddock.core.files import save_image, whole_file
from paddock.core.observation import Picture
from paddock.experiments.ecoli.overhead_camera.overhead_spec import FLOOR_MARKERS, OverheadSpec
from paddock.experiments.ecoli.overhead_camera.pixels import Image32, add_noise, blur, encode_jpeg, sample
from paddock.perception.vision.calibration import MARKERS, BoardSpec
from paddock.perception.vision.camera_model import Floats, Lens, rotate_about_axes
from paddock.perception.vision.opencv import decode_jpeg
from paddock.report.drawing.canvas import printable

CELLS = 6  # cells per side of a marker: four bits between two black cells
# The inner cells of each marker, row by row from the upper left, white as 1 (Garrido-Jurado et al. 2014).
CODES = (
    *(0xB532, 0x0F9A, 0x332D, 0x9946, 0x549E, 0x79CD, 0x9E2E, 0xC4F2, 0xFEDA, 0xCF56),
    *(0xF991, 0x11A7, 0x0EB7, 0x2A0F, 0x24B1, 0x263E, 0x4665, 0x6600, 0x6C5E, 0x76AF),
    *(0x868B, 0xB02B, 0xCCD5, 0xDD82, 0xFE47, 0x9471, 0xACE4, 0xA554, 0x2123, 0x346F),
    *(0x4415, 0x57B2, 0x9ECF, 0xF0CB, 0x08AE, 0x0929, 0x1875, 0x04FF, 0x0DF6, 0x1C5A),
    *(0x1718, 0x2A28, 0x328C, 0x38B2, 0x24E8, 0x2EEB, 0x2D3F, 0x4B64, 0x502E, 0x5013),
)
INK_LEVEL, PAPER_LEVEL, ROOM_LEVEL = 28.0, 235.0, 150.0
PAPER_EDGE = 0.012  # width of the white margin around the board [m]
FINER_RAYS = 2  # rays per pixel in each direction
DPI = 300
DOTS = DPI / 0.0254  # per metre
PAGE = (0.297, 0.210)  # A4 landscape [m]
MARGIN, GAP = 0.010, 0.008  # [m]
SMALLEST = 0.005  # side of a marker [m]


def marker_cells(number: int) -> NDArray[np.uint8]:
    """Return a marker with one pixel per cell, 0 or 255, shape (6, 6)."""
    if not 0 <= number < MARKERS:
        raise PaddockError(f"marker {number}: expected a number from 0 to {MARKERS - 1}")
    bits = [CODES[number] >> (15 - i) & 1 for i in range(16)]
    return np.pad(np.array(bits, np.uint8).reshape(4, 4) * 255, 1)


def draw_marker(number: int, pixels: int) -> NDArray[np.uint8]:
    """Draw a marker as a grey picture, `pixels` wide and high."""
    cell = np.arange(pixels) * CELLS // pixels
    return marker_cells(number)[np.ix_(cell, cell)]


def draw_board(board: BoardSpec, pixels_per_metre: float) -> NDArray[np.uint8]:
    """Draw a board as a grey picture without margin; equal to that of OpenCV except for rounding."""
    side = round(board.square * pixels_per_metre)
    size = round(board.marker * pixels_per_metre)
    picture = np.zeros((board.rows * side, board.columns * side), np.uint8)
    for number, column, row in board.white_squares():
        x, y, gap = column * side, row * side, (side - size) // 2
        picture[y : y + side, x : x + side] = 255
        picture[y + gap : y + gap + size, x + gap : x + gap + size] = draw_marker(number, size)
    return picture


def board_rotation(turns_deg: tuple[float, float, float]) -> Floats:
    """Return the rotation of a board about its normal, then the picture's y and x [degrees]; 0: faces the camera."""
    about_x, about_y, about_z = rotate_about_axes(*turns_deg)
    rotation: Floats = about_x @ about_y @ about_z
    return rotation


@lru_cache(maxsize=1)
def find_fine_rays(lens: Lens) -> Image32:
    """Return several rays for each pixel of a picture, as x and y of the direction with z = 1."""
    width, height = lens.size
    fine = (np.arange(FINER_RAYS) + 0.5) / FINER_RAYS - 0.5
    columns, rows = (np.arange(width)[:, None] + fine).ravel(), (np.arange(height)[:, None] + fine).ravel()
    rays = np.empty((len(rows), len(columns), 2), np.float32)
    for band in np.array_split(np.arange(len(rows)), max(1, len(rows) // 100)):
        rays[band] = lens.find_rays(np.stack(np.meshgrid(columns, rows[band]), axis=-1))
    return rays


def show_board(
    lens: Lens,
    spec: OverheadSpec,
    board: BoardSpec,
    centre: tuple[float, float, float],
    turns_deg: tuple[float, float, float],
    *,
    seed: int = 0,
    number: int = 0,
) -> Picture:
    """Render a board with its centre at a point of the camera's frame [m], x right, y down, z ahead."""
    rotation = board_rotation(turns_deg)
    middle = np.array([board.width / 2, board.height / 2, 0.0])
    corner = np.array(centre) - rotation @ middle  # of the board, in the camera's frame
    rays = find_fine_rays(lens)
    picture = np.full(rays.shape[:2], ROOM_LEVEL, np.float32)
    scale = 4 * max(lens.focal) / centre[2]  # of the board's texture: finer than the rays
    edge = round(PAPER_EDGE * scale)
    print_ = np.pad(draw_board(board, scale), edge, constant_values=255).astype(np.float32) / 255
    paper = blur((INK_LEVEL + (PAPER_LEVEL - INK_LEVEL) * print_).astype(np.float32), 0.5)
    per_metre = (paper.shape[1] - 2 * edge) / board.width
    # A ray t·(x, y, 1) meets the board where its normal · (ray - corner) = 0.
    normal = rotation[:, 2].astype(np.float32)
    depth = np.float32(normal @ corner) / (rays @ normal[:2] + normal[2])
    across, down = (
        (depth * (rays @ axis[:2] + axis[2]) - np.float32(axis @ corner)) * np.float32(per_metre) + (edge - 0.5)
        for axis in (rotation[:, 0].astype(np.float32), rotation[:, 1].astype(np.float32))
    )
    inside = (depth > 0) & (across > 0) & (down > 0) & (across < paper.shape[1] - 1) & (down < paper.shape[0] - 1)
    picture[inside] = sample(paper, down[inside], across[inside])
    picture = picture.reshape(lens.size[1], FINER_RAYS, lens.size[0], FINER_RAYS).mean(axis=(1, 3))
    soft = blur(picture, spec.optics.blur)
    noisy = add_noise(np.repeat(soft[..., None], 3, axis=2), spec.sensor.noise, seed, number)
    return decode_jpeg(encode_jpeg(noisy, spec.sensor.jpeg_quality))


def draw_marker_sheets(
    *,
    board: BoardSpec | None = None,
    robots: int = 12,
    size: float = 0.052,
    lid: float = 0.074,
    floor_size: float = 0.08,
) -> list[Image.Image]:
    """Return pages with the board, lids with markers 0, 1, 2 … for robots, and the markers for the floor.

    Args:
        board: the board; None for 7 × 5 squares of 35 mm.
        robots: number of robot markers.
        size: size of robot markers [m].
        lid: diameter of the disc to cut out around each robot marker [m].
        floor_size: size of the markers on the floor [m].
    """
    pages = [_board_page(board or BoardSpec())]
    lids = [_lid(number, size, lid) for number in range(robots)]
    floor = [_floor_marker(number, floor_size) for number in FLOOR_MARKERS]
    pages += _fill_pages(lids, "Markers of robots; the arrow points ahead")
    return pages + _fill_pages(floor, "Markers on the floor; their tops point along the world's y axis")


def save_sheets(pages: Sequence[Image.Image], path: Path) -> None:
    """Save all pages as one PDF, or the first page as a PNG picture."""
    if path.suffix.lower() == ".pdf":
        with whole_file(path, "wb") as file:
            pages[0].save(file, "PDF", resolution=DPI, save_all=True, append_images=list(pages[1:]))
    elif path.suffix.lower() == ".png":
        save_image(pages[0], path)
    else:
        raise PaddockError(f"{path}: expected a name ending in .pdf (all pages) or .png (the board)")


def _page(title: str) -> Image.Image:
    page = Image.new("L", (round(PAGE[0] * DOTS), round(PAGE[1] * DOTS)), 255)
    text = f"{title}. Print at 100 %, without fitting to the page; measure before use."
    font = ImageFont.load_default(size=34)
    ImageDraw.Draw(page).text((MARGIN * DOTS, 0.003 * DOTS), printable(text), fill=90, font=font)
    return page


def _board_page(board: BoardSpec) -> Image.Image:
    if board.width > PAGE[0] - 2 * MARGIN or board.height > PAGE[1] - 2 * MARGIN:
        raise PaddockError(
            f"the board is {board.width * 1000:.0f} × {board.height * 1000:.0f} mm: expected at most "
            f"{(PAGE[0] - 2 * MARGIN) * 1000:.0f} × {(PAGE[1] - 2 * MARGIN) * 1000:.0f} mm, to fit on A4; "
            "make its squares smaller"
        )
    squares = f"{board.columns} × {board.rows} squares of {board.square * 1000:g} mm"
    page = _page(f"Calibration board (ChArUco, DICT_4X4_50): {squares}, markers of {board.marker * 1000:g} mm")
    picture = Image.fromarray(draw_board(board, DOTS))
    page.paste(picture, ((page.width - picture.width) // 2, (page.height - picture.height) // 2))
    return page


def _lid(number: int, size: float, lid: float) -> Image.Image:
    """Draw a marker inside a circle to cut along, with an arrow at its top."""
    if not SMALLEST <= size < PAGE[1]:
        raise PaddockError(f"size: expected metres from {SMALLEST} to {PAGE[1]:g}, got {size:g}")
    if not size * math.sqrt(2) <= lid < PAGE[0]:
        expected = f"expected at least {size * math.sqrt(2):.3f} m around a marker of {size:g} m, and less than A4"
        raise PaddockError(f"lid: {expected}, got {lid:g}")
    side = round((lid + 0.004) * DOTS)
    picture = Image.new("L", (side, side), 255)
    draw, middle, radius = ImageDraw.Draw(picture), side / 2, lid / 2 * DOTS
    draw.ellipse((middle - radius, middle - radius, middle + radius, middle + radius), outline=170, width=3)
    marker = Image.fromarray(draw_marker(number, round(size * DOTS)))
    picture.paste(marker, ((side - marker.width) // 2, (side - marker.height) // 2))
    tip, foot, half = middle - radius + 0.0015 * DOTS, middle - size / 2 * DOTS - 0.002 * DOTS, 0.004 * DOTS
    draw.polygon([(middle, tip), (middle - half, foot), (middle + half, foot)], fill=200)
    foot_of_text = (middle, middle + radius - 0.004 * DOTS)
    draw.text(foot_of_text, str(number), fill=150, font=ImageFont.load_default(size=44), anchor="mm")
    return picture


def _floor_marker(number: int, size: float) -> Image.Image:
    """Draw a marker with a white border of one cell."""
    marker = Image.fromarray(draw_marker(number, round(size * DOTS)))
    edge = marker.width // 6
    picture = Image.new("L", (marker.width + 2 * edge, marker.height + 2 * edge), 255)
    ImageDraw.Draw(picture).rectangle((0, 0, picture.width - 1, picture.height - 1), outline=170, width=3)
    picture.paste(marker, (edge, edge))
    draw, place = ImageDraw.Draw(picture), (picture.width / 2, edge / 2)
    draw.text(place, f"top of {number}", fill=150, font=ImageFont.load_default(size=40), anchor="mm")
    return picture


def _fill_pages(pictures: Sequence[Image.Image], title: str) -> list[Image.Image]:
    """Distribute pictures of equal size over pages."""
    if not pictures:
        return []
    side, gap = pictures[0].width, round(GAP * DOTS)
    edge = round(MARGIN * DOTS)
    width, height = round(PAGE[0] * DOTS) - 2 * edge, round(PAGE[1] * DOTS) - 2 * edge
    across, down = (width + gap) // (side + gap), (height + gap) // (side + gap)
    if across < 1 or down < 1:
        raise PaddockError(f"{title}: expected markers that fit on A4, got {side / DOTS * 1000:.0f} mm")
    pages = []
    for start in range(0, len(pictures), across * down):
        page = _page(title)
        for k, picture in enumerate(pictures[start : start + across * down]):
            page.paste(picture, (edge + k % across * (side + gap), edge + k // across * (side + gap)))
        pages.append(page)
    return pages
