"""Draw scalar fields as a tint with contour lines, for images."""

from __future__ import annotations

import numpy as np

from paddock.simulation.engine.model import Bytes, Floats
from paddock.simulation.worlds.floor import field_picture
from paddock.simulation.worlds.world_spec import WorldSpec

STRONGEST, CONTOUR = 0.50, 0.20  # opacity at the peak, and additional opacity of contour lines
LEVELS = 5


def field_tint(world: WorldSpec, number: int, width: int, height: int) -> Bytes:
    """Return the opacity 0 … 255 of a field's colour over the world's bounds, shape (height, width)."""
    share = field_share(world, number, width, height)
    levels = np.floor(share * LEVELS * (1 - 1e-9))
    edge = np.zeros(share.shape)
    edge[:, 1:] += levels[:, 1:] != levels[:, :-1]
    edge[1:, :] += levels[1:, :] != levels[:-1, :]
    opacity = STRONGEST * share + CONTOUR * np.minimum(edge, 1.0)
    return np.round(255 * opacity).astype(np.uint8)


def field_share(world: WorldSpec, number: int, width: int, height: int) -> Floats:
    """Sample a field relative to its peak, 0 … 1, at the centres of width × height cells of the world's bounds."""
    field = world.fields[number]
    x0, y0, x1, y1 = world.bounds
    x = x0 + (np.arange(width) + 0.5) * (x1 - x0) / width
    y = y1 - (np.arange(height) + 0.5) * (y1 - y0) / height
    if field.shape == "image":
        picture = field_picture(world, field, f"fields[{number}].image")
        left, bottom = field.at or (x0, y0)
        top = bottom + picture.shape[0] / field.pixels_per_metre
        column = np.clip((x - left) * field.pixels_per_metre, 0, picture.shape[1] - 1).astype(int)
        row = np.clip((top - y) * field.pixels_per_metre, 0, picture.shape[0] - 1).astype(int)
        shown: Floats = picture[row[:, None], column[None, :]]
        return shown
    assert field.at is not None and field.radius is not None
    away = np.hypot(x[None, :] - field.at[0], y[:, None] - field.at[1])
    if field.shape == "radial":
        return np.clip(1 - away / field.radius, 0.0, 1.0)
    return np.asarray(np.exp(-0.5 * (away / field.radius) ** 2), float)
