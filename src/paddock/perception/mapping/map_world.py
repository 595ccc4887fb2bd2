"""Conversion of worlds to maps, and of ROS map_server maps to worlds."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from paddock.core.errors import SpecError
from paddock.core.geometry import Disc, Point, Shape, box_of
from paddock.perception.mapping.frame import GridFrame
from paddock.perception.mapping.map_files import SURE, load_map
from paddock.perception.mapping.occupancy import FREE, OCCUPIED, UNKNOWN, OccupancyGrid, States
from paddock.perception.mapping.quality import Mask
from paddock.perception.mapping.scan import Floats
from paddock.simulation.worlds.importers import HEIGHT, ImportedWorld, place_robot
from paddock.simulation.worlds.importers.bitmap import trace_world
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import WorldSpec

RESOLUTION = 0.05  # [m] a common cell size of maps
EDGE = 1e-9  # [m] tolerance: a cell centre on an edge is inside


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
    x0, y0, x1, y1 = box_of(shape)
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
