"""Calibration of the sensitivity of proximity sensors to ambient light, while the robot is stationary."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from paddock.control.behaviours.avoidance import EPUCK_RING, ProximityRing
from paddock.core.errors import PaddockError
from paddock.core.named_arrays import as_floats

LIT_SHARE = 0.5  # of the light on the brightest sensor; sensors with less light are not used
CLIPPED = 0.98  # of the light sensors' full scale


def measure_sensitivity(
    distances: ArrayLike, light: ArrayLike, *, ring: ProximityRing = EPUCK_RING, full_scale: float = 2.0
) -> float:
    """Return the echo caused by 1 W/m² [1/m²], for `AmbientLight`.

    A solid object in front of a sensor can only increase its echo. The lowest ratio of echo and light is therefore
    used. It is sufficient that one of the brighter sensors detects light only.

    Args:
        distances: sensor readings while the robot is stationary [m], shape (reading, sensor); 25 readings suffice.
        light: light on the same sensors in the same readings [W/m²], same shape.
        ring: the sensors.
        full_scale: saturation of the light sensors [W/m²].

    Raises:
        PaddockError: no sensor receives enough light, or all that do are saturated.
    """
    tables = as_floats("measure_sensitivity: distances", distances), as_floats("measure_sensitivity: light", light)
    seen, lit = (np.median(np.atleast_2d(table), axis=0) for table in tables)
    if seen.shape != lit.shape or not (np.isfinite(seen).all() and np.isfinite(lit).all()):
        raise PaddockError(
            "measure_sensitivity: expected finite distances and light of the same sensors, shape (reading, sensor), "
            f"got {np.shape(distances)} and {np.shape(light)}"
        )
    usable = (seen < ring.range) & (lit > 0) & (lit < CLIPPED * full_scale)
    usable &= lit >= LIT_SHARE * lit.max(initial=0.0, where=usable)
    if not usable.any():
        raise PaddockError(
            f"measure_sensitivity: the light causes no echo within {ring.range:g} m on any sensor, the maximum is "
            f"{lit.max():.2g} W/m²: turn the robot towards a lamp, and keep below {full_scale:g} W/m²"
        )
    return float((np.maximum(seen[usable], 1e-3) ** -2 / lit[usable]).min())
