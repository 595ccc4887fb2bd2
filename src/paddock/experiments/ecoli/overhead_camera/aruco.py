"""ArUco markers and boards without OpenCV, with the codes of DICT_4X4_50."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.perception.vision.boards import MARKERS, BoardSpec

CELLS = 6  # cells per side of a marker: four bits between two black cells
# The inner cells of each marker, row by row from the upper left, white as 1 (Garrido-Jurado et al. 2014).
CODES = (
    *(0xB532, 0x0F9A, 0x332D, 0x9946, 0x549E, 0x79CD, 0x9E2E, 0xC4F2, 0xFEDA, 0xCF56),
    *(0xF991, 0x11A7, 0x0EB7, 0x2A0F, 0x24B1, 0x263E, 0x4665, 0x6600, 0x6C5E, 0x76AF),
    *(0x868B, 0xB02B, 0xCCD5, 0xDD82, 0xFE47, 0x9471, 0xACE4, 0xA554, 0x2123, 0x346F),
    *(0x4415, 0x57B2, 0x9ECF, 0xF0CB, 0x08AE, 0x0929, 0x1875, 0x04FF, 0x0DF6, 0x1C5A),
    *(0x1718, 0x2A28, 0x328C, 0x38B2, 0x24E8, 0x2EEB, 0x2D3F, 0x4B64, 0x502E, 0x5013),
)


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
