"""A lean loop: what a run does not use is left out before the driver is compiled, so that it needs fewer registers."""

from __future__ import annotations

import importlib
from collections.abc import Iterable

import numpy as np

from paddock.core.jit import Kernel, kernel
from paddock.engine.kernels.contact import polygon_in_disc, polygon_in_segment
from paddock.engine.kernels.rng import chain_key
from paddock.engine.kernels.surroundings import gather_far, gather_robots
from paddock.engine.step import dead_reckon, turn_pans
from paddock.metrics import coverage, goal, motion, sensing
from paddock.metrics.registry import METRICS
from paddock.policies.braitenberg import BRAITENBERG, braitenberg
from paddock.policies.kernel_policy import OWN, own, take_own
from paddock.policies.network_kernel import NETWORK, add_products, network
from paddock.policies.register_machine import PROGRAM, program
from paddock.sensors.camera import CameraSpec
from paddock.sensors.light import irradiance
from paddock.sensors.registry import SPECS

# What measures each kind of sensor, by its number in the registry; policies see no pictures.
SENSORS: dict[int, Kernel] = {
    number: importlib.import_module(spec.__module__).measure
    for number, spec in enumerate(SPECS)
    if spec is not CameraSpec
}
POLICIES = {BRAITENBERG: braitenberg, NETWORK: network, OWN: take_own, PROGRAM: program}
NOTED = (
    motion.distance, motion.contact, goal.goal, goal.along, coverage.coverage,
    sensing.nearness, sensing.avoidance, sensing.line,
)  # fmt: skip


def without(
    *,
    sensors: Iterable[int],
    policies: Iterable[int],
    decide: Kernel | None,
    metrics: Iterable[int],
    crowd: bool,
    lights: bool,
    far: bool,
    angular: bool,
    drift: bool,
    pans: bool,
) -> dict[Kernel, Kernel]:
    """What to put in the place of all that a run does not use, and of the user's own kernel."""
    swaps: dict[Kernel, Kernel] = {add_products: add_by_unit}
    swaps |= {kind: no_sensor for number, kind in SENSORS.items() if number not in set(sensors)}
    swaps |= {POLICIES[number]: stub for number, stub in NO_POLICY.items() if number not in set(policies)}
    swaps |= {NOTED[number]: NO_METRIC[number] for number in range(len(METRICS)) if number not in set(metrics)}
    for there, kinds in (
        (crowd, {gather_robots: no_robots}),
        (lights, {irradiance: dark}),
        (far, {gather_far: nothing_far}),
        (angular, {polygon_in_segment: no_polygon, polygon_in_disc: no_polygon_at_disc}),
        (drift, {dead_reckon: no_drift}),
        (pans, {turn_pans: no_pans}),
    ):
        swaps |= {} if there else kinds
    return swaps if decide is None else {**swaps, own: decide}


@kernel
def add_by_unit(weights, weight, memory, below, count, target, units):
    """The same sums in the same order, but one unit after the other: its weights come from memory all at once."""
    for unit in range(units):
        total = memory[target + unit]
        for k in range(count):
            total += weights[weight + units * (k + 1) + unit] * memory[below + k]
        memory[target + unit] = total
    return weight + units * count


@kernel
def uniform_single(key, channel):
    """A number in (0, 1) that single precision can tell from the ends."""
    return (np.float32(chain_key(key, channel) >> np.uint64(41)) + 0.5) * 1.1920928955078125e-07  # 2**-23


@kernel
def no_sensor(model, scratch, view, device, values):
    """A kind that is not read."""


@kernel
def no_network(plan, weights, memory, readings, wheels):
    """A policy that is not at the wheels."""


@kernel
def no_braitenberg(plan, readings, wheels):
    """No Braitenberg vehicle."""


@kernel
def dark(model, scratch, view, mount, ax, ay):
    """The irradiance where there are no lights."""
    return 0.0


@kernel
def no_robots(model, motion, scratch, robot, x, y, c, s, reach, ticks_ago, segments, discs):
    """The other robots where there are none."""
    return segments, discs


@kernel
def nothing_far(model, scratch, x, y, c, s, reach):
    """Far things where nobody looks far."""
    return 0, 0


@kernel
def no_polygon(corners, first, end, x, y, c, s, x0, y0, x1, y1, skin):
    """An angular body against a segment where bodies are round."""
    return 0.0, 0.0, 0.0


@kernel
def no_polygon_at_disc(corners, first, end, x, y, c, s, px, py, size):
    """An angular body against a disc where bodies are round."""
    return 0.0, 0.0, 0.0


@kernel
def no_drift(row, robot_state, dt, along, across, turn, key, bias_key):
    """No inertial navigation on board."""


@kernel
def no_pans(model, robot, command, robot_state):
    """No pivots."""


@kernel
def no_distance(robot_state, sums):
    """A metric that nobody asked for."""


@kernel
def no_contact(robot_state, sums):
    """A metric that nobody asked for."""


@kernel
def no_goal(numbers, robot_state, tick, sums):
    """A metric that nobody asked for."""
    return 0


@kernel
def no_way(numbers, robot_state, sums):
    """A metric that nobody asked for."""


@kernel
def no_coverage(numbers, robot_state, sums, marks):
    """A metric that nobody asked for."""


@kernel
def no_reading(numbers, readings, first, count, sums):
    """A metric that nobody asked for."""


@kernel
def no_avoidance(numbers, readings, first, count, robot_state, sums):
    """A metric that nobody asked for."""


NO_POLICY = {BRAITENBERG: no_braitenberg, NETWORK: no_network, OWN: no_network, PROGRAM: no_network}
NO_METRIC = (no_distance, no_contact, no_goal, no_way, no_coverage, no_reading, no_avoidance, no_reading)
