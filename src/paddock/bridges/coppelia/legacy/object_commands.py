"""Commands about objects: the object tree, groups, selections, copies."""

from __future__ import annotations

from collections.abc import Sequence

from paddock.bridges.coppelia.calls.device_calls import COLLECTIONS
from paddock.bridges.coppelia.legacy.caller import Caller
from paddock.bridges.coppelia.legacy.group_data import describe_group
from paddock.bridges.coppelia.legacy.table import command, pack_int, take
from paddock.bridges.coppelia.scene.objects import ALL, LAST_TYPE, SCENE, WORLD, SceneObject

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
