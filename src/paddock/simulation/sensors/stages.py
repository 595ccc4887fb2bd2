"""Convert ideal values to readings: response, noise and rounding, the same for every kind."""

from __future__ import annotations

import math

from paddock.core.jit import kernel
from paddock.core.rng import gauss, random_walk
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.drive import wrap_angle


@kernel
def finish(model, device, key, noise, raw, values):
    """Convert ideal values to SI readings, or hardware units if `raw`, in place. Infinity means nothing detected."""
    stage = model.stages[device]
    first, rows = model.devices[device, m.FIRST_RESPONSE], model.devices[device, m.RESPONSES]
    scale, factors = stage[m.SCALE], model.devices[device, m.FIRST_NOISE_FACTOR]
    for channel in range(model.devices[device, m.CHANNELS]):
        value = values[channel]
        if value == math.inf:
            values[channel] = stage[m.NOTHING_RAW] if raw else stage[m.NOTHING]
            continue
        relative = stage[m.SIGMA_RELATIVE]
        if rows > 0:
            value, more = apply_response(model.constants, first, rows, value)
            relative += more
        elif scale > 0.0:
            value *= scale
        sigma = noise * (stage[m.SIGMA] + relative * abs(value))
        if factors >= 0:
            sigma *= model.constants[factors + channel]
        if sigma > 0.0:
            value += sigma * gauss(key, channel)
        if stage[m.RESOLUTION] > 0.0:
            value = math.floor(value / stage[m.RESOLUTION] + 0.5) * stage[m.RESOLUTION]
        if rows > 0:
            a, b = model.constants[first + 1], model.constants[first + (rows - 1) * m.RESPONSE_COLUMNS + 1]
            value = min(max(a, b), max(min(a, b), value))
            if not raw:
                value = invert_response(model.constants, first, rows, value)
        else:
            value = max(stage[m.LOWEST], value)
            if raw and stage[m.WRAP] > 0.0:
                value -= math.floor((value + stage[m.WRAP]) / (2.0 * stage[m.WRAP])) * 2.0 * stage[m.WRAP]
            elif scale > 0.0 and not raw:
                value /= scale
        values[channel] = wrap_angle(value) if not raw and channel >= stage[m.FIRST_ANGLE] else value


@kernel
def add_bias(model, device, constant_key, walk_key, tick, noise, values):
    """Add the error that changes slowly: a constant, and a random walk that is a function of the tick."""
    stage = model.stages[device]
    per_tick = stage[m.BIAS_WALK] * math.sqrt(model.dt)
    for channel in range(model.devices[device, m.CHANNELS]):
        error = stage[m.BIAS] * gauss(constant_key, channel)
        if per_tick > 0.0:
            error += per_tick * random_walk(walk_key, channel, tick)
        values[channel] += noise * error


@kernel
def apply_response(constants, first, rows, ideal):
    """Return the hardware value and relative noise of an ideal value: linear between the rows, constant beyond."""
    if ideal <= constants[first]:
        return constants[first + 1], constants[first + 2]
    for row in range(1, rows):
        b = first + row * m.RESPONSE_COLUMNS
        if ideal < constants[b]:
            a = b - m.RESPONSE_COLUMNS
            t = (ideal - constants[a]) / (constants[b] - constants[a])
            return (
                constants[a + 1] + t * (constants[b + 1] - constants[a + 1]),
                constants[a + 2] + t * (constants[b + 2] - constants[a + 2]),
            )
    last = first + (rows - 1) * m.RESPONSE_COLUMNS
    return constants[last + 1], constants[last + 2]


@kernel
def invert_response(constants, first, rows, value):
    """Return the smallest ideal value that gives this hardware value."""
    for row in range(1, rows):
        b = first + row * m.RESPONSE_COLUMNS
        a = b - m.RESPONSE_COLUMNS
        low, high = constants[a + 1], constants[b + 1]
        if low != high and min(low, high) <= value <= max(low, high):
            return constants[a] + (value - low) / (high - low) * (constants[b] - constants[a])
    return constants[first]
