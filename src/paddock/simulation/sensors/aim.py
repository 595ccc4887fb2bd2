"""Position and direction of a device: its mount, rotated by its pan angle if it pivots."""

from __future__ import annotations

import math

from paddock.core.jit import kernel
from paddock.simulation.engine.model import FIRST_MOUNT, MOUNT_COLUMNS, MOUNT_COS, MOUNT_SIN, MOUNT_X, MOUNT_Y, PAN
from paddock.simulation.engine.state import PANS


@kernel
def mount_at(model, device, channel):
    """Return the index of a channel's mount in the model's constants, see MOUNT_X …"""
    return model.devices[device, FIRST_MOUNT] + channel * MOUNT_COLUMNS


@kernel
def aim(model, view, device, mount):
    """Return the direction of a mount as a unit vector in the robot's frame."""
    dx, dy = mount[MOUNT_COS], mount[MOUNT_SIN]
    pan = model.devices[device, PAN]
    if pan < 0:
        return dx, dy
    angle = view.motion[view.robot, PANS + pan]
    c, s = math.cos(angle), math.sin(angle)
    return c * dx - s * dy, s * dx + c * dy


@kernel
def place(view, mount):
    """Return the position of a mount in the world frame [m]."""
    return (
        view.x + view.c * mount[MOUNT_X] - view.s * mount[MOUNT_Y],
        view.y + view.s * mount[MOUNT_X] + view.c * mount[MOUNT_Y],
    )
