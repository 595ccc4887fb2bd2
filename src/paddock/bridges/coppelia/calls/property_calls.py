"""Calls about properties (since version 4.7): of objects, of the scene, and custom ones of programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from paddock.bridges.coppelia.calls import place_calls, simulation_calls
from paddock.bridges.coppelia.calls.constants import GROUPS, OBJECT_TYPES
from paddock.bridges.coppelia.calls.object_calls import set_object_alias
from paddock.bridges.coppelia.calls.table import call
from paddock.bridges.coppelia.calls.values import read_float, read_text
from paddock.bridges.coppelia.scene import joints, parameters
from paddock.bridges.coppelia.scene.frames import Frame, to_euler
from paddock.bridges.coppelia.scene.objects import PARENT, SCENE, WORLD, SceneObject
from paddock.bridges.coppelia.scene.simulator import SceneCaller
from paddock.bridges.coppelia.scene.vision import VISION_PARTS, vision_shape
from paddock.core.errors import PaddockError, UnknownName

APP = GROUPS["handle"]["app"]
OWN, SIGNAL = "customData.", "signal."  # prefixes of the names of custom properties
MAX_CHARACTERS = 200  # maximum length of a name [characters]
KINDS = (  # noqa: SIM905 a list would take a page
    "Bool Int Long Float String Buffer Table IntArray2 Vector2 Vector3 Matrix3x3 Matrix4x4 Quaternion "
    "Pose Color FloatArray IntArray Handle HandleArray"
).split()
NOT_WRITABLE = 1
TYPE_NAMES = {value: name for name, value in OBJECT_TYPES.items()}
Get = Callable[[SceneCaller, SceneObject], Any]
Set = Callable[[SceneCaller, SceneObject, Any], None]


class Property(NamedTuple):
    """A property of objects."""

    kind: str
    get: Get
    set: Set | None = None
    parts: tuple[str, ...] = ()  # parts that have the property; empty: all


def _places(relative_to: int) -> dict[str, Property]:
    def get(read: Callable[[Frame], Any]) -> Get:
        return lambda caller, found: read(caller.scene.frame(found, relative_to))

    def put(setter: Callable[..., None]) -> Set:
        return lambda caller, found, value: setter(caller, found, value, relative_to)

    return {
        "position": Property("vector3", get(lambda f: list(f.position)), put(place_calls.set_object_position)),
        "quaternion": Property("quaternion", get(lambda f: list(f.rotation)), put(place_calls.set_object_quaternion)),
        "eulerAngles": Property(
            "floatarray", get(lambda f: list(to_euler(f.rotation))), put(place_calls.set_object_orientation)
        ),
        "pose": Property("pose", get(place_calls.to_pose), put(place_calls.set_object_pose)),
    }


def _set_velocity(caller: SceneCaller, joint: SceneObject, value: Any) -> None:
    joints.set_target_velocity(joint, read_float(value))


JOINT, VISION = ("joint",), VISION_PARTS
PROPERTIES: dict[str, Property] = {
    **_places(PARENT),
    **{f"absolute{name[0].upper()}{name[1:]}": about for name, about in _places(WORLD).items()},
    "alias": Property(
        "string", lambda caller, found: found.alias, lambda c, f, value: set_object_alias(c, f, read_text(value))
    ),
    "handle": Property("int", lambda caller, found: found.handle),
    "objectUid": Property("long", lambda caller, found: found.handle),
    "objectType": Property("string", lambda caller, found: TYPE_NAMES[found.type]),
    "modelBase": Property("bool", lambda caller, found: found.part == "base"),
    "parentUid": Property("long", lambda caller, found: -1 if found.parent is None else found.parent.handle),
    "visible": Property("bool", lambda caller, found: True),
    "calculatedLinearVelocity": Property("vector3", lambda caller, found: list(caller.scene.velocity(found)[0])),
    "calculatedRotationVelocity": Property("float", lambda caller, found: math.hypot(*caller.scene.velocity(found)[1])),
    "mass": Property("float", lambda c, f: parameters.get_object_float(c.scene, f, parameters.MASS), parts=("base",)),
    "jointPosition": Property("float", lambda caller, found: joints.joint_position(found), parts=JOINT),
    "jointVelocity": Property("float", lambda caller, found: joints.joint_velocity(found), parts=JOINT),
    "velocity": Property("float", lambda caller, found: joints.joint_velocity(found), parts=JOINT),
    "targetVelocity": Property("float", lambda caller, found: joints.target_velocity(found), _set_velocity, JOINT),
    "jointForce": Property("float", lambda caller, found: 0.0, parts=JOINT),
    "volume_range": Property("float", lambda caller, found: found.limit, parts=("proximity",)),
    "range": Property("float", lambda caller, found: found.limit, parts=("proximity",)),
    "resolution": Property("intarray2", lambda caller, found: list(vision_shape(found)[:2]), parts=VISION),
    "nearClippingPlane": Property("float", lambda caller, found: vision_shape(found).near, parts=VISION),
    "farClippingPlane": Property("float", lambda caller, found: vision_shape(found).far, parts=VISION),
    "viewAngle": Property("float", lambda caller, found: vision_shape(found).angle, parts=VISION),
}
SCENE_PROPERTIES: dict[str, tuple[str, Callable[[SceneCaller], Any]]] = {
    "simulationTime": ("float", lambda caller: caller.scene.live.time),
    "simulationState": ("int", simulation_calls.get_simulation_state),
    "timeStep": ("float", lambda caller: caller.simulator.step),
    "sceneName": ("string", lambda caller: caller.scene.live.world.name),
    "gravity": ("vector3", lambda caller: [0.0, 0.0, -9.81]),
    "productVersion": ("string", lambda caller: "4.7.0"),
}


def list_properties(caller: SceneCaller, target: int) -> dict[str, str]:
    """Return the types of all properties of a target, by name."""
    own = [key[2] for key in caller.scene.settings if isinstance(key, tuple) and key[:2] == ("property", target)]
    if target in (SCENE, APP):
        kinds = {name: kind for name, (kind, _) in SCENE_PROPERTIES.items()}
    else:
        part = caller.scene.get(target).part
        kinds = {name: about.kind for name, about in PROPERTIES.items() if not about.parts or part in about.parts}
    return kinds | {name: find_property_type(caller.scene.settings["property", target, name]) for name in own}


def find_property_type(value: Any) -> str:
    """Return the type of a custom property."""
    kinds = ((bool, "bool"), (int, "int"), (float, "float"), (str, "string"), (bytes, "buffer"), (list, "floatarray"))
    return next((kind for python, kind in kinds if isinstance(value, python)), "table")


def read_property(caller: SceneCaller, target: int, name: str) -> Any:
    """Return the value of a property, or raise an error if it does not exist."""
    if name.startswith(SIGNAL):
        value = caller.signals.find(name.removeprefix(SIGNAL))
        if value is not None:
            return value
    elif ("property", target, name) in caller.scene.settings:
        return caller.scene.settings["property", target, name]
    elif target in (SCENE, APP):
        if name in SCENE_PROPERTIES:
            return SCENE_PROPERTIES[name][1](caller)
    else:
        found, about = caller.scene.get(target), PROPERTIES.get(name)
        if about is not None and (not about.parts or found.part in about.parts):
            return about.get(caller, found)
    raise UnknownName("property", name[:MAX_CHARACTERS], list_properties(caller, target))


@call("getProperty", *(f"get{kind}Property" for kind in KINDS))
def get_property(caller: SceneCaller, target: int, name: str, options: Any = None) -> Any:
    try:
        return read_property(caller, target, name)
    except UnknownName:
        if isinstance(options, dict) and options.get("noError"):
            return None
        raise


@call("setProperty", *(f"set{kind}Property" for kind in KINDS))
def set_property(caller: SceneCaller, target: int, name: str, value: Any, options: Any = None) -> None:
    if len(name) > MAX_CHARACTERS:
        raise PaddockError(f"expected the name of a property with at most {MAX_CHARACTERS} characters")
    if name.startswith(SIGNAL):
        set_signal(caller, name.removeprefix(SIGNAL), value)
    elif name.startswith(OWN):
        if target not in (SCENE, APP):
            caller.scene.get(target)
        caller.scene.remember(("property", target, name), value)
    elif target == SCENE and name == "timeStep":
        simulation_calls.set_simulation_time_step(caller, read_float(value))
    else:
        read_property(caller, target, name)
        about = None if target in (SCENE, APP) else PROPERTIES[name]
        if about is None or about.set is None:
            raise PaddockError(f"property {name!r} can only be read")
        about.set(caller, caller.scene.get(target), value)


def set_signal(caller: SceneCaller, name: str, value: Any) -> None:
    """Set a signal with the type of its value."""
    if isinstance(value, int):
        caller.signals.set(int, name, int(value))
    elif isinstance(value, float):
        caller.signals.set(float, name, value)
    elif isinstance(value, str | bytes):
        caller.signals.set(bytes, name, value.encode() if isinstance(value, str) else value)
    else:
        raise PaddockError(f"signal {name!r}: expected a number, a text or bytes")


@call()
def remove_property(caller: SceneCaller, target: int, name: str, options: Any = None) -> None:
    if name.startswith(SIGNAL):
        if signal := name.removeprefix(SIGNAL):
            caller.signals.clear(signal)
    elif caller.scene.settings.pop(("property", target, name), None) is None:
        read_property(caller, target, name)
        raise PaddockError(f"property {name!r} cannot be removed")


@call()
def get_property_name(caller: SceneCaller, target: int, index: int, options: Any = None) -> tuple[Any, Any]:
    names = list(list_properties(caller, target))
    return (names[index], "scene" if target == SCENE else "object") if 0 <= index < len(names) else (None, None)


@call()
def get_property_info(caller: SceneCaller, target: int, name: str, options: Any = None) -> Any:
    kinds = list_properties(caller, target)
    if name not in kinds:
        return None
    writable = name.startswith(OWN) or (target not in (SCENE, APP) and PROPERTIES[name].set is not None)
    return GROUPS["propertytype"].get(kinds[name], 0), 0 if writable else NOT_WRITABLE, name


@call()
def get_properties(caller: SceneCaller, target: int, options: Any = None) -> dict[str, Any]:
    return {name: read_property(caller, target, name) for name in list_properties(caller, target)}


@call()
def set_properties(caller: SceneCaller, target: int, values: dict[str, Any]) -> None:
    for name, value in values.items():
        set_property(caller, target, name, value)
