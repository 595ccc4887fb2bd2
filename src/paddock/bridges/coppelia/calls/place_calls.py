"""Calls about poses and velocities of objects. The reference object comes before or after the pose, by version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddock.bridges.coppelia.calls.constants import GROUPS
from paddock.bridges.coppelia.calls.table import call
from paddock.bridges.coppelia.calls.values import read_floats, read_int, take_count
from paddock.bridges.coppelia.scene.frames import (
    ORIGIN,
    Frame,
    Quaternion,
    from_euler,
    from_matrix,
    make_matrix,
    normalise,
    to_euler,
)
from paddock.bridges.coppelia.scene.joints import joint_frame
from paddock.bridges.coppelia.scene.objects import WORLD, SceneObject
from paddock.bridges.coppelia.scene.simulator import SceneCaller
from paddock.core.errors import PaddockError

WXYZ = GROUPS["handleflag"]["wxyzquat"]


def sort_place(first: Any, second: Any, counts: tuple[int, ...]) -> tuple[list[float], int]:
    """Return the numbers of a pose and the reference handle, given in either order; the list is the pose."""
    place, relative_to = (first, second) if isinstance(first, list | tuple) else (second, first)
    numbers = read_floats(place)
    if len(numbers) not in counts:
        raise PaddockError(f"expected {' or '.join(map(str, counts))} numbers, got {len(numbers)}")
    return numbers, WORLD if relative_to is None else read_int(relative_to)


def read_quaternion(caller: SceneCaller, numbers: Sequence[float]) -> Quaternion:
    """Return a quaternion x, y, z, w that was given in the order that the flags of a handle denote."""
    return normalise([*numbers[1:], numbers[0]] if caller.flags & WXYZ else numbers)


def to_frame(numbers: list[float]) -> Frame:
    """Return the frame of a pose of 7 numbers or a matrix of 12."""
    if len(numbers) == 7:
        return Frame((numbers[0], numbers[1], numbers[2]), normalise(numbers[3:]))
    return from_matrix(take_count(numbers, 12))


def order_quaternion(caller: SceneCaller, numbers: Sequence[float]) -> list[float]:
    """Return a quaternion in the order that the flags of a handle request: x, y, z, w, or w, x, y, z."""
    x, y, z, w = numbers
    return [w, x, y, z] if caller.flags & WXYZ else [x, y, z, w]


def to_pose(frame: Frame) -> list[float]:
    """Return position and quaternion of a frame."""
    return [*frame.position, *frame.rotation]


@call()
def get_object_position(caller: SceneCaller, item: SceneObject, relative_to: int = WORLD) -> list[float]:
    return list(caller.scene.frame(item, relative_to).position)


@call()
def get_object_orientation(caller: SceneCaller, item: SceneObject, relative_to: int = WORLD) -> list[float]:
    return list(to_euler(caller.scene.frame(item, relative_to).rotation))


@call()
def get_object_quaternion(caller: SceneCaller, item: SceneObject, relative_to: int = WORLD) -> list[float]:
    return order_quaternion(caller, caller.scene.frame(item, relative_to).rotation)


@call()
def get_object_pose(caller: SceneCaller, item: SceneObject, relative_to: int = WORLD) -> list[float]:
    frame = caller.scene.frame(item, relative_to)
    return [*frame.position, *order_quaternion(caller, frame.rotation)]


@call()
def get_object_matrix(caller: SceneCaller, item: SceneObject, relative_to: int = WORLD) -> list[float]:
    return list(make_matrix(caller.scene.frame(item, relative_to)))


@call()
def set_object_position(caller: SceneCaller, item: SceneObject, place: Any, relative_to: Any = None) -> None:
    caller.scene.move(item, *sort_place(place, relative_to, (3,)))


@call()
def set_object_orientation(caller: SceneCaller, item: SceneObject, place: Any, relative_to: Any = None) -> None:
    angles, reference = sort_place(place, relative_to, (3, 4))
    caller.scene.turn(item, from_euler(angles) if len(angles) == 3 else normalise(angles), reference)


@call()
def set_object_quaternion(caller: SceneCaller, item: SceneObject, place: Any, relative_to: Any = None) -> None:
    numbers, reference = sort_place(place, relative_to, (4,))
    caller.scene.turn(item, read_quaternion(caller, numbers), reference)


@call("setObjectPose", "setObjectMatrix")
def set_object_pose(caller: SceneCaller, item: SceneObject, place: Any, relative_to: Any = None) -> None:
    numbers, reference = sort_place(place, relative_to, (7, 12, 16))
    if len(numbers) == 7:
        numbers[3:] = read_quaternion(caller, numbers[3:])
    caller.scene.place(item, to_frame(numbers[:12]), reference)


@call("getObjectVelocity", "getVelocity")
def get_object_velocity(caller: SceneCaller, item: SceneObject) -> tuple[list[float], list[float]]:
    linear, angular = caller.scene.velocity(item)
    return list(linear), list(angular)


@call()
def get_object_child_pose(caller: SceneCaller, item: SceneObject) -> list[float]:
    return to_pose(joint_frame(item) if item.part == "joint" else ORIGIN)


@call("resetDynamicObject", "resetProximitySensor", "resetVisionSensor")
def reset_object(caller: SceneCaller, handle: Any) -> None:
    """Do nothing: objects have no momentum, and sensors have no state."""
