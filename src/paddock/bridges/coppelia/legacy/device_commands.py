"""Commands about joints, proximity and vision sensors, collisions and distances."""

from __future__ import annotations

import struct

from paddock.bridges.coppelia.calls.device_calls import COLLECTIONS
from paddock.bridges.coppelia.legacy.caller import Caller
from paddock.bridges.coppelia.legacy.table import command, pack_float, pack_int
from paddock.bridges.coppelia.scene import joints
from paddock.bridges.coppelia.scene.objects import ALL, SceneObject
from paddock.bridges.coppelia.scene.proximity import DetectedSurface, detect
from paddock.bridges.coppelia.scene.surfaces import collides, measure_distance
from paddock.bridges.coppelia.scene.vision import paint_image, read_packets, take_depth, take_image, to_grey
from paddock.core.errors import PaddockError, UnknownName

DETECTION = struct.Struct("<B3fi3f")
NO_DETECTION = DetectedSurface(0.0, (0.0, 0.0, 0.0), -1, (0.0, 0.0, 0.0))
COLLISIONS, DISTANCES = 1_000_000, 2_000_000  # added to the handle of a robot, as COLLECTIONS


@command(0x100B, "simxSetSphericalJointMatrix")
def set_spherical_joint_matrix(caller: Caller, handle: int, data: bytes) -> None:
    joints.find_wheel(caller.scene.get(handle))
    raise PaddockError("expected a spherical joint; wheels have revolute joints")


# ---- sensors


@command(0x1009, "simxReadProximitySensor")
def read_proximity_sensor(caller: Caller, handle: int, data: bytes) -> bytes:
    found = detect(caller.scene, caller.scene.get(handle))
    _, point, detected, normal = found or NO_DETECTION
    return DETECTION.pack(found is not None, *point, detected, *normal)


@command(0x1003, "simxGetVisionSensorImage")
def get_grey_image(caller: Caller, handle: int, data: bytes) -> bytes:
    image = take_image(caller.scene, caller.scene.get(handle))
    return pack_int(image.shape[1], image.shape[0]) + to_grey(image).tobytes()


@command(0x1004, "simxGetVisionSensorImage")
def get_image(caller: Caller, handle: int, data: bytes) -> bytes:
    image = take_image(caller.scene, caller.scene.get(handle))
    return pack_int(image.shape[1], image.shape[0]) + image.tobytes()


@command(0x1005, "simxSetVisionSensorImage")  # grey
@command(0x1006, "simxSetVisionSensorImage")
def set_image(caller: Caller, handle: int, data: bytes) -> None:
    paint_image(caller.scene, caller.scene.get(handle), data)


@command(0x1011, "simxReadVisionSensor")
def read_vision_sensor(caller: Caller, handle: int, data: bytes) -> bytes:
    detected, packets = read_packets(caller.scene, caller.scene.get(handle))
    numbers = [number for packet in packets for number in packet]
    return bytes((detected,)) + pack_int(len(packets), *map(len, packets)) + pack_float(*numbers)


@command(0x1017, "simxGetVisionSensorDepthBuffer")
def get_depth(caller: Caller, handle: int, data: bytes) -> bytes:
    depth = take_depth(caller.scene, caller.scene.get(handle))
    return pack_int(depth.shape[1], depth.shape[0]) + depth.astype("<f4").tobytes()


# ---- collisions and distances


def find_watched(caller: Caller, name: str, what: str) -> SceneObject:
    """Return the robot of a collision or distance object: `Collision`, `Collision#0` …, or any name of a robot."""
    numbered = {what + ("" if i == 0 else f"#{i - 1}"): base for i, base in enumerate(caller.scene.list_bases())}
    found = numbered.get(name.removesuffix("#")) or caller.scene.get_named(name)
    if found is None or found.part != "base":
        raise UnknownName(f"{what.lower()} object", name, numbered)
    return found


def _declare_handle(number: int, what: str, first: int) -> None:
    @command(number, f"simxGet{what}Handle")
    def get_handle(caller: Caller, name: str, data: bytes) -> bytes:
        return pack_int(first + find_watched(caller, name, what).handle)


_declare_handle(0x300A, "Collision", COLLISIONS)
_declare_handle(0x300B, "Distance", DISTANCES)
_declare_handle(0x3019, "Collection", COLLECTIONS)


@command(0x1026, "simxReadCollision")
def read_collision(caller: Caller, handle: int, data: bytes) -> bytes:
    base = caller.scene.get(handle - COLLISIONS)
    return pack_int(int(collides(caller.scene, base.handle, ALL)))


@command(0x1027, "simxReadDistance")
def read_distance(caller: Caller, handle: int, data: bytes) -> bytes:
    base = caller.scene.get(handle - DISTANCES)
    return pack_float(measure_distance(caller.scene, base.handle, ALL)[0])


@command(0x200F, "simxCheckCollision")
def check_collision(caller: Caller, first: int, second: int, data: bytes) -> bytes:
    return pack_int(int(collides(caller.scene, first, second)))


@command(0x2010, "simxCheckDistance")
def check_distance(caller: Caller, first: int, second: int, data: bytes) -> bytes:
    return pack_float(measure_distance(caller.scene, first, second)[0])
