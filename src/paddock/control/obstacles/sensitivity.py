"""How sensitive a robot's proximity sensors are to ambient light, measured while it stands in free space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from paddock.control.avoidance import EPUCK_RING, ProximityRing
from paddock.core.errors import PaddockError

LIT = 0.5  # of the light on the brightest sensor: sensors with less are too dim to tell
CLIPPED = 0.98  # of the light sensors' full scale


def measure_sensitivity(
    distances: ArrayLike, light: ArrayLike, *, ring: ProximityRing = EPUCK_RING, full_scale: float = 2.0
) -> float:
    """The echo that 1 W/m² feigns [1/m²], for `AmbientLight`.

    Something solid before a sensor can only add to its echo. So the lowest ratio of echo and light counts, and it is
    enough that one of the brighter sensors sees nothing but light.

    Args:
        distances: what the sensors read while the robot stood [m], shape (look, sensor); 25 looks are enough.
        light: on the same sensors, in the same looks [W/m²], same shape.
        ring: the sensors.
        full_scale: where the light sensors end [W/m²].

    Raises:
        PaddockError: no sensor sees enough light, or all that do are at their end.
    """
    seen, lit = (np.median(np.atleast_2d(np.asarray(table, float)), axis=0) for table in (distances, light))
    if seen.shape != lit.shape or not (np.isfinite(seen).all() and np.isfinite(lit).all()):
        raise PaddockError(
            "measure_sensitivity: expected finite distances and light of the same sensors, shape (look, sensor), "
            f"got {np.shape(distances)} and {np.shape(light)}"
        )
    usable = (seen < ring.range) & (lit > 0) & (lit < CLIPPED * full_scale)
    usable &= lit >= LIT * lit.max(initial=0.0, where=usable)
    if not usable.any():
        raise PaddockError(
            f"measure_sensitivity: no sensor sees light that feigns anything within {ring.range:g} m, at most "
            f"{lit.max():.2g} W/m²: turn the robot towards a lamp, and keep below {full_scale:g} W/m²"
        )
    return float((np.maximum(seen[usable], 1e-3) ** -2 / lit[usable]).min())
