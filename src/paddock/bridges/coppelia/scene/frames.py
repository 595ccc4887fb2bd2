"""3D frames: positions and rotations in CoppeliaSim's conventions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
"""x, y, z, w."""
UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)
STEEP = 1 - 1e-9  # sine of the second Euler angle above which the other two rotate about the same axis
SHORTEST, LONGEST = 0.5, 2.0  # limits of the length of a quaternion that is accepted as a rotation


class Frame(NamedTuple):
    """Position [m] and rotation of an object in the frame of another object."""

    position: Vector
    rotation: Quaternion = UPRIGHT


ORIGIN = Frame((0.0, 0.0, 0.0))


def floor_frame(pose: Pose, height: float = 0.0) -> Frame:
    """Return the frame of a 2D pose at a height above the floor [m]."""
    half = pose.heading / 2
    return Frame((pose.x, pose.y, height), (0.0, 0.0, math.sin(half), math.cos(half)))


def rotate(turn: Quaternion, vector: Vector) -> Vector:
    """Rotate a vector: convert it from a rotated frame to the outer frame."""
    x, y, z, w = turn
    vx, vy, vz = vector
    cx, cy, cz = y * vz - z * vy + w * vx, z * vx - x * vz + w * vy, x * vy - y * vx + w * vz
    return vx + 2 * (y * cz - z * cy), vy + 2 * (z * cx - x * cz), vz + 2 * (x * cy - y * cx)


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the product of two rotations: first b, then a."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def combine(outer: Frame, inner: Frame) -> Frame:
    """Convert a frame from the outer frame's coordinates to those of its parent: outer · inner."""
    x, y, z = rotate(outer.rotation, inner.position)
    px, py, pz = outer.position
    return Frame((px + x, py + y, pz + z), multiply(outer.rotation, inner.rotation))


def relate(outer: Frame, inner: Frame) -> Frame:
    """Express a frame in the coordinates of another one, the inverse of `combine`: outer⁻¹ · inner."""
    x, y, z, w = outer.rotation
    back: Quaternion = (-x, -y, -z, w)
    (ix, iy, iz), (ox, oy, oz) = inner.position, outer.position
    return Frame(rotate(back, (ix - ox, iy - oy, iz - oz)), multiply(back, inner.rotation))


def from_axes(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """Return the rotation with three given orthogonal axes."""
    trace = x[0] + y[1] + z[2]
    if trace > 0:
        s = math.sqrt(trace + 1) * 2
        return ((y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s, s / 4)
    if x[0] >= y[1] and x[0] >= z[2]:
        s = math.sqrt(1 + x[0] - y[1] - z[2]) * 2
        return (s / 4, (y[0] + x[1]) / s, (z[0] + x[2]) / s, (y[2] - z[1]) / s)
    if y[1] >= z[2]:
        s = math.sqrt(1 + y[1] - x[0] - z[2]) * 2
        return ((y[0] + x[1]) / s, s / 4, (z[1] + y[2]) / s, (z[0] - x[2]) / s)
    s = math.sqrt(1 + z[2] - x[0] - y[1]) * 2
    return ((z[0] + x[2]) / s, (z[1] + y[2]) / s, s / 4, (x[1] - y[0]) / s)


def normalise(numbers: Sequence[float]) -> Quaternion:
    """Return a quaternion of length 1, or raise an error if the length of the given one is not about 1."""
    x, y, z, w = numbers
    size = (x * x + y * y + z * z + w * w) ** 0.5
    if not SHORTEST < size < LONGEST:
        raise PaddockError(f"expected a quaternion of length 1, got one of length {size:g}")
    return x / size, y / size, z / size, w / size


def look_along(heading: float) -> Quaternion:
    """Return the rotation of a sensor that points along a heading [rad]: z forward, y up, x left."""
    c, s = math.cos(heading), math.sin(heading)
    return from_axes((-s, c, 0.0), (0.0, 0.0, 1.0), (c, s, 0.0))


def make_matrix(frame: Frame) -> tuple[float, ...]:
    """Return 12 numbers: the three rows of the rotation matrix, each followed by a component of the position."""
    columns = [rotate(frame.rotation, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    return tuple(value for row in range(3) for value in (*(c[row] for c in columns), frame.position[row]))


def from_matrix(numbers: Sequence[float]) -> Frame:
    """Return the frame of 12 numbers, see `make_matrix`."""
    x, y, z = ((numbers[k], numbers[4 + k], numbers[8 + k]) for k in range(3))
    return Frame((numbers[3], numbers[7], numbers[11]), from_axes(x, y, z))


def to_euler(rotation: Quaternion) -> Vector:
    """Return CoppeliaSim's Euler angles alpha, beta, gamma [rad]: R = Rx(alpha) Ry(beta) Rz(gamma)."""
    r00, r01, r02, _, _, r11, r12, _, _, r21, r22, _ = make_matrix(Frame((0.0, 0.0, 0.0), rotation))
    beta = math.asin(max(-1.0, min(1.0, r02)))
    if abs(r02) > STEEP:
        return math.atan2(r21, r11), beta, 0.0
    return math.atan2(0.0 - r12, r22), beta, math.atan2(0.0 - r01, r00)  # 0 instead of -0 for upright objects


def from_euler(angles: Sequence[float]) -> Quaternion:
    """Return the rotation of three Euler angles [rad]."""
    a, b, g = (angle / 2 for angle in angles)
    first = multiply((math.sin(a), 0.0, 0.0, math.cos(a)), (0.0, math.sin(b), 0.0, math.cos(b)))
    return multiply(first, (0.0, 0.0, math.sin(g), math.cos(g)))


def compute_heading(rotation: Quaternion) -> float:
    """Return the heading of the x axis, seen from above [rad]."""
    x, y, _ = rotate(rotation, (1.0, 0.0, 0.0))
    return math.atan2(y, x)
