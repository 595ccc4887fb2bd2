"""Map files of ROS's map_server: an image, and a YAML file that defines the meaning of its pixels."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.files import save_image, write_text
from paddock.perception.mapping.frame import GridFrame
from paddock.perception.mapping.occupancy import FREE, OCCUPIED, OccupancyGrid

MapMode = Literal["trinary", "scale", "raw"]
"""Pixels are free, occupied or unknown (trinary), probabilities (scale), or percentages, above 100 unknown (raw)."""
PIXEL_FREE, PIXEL_OCCUPIED, PIXEL_UNKNOWN = 254, 0, 205  # as written by map_saver
SURE = 4.0  # absolute log-odds of free and occupied cells
FORMATS = (".pgm", ".png")


@dataclass(frozen=True, kw_only=True)
class MapHeader:
    """Content of the YAML file."""

    image: str  # path relative to the YAML file, or an absolute path
    resolution: float  # side of a pixel [m]
    origin: tuple[float, float, float]  # x, y [m] of the lower left corner, and a turn [rad], which must be 0
    negate: int = 0  # 1: bright is occupied
    occupied_thresh: float = 0.65
    free_thresh: float = 0.196
    mode: MapMode = "trinary"

    def __post_init__(self) -> None:
        if self.mode not in get_args(MapMode):
            raise UnknownName("mode of a map", str(self.mode), get_args(MapMode))
        if not (isinstance(self.resolution, int | float) and math.isfinite(self.resolution) and self.resolution > 0):
            raise PaddockError(f"resolution: expected metres > 0, got {self.resolution!r}")
        if not (len(self.origin) == 3 and all_finite(*self.origin)):
            raise PaddockError(f"origin: expected [x, y, yaw], got {self.origin!r}")
        if self.origin[2] != 0:
            raise PaddockError(f"origin: expected a yaw of 0, got {self.origin[2]!r}: turn the image instead")
        if not 0 <= self.free_thresh <= self.occupied_thresh <= 1:
            raise PaddockError(
                "expected 0 <= free_thresh <= occupied_thresh <= 1, "
                f"got {self.free_thresh!r} and {self.occupied_thresh!r}"
            )

    def text(self) -> str:
        """Return the text of the YAML file."""
        lines = (f"{name}: {getattr(self, name)}" for name in self.__dataclass_fields__ if name != "origin")
        return "\n".join([*lines, f"origin: {[*self.origin]}", ""])


def save_map(grid: OccupancyGrid, path: str | Path, *, mode: MapMode = "trinary", image: str = ".pgm") -> Path:
    """Write a grid as `path` (.yaml) and an image next to it.

    Args:
        grid: the map.
        path: path of the YAML file; `.yaml` is added if it has no suffix.
        mode: meaning of the pixels: three values, probabilities or percentages.
        image: suffix of the image, `.pgm` or `.png`.
    """
    if image not in FORMATS:
        raise UnknownName("image of a map", image, FORMATS)
    if not grid.frame.rows:
        raise PaddockError("save_map: the map is empty: expected at least one scan in it")
    path = Path(path)
    path = path if path.suffix else path.with_suffix(".yaml")
    picture = path.with_suffix(image)
    frame = grid.frame
    header = MapHeader(image=picture.name, resolution=frame.resolution, origin=(frame.x, frame.y, 0.0), mode=mode)
    if mode == "scale" and image != ".png":
        raise PaddockError("save_map: mode 'scale' stores unknown cells as transparent pixels: expected image='.png'")
    path.parent.mkdir(parents=True, exist_ok=True)
    save_image(Image.fromarray(pixels_of(grid, mode)[::-1]), picture)
    write_text(path, header.text())
    return path


def pixels_of(grid: OccupancyGrid, mode: MapMode) -> NDArray[np.uint8]:
    """Return the pixels of a grid, lowest row first."""
    states = grid.states()
    if mode == "trinary":
        shades = np.full(states.shape, PIXEL_UNKNOWN, np.uint8)
        shades[states == FREE], shades[states == OCCUPIED] = PIXEL_FREE, PIXEL_OCCUPIED
        return shades
    likely, seen = grid.probability(), grid.log_odds != 0
    if mode == "raw":
        return np.where(seen, np.round(100 * likely), 255).astype(np.uint8)
    grey = np.round(255 * (1 - likely)).astype(np.uint8)
    return np.dstack((grey, np.where(seen, 255, 0).astype(np.uint8)))


def load_map(path: str | Path) -> OccupancyGrid:
    """Read a grid from a map's YAML file."""
    path = Path(path)
    try:
        header = read_header(path.read_text(encoding="utf-8-sig"))
        picture = path.parent / header.image
        with Image.open(picture) as image:
            if image.mode[0] in "IF":  # `convert` would clip values above 255
                raise PaddockError(
                    f"{header.image}: expected 8 bits for each shade, got more (mode {image.mode}): "
                    "`magick IN -depth 8 OUT` converts it"
                )
            pixels = np.asarray(image.convert("LA"))[::-1]
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:  # all that Pillow raises
        raise PaddockError(f"{path}: the map cannot be read: {error}") from None
    except PaddockError as error:
        raise PaddockError(f"{path}: {error}") from None
    frame = GridFrame(header.origin[0], header.origin[1], header.resolution, *pixels.shape[:2])
    return OccupancyGrid.of(frame, log_odds_of(pixels[..., 0].astype(float), pixels[..., 1], header))


def log_odds_of(shades: NDArray[np.float64], alpha: NDArray[np.uint8], header: MapHeader) -> NDArray[np.float64]:
    """Convert pixels, 0 … 255 with their opacity, to log-odds."""
    likely = shades / 255 if header.negate else 1 - shades / 255
    unknown = np.zeros(shades.shape, bool)
    if header.mode == "raw":
        likely, unknown = shades / 100, shades > 100
    odds = np.log(np.clip(likely, 1e-6, 1 - 1e-6) / np.clip(1 - likely, 1e-6, 1.0))
    if header.mode != "raw":
        free, occupied = likely < header.free_thresh, likely > header.occupied_thresh
        if header.mode == "trinary":
            unknown = ~(free | occupied)
            odds = np.where(free, -SURE, SURE)
        else:
            unknown = alpha == 0
    cells: NDArray[np.float64] = np.where(unknown, 0.0, np.clip(odds, -SURE, SURE))
    return cells


def read_header(text: str) -> MapHeader:
    """Parse a map's YAML: flat keys, numbers, texts and one list, in either notation."""
    table = parse_flat_yaml(text)
    missing = {"image", "resolution", "origin"} - set(table)
    if missing:
        raise PaddockError(f"expected keys image, resolution and origin; missing: {', '.join(sorted(missing))}")
    known = {name: value for name, value in table.items() if name in MapHeader.__dataclass_fields__}
    numbers = ("resolution", "occupied_thresh", "free_thresh")
    for name in (name for name in numbers if name in known):
        if isinstance(known[name], bool) or not isinstance(known[name], int | float):
            raise PaddockError(f"{name}: expected a number, got {known[name]!r}")
    if not isinstance(known["origin"], list):
        raise PaddockError(f"origin: expected [x, y, yaw], got {known['origin']!r}")
    if known.get("negate", 0) not in (0, 1):
        raise PaddockError(f"negate: expected 0 or 1, got {known['negate']!r}")
    return MapHeader(**{**known, "image": str(known["image"]), "origin": tuple(known["origin"])})


def parse_flat_yaml(text: str) -> Mapping[str, Any]:
    """Return keys and values of a YAML file without nested tables."""
    table: dict[str, Any] = {}
    key = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split(" #")[0].rstrip()
        if not line or line.lstrip().startswith("#") or line in ("---", "..."):
            continue
        if line.lstrip().startswith("- ") and isinstance(table.get(key, ""), list | None):
            table[key] = [*(table[key] or []), read_scalar(line.lstrip()[2:].strip())]
            continue
        key, colon, value = line.partition(":")
        key = key.strip()
        if not colon:
            raise PaddockError(f"line {number}: expected `key: value`, got {line!r}")
        table[key] = read_scalar(value.strip())
    return table


def read_scalar(text: str) -> Any:
    """Parse a YAML value: a list of numbers, a number, or a text."""
    if not text:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {"true": True, "false": False}.get(text.lower(), text)
