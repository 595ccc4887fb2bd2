"""Sensing: a pure function of (Model, State, seed, tick). It is computed on demand and changes no state."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable

from paddock.core.jit import Kernel, kernel, rebuild_kernel
from paddock.core.rng import ALONE, CONSTANT_TICK, WALK_TICK, make_key
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.surroundings import gather
from paddock.simulation.engine.state import HEADING, SEED, TICK, X, Y
from paddock.simulation.sensors.aim import aim, mount_at
from paddock.simulation.sensors.camera import draw, grain
from paddock.simulation.sensors.laser import mix_pixels
from paddock.simulation.sensors.proximity import nearest_hit
from paddock.simulation.sensors.sensor_dispatch import measure
from paddock.simulation.sensors.sensor_registry import MEASURE
from paddock.simulation.sensors.sensor_spec import SensorSpec, View
from paddock.simulation.sensors.stages import add_bias, finish


def sense_for(kinds: Iterable[type[SensorSpec]]) -> Kernel:
    """Return `sense` for robots with sensors of these kinds: the shipped kernel, or one extended by other kinds."""
    return _extend_sense(tuple(replace_measure(kinds).items()))


@functools.cache
def _extend_sense(swaps: tuple[tuple[Kernel, Kernel], ...]) -> Kernel:
    extended: Kernel = rebuild_kernel(sense, dict(swaps))
    return extended


def replace_measure(kinds: Iterable[type[SensorSpec]]) -> dict[Kernel, Kernel]:
    """Return the replacement of `measure` that supports kinds of other packages."""
    return MEASURE.extend(measure, [MEASURE.number(kind) for kind in kinds])


@kernel
def sense(model, state, scratch, world, robot, enabled, raw, readings):
    """Read the enabled devices of one robot into its row of readings; `enabled` contains a flag per device."""
    kind = model.types[int(model.robots[model.robot_variant[robot], m.TYPE])]
    first = kind[m.FIRST_DEVICE]
    for device in range(first, kind[m.END_OF_DEVICES]):
        if enabled[device - first]:
            start = model.devices[device, m.FIRST_VALUE]
            read_device(model, state, scratch, world, robot, device, raw, readings[start:])


@kernel
def read_device(model, state, scratch, world, robot, device, raw, values):
    """Compute one reading of a device, with all stages."""
    if model.devices[device, m.CHANNELS] == 0:
        return
    tick = sample_tick(model, state, world, device)
    motion = state.motion[world, tick % state.motion.shape[1]]
    x, y, heading, c, s = frame(motion, robot)
    segments, discs = look_around(model, state, motion, scratch, world, robot, device, tick, x, y, c, s)
    view = View(robot, motion, x, y, heading, c, s, segments, discs)
    measure(model.devices[device, m.KIND], model, scratch, view, device, values)
    key = sample_key(model, state, world, robot, device, tick)
    noise = model.robots[model.robot_variant[robot], m.NOISE]
    if noise > 0.0 and model.stages[device, m.MIXED] > 0.0:
        mix_pixels(model, device, key, values)
    if noise > 0.0 and (model.stages[device, m.BIAS] > 0.0 or model.stages[device, m.BIAS_WALK] > 0.0):
        constant_key = sample_key(model, state, world, robot, device, CONSTANT_TICK)
        walk_key = sample_key(model, state, world, robot, device, WALK_TICK)
        add_bias(model, device, constant_key, walk_key, tick, noise, values)
    finish(model, device, key, noise, raw, values)


@kernel
def take_picture(model, state, scratch, world, robot, device, depth, picture):
    """Render one image of a camera; do nothing for device -1."""
    if device < 0:
        return
    tick = sample_tick(model, state, world, device)
    motion = state.motion[world, tick % state.motion.shape[1]]
    x, y, heading, c, s = frame(motion, robot)
    segments, discs = look_around(model, state, motion, scratch, world, robot, device, tick, x, y, c, s)
    view = View(robot, motion, x, y, heading, c, s, segments, discs)
    draw(model, scratch, view, device, depth, picture)
    sigma = model.stages[device, m.SIGMA] * model.robots[model.robot_variant[robot], m.NOISE]
    if sigma > 0.0:
        grain(picture, sample_key(model, state, world, robot, device, tick), sigma)


@kernel
def measure_distance(model, state, scratch, world, robot, device, channel):
    """Return the distance [m] from a mount to the nearest surface ahead, at the time of the device's sample."""
    tick = sample_tick(model, state, world, device)
    motion = state.motion[world, tick % state.motion.shape[1]]
    x, y, heading, c, s = frame(motion, robot)
    segments, discs = look_around(model, state, motion, scratch, world, robot, device, tick, x, y, c, s)
    view = View(robot, motion, x, y, heading, c, s, segments, discs)
    mount = model.constants[mount_at(model, device, channel) :]
    ax, ay = aim(model, view, device, mount)
    return nearest_hit(scratch, view, mount[m.MOUNT_X], mount[m.MOUNT_Y], mount[m.MOUNT_Z], ax, ay)


@kernel
def sample_tick(model, state, world, device):
    """Return the tick at which the device's current sample was taken."""
    period, delay = model.devices[device, m.PERIOD], model.devices[device, m.DELAY]
    return max(0, (state.clock[world, TICK] - delay) // period * period)


@kernel
def sample_key(model, state, world, robot, device, tick):
    """Return the random key of one sample; devices are numbered from the robot's first."""
    number = device - model.types[int(model.robots[model.robot_variant[robot], m.TYPE]), m.FIRST_DEVICE]
    return make_key(state.clock[world, SEED], ALONE, robot, number, tick)


@kernel
def frame(motion, robot):
    """Return position, heading, and the heading's cosine and sine."""
    heading = motion[robot, HEADING]
    return motion[robot, X], motion[robot, Y], heading, math.cos(heading), math.sin(heading)


@kernel
def look_around(model, state, motion, scratch, world, robot, device, tick, x, y, c, s):
    """Gather the items within the device's reach; return the numbers of segments and discs in the workspace."""
    reach = model.stages[device, m.REACH]
    if reach == 0.0:
        return 0, 0
    return gather(model, motion, scratch, robot, x, y, c, s, reach, state.clock[world, TICK] - tick)
