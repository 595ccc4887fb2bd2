"""Random numbers of policies, from a key in their memory and a counter. The key depends on the run's seed and robot.

Every number is a hash of (seed of the world, name of the robot, seed of the policy, number of the draw, channel). So
the same robot draws the same numbers in Python, in the compiled loop, in a batch, on a server and on the GPU, and the
worlds of a batch draw different ones. The key is stored as four numbers of 16 bits, which single precision represents
exactly.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from paddock.core.jit import kernel
from paddock.core.rng import POLICY_STREAM, key_of

KEY_WORDS = 4
S16, LOW = np.uint64(16), np.uint64(0xFFFF)


@kernel
def read_key(memory, first):
    """Return the key that is stored at an index of the memory."""
    key = np.uint64(memory[first + KEY_WORDS - 1])
    for k in range(KEY_WORDS - 2, -1, -1):
        key = (key << S16) | np.uint64(memory[first + k])
    return key


@kernel
def write_keys(memory, first, seeds, name, own):
    """Write the keys of one robot in many worlds; `memory` has one row per world."""
    for world in range(seeds.shape[0]):
        key = key_of(seeds[world], own, name, POLICY_STREAM, 0)
        for k in range(KEY_WORDS):
            memory[world, first + k] = np.float64(key & LOW)
            key = key >> S16


def seed_memory(
    memory: NDArray[np.float64], first: int, seeds: NDArray[np.int64], robot: str, *, seed: int = 0
) -> None:
    """Write the keys of a robot's policy.

    Args:
        memory: memory of the policy, shape (W, ·).
        first: index of the key.
        seeds: seeds of the worlds, shape (W).
        robot: name of the robot.
        seed: seed of the policy itself.
    """
    write_keys(memory, first, seeds, zlib.crc32(robot.encode()), seed)
