"""Hardware numbers of real devices in SI units, by the same tables that give simulated ones their hardware numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from paddock.sensors.base import RangeSensorSpec, SensorSpec

Numbers = NDArray[np.float64]


def si_of(spec: SensorSpec, raw: Numbers) -> Numbers:
    """What `read()` gives where `raw()` gives these numbers; counters have to be unwrapped before."""
    raw = np.asarray(raw, np.float64)
    if spec.response:
        values = np.array([_inverted(spec, value) for value in raw.tolist()])
    elif spec.scale is not None:
        values = raw / spec.scale
    else:
        values = raw.copy()
    if spec.first_angle is not None:
        angles = values[spec.first_angle :]
        values[spec.first_angle :] = math.pi - (math.pi - angles) % (2 * math.pi)
    return values


def _inverted(spec: SensorSpec, value: float) -> float:
    """The smallest ideal value that gives this hardware value; what is beyond the table is at its end."""
    if isinstance(spec, RangeSensorSpec) and value == spec.nothing_raw:
        return spec.nothing
    ends = spec.response[0][1], spec.response[-1][1]
    value = min(max(ends), max(min(ends), value))
    for (low, low_raw, *_), (high, high_raw, *_) in zip(spec.response, spec.response[1:], strict=False):
        if low_raw != high_raw and min(low_raw, high_raw) <= value <= max(low_raw, high_raw):
            return low + (value - low_raw) / (high_raw - low_raw) * (high - low)
    return spec.response[0][0]


def raw_of(spec: SensorSpec, si: Numbers) -> Numbers:
    """The hardware numbers for SI values, rounded as the converter does."""
    si = np.asarray(si, np.float64)
    values: Numbers
    if spec.response:
        rows = np.array([row[:2] for row in spec.response])
        values = np.interp(si, rows[:, 0], rows[:, 1])
        if isinstance(spec, RangeSensorSpec):
            values[si >= spec.nothing] = spec.nothing_raw
    else:
        values = si * (spec.scale or 1.0)
    if spec.resolution > 0:
        values = np.floor(values / spec.resolution + 0.5) * spec.resolution
    if spec.wrap > 0:
        values = (values + spec.wrap) % (2 * spec.wrap) - spec.wrap
    return values


class Counter:
    """Counters that wrap around, as numbers that do not. Look at them at least twice a turn."""

    def __init__(self, half: float) -> None:
        self._turn = 2.0 * half  # 0: they do not wrap
        self._last: Numbers | None = None
        self._total: Numbers = np.zeros(2)

    def unwrapped(self, raw: Numbers) -> Numbers:
        """Go on counting from what was told last; the first is where it begins."""
        raw = np.asarray(raw, np.float64)
        if self._last is None:
            self._total = raw.copy()
        else:
            moved = raw - self._last
            if self._turn:
                moved -= np.round(moved / self._turn) * self._turn
            self._total = self._total + moved
        self._last = raw
        return self._total.copy()

    def restart(self, raw: Numbers) -> None:
        """The counters were set to another number by hand; what was counted so far stays."""
        self._last = np.asarray(raw, np.float64)
