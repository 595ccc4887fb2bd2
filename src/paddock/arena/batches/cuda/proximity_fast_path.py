"""Fast path for the most common robot: a round body whose only device is an infrared ring without delay.

It uses the same scalar kernels in other loops. Obstacles nearby are gathered once per tick, for sensing and contact.
Most robots have no obstacles nearby, some have many, so the threads of a block pool their work. First each thread tests
one ray against the obstacles, then each thread computes the reading of one sensor that may detect something.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from paddock.arena.batches.cuda.device import Cuda
from paddock.core.jit import kernel
from paddock.core.rng import ALONE, gauss, make_key
from paddock.simulation.engine import model as m
from paddock.simulation.engine.kernels.rays import distance_to_segment, ray_to_disc, ray_to_segment
from paddock.simulation.engine.kernels.surroundings import put
from paddock.simulation.engine.model import Model
from paddock.simulation.engine.state import HEADING, SEED, TICK, X, Y, ticks_kept
from paddock.simulation.sensors.proximity import AMBIENT, DIRECTIONS, RANGE, RAYS
from paddock.simulation.sensors.sensor_spec import OWN
from paddock.simulation.sensors.stages import apply_response, invert_response

WARP = 32  # threads that run in lock-step
# Set when a driver is built: the device's row in the model, the number of its sensors and of rays per sensor, and the
# offsets of its values, mounts, own parameters and response rows. Compile-time constants allow unrolled loops.
DEVICE, SENSORS, RAYS_EACH, VALUES, MOUNTS, OWN_AT, RESPONSE, ROWS = 0, 1, 1, 0, 0, 0, 0, 2
cuda: Any = None  # numba's module, set when a driver is built


class Pool(NamedTuple):
    """Shared memory of a block. Each robot with obstacles nearby gets an entry, its seat."""

    taken: Any  # number of seats taken, shape (1)
    poses: Any  # x, y [m], cosine and sine of the heading, by seat
    keys: Any  # of random numbers, by seat
    sizes: Any  # number of obstacles nearby, by seat
    around: Any  # indices of these obstacles, by seat
    nearest: Any  # distance of the first hit of each ray [m], by seat and ray; later the readings


def fits(models: Sequence[Model], device: int, *, lights: bool) -> bool:
    """Whether the fast path supports a round body with only this device."""
    row, own = models[0].devices[device], models[0].devices[device, m.FIRST_PARAMETER] + OWN
    alike = all(np.array_equal(model.devices, models[0].devices) for model in models)
    near = all(0 < model.stages[device, m.REACH] <= model.grids[m.NEAR, m.GRID_REACH] for model in models)
    at_once = row[m.PERIOD] == 1 and row[m.DELAY] == 0 and row[m.PAN] < 0 and ticks_kept(models[0]) == 1
    equal = row[m.FIRST_NOISE_FACTOR] < 0
    dark = not lights or models[0].constants[own + AMBIENT] == 0.0
    return bool(row[m.KIND] == 0 and row[m.RESPONSES] > 0 and alike and near and at_once and equal and dark)


def count_rays(model: Model, device: int) -> int:
    """Return the total number of rays of all sensors of the ring."""
    rays = model.constants[model.devices[device, m.FIRST_PARAMETER] + OWN + RAYS]
    return int(model.devices[device, m.CHANNELS] * rays)


def seats_for(cuda: Cuda, rays: int, most: int, constants: int) -> int:
    """Return the threads per block, limited by the shared memory of the pool; 0 if it is too small."""
    real, seats = np.dtype(cuda.real).itemsize, cuda.threads
    while seats >= WARP and seats * (real * ((rays | 1) + 4) + 4 * most + 12) + real * constants > cuda.shared_bytes:
        seats //= 2
    return seats if seats >= WARP else 0


def names_for(model: Model, device: int) -> dict[str, int]:
    """Return the values of the global names above for a device."""
    row = [int(number) for number in model.devices[device]]
    own = row[m.FIRST_PARAMETER] + OWN
    names = {
        "DEVICE": device, "SENSORS": row[m.CHANNELS], "RAYS_EACH": int(model.constants[own + RAYS]),
        "VALUES": row[m.FIRST_VALUE], "MOUNTS": row[m.FIRST_MOUNT], "OWN_AT": own,
        "RESPONSE": row[m.FIRST_RESPONSE], "ROWS": row[m.RESPONSES],
    }  # fmt: skip
    return {f"{__name__}.{name}": number for name, number in names.items()}


@kernel
def look(model, state, scratch, pool, alive, lane, threads, readings):
    """Read the infrared rings of all threads of the block, and leave the obstacles nearby in the workspace."""
    for channel in range(SENSORS):
        readings[VALUES + channel] = model.stages[DEVICE, m.NOTHING]
    if lane == 0:
        pool.taken[0] = 0
    cuda.syncthreads()
    seat = -1
    if alive:
        seat = offer(model, state, scratch, pool)
    cuda.syncthreads()
    for ray in range(lane % WARP, SENSORS * RAYS_EACH, WARP):
        cast(model.constants, model.items, pool, ray, lane // WARP, threads // WARP)
    cuda.syncthreads()
    noise = model.robots[model.robot_variant[0], m.NOISE]
    for k in range(lane, pool.taken[0] * SENSORS, threads):
        read_one(model, pool, noise, k // SENSORS, k % SENSORS)
    cuda.syncthreads()
    if seat >= 0:
        for channel in range(SENSORS):
            readings[VALUES + channel] = pool.nearest[seat, channel * RAYS_EACH]


@kernel
def offer(model, state, scratch, pool):
    """Gather the obstacles nearby in the robot frame. Return the number of the seat taken, or -1 if there are none."""
    robot_state, near = state.motion[0, 0, 0], model.grids[m.NEAR]
    x, y = robot_state[X], robot_state[Y]
    reach = model.stages[DEVICE, m.REACH]
    segments, discs, seat = 0, 0, -1
    c, s = math.cos(robot_state[HEADING]), math.sin(robot_state[HEADING])
    column = math.floor((x - near[m.GRID_X]) * near[m.GRID_SCALE])
    row = math.floor((y - near[m.GRID_Y]) * near[m.GRID_SCALE])
    if 0.0 <= column < near[m.GRID_COLUMNS] and 0.0 <= row < near[m.GRID_ROWS]:
        start = int(near[m.GRID_STARTS]) + int(row * near[m.GRID_COLUMNS] + column)
        for k in range(model.cells[start], model.cells[start + 1]):
            item = model.items[model.cells[k]]
            px, py, qx, qy = item[m.ITEM_X0] - x, item[m.ITEM_Y0] - y, item[m.ITEM_X1] - x, item[m.ITEM_Y1] - y
            away = distance_to_segment(0.0, 0.0, px, py, qx, qy) - item[m.ITEM_RADIUS]
            if away <= reach:
                if seat < 0:
                    seat = cuda.atomic.add(pool.taken, 0, 1)
                pool.around[seat, segments + discs] = model.cells[k]
                # `round_body.py` reads the distance from the colour column.
                if item[m.ITEM_RADIUS] > 0.0:
                    put(scratch.discs[discs], px, py, qx, qy, c, s, item[m.ITEM_RADIUS], item[m.ITEM_TOP], away)
                    discs += 1
                else:
                    put(scratch.segments[segments], px, py, qx, qy, c, s, 0.0, item[m.ITEM_TOP], away)
                    segments += 1
    scratch.crowd[0], scratch.crowd[1] = segments, discs
    if seat >= 0:
        pool.poses[seat, 0], pool.poses[seat, 1], pool.poses[seat, 2], pool.poses[seat, 3] = x, y, c, s
        pool.keys[seat] = make_key(state.clock[0, SEED], ALONE, 0, DEVICE, state.clock[0, TICK])
        pool.sizes[seat] = segments + discs
    return seat


@kernel
def cast(constants, items, pool, ray, first, step):
    """Test one ray of the ring against the obstacles of the seats `first`, `first` + `step`, …."""
    mount = MOUNTS + ray // RAYS_EACH * m.MOUNT_COLUMNS
    turned = OWN_AT + DIRECTIONS + 2 * (ray % RAYS_EACH)
    ox, oy, z = constants[mount + m.MOUNT_X], constants[mount + m.MOUNT_Y], constants[mount + m.MOUNT_Z]
    ax, ay = constants[mount + m.MOUNT_COS], constants[mount + m.MOUNT_SIN]
    rc, rs = constants[turned], constants[turned + 1]
    dx, dy = rc * ax - rs * ay, rs * ax + rc * ay
    for seat in range(first, pool.taken[0], step):
        pose = pool.poses[seat]
        x, y, c, s = pose[0], pose[1], pose[2], pose[3]
        nearest = math.inf
        for k in range(pool.sizes[seat]):
            item = items[pool.around[seat, k]]
            if item[m.ITEM_TOP] > z:
                px, py = item[m.ITEM_X0] - x, item[m.ITEM_Y0] - y
                px, py = c * px + s * py, c * py - s * px
                if item[m.ITEM_RADIUS] > 0.0:
                    t = ray_to_disc(ox, oy, dx, dy, px, py, item[m.ITEM_RADIUS])
                else:
                    qx, qy = item[m.ITEM_X1] - x, item[m.ITEM_Y1] - y
                    t = ray_to_segment(ox, oy, dx, dy, px, py, c * qx + s * qy, c * qy - s * qx)
                nearest = min(nearest, t)
        pool.nearest[seat, ray] = nearest


@kernel
def read_one(model, pool, noise, seat, channel):
    """Compute one sensor's reading from the hits of its rays. It overwrites the distance of the first ray."""
    reach = model.constants[OWN_AT + RANGE]
    echo, count = 0.0, 0.0
    for ray in range(RAYS_EACH):
        nearest = pool.nearest[seat, channel * RAYS_EACH + ray]
        if nearest <= reach:
            echo += 1.0 / max(nearest * nearest, 1e-12)
        count += 1.0
    echo /= count
    reading = model.stages[DEVICE, m.NOTHING]
    if echo * reach * reach >= 1.0:
        reading = answer(model, pool.keys[seat], noise, channel, 1.0 / math.sqrt(echo))
    pool.nearest[seat, channel * RAYS_EACH] = reading


@kernel
def answer(model, key, noise, channel, ideal):
    """Compute one sensor's reading from its ideal value: response, noise, rounding, inverse response."""
    stage = model.stages[DEVICE]
    value, relative = apply_response(model.constants, RESPONSE, ROWS, ideal)
    sigma = noise * (stage[m.SIGMA] + (stage[m.SIGMA_RELATIVE] + relative) * abs(value))
    if sigma > 0.0:
        value += sigma * gauss(key, channel)
    if stage[m.RESOLUTION] > 0.0:
        value = math.floor(value / stage[m.RESOLUTION] + 0.5) * stage[m.RESOLUTION]
    a, b = model.constants[RESPONSE + 1], model.constants[RESPONSE + (ROWS - 1) * m.RESPONSE_COLUMNS + 1]
    return invert_response(model.constants, RESPONSE, ROWS, min(max(a, b), max(min(a, b), value)))
