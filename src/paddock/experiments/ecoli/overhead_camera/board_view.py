"""Pictures of a calibration board under a camera."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from paddock.core.named_arrays import Picture
from paddock.experiments.ecoli.overhead_camera.aruco import draw_board
from paddock.experiments.ecoli.overhead_camera.overhead_spec import OverheadSpec
from paddock.experiments.ecoli.overhead_camera.pixels import Image32, blur, sample
from paddock.experiments.ecoli.overhead_camera.sensor import add_noise, encode_jpeg
from paddock.perception.vision.boards import BoardSpec
from paddock.perception.vision.camera_model import rotate_about_axes
from paddock.perception.vision.lens import Floats, Lens
from paddock.perception.vision.opencv import decode_jpeg

INK_LEVEL, PAPER_LEVEL, ROOM_LEVEL = 28.0, 235.0, 150.0
PAPER_EDGE = 0.012  # width of the white margin around the board [m]
FINER_RAYS = 2  # rays per pixel in each direction


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
