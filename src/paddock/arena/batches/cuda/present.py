"""Fetch poses and ticks of a batch from the GPU, without the rest of the motion."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from paddock.arena.batches.cuda.device import Cuda
from paddock.arena.batches.mirror import Mirror
from paddock.simulation.engine.model import Floats, Ints
from paddock.simulation.engine.state import TICK, X

cuda: Any = None  # numba's module, set when needed; its simulator expects it among a kernel's global names


def fetch_present(device: Cuda, clock: Mirror, motion: Mirror, robots: int) -> tuple[Floats, Ints]:
    """Return current x, y [m] and heading [rad] of all robots, shape (W, N, 3), and the ticks, shape (W)."""
    moving = motion.there(device)
    worlds = moving.shape[0]
    poses = device.module.device_array((worlds, robots, 3), device.real)
    ticks = device.module.device_array(worlds, np.int64)
    gather = _gatherer(device.module)
    gather[math.ceil(worlds / device.threads), device.threads](clock.there(device), moving, poses, ticks)
    return np.asarray(poses.copy_to_host(), np.float64), ticks.copy_to_host()


@functools.cache
def _gatherer(module: Any) -> Any:
    global cuda
    cuda = module

    def gather(clock, motion, poses, ticks):
        world = cuda.grid(1)
        if world < poses.shape[0]:
            ticks[world] = clock[world, TICK]
            now = motion[world, clock[world, TICK] % motion.shape[1]]
            for robot in range(poses.shape[1]):
                for column in range(3):
                    poses[world, robot, column] = now[robot, X + column]

    return cuda.jit(gather)
