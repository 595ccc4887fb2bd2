"""Convert between hardware units of real devices and SI units, with the same tables as for simulated devices."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec

Numbers = NDArray[np.float64]


def convert_to_si(spec: SensorSpec, raw: Numbers) -> Numbers:
    """Convert hardware values, as of `raw()`, to SI values, as of `read()`. Counters must be unwrapped before."""
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
    """Return the smallest ideal value that gives this hardware value; values beyond the table are clipped."""
    if isinstance(spec, RangeSensorSpec) and value == spec.nothing_raw:
        return spec.nothing
    ends = spec.response[0][1], spec.response[-1][1]
    value = min(max(ends), max(min(ends), value))
    for (low, low_raw, *_), (high, high_raw, *_) in zip(spec.response, spec.response[1:], strict=False):
        if low_raw != high_raw and min(low_raw, high_raw) <= value <= max(low_raw, high_raw):
            return low + (value - low_raw) / (high_raw - low_raw) * (high - low)
    return spec.response[0][0]


def convert_to_raw(spec: SensorSpec, si: Numbers) -> Numbers:
    """Convert SI values to hardware values, rounded to the sensor's resolution."""
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
    """Unwraps counters that wrap around. Read them at least twice per wrap."""

    def __init__(self, half: float) -> None:
        self._turn = 2.0 * half  # 0: the counters do not wrap
        self._last: Numbers | None = None
        self._total: Numbers = np.zeros(2)

    def unwrapped(self, raw: Numbers) -> Numbers:
        """Return the unwrapped counters; the first call defines their initial values."""
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
        """Continue from new counter values after the counters were set externally; keep the unwrapped totals."""
        self._last = np.asarray(raw, np.float64)
