"""Robot models: the object tree of each robot type, with the names used by CoppeliaSim programs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from paddock.bridges.common.scene_world import ArenaRobot
from paddock.bridges.coppelia.scene.frames import Frame, floor_frame, from_axes, look_along
from paddock.bridges.coppelia.scene.objects import (
    JOINT,
    LEFT,
    LIGHT,
    PROXIMITY,
    RIGHT,
    SHAPE,
    VISION,
    SceneObject,
)
from paddock.core.geometry import Disc, Pose, bounding_radius
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec

FROM_LEFT = (5, 6, 7, 0, 1, 2, 3, 4)
"""The ps number of each sensor of a V-REP e-puck, clockwise from the left side; ps0 … ps7 start right of the front."""
WHEEL_SEPARATION = from_axes((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))  # z left: positive angles drive forward
DOWN = from_axes((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0))  # z down, y forward, x left
LED = re.compile(r"led\d+")
SCANNER_OPENING = math.radians(120.0)  # field of view of each half of a laser scanner

Add = Callable[..., SceneObject]
"""Adds an object to a scene: (alias, number or None, type, part, parent, frame, also=(), **fields).

`also` are additional names of the part, used in scenes where it is a separate model.
"""


@dataclass(frozen=True, kw_only=True)
class RobotModel:
    """The names of a robot's parts in CoppeliaSim, and the behaviour of its sensors there."""

    name: str  # the legacy name of the base
    alias: str
    prefix: str | None = None  # prefix of the legacy names of parts; None: the name and _
    joints: tuple[str, str] = ("leftMotor", "rightMotor")
    height: float = 0.0  # height of the base's frame above the floor [m]
    aliases: Mapping[str, str] = field(default_factory=dict)  # aliases of sensors, by the name of the device
    order: tuple[int, ...] = ()  # the device's channel for each sensor of a proximity ring; empty: same order
    limit: float = math.inf  # maximum range of proximity sensors [m]
    shapes: tuple[str, ...] = ()  # further parts that programs may search for
    spots: tuple[str, ...] = ()  # names of its ground sensors, if each is a vision sensor of one pixel
    ending: str = ""  # text after the numbers in legacy names
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # additional names of parts


PIONEER = RobotModel(
    name="Pioneer_p3dx",
    alias="PioneerP3DX",
    height=0.1388,
    aliases={"sonar": "ultrasonicSensor"},
    limit=1.0,
    shapes=("caster_freeJoint1", "caster_freeJoint2", "caster_link", "caster_wheel", "caster_wheel_visible", "visible"),
)
EPUCK = RobotModel(
    name="ePuck",
    alias="ePuck",
    joints=("leftJoint", "rightJoint"),
    height=0.0191,
    aliases={"proximity": "proxSensor", "ground": "lightSensor"},
    order=FROM_LEFT,
    limit=0.05,
    shapes=("base", "ring", "bodyElements", "ledLight", "leftWheelPart", "rightWheelPart", "speaker"),
    others={"leftWheel": ("leftRespondableWheel",), "rightWheel": ("rightRespondableWheel",)},
)
LINE_TRACER = RobotModel(
    name="LineTracer",
    alias="LineTracer",
    prefix="",
    joints=("DynamicLeftJoint", "DynamicRightJoint"),
    height=0.027,
    shapes=("LineTracerBase",),
    spots=("LeftSensor", "MiddleSensor", "RightSensor"),
    others={"DynamicLeftJoint": ("LeftJoint",), "DynamicRightJoint": ("RightJoint",)},
)
BUBBLE_ROB = RobotModel(
    name="bubbleRob",
    alias="bubbleRob",
    height=0.12,
    aliases={"nose": "sensingNose"},
    shapes=("body", "slider", "connection", "graph"),
    spots=("leftSensor", "middleSensor", "rightSensor"),
    others={  # names in the scene of the remote API's own examples
        "leftMotor": ("remoteApiControlledBubbleRobLeftMotor",),
        "rightMotor": ("remoteApiControlledBubbleRobRightMotor",),
        "sensingNose": ("remoteApiControlledBubbleRobSensingNose",),
    },
)
DR20 = RobotModel(
    name="dr20",
    alias="dr20",
    joints=("leftWheelJoint_", "rightWheelJoint_"),
    height=0.1517,
    aliases={"infrared": "infraredSensor", "sonar": "ultrasonicSensor_"},
    shapes=("body_", "ultrasonicSensorJoint_"),
    ending="_",
    others={"leftWheelWheel_": ("dr20_dynamicLeftWheel",), "rightWheelWheel_": ("dr20_dynamicRightWheel",)},
)
MODELS = {
    "pioneer-p3dx": PIONEER,
    "pioneer-p3dx-paper": PIONEER,
    "e-puck": EPUCK,
    "e-puck2": EPUCK,
    "e-puck-nose": EPUCK,
    "line-tracer": LINE_TRACER,
    "bubble-rob": BUBBLE_ROB,
    "dr20": DR20,
}


def find_robot_model(spec: RobotSpec) -> RobotModel:
    """Return the model of a robot type; types that CoppeliaSim does not have keep their own names."""
    plain = re.sub(r"\W", "_", spec.name)
    return MODELS.get(spec.name) or RobotModel(name=plain, alias=plain, height=spec.drive.wheel_diameter / 2)


def add_robot(robot: ArenaRobot, model: RobotModel, add: Add) -> SceneObject:
    """Add a robot's tree: base, joints with wheels, proximity and vision sensors, LEDs."""
    spec, drive = robot.spec, robot.spec.drive
    height, radius, side = model.height, drive.wheel_diameter / 2, drive.wheel_separation / 2
    base = add("", None, SHAPE, "base", None, Frame((0.0, 0.0, height)), pieces=(spec.body.shape,))
    base.height, base.radius = spec.body.height, bounding_radius(spec.body.shape)
    for channel, alias, y in ((LEFT, model.joints[0], side), (RIGHT, model.joints[1], -side)):
        joint = add(
            alias, None, JOINT, "joint", base, Frame((0.0, y, radius - height), WHEEL_SEPARATION), channel=channel
        )
        wheel = alias.replace("Motor", "Wheel").replace("Joint", "Wheel")
        add(wheel, None, SHAPE, "shape", joint, pieces=(Disc(0.0, 0.0, radius),))
    for alias in model.shapes:
        add(alias, None, SHAPE, "shape", base)
    for sensor in spec.sensors:
        alias = model.aliases.get(sensor.name, sensor.name)
        if sensor.kind in ("sonar", "proximity"):
            assert isinstance(sensor, RangeSensorSpec)
            _add_ring(sensor, alias, model, base, add)
        elif sensor.kind == "ground" and len(model.spots) == len(sensor.mounts):
            for channel, spot in enumerate(model.spots):
                x, y, z, _ = sensor.mounts[channel]
                frame = Frame((x, y, z - height), DOWN)
                add(spot, None, VISION, "floor_spot", base, frame, device=sensor.name, channel=channel)
        elif sensor.kind in ("camera", "ground"):
            _add_vision(sensor, alias, height, base, add)
        elif sensor.kind == "laser":
            _add_laser(sensor, height, base, add)
    for led in spec.leds:
        number = int(led[3:]) + 1 if LED.fullmatch(led) else None
        add(led if number is None else "led", number, LIGHT, "led", base, device=led)
    return base


def _add_ring(sensor: RangeSensorSpec, alias: str, model: RobotModel, base: SceneObject, add: Add) -> None:
    count = len(sensor.mounts)
    order = model.order if len(model.order) == count else range(count)
    for number, channel in enumerate(order, 1):
        x, y, z, heading = sensor.mounts[channel]
        frame = Frame((x, y, z - model.height), look_along(math.radians(heading)))
        limit = min(sensor.range, model.limit)
        fields = {"device": sensor.name, "channel": channel, "limit": limit}
        add(alias, number if count > 1 else None, PROXIMITY, "proximity", base, frame, **fields)


def _add_vision(sensor: SensorSpec, alias: str, height: float, base: SceneObject, add: Add) -> None:
    x, y, z, heading = sensor.mounts[len(sensor.mounts) // 2]
    if sensor.kind == "camera":
        frame = Frame((x, y, z - height), look_along(math.radians(heading)))
        add(alias, None, VISION, "camera", base, frame, also=("Vision_sensor", "visionSensor"), device=sensor.name)
    else:
        add(alias, None, VISION, "floor_sensor", base, Frame((x, y, z - height), DOWN), device=sensor.name)


def half_heading(half: int) -> float:
    """Return the direction of a half of a laser scanner in the scanner's frame [rad]; the first half points right."""
    return (half - 0.5) * SCANNER_OPENING


def _add_laser(sensor: SensorSpec, height: float, base: SceneObject, add: Add) -> None:
    x, y, z, heading = sensor.mounts[0]
    frame = floor_frame(Pose(x, y, math.radians(heading)), z - height)
    scanner = add("fastHokuyo", None, SHAPE, "shape", base, frame, also=("fastHokuyo",))
    for channel in (0, 1):
        alias = f"sensor{channel + 1}"
        frame = Frame((0.0, 0.0, 0.0), look_along(half_heading(channel)))
        fields = {"also": (f"fastHokuyo_{alias}",), "device": sensor.name, "channel": channel}
        add(alias, None, VISION, "laser_half", scanner, frame, **fields)
