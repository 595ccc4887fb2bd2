"""Script functions: functions in the script of a robot that programs can call. They are registered by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from paddock.coppelia import framework
from paddock.coppelia.live import SceneRobot
from paddock.coppelia.scene import CoppeliaScene
from paddock.core.errors import PaddockError
from paddock.core.registry import Registry


class ScriptData(NamedTuple):
    """Arguments or results of a script function."""

    ints: Sequence[int] = ()
    floats: Sequence[float] = ()
    strings: Sequence[str] = ()
    buffer: bytes = b""


ScriptFunction = Callable[[CoppeliaScene, SceneRobot, ScriptData], ScriptData]

SCRIPT_FUNCTIONS: Registry[ScriptFunction] = Registry(
    "script function",
    group="paddock.script_functions",
    builtin={
        f"{name}ForRemote": f"paddock.coppelia.script_functions:{function}"
        for name, function in {
            "getProxSensors": "get_proximity",
            "getLightSensors": "get_light",
            "getLightSensor": "get_light",
            "getGroundSensor": "get_ground",
            "getGroundSensors": "get_ground",
            "getAccelerometer": "get_accelerometer",
            "getWheelEncodingSensor": "get_encoders",
            "getAllSensors": "get_all",
            "getCameraSensors": "get_camera",
            "getPose": "get_pose",
            "getWheelDiameter": "get_wheel_diameter",
            "getWheelDistance": "get_wheel_distance",
            "getObjectSizeFactor": "get_size_factor",
            "setVelocities": "set_velocities",
            "setMaxVelocity": "set_max_velocity",
            "setImageCycle": "accept_cycle",
            "setLED": "set_led",
        }.items()
    },
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


def get_proximity(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return the distances of all proximity sensors [m], in the order of their objects.

    The value is the maximum range if nothing is detected. An e-puck has eight sensors, clockwise from the left side; a
    Pioneer has sixteen sonars.
    """
    sensors = [part for part in scene.base_of(robot).tree if part.part == "proximity"]
    values = {device: robot.read(device).tolist() for device in dict.fromkeys(sensor.device for sensor in sensors)}
    return ScriptData(floats=[min(values[sensor.device][sensor.channel], sensor.limit) for sensor in sensors])


def get_light(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return the values of the eight light sensors [W/m²], clockwise from the left side."""
    return ScriptData(floats=framework.read_ring(robot, "light").tolist())


def get_ground(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return the left, middle and right ground sensor, 0 dark … 1 bright."""
    return ScriptData(floats=robot.read("ground").tolist())


def get_accelerometer(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return the acceleration x, y, z [m/s²]."""
    return ScriptData(floats=robot.read("accelerometer").tolist())


def get_encoders(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return the rotation of the left and right wheel since the start [rad]."""
    return ScriptData(floats=framework.read_encoders(robot).tolist())


def get_all(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return 24 numbers, see `framework.read_all`."""
    return ScriptData(floats=framework.read_all(robot).tolist())


def get_camera(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return red, green, blue (0 … 1) of all pixels, rows from bottom to top."""
    return ScriptData(floats=framework.read_camera(scene, robot).tolist())


def get_pose(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return x, y [m] and heading [rad]."""
    return ScriptData(floats=list(robot.pose))


def get_wheel_diameter(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return the wheel diameter [m]."""
    return ScriptData(floats=[robot.spec.drive.wheel_diameter])


def get_wheel_distance(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return the wheel separation [m]."""
    return ScriptData(floats=[robot.spec.drive.wheel_separation])


def get_size_factor(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Return the scale of the model, which is always 1."""
    return ScriptData(floats=[1.0])


def set_velocities(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Set the velocities of the left and right wheel [rad/s]."""
    if len(data.floats) != 2:
        raise PaddockError(f"setVelocitiesForRemote: expected two velocities in rad/s, got {len(data.floats)}")
    framework.set_velocities(scene, robot, *data.floats)
    return ScriptData()


def set_max_velocity(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Set the maximum velocity of the wheels [rad/s]."""
    if len(data.floats) != 1 or not data.floats[0] > 0:
        raise PaddockError(f"setMaxVelocityForRemote: expected a velocity > 0 in rad/s, got {list(data.floats)}")
    scene.settings["fastest", robot.name] = float(data.floats[0])
    return ScriptData()


def accept_cycle(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Ignore the refresh cycle of the camera's signal, which is refreshed whenever it is read."""
    return ScriptData()


def set_led(scene: CoppeliaScene, robot: SceneRobot, data: ScriptData) -> ScriptData:
    """Set an LED; the arguments are its number and its brightness, 0 or 1."""
    if len(data.ints) != 2 or not 0 <= data.ints[0] < len(robot.spec.leds) or data.ints[1] not in (0, 1):
        leds = len(robot.spec.leds)
        raise PaddockError(f"setLEDForRemote: expected an LED below {leds} and 0 or 1, got {list(data.ints)}")
    robot.set_led(robot.spec.leds[data.ints[0]], float(data.ints[1]))
    return ScriptData()
