"""Stubs for the kernels that a run does not use, so that the compiled driver needs fewer registers."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from paddock.arena.batches.cuda.usage import PartsUsed
from paddock.arena.metrics.metric_dispatch import note_motion, note_readings
from paddock.arena.metrics.metric_registry import NOTE_MOTION, NOTE_READINGS
from paddock.control.policies.kernel_policy import own
from paddock.control.policies.networks import add_products
from paddock.control.policies.policy_dispatch import act
from paddock.control.policies.policy_registry import ACT
from paddock.core.jit import Kernel, kernel
from paddock.core.rng import chain_key
from paddock.simulation.engine.kernels.contact import polygon_in_disc, polygon_in_segment
from paddock.simulation.engine.kernels.surroundings import gather_far, gather_robots
from paddock.simulation.engine.push import push
from paddock.simulation.engine.step import dead_reckon, move_bodies, turn_pans
from paddock.simulation.engine.tape import write_inputs
from paddock.simulation.sensors.laser import mix_pixels
from paddock.simulation.sensors.light import irradiance
from paddock.simulation.sensors.sensor_dispatch import measure
from paddock.simulation.sensors.sensor_registry import MEASURE
from paddock.simulation.sensors.stages import add_bias


def without(
    parts: PartsUsed,
    *,
    policies: Iterable[int] = (),
    decide: Kernel | None = None,
    metrics: Collection[int] = (),
) -> dict[Kernel, Kernel]:
    """Return the replacements for the kernels that a run does not use, and for the user's own kernel."""
    swaps: dict[Kernel, Kernel] = {add_products: add_by_unit, write_inputs: no_tape}
    swaps |= {
        measure: MEASURE.make(MEASURE.cases(parts.sensors)),
        act: ACT.make(ACT.cases(policies)),
        note_motion: NOTE_MOTION.make(NOTE_MOTION.cases(metrics)),
        note_readings: NOTE_READINGS.make(NOTE_READINGS.cases(metrics)),
    }
    swaps |= {move_bodies: push} if parts.things else {}
    for there, kinds in (
        (parts.crowd, {gather_robots: no_robots}),
        (parts.lights, {irradiance: dark}),
        (parts.far, {gather_far: nothing_far}),
        (parts.angular, {polygon_in_segment: no_polygon, polygon_in_disc: no_polygon_at_disc}),
        (parts.drift, {dead_reckon: no_drift}),
        (parts.pans, {turn_pans: no_pans}),
        (parts.mixed, {mix_pixels: no_mixed_pixels}),
        (parts.biased, {add_bias: no_bias}),
    ):
        swaps |= {} if there else kinds
    return swaps if decide is None else {**swaps, own: decide}


@kernel
def add_by_unit(weights, weight, memory, below, count, target, units):
    """Compute the same sums in the same order, one unit after the other, so that its weights are loaded at once."""
    for unit in range(units):
        total = memory[target + unit]
        for k in range(count):
            total += weights[weight + units * (k + 1) + unit] * memory[below + k]
        memory[target + unit] = total
    return weight + units * count


@kernel
def uniform_single(key, channel):
    """Return a number in (0, 1) that differs from 0 and 1 in single precision."""
    return (np.float32(chain_key(key, channel) >> np.uint64(41)) + 0.5) * 1.1920928955078125e-07  # 2**-23


@kernel
def dark(model, scratch, view, mount, ax, ay):
    """Irradiance in a world without lights."""
    return 0.0


@kernel
def no_robots(model, motion, scratch, robot, x, y, c, s, reach, ticks_ago, segments, discs):
    """Gather other bodies in a world with a single robot."""
    return segments, discs


@kernel
def nothing_far(model, scratch, x, y, c, s, reach):
    """Gather distant objects if no device has a long range."""
    return 0, 0


@kernel
def no_polygon(corners, first, end, x, y, c, s, x0, y0, x1, y1, skin):
    """Polygon against a segment if all bodies are round."""
    return 0.0, 0.0, 0.0


@kernel
def no_polygon_at_disc(corners, first, end, x, y, c, s, px, py, size):
    """Polygon against a disc if all bodies are round."""
    return 0.0, 0.0, 0.0


@kernel
def no_drift(row, robot_state, dt, along, across, turn, key, bias_key):
    """Dead reckoning without inertial navigation."""


@kernel
def no_mixed_pixels(model, device, key, values):
    """Mixed pixels if no laser has them."""


@kernel
def no_bias(model, device, constant_key, walk_key, tick, noise, values):
    """Biases if no device has one."""


@kernel
def no_pans(model, robot, command, robot_state):
    """Pivots if there are none."""


@kernel
def no_tape(tape, tick, commands, motion):
    """Tape of commands if there is no recording."""
