"""Commands about objects: handles, the object tree, poses, groups, parameters."""

from __future__ import annotations

from collections.abc import Sequence

from paddock.bridges.coppelia.legacy.caller import Caller
from paddock.bridges.coppelia.legacy.device_commands import COLLECTIONS
from paddock.bridges.coppelia.legacy.group_data import describe_group
from paddock.bridges.coppelia.legacy.table import command, pack_float, pack_int, take
from paddock.bridges.coppelia.scene import parameters
from paddock.bridges.coppelia.scene.frames import from_euler, normalise, to_euler
from paddock.bridges.coppelia.scene.objects import ALL, LAST_TYPE, SCENE, WORLD, SceneObject

ALL_OBJECTS = 109  # the type that denotes all objects

# ---- the tree


@command(0x3001, "simxGetObjectHandle")
def get_object_handle(caller: Caller, name: str, data: bytes) -> bytes:
    return pack_int(caller.scene.find(name).handle)


@command(0x1012, "simxGetObjectParent")
def get_object_parent(caller: Caller, handle: int, data: bytes) -> bytes:
    parent = caller.scene.get(handle).parent
    return pack_int(-1 if parent is None else parent.handle)


@command(0x101C, "simxSetObjectParent")
def set_object_parent(caller: Caller, handle: int, data: bytes) -> None:
    parent, keep = take("<iB", data)
    scene, found = caller.scene, caller.scene.get(handle)
    scene.set_parent(found, None if parent == -1 else scene.get(parent), in_place=bool(keep))


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


# ---- adding and removing


@command(0x0009, "simxCreateDummy")
def create_dummy(caller: Caller, data: bytes) -> bytes:
    return pack_int(caller.scene.add_dummy().handle)


@command(0x1028, "simxRemoveObject", simxRemoveModel=0x1037)
def remove_object(caller: Caller, handle: int, data: bytes) -> None:
    caller.scene.remove(caller.scene.get(handle))


@command(0x102E, "simxCopyPasteObjects")
def copy_paste_objects(caller: Caller, _: int, data: bytes) -> bytes:
    handles = take(f"<{len(data) // 4}i", data)
    copies = [caller.scene.copy(caller.scene.get(handle)).handle for handle in handles]
    return pack_int(len(copies), *copies)


# ---- poses and velocities


@command(0x200E, "simxGetObjectPosition")
def get_object_position(caller: Caller, handle: int, relative_to: int, data: bytes) -> bytes:
    return pack_float(*caller.scene.frame(caller.scene.get(handle), relative_to).position)


@command(0x200D, "simxGetObjectOrientation")
def get_object_orientation(caller: Caller, handle: int, relative_to: int, data: bytes) -> bytes:
    return pack_float(*to_euler(caller.scene.frame(caller.scene.get(handle), relative_to).rotation))


@command(0x2801, "simxGetObjectQuaternion")
def get_object_quaternion(caller: Caller, handle: int, relative_to: int, data: bytes) -> bytes:
    return pack_float(*caller.scene.frame(caller.scene.get(handle), relative_to).rotation)


@command(0x1019, "simxGetObjectPosition")
def get_object_position_before_3_2(caller: Caller, handle: int, data: bytes) -> bytes:
    (relative_to,) = take("<i", data)
    return get_object_position(caller, handle, relative_to, b"")


@command(0x1018, "simxGetObjectOrientation")
def get_object_orientation_before_3_2(caller: Caller, handle: int, data: bytes) -> bytes:
    (relative_to,) = take("<i", data)
    return get_object_orientation(caller, handle, relative_to, b"")


@command(0x101B, "simxSetObjectPosition")
def set_object_position(caller: Caller, handle: int, data: bytes) -> None:
    relative_to, *position = take("<i3f", data)
    caller.scene.move(caller.scene.get(handle), position, relative_to)


@command(0x101A, "simxSetObjectOrientation")
def set_object_orientation(caller: Caller, handle: int, data: bytes) -> None:
    relative_to, *angles = take("<i3f", data)
    caller.scene.turn(caller.scene.get(handle), from_euler(angles), relative_to)


@command(0x1801, "simxSetObjectQuaternion")
def set_object_quaternion(caller: Caller, handle: int, data: bytes) -> None:
    relative_to, *quaternion = take("<i4f", data)
    caller.scene.turn(caller.scene.get(handle), normalise(quaternion), relative_to)


@command(0x1036, "simxGetObjectVelocity")
def get_object_velocity(caller: Caller, handle: int, data: bytes) -> bytes:
    linear, angular = caller.scene.velocity(caller.scene.get(handle))
    return pack_float(*linear, *angular)


# ---- parameters


@command(0x2007, "simxGetObjectFloatParameter")
def get_object_float(caller: Caller, handle: int, number: int, data: bytes) -> bytes:
    return pack_float(parameters.get_object_float(caller.scene, caller.scene.get(handle), number))


@command(0x2008, "simxGetObjectIntParameter")
def get_object_int(caller: Caller, handle: int, number: int, data: bytes) -> bytes:
    return pack_int(parameters.get_object_int(caller.scene, caller.scene.get(handle), number))


@command(0x2009, "simxSetObjectFloatParameter")
def set_object_float(caller: Caller, handle: int, number: int, data: bytes) -> None:
    parameters.set_object_parameter(caller.scene, caller.scene.get(handle), "float", number, *take("<f", data))


@command(0x200A, "simxSetObjectIntParameter")
def set_object_int(caller: Caller, handle: int, number: int, data: bytes) -> None:
    parameters.set_object_parameter(caller.scene, caller.scene.get(handle), "int", number, *take("<i", data))


@command(0x1034, "simxGetModelProperty")
def get_model_property(caller: Caller, handle: int, data: bytes) -> bytes:
    return pack_int(parameters.get_model_property(caller.scene, caller.scene.get(handle)))


@command(0x1035, "simxSetModelProperty")
def set_model_property(caller: Caller, handle: int, data: bytes) -> None:
    caller.scene.remember(("model", caller.scene.get(handle).handle), *take("<i", data))
