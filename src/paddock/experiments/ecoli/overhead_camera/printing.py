"""Printable sheets: the calibration board and the markers for robots and floor, at full scale on A4."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from paddock.core.errors import PaddockError
from paddock.core.files import save_image, whole_file
from paddock.experiments.ecoli.overhead_camera.aruco import draw_board, draw_marker
from paddock.experiments.ecoli.overhead_camera.overhead_spec import FLOOR_MARKERS
from paddock.perception.vision.boards import BoardSpec
from paddock.report.drawing.canvas import printable

DPI = 300
DOTS = DPI / 0.0254  # per metre
PAGE = (0.297, 0.210)  # A4 landscape [m]
MARGIN, GAP = 0.010, 0.008  # [m]
SMALLEST = 0.005  # side of a marker [m]


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
