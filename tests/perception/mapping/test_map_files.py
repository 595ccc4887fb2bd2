"""Tests of maps in files of the ROS map_server format."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose
from paddock.perception.mapping import FREE, OCCUPIED, UNKNOWN, MapMode, OccupancyGrid, Scan, load_map, save_map


@pytest.fixture
def grid() -> OccupancyGrid:
    grid = OccupancyGrid(0.1)
    for _ in range(5):
        grid.add_scan(Scan(0.0, np.array([0.0, 1.5]), np.array([2.0, math.inf]), 4.0), Pose(0.5, 0.5, 0.1))
    return grid


@pytest.mark.parametrize(
    ("mode", "image"), [("trinary", ".pgm"), ("trinary", ".png"), ("scale", ".png"), ("raw", ".pgm")]
)
def test_map_survives_save_and_load(tmp_path: Path, grid: OccupancyGrid, mode: MapMode, image: str) -> None:
    path = save_map(grid, tmp_path / "rooms", mode=mode, image=image)
    assert path.name == "rooms.yaml"
    again = load_map(path)
    assert again.frame == grid.frame
    assert (again.states() == grid.states()).all()
    if mode != "trinary":
        assert again.probability() == pytest.approx(grid.probability(), abs=0.01)


def test_saved_map_has_pixels_and_keys_of_map_saver(tmp_path: Path, grid: OccupancyGrid) -> None:
    path = save_map(grid, tmp_path / "rooms.yaml")
    pixels = np.asarray(Image.open(tmp_path / "rooms.pgm"))
    assert {*np.unique(pixels).tolist()} == {0, 205, 254}
    row, column = grid.frame.cell(0.5 + 2 * math.cos(0.1), 0.5 + 2 * math.sin(0.1))
    assert pixels[grid.frame.rows - 1 - row, column] == 0  # the first row of an image is at the top
    assert (tmp_path / "rooms.pgm").read_bytes().startswith(b"P5")
    assert "image: rooms.pgm\nresolution: 0.1\nnegate: 0\noccupied_thresh: 0.65\n" in path.read_text()
    assert f"origin: [{grid.frame.x}, {grid.frame.y}, 0.0]" in path.read_text()


def write(folder: Path, text: str, pixels: list[list[int]]) -> Path:
    Image.fromarray(np.array(pixels, np.uint8)).save(folder / "map.png")
    (folder / "map.yaml").write_text(text)
    return folder / "map.yaml"


def test_map_of_another_program_is_read(tmp_path: Path) -> None:
    text = """# made by hand
image: "map.png"
resolution: 0.050000  # metres
origin:
- -1.0
- 2
- 0.0
negate: 1
occupied_thresh: 0.65
free_thresh: 0.196
"""
    grid = load_map(write(tmp_path, text, [[255, 128], [0, 200]]))
    assert grid.frame[:3] == (-1.0, 2.0, 0.05)
    assert grid.states()[:2, :2].tolist() == [[FREE, OCCUPIED], [OCCUPIED, UNKNOWN]]


def test_byte_order_mark_does_not_hide_the_first_key(tmp_path: Path) -> None:
    assert load_map(write(tmp_path, "\ufeff" + KEYS, [[0]])).states()[0, 0] == OCCUPIED


KEYS = "image: map.png\nresolution: 0.05\norigin: [0, 0, 0]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (KEYS.replace("origin", "orgin"), "missing: origin"),
        (KEYS.replace("0.05", "-1"), "resolution: expected metres > 0"),
        (KEYS.replace("0.05", "wide"), "resolution: expected a number, got 'wide'"),
        (KEYS.replace("0, 0, 0", "0, 0, 0.5"), "yaw of 0"),
        (KEYS.replace("[0, 0, 0]", "3"), "origin: expected"),
        (KEYS + "mode: trinry\n", "trinary"),
        (KEYS + "free_thresh: 0.9\n", "free_thresh <= occupied_thresh"),
        (KEYS + "negate: 2\n", "negate: expected 0 or 1"),
        (KEYS + "nonsense\n", "line 4"),
        (KEYS.replace("0.05", "{[]: 1}"), "resolution: expected a number"),
        (KEYS.replace("0.05", 100_000 * "-" + "1"), "resolution: expected a number"),
        (KEYS.replace("map.png", "other.png"), "cannot be read"),
        (KEYS.replace("map.png", "map.yaml"), "cannot be read"),
    ],
)
def test_invalid_file_is_reported_with_the_problem(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PaddockError, match=f"map.yaml.*{message}"):
        load_map(write(tmp_path, text, [[0]]))


@pytest.mark.parametrize("image", ["map.pgm", "map.png"])
def test_image_of_16_bits_is_refused(tmp_path: Path, image: str) -> None:
    Image.fromarray(np.array([[30_000]], np.uint16)).save(tmp_path / image)
    (tmp_path / "map.yaml").write_text(KEYS.replace("map.png", image))
    with pytest.raises(PaddockError, match=rf"map\.yaml: {image}: expected 8 bits for each shade.*-depth 8"):
        load_map(tmp_path / "map.yaml")


@pytest.mark.parametrize("pixels", [b"P5 20000 20000 255\n", b"P5 12345678901 1 255\n", b"P5 1"])
def test_oversized_or_broken_image_is_reported(tmp_path: Path, pixels: bytes) -> None:
    (tmp_path / "map.pgm").write_bytes(pixels)
    (tmp_path / "map.yaml").write_text(KEYS.replace("map.png", "map.pgm"))
    with pytest.raises(PaddockError, match=r"map\.yaml: the map cannot be read"):
        load_map(tmp_path / "map.yaml")


def test_unsupported_image_or_mode_is_refused(tmp_path: Path, grid: OccupancyGrid) -> None:
    with pytest.raises(UnknownName, match="jpg"):
        save_map(grid, tmp_path / "rooms", image=".jpg")
    with pytest.raises(PaddockError, match="transparent"):
        save_map(grid, tmp_path / "rooms", mode="scale")


def test_empty_map_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(PaddockError, match="the map is empty"):
        save_map(OccupancyGrid(), tmp_path / "empty.yaml")
