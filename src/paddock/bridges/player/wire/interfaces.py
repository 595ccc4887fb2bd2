"""Interfaces of Player: their codes, and the layouts of their payloads (version 3.1; 2.1 is mostly identical)."""

from __future__ import annotations

from enum import IntEnum

from paddock.bridges.player.wire.layout import XdrLayout


class PlayerInterface(IntEnum):
    """Supported interfaces."""

    PLAYER = 1
    POSITION2D = 4
    SONAR = 5
    LASER = 6
    FIDUCIAL = 10
    BUMPER = 14
    IR = 22
    SIMULATION = 31
    CAMERA = 40
    RANGER = 62


OPEN, CLOSE, ERROR = 1, 2, 3  # access to a device
PUSH, PULL = 1, 2  # data modes
CAPABILITY = 255  # request of any interface: whether a device supports a type and a subtype

# Poses in the plane are x, y, heading; in space x, y, z, roll, pitch, yaw. Sizes are width, length, height.
NUMBER = XdrLayout("I")
TYPE_AND_SUBTYPE = XdrLayout("I", "I")
DEVICES = XdrLayout("*4I")
DRIVER = XdrLayout("4I", "*B")
SUBSCRIPTION = XdrLayout("4I", "I", "*B")
ADDRESS_AND_ACCESS = XdrLayout("4I", "I")  # start of a subscription request
ADDRESS = XdrLayout("4I")

POSE = XdrLayout("3d")
GEOMETRY = XdrLayout("6d", "3d")
POSITION = XdrLayout("3d", "3d", "I")  # pose, velocity, stalled
VELOCITY = XdrLayout("3d")  # followed by the motor's state, which Stage ignores
GOAL = XdrLayout("3d", "3d")  # pose, velocity
SPEED_AND_ANGLE = XdrLayout("d", "d")

RANGES = XdrLayout("*f")
POSES = XdrLayout("*6d")
VOLTAGES_AND_RANGES = XdrLayout("*f", "*f")
SCAN = XdrLayout(
    "f", "f", "f", "f", "*f", "*B", "I"
)  # from, to, step [rad], maximum range, ranges, intensities, scan number
LASER_SETTINGS = XdrLayout("f", "f", "f", "f", "f", "I", "f")  # … range resolution, intensities, frequency
RANGER_RANGES = XdrLayout("*d")
RANGER_GEOMETRY = XdrLayout("6d", "3d", "*6d", "*3d")
RANGER_SETTINGS = XdrLayout(*"ddddddd")  # from, to, step [rad], minimum and maximum range, resolution, frequency

BUMPS = XdrLayout("*B")
BUMPER_GEOMETRY = XdrLayout("*6dff")  # pose, length, radius
FIDUCIALS = XdrLayout("*i6d6d")  # number, pose, uncertainty
FIDUCIAL_GEOMETRY = XdrLayout("6d", "3d", "2d")
FIELD_OF_VIEW = XdrLayout("f", "f", "f")  # minimum and maximum range, angle
PICTURE = XdrLayout("I", "I", "I", "I", "I", "I", "*B")  # width, height, bits, format, divisor, compression, pixels
NAME = XdrLayout("*B")
NAMED_POSE = XdrLayout("*B", "3d")
NAMED_POSE_3D = XdrLayout("*B", "6d", "d")  # … and the time
