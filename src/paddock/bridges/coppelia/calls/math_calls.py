"""Mathematical calls: matrices, poses, angles, and packing of numbers into bytes."""

from __future__ import annotations

import math
import struct
from typing import Any

from paddock.bridges.coppelia.calls.place_calls import to_frame, to_pose
from paddock.bridges.coppelia.calls.table import call
from paddock.bridges.coppelia.calls.values import take_count
from paddock.bridges.coppelia.scene.frames import (
    ORIGIN,
    STEEP,
    Frame,
    combine,
    from_euler,
    make_matrix,
    multiply,
    relate,
    rotate,
    to_euler,
)
from paddock.bridges.coppelia.scene.simulator import SceneCaller
from paddock.core.errors import PaddockError

PACKED = {"UInt8": "B", "UInt16": "H", "UInt32": "I", "Int32": "i", "Float": "f", "Double": "d"}


def like(numbers: list[float], frame: Frame) -> list[float]:
    """Return a frame in the format of other numbers: a pose or a matrix."""
    return to_pose(frame) if len(numbers) == 7 else list(make_matrix(frame))


@call()
def build_identity_matrix(caller: SceneCaller) -> list[float]:
    return list(make_matrix(ORIGIN))


@call()
def build_matrix(caller: SceneCaller, position: list[float], angles: list[float]) -> list[float]:
    x, y, z = take_count(position, 3)
    return list(make_matrix(Frame((x, y, z), from_euler(take_count(angles, 3)))))


@call()
def build_matrix_q(caller: SceneCaller, position: list[float], quaternion: list[float]) -> list[float]:
    return list(make_matrix(to_frame([*take_count(position, 3), *take_count(quaternion, 4)])))


@call()
def build_pose(caller: SceneCaller, position: list[float], angles: list[float], mode: int = 0) -> list[float]:
    if mode:
        raise PaddockError("expected mode 0: a position and Euler angles")
    x, y, z = take_count(position, 3)
    return to_pose(Frame((x, y, z), from_euler(take_count(angles, 3))))


@call()
def matrix_to_pose(caller: SceneCaller, matrix: list[float]) -> list[float]:
    return to_pose(to_frame(matrix[:12]))


@call()
def pose_to_matrix(caller: SceneCaller, pose: list[float]) -> list[float]:
    return list(make_matrix(to_frame(pose)))


@call("multiplyMatrices", "multiplyPoses")
def multiply_frames(caller: SceneCaller, first: list[float], second: list[float]) -> list[float]:
    return like(first, combine(to_frame(first[:12]), to_frame(second[:12])))


@call("getMatrixInverse", "getPoseInverse", "invertMatrix", "invertPose")
def invert(caller: SceneCaller, numbers: list[float]) -> list[float]:
    return like(numbers, relate(to_frame(numbers[:12]), ORIGIN))


@call()
def get_quaternion_inverse(caller: SceneCaller, numbers: list[float]) -> list[float]:
    x, y, z, w = take_count(numbers, 4)
    return [-x, -y, -z, w]


@call()
def multiply_vector(caller: SceneCaller, numbers: list[float], vectors: list[float]) -> list[float]:
    frame, moved = to_frame(numbers[:12]), []
    if len(vectors) % 3:
        raise PaddockError(f"expected three numbers for each vector, got {len(vectors)}")
    for x, y, z in zip(vectors[::3], vectors[1::3], vectors[2::3], strict=True):
        moved += [a + b for a, b in zip(rotate(frame.rotation, (x, y, z)), frame.position, strict=True)]
    return moved


@call("getEulerAnglesFromMatrix", "getEulerAnglesFromPose")
def get_euler_angles(caller: SceneCaller, numbers: list[float]) -> list[float]:
    return list(to_euler(to_frame(numbers[:12]).rotation))


@call()
def get_quaternion_from_matrix(caller: SceneCaller, matrix: list[float]) -> list[float]:
    return list(to_frame(matrix[:12]).rotation)


@call()
def alpha_beta_gamma_to_yaw_pitch_roll(
    caller: SceneCaller, alpha: float, beta: float, gamma: float
) -> tuple[float, float, float]:
    r00, r01, _, _, r10, r11, _, _, r20, r21, r22, _ = make_matrix(Frame((0, 0, 0), from_euler((alpha, beta, gamma))))
    pitch = math.asin(max(-1.0, min(1.0, -r20)))
    if abs(r20) > STEEP:
        return math.atan2(-r01, r11), pitch, 0.0
    return math.atan2(r10, r00), pitch, math.atan2(r21, r22)


@call()
def yaw_pitch_roll_to_alpha_beta_gamma(
    caller: SceneCaller, yaw: float, pitch: float, roll: float
) -> tuple[float, float, float]:
    turned = multiply(from_euler((0.0, 0.0, yaw)), from_euler((0.0, pitch, 0.0)))
    return to_euler(multiply(turned, from_euler((roll, 0.0, 0.0))))


def pack_numbers(code: str, table: list[Any], start: int, count: int) -> bytes:
    """Pack some numbers of a table into bytes."""
    chosen = table[max(0, start) :][: count or None]
    try:
        return struct.pack(f"<{len(chosen)}{code}", *chosen)
    except struct.error as error:
        raise PaddockError(f"a number does not fit: {error}") from None


def unpack_numbers(code: str, data: bytes, start: int, count: int, offset: int) -> list[Any]:
    """Unpack numbers from bytes."""
    size = struct.calcsize(code)
    part = data[max(0, start) * size + max(0, offset) :]
    number = min(count, len(part) // size) if count > 0 else len(part) // size
    return list(struct.unpack_from(f"<{number}{code}", part))


def _declare_packing(kind: str, code: str) -> None:
    if code in "fd":

        @call(f"pack{kind}Table")
        def pack_floats(caller: SceneCaller, table: list[float], start: int = 0, count: int = 0) -> bytes:
            return pack_numbers(code, table, start, count)
    else:

        @call(f"pack{kind}Table")
        def pack_ints(caller: SceneCaller, table: list[int], start: int = 0, count: int = 0) -> bytes:
            return pack_numbers(code, table, start, count)

    @call(f"unpack{kind}Table")
    def unpack(caller: SceneCaller, data: bytes, start: int = 0, count: int = 0, offset: int = 0) -> list[Any]:
        return unpack_numbers(code, data, start, count, offset)


for _kind, _code in PACKED.items():
    _declare_packing(_kind, _code)
