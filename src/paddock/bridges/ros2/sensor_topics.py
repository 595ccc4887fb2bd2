"""Sensors as ROS topics: the message type of each kind of sensor, and how the message is created."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from paddock.bridges.ros2.graph import RosTopic
from paddock.bridges.ros2.robot_topics import RosRobot, flat_pose, mount_frames, optical_frame, turn
from paddock.bridges.ros2.wire import messages as ros
from paddock.bridges.ros2.wire.names import SENSOR_DATA, choose_name, make_token
from paddock.core.geometry import Pose
from paddock.core.registry import Registry
from paddock.simulation.sensors.accelerometer import AccelerometerSpec
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.compass import CompassSpec
from paddock.simulation.sensors.gyroscope import GyroscopeSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec
from paddock.simulation.sensors.sonar import SonarSpec

NO_DATA = np.array([-1.0, *[0.0] * 8])  # covariance of values that are not measured
EXACT = 1e-9  # variance of a value without noise; 0 would mean unknown
NEAREST = 0.001  # minimum range [m]

ListTopics = Callable[[RosRobot, SensorSpec, "SensorNames"], Iterable[RosTopic]]
"""Lists the topics of a sensor."""

ROS_SENSORS: Registry[ListTopics] = Registry(
    "sensor kind with topics",
    group="paddock.ros2_sensors",
    builtin={
        "laser": "paddock.bridges.ros2.sensor_topics:list_scans",
        "sonar": "paddock.bridges.ros2.sensor_topics:list_ranges",
        "proximity": "paddock.bridges.ros2.sensor_topics:list_ranges",
        "camera": "paddock.bridges.ros2.sensor_topics:list_pictures",
        "position": "paddock.bridges.ros2.sensor_topics:list_poses",
        "inertial": "paddock.bridges.ros2.sensor_topics:list_poses",
        "accelerometer": "paddock.bridges.ros2.sensor_topics:list_inertia",
        "gyroscope": "paddock.bridges.ros2.sensor_topics:list_inertia",
        "compass": "paddock.bridges.ros2.sensor_topics:list_inertia",
        "encoders": "paddock.bridges.ros2.sensor_topics:list_nothing",  # published as odometry and joint states
        "constant": "paddock.bridges.ros2.sensor_topics:list_constants",
    },
)


class SensorNames:
    """Assigns unique names to the topics of a robot. `humble` selects the shorter Range message of ROS 2 Humble."""

    def __init__(self, *, humble: bool = False) -> None:
        self.humble = humble
        self._taken = {"odom", "joint_states", "robot_description", "cmd_vel", "joint_commands"}

    def choose(self, preferred: str) -> str:
        """Reserve and return an unused name, derived from the requested one."""
        name = choose_name("/".join(make_token(part) for part in preferred.split("/")), self._taken)
        self._taken.add(name)
        return name

    def choose_once(self, preferred: str) -> str | None:
        """Reserve and return a name; None if it is taken."""
        return None if preferred in self._taken else self.choose(preferred)


def list_sensor_topics(robot: RosRobot, *, humble: bool = False) -> Iterator[RosTopic]:
    """Yield the topics of all sensors of a robot; plain numbers for unknown kinds of sensors."""
    names = SensorNames(humble=humble)
    for spec in robot.robot.spec.sensors:
        kinds = [base.tag[1] for base in type(spec).__mro__ if issubclass(base, SensorSpec) and base.tag]
        known = next((kind for kind in [spec.kind, *kinds] if kind in ROS_SENSORS), None)
        yield from (ROS_SENSORS.get(known) if known else list_numbers)(robot, spec, names)


def list_scans(robot: RosRobot, spec: SensorSpec, names: SensorNames) -> Iterator[RosTopic]:
    """Yield the topic of a scanner: `scan` for the first, NAME/scan for others."""
    assert isinstance(spec, LaserSpec)
    angles, interval = spec.angles, spec.period or robot.robot.arena.dt

    def make() -> Any:
        return ros.LaserScan(
            robot.header(spec.name, spec),
            angle_min=angles[0],
            angle_max=angles[-1],
            angle_increment=angles[1] - angles[0],
            scan_time=interval,
            range_min=NEAREST,
            range_max=spec.range,
            ranges=read_ranges(robot, spec).astype(np.float32),
        )

    name = names.choose_once("scan") or names.choose(f"{spec.name}/scan")
    yield RosTopic(robot.topic_name(name), ros.LaserScan, make, SENSOR_DATA, spec.period)


def read_ranges(robot: RosRobot, spec: RangeSensorSpec) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return ranges [m]; infinity where nothing was detected."""
    values = robot.robot.read(spec.name)
    return np.where(values < spec.range, values, np.inf)


def list_ranges(robot: RosRobot, spec: SensorSpec, names: SensorNames) -> Iterator[RosTopic]:
    """Yield a topic for each sensor of a ring: sonar0, sonar1, …"""
    assert isinstance(spec, RangeSensorSpec)
    radiation = ros.Range.ULTRASOUND if isinstance(spec, SonarSpec) else ros.Range.INFRARED
    kind = ros.HumbleRange if names.humble else ros.Range
    seen: tuple[int, int, list[float]] = (-1, -1, [])  # the last reading of the whole ring: tick, seed, ranges

    def read() -> list[float]:
        nonlocal seen
        arena = robot.robot.arena
        if seen[:2] != (arena.tick, arena.seed):
            seen = (arena.tick, arena.seed, read_ranges(robot, spec).tolist())
        return seen[2]

    for i, frame in enumerate(mount_frames(spec)):

        def make(i: int = i, frame: str = frame) -> Any:
            header = robot.header(frame, spec)
            measured = read()[i]
            variance = [] if names.humble else [find_variance(spec, measured) if measured < spec.range else 0.0]
            return kind(header, radiation, spec.opening, NEAREST, spec.range, measured, *variance)

        yield RosTopic(robot.topic_name(names.choose(frame)), kind, make, SENSOR_DATA, spec.period)


def list_pictures(robot: RosRobot, spec: SensorSpec, names: SensorNames) -> Iterator[RosTopic]:
    """Yield the topics NAME/image_raw, NAME/camera_info and NAME/depth/image_raw."""
    assert isinstance(spec, CameraSpec)
    frame, focal = optical_frame(spec), spec.width / 2 / math.tan(spec.opening / 2)
    middle = (spec.width / 2, spec.height / 2)

    def make_picture() -> Any:
        data = robot.robot.picture(spec.name).ravel()
        header = robot.header(frame, spec)
        return ros.Image(header, spec.height, spec.width, "rgb8", 0, 3 * spec.width, data)

    def make_depth() -> Any:
        data = robot.robot.depth(spec.name).astype(np.float32).ravel().view(np.uint8)
        header = robot.header(frame, spec)
        return ros.Image(header, spec.height, spec.width, "32FC1", 0, 4 * spec.width, data)

    def make_info() -> Any:
        matrix = np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1.0]])
        return ros.CameraInfo(
            robot.header(frame, spec),
            spec.height,
            spec.width,
            "plumb_bob",
            np.zeros(5),
            matrix.ravel(),
            np.eye(3).ravel(),
            np.hstack((matrix, np.zeros((3, 1)))).ravel(),
        )

    for name, kind, make in (
        ("image_raw", ros.Image, make_picture),
        ("camera_info", ros.CameraInfo, make_info),
        ("depth/image_raw", ros.Image, make_depth),
    ):
        topic = robot.topic_name(names.choose(f"{spec.name}/{name}"))
        yield RosTopic(topic, kind, make, SENSOR_DATA, spec.period)


def list_poses(robot: RosRobot, spec: SensorSpec, names: SensorNames) -> Iterator[RosTopic]:
    """Yield the topic of a pose in the world frame."""

    def make() -> Any:
        return ros.PoseStamped(robot.map_header(spec), flat_pose(Pose(*robot.robot.read(spec.name).tolist())))

    yield RosTopic(robot.topic_name(names.choose(spec.name)), ros.PoseStamped, make, SENSOR_DATA, spec.period)


def list_inertia(robot: RosRobot, spec: SensorSpec, names: SensorNames) -> Iterator[RosTopic]:
    """Yield `imu`, which combines the first accelerometer, gyroscope and compass of a robot, if present."""
    name = names.choose_once("imu")
    if name is None:  # the topic exists already and includes this sensor
        return
    parts: tuple[tuple[str, type[SensorSpec], Callable[..., Any]], ...] = (
        ("linear_acceleration", AccelerometerSpec, ros.Vector3),
        ("angular_velocity", GyroscopeSpec, ros.Vector3),
        ("orientation", CompassSpec, turn),
    )
    found = [(part, find_sensor(robot, kind), convert) for part, kind, convert in parts]

    def make() -> Any:
        message = ros.Imu(robot.header("base_link", spec))
        for part, sensor, convert in found:
            if sensor is None:
                setattr(message, f"{part}_covariance", NO_DATA)
            else:
                values = robot.robot.read(sensor.name).tolist()
                setattr(message, part, convert(*values))
                variances = [find_variance(sensor, value) for value in values]
                axes = variances if len(variances) == 3 else [EXACT, EXACT, *variances]  # a heading is about z
                setattr(message, f"{part}_covariance", np.diag(axes).ravel())
        return message

    yield RosTopic(robot.topic_name(name), ros.Imu, make, SENSOR_DATA, spec.period)


def find_sensor(robot: RosRobot, kind: type[SensorSpec]) -> SensorSpec | None:
    """Return a robot's first sensor of a kind; None if there is none."""
    return next((spec for spec in robot.robot.spec.sensors if isinstance(spec, kind)), None)


def find_variance(spec: SensorSpec, value: float) -> float:
    """Return the variance of a reading in SI units; 0, which means unknown in ROS, for a response table."""
    if spec.response:
        return 0.0
    scale = spec.scale or 1.0
    rounded = (spec.resolution / scale) ** 2 / 12  # evenly distributed
    return max(EXACT, (spec.noise / scale) ** 2 + (spec.noise_relative * value) ** 2 + rounded)


def list_nothing(robot: RosRobot, spec: SensorSpec, names: SensorNames) -> Iterator[RosTopic]:
    """Yield no topics, for sensors that other topics include."""
    yield from ()


def list_constants(robot: RosRobot, spec: SensorSpec, names: SensorNames) -> Iterator[RosTopic]:
    """Yield `battery_state` for a battery, and plain numbers for other constants."""
    if spec.name != "battery":
        yield from list_numbers(robot, spec, names)
        return

    def make() -> Any:
        (volts,) = robot.robot.read(spec.name).tolist()
        empty, full = (spec.response[0][0], spec.response[-1][0]) if spec.response else (math.nan, math.nan)
        return ros.BatteryState(
            robot.header("base_link", spec),
            voltage=volts,
            temperature=math.nan,
            current=math.nan,
            charge=math.nan,
            capacity=math.nan,
            design_capacity=math.nan,
            percentage=(volts - empty) / (full - empty),
            power_supply_status=ros.BatteryState.POWER_SUPPLY_STATUS_DISCHARGING,
            present=True,
        )

    yield RosTopic(robot.topic_name(names.choose("battery_state")), ros.BatteryState, make, SENSOR_DATA, 1.0)


def list_numbers(robot: RosRobot, spec: SensorSpec, names: SensorNames) -> Iterator[RosTopic]:
    """Yield the topic of a number or an array of numbers."""
    name, count = robot.topic_name(names.choose(spec.name)), spec.channels
    if count == 1:

        def make_number() -> Any:
            return ros.Float64(float(robot.robot.read(spec.name)[0]))

        yield RosTopic(name, ros.Float64, make_number, SENSOR_DATA, spec.period)
        return
    layout = ros.MultiArrayLayout([ros.MultiArrayDimension(spec.name, count, count)])

    def make_numbers() -> Any:
        return ros.Float64MultiArray(layout, robot.robot.read(spec.name))

    yield RosTopic(name, ros.Float64MultiArray, make_numbers, SENSOR_DATA, spec.period)
