"""Encode and decode the maps and pose estimates of controllers for the protocol."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any

import numpy as np

from paddock.arena.run_monitor import ShownMap, ShownModule
from paddock.core.errors import BadMessage, PaddockError
from paddock.core.geometry import Pose
from paddock.network.protocol import messages as m
from paddock.network.protocol.message_base import Numbers
from paddock.perception.estimation import Estimate
from paddock.perception.estimation.estimates import check_covariance
from paddock.perception.mapping.occupancy import GridFrame, Points
from paddock.perception.mapping.view import MapView

MAX_DOTS = 400  # maximum number of particles in a message
MAX_CELLS = 16_000_000  # of a received map: 200 m × 200 m with cells of 5 cm
POINTS = ("frontiers", "plan", "scan", "goal")


def pack_map(shown: ShownMap, grid: m.GridData | None) -> m.MapData:
    """Encode a map; `grid` is None if its cells are unchanged."""
    points = {name: _flat(getattr(shown.view, name)) for name in POINTS}
    modules = tuple(m.ModuleState(**part._asdict()) for part in shown.modules)
    return m.MapData(grid=grid, task=shown.doing, refusal=shown.refusal, modules=modules, **points)


def pack_grid(view: MapView) -> m.GridData:
    """Encode the cells of a map."""
    frame = view.frame
    return m.GridData(
        x=frame.x,
        y=frame.y,
        resolution=frame.resolution,
        rows=frame.rows,
        columns=frame.columns,
        cells=zlib.compress(np.ascontiguousarray(view.cells).tobytes(), 1),
        version=view.version,
    )


def unpack_map(data: m.MapData, before: ShownMap | None) -> ShownMap | None:
    """Decode a map, with the cells of the previous one if it has none. Return None if no cells are known yet."""
    if data.grid is None and before is None:
        return None
    points = {name: _pairs(name, getattr(data, name)) for name in POINTS}
    view = _unpack_grid(data.grid) if data.grid is not None else before.view  # type: ignore[union-attr]
    modules = tuple(ShownModule(*(getattr(part, name) for name in ShownModule._fields)) for part in data.modules)
    return ShownMap(replace(view, **points), data.task, data.refusal, modules)


def pack_estimate(estimate: Estimate | None) -> dict[str, Any]:
    """Return the fields of a `show` message for an estimate, with a limited number of particles."""
    if estimate is None:
        return {}
    dots = None if estimate.particles is None else _flat(thin_particles(estimate.particles))
    return {"pose": tuple(estimate.pose), "covariance": estimate.covariance.reshape(-1), "particles": dots}


def thin_particles(particles: Numbers) -> Points:
    """Return the positions of every n-th particle [m]."""
    return particles[:: -(-len(particles) // MAX_DOTS) or 1, :2]


def unpack_estimate(shown: m.Shown) -> Estimate | None:
    """Decode the estimate of a message, or return None if it has none."""
    if shown.pose is None or shown.covariance is None:
        return None
    if shown.covariance.size != 9:
        raise BadMessage(f"show.covariance: expected 9 numbers, got {shown.covariance.size}")
    try:
        covariance = check_covariance("show", shown.covariance.reshape(3, 3))
    except PaddockError as error:
        raise BadMessage(str(error)) from None
    dots = None if shown.particles is None else _pairs("particles", shown.particles)
    return Estimate(Pose(*shown.pose), covariance, dots)


def _unpack_grid(grid: m.GridData) -> MapView:
    if not (grid.resolution > 0 and grid.rows >= 0 and grid.columns >= 0 and grid.rows * grid.columns <= MAX_CELLS):
        raise BadMessage(
            f"show.map.grid: expected at most {MAX_CELLS} cells with a side > 0, got {grid.rows} × {grid.columns}"
        )
    frame = GridFrame(grid.x, grid.y, grid.resolution, grid.rows, grid.columns)
    try:
        cells = zlib.decompressobj().decompress(grid.cells, grid.rows * grid.columns + 1)
    except zlib.error as error:
        raise BadMessage(f"show.map.grid.cells: expected bytes compressed with zlib: {error}") from None
    if len(cells) != grid.rows * grid.columns:
        raise BadMessage(f"show.map.grid.cells: expected {grid.rows} × {grid.columns} bytes, got {len(cells)} or more")
    return MapView(frame=frame, cells=np.frombuffer(cells, np.uint8).reshape(frame.shape), version=grid.version)


def _flat(points: Points) -> Numbers | None:
    return np.ascontiguousarray(points, np.float64).reshape(-1) if len(points) else None


def _pairs(name: str, numbers: Numbers | None) -> Points:
    if numbers is not None and numbers.size % 2:
        raise BadMessage(f"show: {name}: expected x and y of points, got {numbers.size} numbers")
    return np.empty((0, 2)) if numbers is None else numbers.reshape(-1, 2)
