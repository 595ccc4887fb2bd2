"""Frames: all robots in 20 bytes each, little-endian, for those who draw them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import BadMessage

BODY = np.dtype(
    [
        ("x", "<f4"),  # [m]
        ("y", "<f4"),
        ("heading", "<f4"),  # [rad]
        ("left", "<i2"),  # rim speeds [mm/s]
        ("right", "<i2"),
        ("contacts", "u1"),  # how many things it touched in the last tick
        ("bearing", "u1"),  # where on the body the first of them is [turns / 256, counter-clockwise from ahead]
        ("lamps", "<u2"),  # a bit per lamp that is on, the first lamp's is 1
    ]
)
MOST_LAMPS = 16


def pack(
    poses: NDArray[np.float64],
    wheels: NDArray[np.float64],
    contacts: NDArray[np.float64],
    bearings: NDArray[np.float64],
    lamps: NDArray[np.float64],
) -> bytes:
    """All robots' x, y, heading (N, 3), rim speeds [m/s] (N, 2), contacts and first bearing [rad] (N), lamps (N, ·)."""
    bodies = np.zeros(len(poses), BODY)
    bodies["x"], bodies["y"], bodies["heading"] = poses.T
    bodies["left"], bodies["right"] = np.clip(np.round(wheels.T * 1000), -32768, 32767)
    bodies["contacts"] = np.minimum(contacts, 255)
    bodies["bearing"] = np.round(bearings * 128 / math.pi).astype(np.int64) % 256
    on = lamps[:, :MOST_LAMPS] > 0
    bodies["lamps"] = on @ (1 << np.arange(on.shape[1]))
    return bodies.tobytes()


def unpack(bodies: bytes) -> NDArray[Any]:
    """The structured array, one row per robot; see BODY."""
    if len(bodies) % BODY.itemsize:
        raise BadMessage(f"frame.bodies: expected {BODY.itemsize} bytes per robot, got {len(bodies)} bytes")
    return np.frombuffer(bodies, BODY)
