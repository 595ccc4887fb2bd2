"""Map files of ROS's map_server: an image, and a YAML file about its pixels; maps as worlds."""

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
from paddock.core.errors import PaddockError, SpecError, UnknownName
from paddock.core.files import refuse_special_file, save_image, write_text
from paddock.core.geometry import Disc, Point, Shape, compute_bounds
from paddock.perception.mapping.occupancy import FREE, OCCUPIED, UNKNOWN, GridFrame, OccupancyGrid, States
from paddock.perception.mapping.quality import Mask
from paddock.perception.mapping.scan import Floats
from paddock.simulation.worlds.importers import HEIGHT, ImportedWorld, place_robot
from paddock.simulation.worlds.importers.bitmap import trace_world
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import WorldSpec

MapMode = Literal["trinary", "scale", "raw"]
"""Pixels are free, occupied or unknown (trinary), probabilities (scale), or percentages, above 100 unknown (raw)."""
PIXEL_FREE, PIXEL_OCCUPIED, PIXEL_UNKNOWN = 254, 0, 205  # as written by map_saver
SURE = 4.0  # absolute log-odds of free and occupied cells
FORMATS = (".pgm", ".png")
RESOLUTION = 0.05  # [m] a common cell size of maps
EDGE = 1e-9  # [m] tolerance: a cell centre on an edge is inside


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
    save_image(Image.fromarray(make_pixels(grid, mode)[::-1]), picture)
    write_text(path, header.text())
    return path


def make_pixels(grid: OccupancyGrid, mode: MapMode) -> NDArray[np.uint8]:
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
    refuse_special_file(path)
    try:
        header = read_header(path.read_text(encoding="utf-8-sig"))
        picture = path.parent / header.image
        refuse_special_file(picture)
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
    return OccupancyGrid.of(frame, compute_log_odds(pixels[..., 0].astype(float), pixels[..., 1], header))


def compute_log_odds(shades: NDArray[np.float64], alpha: NDArray[np.uint8], header: MapHeader) -> NDArray[np.float64]:
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


def draw_map(world: WorldSpec, *, resolution: float = RESOLUTION, above: float = 0.0) -> OccupancyGrid:
    """Convert a world to an occupancy grid; cells beyond its border are unknown.

    Args:
        world: the world; its robots are ignored.
        resolution: side of a cell [m].
        above: minimum height of obstacles [m].
    """
    if not (math.isfinite(resolution) and resolution > 0):
        raise SpecError(f"expected metres > 0, got {resolution!r}", path="resolution")
    frame = GridFrame.around(*world.bounds, resolution, 2 * resolution)
    log_odds = np.zeros(frame.shape)
    x0, y0, x1, y1 = world.bounds
    (low, left), (high, right) = frame.cell(x0, y0), frame.cell(x1, y1)
    log_odds[low:high, left:right] = -SURE
    for piece in solids(world):
        if piece.height > above:
            mark(log_odds, frame, piece.shape)
    return OccupancyGrid.of(frame, log_odds)


def mark(log_odds: Floats, frame: GridFrame, shape: Shape) -> None:
    """Mark the cells whose centres a shape covers as occupied; a shape thinner than a cell is widened to a cell."""
    half = frame.resolution / 2
    x0, y0, x1, y1 = compute_bounds(shape)
    (low, left), (high, right) = frame.cell(x0 - half, y0 - half), frame.cell(x1 + half, y1 + half)
    low, left, high, right = max(low, 0), max(left, 0), min(high + 1, frame.rows), min(right + 1, frame.columns)
    x = frame.x + (np.arange(left, right) + 0.5) * frame.resolution
    y = (frame.y + (np.arange(low, high) + 0.5) * frame.resolution)[:, None]
    if isinstance(shape, Disc):
        inside: Mask = np.hypot(x - shape.x, y - shape.y) <= max(shape.radius, half)
    else:
        inside = np.ones((high - low, right - left), bool)
        sides = zip(shape, (*shape[1:], shape[0]), strict=True)
        lines = [(*a, (b[1] - a[1]) / math.dist(a, b), (a[0] - b[0]) / math.dist(a, b)) for a, b in sides if a != b]
        widths = [max(-((px - ax) * nx + (py - ay) * ny) for px, py in shape) for ax, ay, nx, ny in lines]
        margin = max(0.0, half - min(widths) / 2) + EDGE
        for ax, ay, nx, ny in lines:
            inside &= (x - ax) * nx + (y - ay) * ny <= margin
    log_odds[low:high, left:right][inside] = SURE


def import_map(
    path: str | Path,
    *,
    height: float = HEIGHT,
    robot: str | None = "scout",
    at: Point | None = None,
    heading_deg: float | None = None,
) -> ImportedWorld:
    """Create a world from a map's YAML file: occupied cells are walls, and the robot starts in the largest free area.

    Args:
        path: path of the YAML file.
        height: height of the walls [m].
        robot: type of the robot to add; None: no robot.
        at, heading_deg: its position [m] and heading [degrees].
    """
    path = Path(path)
    grid = load_map(path)
    states, (x, y) = crop(grid)
    states = states[::-1]  # images start with the top row
    occupied, free = states == OCCUPIED, states == FREE
    for found, what in ((occupied, "occupied"), (free, "free")):
        if not found.any():
            raise SpecError(f"no cell is {what}: are its thresholds right?", file=path.name)
    world = trace_world(occupied, free, path, scale=grid.frame.resolution, height=height, corner=(x, y))
    return place_robot(world, path, robot=robot, at=at, heading_deg=heading_deg)


def crop(grid: OccupancyGrid) -> tuple[States, Point]:
    """Return the states of the rectangle that contains all known cells, and its lower left corner [m]."""
    states, frame = grid.states(), grid.frame
    rows, columns = (np.flatnonzero((states != UNKNOWN).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return states, (frame.x, frame.y)
    corner = frame.x + int(columns[0]) * frame.resolution, frame.y + int(rows[0]) * frame.resolution
    return states[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], corner
