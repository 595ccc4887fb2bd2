"""Commands about objects: the object tree, groups, selections, copies."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple

from paddock.bridges.coppelia.calls.device_calls import COLLECTIONS
from paddock.bridges.coppelia.legacy.caller import Caller
from paddock.bridges.coppelia.legacy.table import command, pack_int, take
from paddock.bridges.coppelia.scene.frames import to_euler
from paddock.bridges.coppelia.scene.joints import joint_position
from paddock.bridges.coppelia.scene.objects import ALL, LAST_TYPE, PARENT, SCENE, WORLD, SceneObject
from paddock.bridges.coppelia.scene.paths import make_object_path
from paddock.bridges.coppelia.scene.proximity import detect
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.core.errors import PaddockError

REVOLUTE, FORCE_MODE = 10, 5


class ObjectData(NamedTuple):
    """Data of an object."""

    ints: tuple[int, ...] = ()
    floats: tuple[float, ...] = ()
    strings: tuple[str, ...] = ()


def describe_group(scene: CoppeliaScene, group: Sequence[SceneObject], kind: int) -> bytes:
    """Return the reply of `simxGetObjectGroupData`."""
    if kind not in KINDS:
        raise PaddockError(f"unknown data type {kind}; expected 0 to {max(KINDS)}")
    descriptions = [KINDS[kind](scene, found) for found in group]
    ints = [value for description in descriptions for value in description.ints]
    floats = [value for description in descriptions for value in description.floats]
    strings = [value for description in descriptions for value in description.strings]
    counts = (len(group), len(ints), len(floats), len(strings))
    handles = [found.handle for found in group]
    numbers = struct.pack(f"<4i{len(group)}i{len(ints)}i{len(floats)}f", *counts, *handles, *ints, *floats)
    return numbers + b"".join(text.encode() + b"\0" for text in strings)


def describe_pose(
    relative_to: int, *, position: bool = False, euler: bool = False, quaternion: bool = False
) -> Describe:
    """Return a function that returns positions and orientations, in the frame of the world or of the parent."""

    def describe(scene: CoppeliaScene, item: SceneObject) -> ObjectData:
        frame = scene.frame(item, relative_to)
        floats: tuple[float, ...] = frame.position if position else ()
        floats += to_euler(frame.rotation) if euler else frame.rotation if quaternion else ()
        return ObjectData(floats=floats)

    return describe


def describe_proximity(scene: CoppeliaScene, item: SceneObject) -> ObjectData:
    """Return detection state and detected object (integers); point and normal (floats)."""
    if item.part != "proximity":
        return ObjectData((-1, -1), (0.0,) * 6)
    seen = detect(scene, item)
    return (
        ObjectData((0, -1), (0.0,) * 6) if seen is None else ObjectData((1, seen.handle), (*seen.point, *seen.normal))
    )


def describe_joint(scene: CoppeliaScene, item: SceneObject) -> ObjectData:
    """Return position and force."""
    return ObjectData(floats=(joint_position(item), 0.0) if item.part == "joint" else (0.0, 0.0))


def describe_joint_kind(scene: CoppeliaScene, item: SceneObject) -> ObjectData:
    """Return type and mode (integers); lower limit and range (floats), -1 for cyclic joints."""
    return ObjectData((REVOLUTE, FORCE_MODE), (0.0, -1.0)) if item.part == "joint" else ObjectData((-1, -1), (0.0, 0.0))


Describe = Callable[[CoppeliaScene, SceneObject], ObjectData]

KINDS: dict[int, Describe] = {
    0: lambda scene, found: ObjectData(strings=(found.name,)),
    1: lambda scene, found: ObjectData((found.type,)),
    2: lambda scene, found: ObjectData((-1 if found.parent is None else found.parent.handle,)),
    3: describe_pose(WORLD, position=True),
    4: describe_pose(PARENT, position=True),
    5: describe_pose(WORLD, euler=True),
    6: describe_pose(PARENT, euler=True),
    7: describe_pose(WORLD, quaternion=True),
    8: describe_pose(PARENT, quaternion=True),
    9: describe_pose(WORLD, position=True, euler=True),
    10: describe_pose(PARENT, position=True, euler=True),
    11: describe_pose(WORLD, position=True, quaternion=True),
    12: describe_pose(PARENT, position=True, quaternion=True),
    13: describe_proximity,
    14: lambda scene, found: ObjectData((-1,), (0.0,) * 6),  # force sensors are not supported
    15: describe_joint,
    16: describe_joint_kind,
    17: lambda scene, found: ObjectData(floats=scene.velocity(found)[0]),
    18: lambda scene, found: ObjectData(floats=scene.velocity(found)[1]),
    19: lambda scene, found: ObjectData(floats=sum(scene.velocity(found), ())),
    20: lambda scene, found: ObjectData(strings=(found.alias,)),
    21: lambda scene, found: ObjectData(strings=(make_object_path(scene, found),)),
}


ALL_OBJECTS = 109  # the type that denotes all objects


@command(0x200B, "simxGetObjectChild")
def get_object_child(caller: Caller, handle: int, index: int, data: bytes) -> bytes:
    children = caller.scene.roots if handle in (WORLD, SCENE) else caller.scene.get(handle).children
    return pack_int(children[index].handle if 0 <= index < len(children) else -1)


@command(0x102A, "simxGetObjects")
def get_objects(caller: Caller, type: int, data: bytes) -> bytes:
    handles = [found.handle for found in caller.scene.of_type(ALL if type == ALL_OBJECTS else type)]
    return pack_int(len(handles), *handles)


@command(0x200C, "simxGetObjectGroupData")
def get_object_group_data(caller: Caller, type: int, kind: int, data: bytes) -> bytes:
    group: Sequence[SceneObject]
    if type == ALL_OBJECTS or 0 <= type <= LAST_TYPE:
        group = caller.scene.of_type(ALL if type == ALL_OBJECTS else type)
    else:
        group = list(caller.scene.get(type - COLLECTIONS).tree)
    return describe_group(caller.scene, group, kind)


@command(0x0006, "simxGetObjectSelection")
def get_object_selection(caller: Caller, data: bytes) -> bytes:
    return pack_int(len(caller.selection), *caller.selection)


@command(0x102F, "simxSetObjectSelection")
def set_object_selection(caller: Caller, _: int, data: bytes) -> None:
    handles = take(f"<{len(data) // 4}i", data)
    caller.selection[:] = [caller.scene.get(handle).handle for handle in handles]


@command(0x102E, "simxCopyPasteObjects")
def copy_paste_objects(caller: Caller, _: int, data: bytes) -> bytes:
    handles = take(f"<{len(data) // 4}i", data)
    copies = [caller.scene.copy(caller.scene.get(handle)).handle for handle in handles]
    return pack_int(len(copies), *copies)
