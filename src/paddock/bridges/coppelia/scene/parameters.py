"""Parameters of the simulator and of objects, identified by CoppeliaSim's numbers."""

from __future__ import annotations

import math
import zlib
from typing import Literal

from paddock.bridges.coppelia.scene.frames import compute_heading
from paddock.bridges.coppelia.scene.joints import joint_velocity
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.bridges.coppelia.scene.obstacles import box_around
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.bridges.coppelia.scene.vision import vision_shape
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, bounding_radius, compute_bounds

VERSION = 30500  # version whose calls are supported: V-REP 3.5.0
TIME_STEP, RANDOM, REAL_TIME, PROGRAM_VERSION = 1, 0, 25, 1
HIGHEST = {"boolean": 64, "integer": 64, "floating": 2, "array": 7, "string": 140}  # highest parameter numbers
Kind = Literal["boolean", "integer", "floating", "array"]
IS_MODEL, NOT_MODEL = 0, 0xF000
MOTOR_ENABLED, VISIBLE, MASS, JOINT_VELOCITY = 2000, 10, 3005, 2012
DEFAULTS: dict[tuple[Kind, int], object] = {
    ("integer", PROGRAM_VERSION): VERSION,
    ("floating", 2): 0.065,  # stereo distance
    ("array", 0): (0.0, 0.0, -9.81),  # gravity
}
NOTHING: dict[Kind, object] = {"boolean": False, "integer": 0, "floating": 0.0, "array": (0.0, 0.0, 0.0)}


def check_number(kind: str, number: int) -> None:
    """Raise an error if no parameter has this number."""
    if not 0 <= number <= HIGHEST[kind]:
        raise PaddockError(f"there is no {kind} parameter {number}")


def get_parameter(scene: CoppeliaScene, kind: Kind, number: int) -> object:
    """Return a parameter of the simulator. Unused parameters have the value that a client has set, or 0."""
    check_number(kind, number)
    if (kind, number) == ("floating", RANDOM):
        drawn = scene.settings["drawn"] = scene.settings.get("drawn", 0) + 1
        return zlib.crc32(f"{scene.live.tick} {drawn}".encode()) / 2**32  # repeatable; quality is not important
    return scene.settings.get((kind, number), DEFAULTS.get((kind, number), NOTHING[kind]))


def set_parameter(scene: CoppeliaScene, kind: Kind, number: int, value: object) -> None:
    """Set a parameter of the simulator."""
    check_number(kind, number)
    if (kind, number) in (("integer", PROGRAM_VERSION), ("floating", RANDOM)):
        raise PaddockError(f"{kind} parameter {number} can only be read")
    scene.remember((kind, number), value)


def get_string(scene: CoppeliaScene, number: int) -> str:
    """Return a string parameter of the simulator: the file name of the scene; others are empty."""
    check_number("string", number)
    name = f"{scene.live.world.name}.ttt"
    return name if number in (13, 15) else ""


def get_object_float(scene: CoppeliaScene, item: SceneObject, number: int) -> float:
    """Return a float parameter of an object."""
    linear, angular = scene.velocity(item)
    if 11 <= number <= 13:
        return linear[number - 11]
    if number == 14:
        return math.hypot(*angular)
    if 15 <= number <= 26:
        return bounding_box(item)[(number - 15) % 6]
    if item.part in ("camera", "floor_sensor") and number in (1000, 1001, 1004):
        shape = vision_shape(item)
        return {1000: shape.near, 1001: shape.far, 1004: shape.angle}[number]
    if item.part == "joint" and number == JOINT_VELOCITY:
        return joint_velocity(item)
    if item.part == "base" and item.robot is not None and number == MASS:
        return item.robot.spec.body.mass or 0.0
    if (value := scene.settings.get(("float", item.handle, number))) is None:
        raise PaddockError(f"{item} has no float parameter {number}")
    return float(value)


def bounding_box(item: SceneObject) -> tuple[float, float, float, float, float, float]:
    """Return minimum x, y, z and maximum x, y, z in the object's frame [m]."""
    low, high = -item.height / 2, item.height / 2
    if item.part == "base" and item.pieces:
        x0, y0, x1, y1 = compute_bounds(item.pieces[0])
        base = item.frame.position[2]
        return x0, y0, -base, x1, y1, item.height - base
    if item.part in ("solid", "still") and item.pieces:
        x, y, _ = item.frame.position
        x0, y0, x1, y1 = box_around(item.pieces, Pose(x, y, compute_heading(item.frame.rotation)))
        return x0, y0, low, x1, y1, high
    radius = bounding_radius(item.pieces[0]) if item.pieces else 0.0
    return -radius, -radius, -radius, radius, radius, radius


def get_object_int(scene: CoppeliaScene, item: SceneObject, number: int) -> int:
    """Return an integer parameter of an object."""
    if item.part in ("camera", "floor_sensor") and number in (1002, 1003):
        shape = vision_shape(item)
        return shape.width if number == 1002 else shape.height
    if item.part == "led" and item.robot is not None and number == VISIBLE:
        return int(item.robot.read_leds()[item.device] > 0)
    default = 1 if number in (VISIBLE, MOTOR_ENABLED) else None
    value = scene.settings.get(("int", item.handle, number), default)
    if value is None:
        raise PaddockError(f"{item} has no integer parameter {number}")
    return int(value)


def get_model_property(scene: CoppeliaScene, item: SceneObject) -> int:
    """Return the flags that a client has set for an object; by default whether it is a model, as robots are."""
    return int(scene.settings.get(("model", item.handle), IS_MODEL if item.part == "base" else NOT_MODEL))


def set_object_parameter(
    scene: CoppeliaScene, item: SceneObject, kind: Literal["int", "float"], number: int, value: float
) -> None:
    """Set a parameter of an object. The visibility of an LED switches it; others are stored without effect."""
    if item.part == "led" and item.robot is not None and (kind, number) == ("int", VISIBLE):
        item.robot.set_led(item.device, 1.0 if value else 0.0)
    else:
        scene.remember((kind, item.handle, number), value)
