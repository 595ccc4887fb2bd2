"""Frames for drawing: all robots in 20 bytes each, little-endian, and a bit per LED."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

BODY = np.dtype(
    [
        ("x", "<f4"),  # [m]
        ("y", "<f4"),
        ("heading", "<f4"),  # [rad]
        ("left", "<i2"),  # wheel speeds [mm/s]
        ("right", "<i2"),
        ("contacts", "<u2"),  # number of contacts in the last tick
        ("bearing", "<u2"),  # of the first contact on the body [turns / 65536, counter-clockwise from ahead]
    ]
)


def pack(
    poses: NDArray[np.float64],
    wheels: NDArray[np.float64],
    contacts: NDArray[np.float64],
    bearings: NDArray[np.float64],
) -> bytes:
    """Pack x, y, heading (N, 3), wheel speeds [m/s] (N, 2), contacts and first bearings [rad] (N) of all robots."""
    bodies = np.zeros(len(poses), BODY)
    bodies["x"], bodies["y"], bodies["heading"] = poses.T
    bodies["left"], bodies["right"] = np.clip(np.round(wheels.T * 1000), -32768, 32767)
    bodies["contacts"] = np.minimum(contacts, 65535)
    bodies["bearing"] = np.round(bearings * 32768 / math.pi).astype(np.int64) % 65536
    return bodies.tobytes()


def pack_poses(poses: NDArray[np.float64]) -> bytes:
    """Pack x, y, heading of things, shape (N, 3)."""
    return poses.astype("<f4").tobytes()


def pack_leds(leds: NDArray[np.float64]) -> bytes:
    """Pack LED brightness (N, ·) into one bit per LED, lowest bit first; empty if all LEDs are off."""
    on = leds > 0
    return np.packbits(on, axis=1, bitorder="little").tobytes() if on.any() else b""
