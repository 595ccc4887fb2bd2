"""Script functions: functions in the script of a robot that programs can call. They are registered by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from paddock.bridges.common.scene_world import ArenaRobot
from paddock.bridges.coppelia.scene import framework
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.core.errors import PaddockError
from paddock.core.registry import Registry


class ScriptData(NamedTuple):
    """Arguments or results of a script function."""

    ints: Sequence[int] = ()
    floats: Sequence[float] = ()
    strings: Sequence[str] = ()
    buffer: bytes = b""


ScriptFunction = Callable[[CoppeliaScene, ArenaRobot, ScriptData], ScriptData]


def read_distances(scene: CoppeliaScene, robot: ArenaRobot) -> list[float]:
    """Return the distances of all proximity sensors [m], in the order of their objects.

    The value is the maximum range if nothing is detected. An e-puck has eight sensors, clockwise from the left side; a
    Pioneer has sixteen sonars.
    """
    sensors = [part for part in scene.find_base(robot).tree if part.part == "proximity"]
    values = {device: robot.read(device).tolist() for device in dict.fromkeys(sensor.device for sensor in sensors)}
    return [min(values[sensor.device][sensor.channel], sensor.limit) for sensor in sensors]


def read_light(scene: CoppeliaScene, robot: ArenaRobot) -> Iterable[float]:
    """Return the values of the eight light sensors [W/m²], clockwise from the left side."""
    return framework.read_ring(robot, "light")


def read_ground(scene: CoppeliaScene, robot: ArenaRobot) -> Iterable[float]:
    """Return the left, middle and right ground sensor, 0 dark … 1 bright."""
    return robot.read("ground")


def set_velocities(scene: CoppeliaScene, robot: ArenaRobot, data: ScriptData) -> ScriptData:
    """Set the velocities of the left and right wheel [rad/s]."""
    if len(data.floats) != 2:
        raise PaddockError(f"setVelocitiesForRemote: expected two velocities in rad/s, got {len(data.floats)}")
    framework.set_velocities(scene, robot, *data.floats)
    return ScriptData()


def set_max_velocity(scene: CoppeliaScene, robot: ArenaRobot, data: ScriptData) -> ScriptData:
    """Set the maximum velocity of the wheels [rad/s]."""
    if len(data.floats) != 1 or not data.floats[0] > 0:
        raise PaddockError(f"setMaxVelocityForRemote: expected a velocity > 0 in rad/s, got {list(data.floats)}")
    scene.settings["fastest", robot.name] = float(data.floats[0])
    return ScriptData()


def accept_cycle(scene: CoppeliaScene, robot: ArenaRobot, data: ScriptData) -> ScriptData:
    """Ignore the refresh cycle of the camera's signal, which is refreshed whenever it is read."""
    return ScriptData()


def set_led(scene: CoppeliaScene, robot: ArenaRobot, data: ScriptData) -> ScriptData:
    """Set an LED; the arguments are its number and its brightness, 0 or 1."""
    if len(data.ints) != 2 or not 0 <= data.ints[0] < len(robot.spec.leds) or data.ints[1] not in (0, 1):
        leds = len(robot.spec.leds)
        raise PaddockError(f"setLEDForRemote: expected an LED below {leds} and 0 or 1, got {list(data.ints)}")
    robot.set_led(robot.spec.leds[data.ints[0]], float(data.ints[1]))
    return ScriptData()


def answer_with(read: Callable[[CoppeliaScene, ArenaRobot], Iterable[float]]) -> ScriptFunction:
    """Return the script function that returns the numbers of `read`."""
    return lambda scene, robot, data: ScriptData(floats=np.asarray(read(scene, robot), float).tolist())


NUMBERS: dict[str, Callable[[CoppeliaScene, ArenaRobot], Iterable[float]]] = {
    "getProxSensors": read_distances,
    "getLightSensors": read_light,
    "getLightSensor": read_light,
    "getGroundSensors": read_ground,
    "getGroundSensor": read_ground,
    "getAccelerometer": lambda scene, robot: robot.read("accelerometer"),  # x, y, z [m/s²]
    "getWheelEncodingSensor": lambda scene, robot: framework.read_encoders(robot),
    "getAllSensors": lambda scene, robot: framework.read_all(robot),
    "getCameraSensors": framework.read_camera,
    "getPose": lambda scene, robot: robot.pose,  # x, y [m] and heading [rad]
    "getWheelDiameter": lambda scene, robot: [robot.spec.drive.wheel_diameter],  # [m]
    "getWheelDistance": lambda scene, robot: [robot.spec.drive.wheel_separation],  # [m]
    "getObjectSizeFactor": lambda scene, robot: [1.0],  # the scale of the model
}
ACTIONS = {
    "setVelocities": set_velocities,
    "setMaxVelocity": set_max_velocity,
    "setImageCycle": accept_cycle,
    "setLED": set_led,
}
FUNCTIONS = {name: answer_with(read) for name, read in NUMBERS.items()} | ACTIONS
SCRIPT_FUNCTIONS: Registry[ScriptFunction] = Registry(
    "script function",
    group="paddock.script_functions",
    builtin={f"{name}ForRemote": function for name, function in FUNCTIONS.items()},
)


def call_script_function(scene: CoppeliaScene, script: str, function: str, data: ScriptData) -> ScriptData:
    """Call a function in the script of an object.

    Args:
        scene: the scene.
        script: name or path of the object: a robot, or a part of one. "": the first robot.
        function: name of the function in `SCRIPT_FUNCTIONS`.
        data: arguments of the function.
    """
    found = SCRIPT_FUNCTIONS.get(function)
    if script:
        robot = scene.find(script).robot
    else:
        robot = next((base.robot for base in scene.list_bases()), None)
    if robot is None:
        raise PaddockError(f"script function {function!r}: {script or 'the scene'} is not a robot and has no script")
    return found(scene, robot, data)
