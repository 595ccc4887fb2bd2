"""Calls about joints, proximity sensors, collisions and distances."""

from __future__ import annotations

import math
from typing import Any

from paddock.bridges.coppelia.calls.table import call
from paddock.bridges.coppelia.calls.values import read_int
from paddock.bridges.coppelia.scene import joints
from paddock.bridges.coppelia.scene.frames import make_matrix
from paddock.bridges.coppelia.scene.objects import ALL, SceneObject
from paddock.bridges.coppelia.scene.proximity import detect
from paddock.bridges.coppelia.scene.simulator import SceneCaller
from paddock.bridges.coppelia.scene.surfaces import TOUCHING, find_segment, measure_distance
from paddock.core.errors import PaddockError

REVOLUTE, DYNAMIC = 10, 5
MAX_FORCE = 100.0  # default maximum force of a joint [N m]
COLLECTIONS = 3_000_000  # below the handles of collections
MAX_COLLECTIONS = 1000
Reading = tuple[int, float, list[float], int, list[float]]
NO_READING: Reading = (0, 0.0, [0.0] * 3, -1, [0.0] * 3)

# ---- joints


@call()
def get_joint_position(caller: SceneCaller, joint: SceneObject) -> float:
    return joints.joint_position(joint)


@call("setJointPosition", "setJointTargetPosition")
def set_joint_position(caller: SceneCaller, joint: SceneObject, position: float, motion: Any = None) -> None:
    joints.refuse_position(joint)


@call()
def get_joint_velocity(caller: SceneCaller, joint: SceneObject) -> float:
    return joints.joint_velocity(joint)


@call()
def get_joint_target_velocity(caller: SceneCaller, joint: SceneObject) -> float:
    return joints.target_velocity(joint)


@call()
def set_joint_target_velocity(caller: SceneCaller, joint: SceneObject, velocity: float, motion: Any = None) -> int:
    joints.set_target_velocity(joint, velocity)
    return 1


@call()
def get_joint_target_position(caller: SceneCaller, joint: SceneObject) -> float:
    joints.find_wheel(joint)
    return 0.0


@call()
def get_joint_force(caller: SceneCaller, joint: SceneObject) -> float:
    joints.find_wheel(joint)
    return 0.0  # the engine is kinematic, without forces


@call("getJointTargetForce", "getJointMaxForce")
def get_joint_target_force(caller: SceneCaller, joint: SceneObject) -> float:
    joints.find_wheel(joint)
    return float(caller.scene.settings.get(("force", joint.handle), MAX_FORCE))


@call("setJointTargetForce", "setJointMaxForce", "setJointForce")
def set_joint_target_force(caller: SceneCaller, joint: SceneObject, force: float, signed: bool = True) -> None:
    joints.find_wheel(joint)
    caller.scene.remember(("force", joint.handle), force)


@call()
def get_joint_type(caller: SceneCaller, joint: SceneObject) -> int:
    joints.find_wheel(joint)
    return REVOLUTE


@call()
def get_joint_mode(caller: SceneCaller, joint: SceneObject) -> tuple[int, int]:
    joints.find_wheel(joint)
    return DYNAMIC, 0


@call()
def set_joint_mode(caller: SceneCaller, joint: SceneObject, mode: int, options: int = 0) -> None:
    joints.find_wheel(joint)
    if mode != DYNAMIC:
        raise PaddockError(f"{joint} is a driven wheel: expected sim.jointmode_dynamic")


@call()
def get_joint_interval(caller: SceneCaller, joint: SceneObject) -> tuple[bool, list[float]]:
    joints.find_wheel(joint)
    return True, [-math.pi, 2 * math.pi]


@call()
def get_joint_matrix(caller: SceneCaller, joint: SceneObject) -> list[float]:
    return list(make_matrix(joints.joint_frame(joint)))


# ---- proximity sensors


@call()
def read_proximity_sensor(caller: SceneCaller, sensor: SceneObject) -> Reading:
    found = detect(caller.scene, sensor)
    if found is None:
        return NO_READING
    return 1, found.distance, list(found.point), found.handle, list(found.normal)


@call()
def check_proximity_sensor(caller: SceneCaller, sensor: SceneObject, entity: int) -> Reading:
    reading = read_proximity_sensor(caller, sensor)
    wanted = entity == ALL or any(part.handle == reading[3] for part in find_parts(caller, entity))
    return reading if wanted else NO_READING


@call()
def handle_proximity_sensor(caller: SceneCaller, sensor: int) -> Reading:
    if sensor >= 0:
        return read_proximity_sensor(caller, caller.scene.get(sensor))
    sensors = [found for found in caller.scene.walk() if found.part == "proximity"]
    readings = [read_proximity_sensor(caller, found) for found in sensors]
    near = [reading for reading in readings if reading[0]]
    return min(near, key=lambda reading: reading[1], default=NO_READING)


@call()
def read_force_sensor(caller: SceneCaller, item: SceneObject) -> None:
    raise PaddockError(f"{item} is not a force sensor")


# ---- collisions and distances


@call()
def create_collection(caller: SceneCaller, options: Any = 0, more: Any = None) -> int:
    collections = caller.scene.settings.setdefault("collections", {})
    if len(collections) >= MAX_COLLECTIONS:
        raise PaddockError(f"there are {MAX_COLLECTIONS} collections already; destroy some")
    handle = COLLECTIONS + 1 + max((key - COLLECTIONS for key in collections), default=0)
    collections[handle] = []
    return int(handle)


@call()
def add_item_to_collection(caller: SceneCaller, collection: int, what: int, item: int, options: int = 0) -> None:
    found = [*caller.scene.walk()] if what == ALL else [caller.scene.get(item)]
    find_collection(caller, collection).extend(thing.handle for thing in found)


@call()
def get_collection_objects(caller: SceneCaller, collection: int) -> list[int]:
    return [handle for handle in find_collection(caller, collection) if handle in caller.scene.objects]


@call()
def destroy_collection(caller: SceneCaller, collection: int) -> None:
    find_collection(caller, collection)
    del caller.scene.settings["collections"][collection]


def find_collection(caller: SceneCaller, handle: int) -> list[int]:
    """Return the handles in a collection."""
    found: list[int] | None = caller.scene.settings.get("collections", {}).get(handle)
    if found is None:
        raise PaddockError(f"collection {handle} does not exist")
    return found


def find_parts(caller: SceneCaller, entity: int) -> list[SceneObject]:
    """Return the objects of an entity: a collection or an object."""
    if entity > COLLECTIONS:
        return [caller.scene.get(handle) for handle in get_collection_objects(caller, entity)]
    return [caller.scene.get(entity)]


def list_entities(caller: SceneCaller, entity: int) -> list[int]:
    """Return the handles of a collection's objects with a body; or the handle itself, which may denote all objects."""
    if entity > COLLECTIONS:
        return [part.handle for part in find_parts(caller, entity) if part.part in ("solid", "base")]
    return [entity]


def measure(caller: SceneCaller, first: int, second: int) -> tuple[float, SceneObject, SceneObject]:
    """Return the minimum distance between two entities [m], and the two objects."""
    pairs = [(a, b) for a in list_entities(caller, first) for b in list_entities(caller, second) if a != b or a == ALL]
    if not pairs:
        raise PaddockError("expected two entities with bodies")
    return min((measure_distance(caller.scene, a, b) for a, b in pairs), key=lambda found: found[0])


@call()
def check_collision(caller: SceneCaller, first: int, second: int = ALL) -> tuple[int, list[int]]:
    distance, a, b = measure(caller, first, second)
    return (1, [a.handle, b.handle]) if distance <= TOUCHING else (0, [])


@call()
def check_distance(
    caller: SceneCaller, first: int, second: int = ALL, threshold: float = 0.0
) -> tuple[int, list[float], list[int]]:
    distance, a, b = measure(caller, first, second)
    if 0 < threshold < distance:
        return 0, [], []
    height = min(a.height, b.height) / 2
    ends = [number for point in find_segment(caller.scene, a, b) for number in (*point, height)]
    return 1, [*ends, distance], [a.handle, b.handle]


@call()
def read_collision(caller: SceneCaller, handle: Any) -> int:
    return check_collision(caller, read_int(handle))[0]
