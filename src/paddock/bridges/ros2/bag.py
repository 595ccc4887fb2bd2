"""Bags: exports a recording as a ROS 2 bag with standard ROS messages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from paddock.bridges.ros2.robot_topics import flat_pose, mount_frames, turn
from paddock.bridges.ros2.wire import encode_cdr
from paddock.bridges.ros2.wire import messages as ros
from paddock.bridges.ros2.wire.names import join_names, make_token
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.packages import import_package
from paddock.report.recordings.protobuf import decode
from paddock.report.recordings.recording import Recording
from paddock.report.recordings.robot_messages import WORLD_FRAME, plain_sensors
from paddock.report.recordings.schemas import describe_readings
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import Mount, RangeSensorSpec, is_pivoting

BASE_FRAME, LATCHED = "base_link", "/tf_static"
BAG_VERSION: Literal[9] = 9
LOG_LEVELS = {2: 20, 3: 30}  # info and warning: level numbers of Foxglove, and of ROS


def export_bag(recording: Recording | str | Path, out: str | Path) -> int:
    """Export the visualisation messages of a recording as a ROS 2 bag (MCAP); return the number of messages.

    Args:
        recording: a recording, or its file.
        out: folder of the bag; it must not exist yet.
    """
    import_package("rosbags.rosbag2", "a bag for ROS 2", extra="rosbag")
    from rosbags.rosbag2 import StoragePlugin, Writer

    if Path(out).exists():
        raise PaddockError(f"{out}: already exists; choose another folder for the bag")
    source = recording if isinstance(recording, Recording) else Recording(recording)
    connections: dict[str, Any] = {}
    count = 0
    with Writer(out, version=BAG_VERSION, storage_plugin=StoragePlugin.MCAP) as writer:
        for time, topic, message in BagMessages(source).iterate():
            if topic not in connections:
                quality = [_latched_quality()] if topic == LATCHED else ()
                connections[topic] = writer.add_connection(
                    topic, message.ros_name, typestore=ros.STORE, offered_qos_profiles=quality
                )
            writer.write(connections[topic], time, encode_cdr(message))
            count += 1
    return count


@dataclass(frozen=True)
class BagTopic:
    """A topic of a recording, and the function that converts its messages to ROS messages."""

    robot: str  # empty: the whole world
    device: str
    convert: Callable[[BagTopic, int, dict[int, list[Any]]], Iterator[tuple[str, Any]]]
    namespace: str = ""  # of its topics and frames; empty for a single robot, as in the live bridge
    schema: str = ""

    def name(self, *parts: str) -> str:
        """Return the name of a ROS topic, which has only letters, digits and _."""
        return join_names(self.namespace, *map(make_token, parts))

    def frame(self, name: str = BASE_FRAME) -> str:
        """Return the name of a frame, such as robot/base_link."""
        return f"{self.namespace}/{name}" if self.namespace else name


class BagMessages:
    """Converts the messages of a recording to ROS 2 messages."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._specs, self._history = recording.robot_specs(), recording.robot_history()

    def iterate(self) -> Iterator[tuple[int, str, Any]]:
        """Yield time [ns], topic and message, in order of time."""
        file = self._recording.file
        yield from self._mounts()
        sources = {channel: self._topic(topic, file.schemas[channel]) for channel, topic in file.topics.items()}
        for place in sorted(place for topic in {*file.topics.values()} for place in file.places(topic)):
            source = sources[place.channel]
            if source is not None:
                for topic, message in source.convert(source, place.time, decode(file.read(place))):
                    yield place.time, topic, message

    def _topic(self, topic: str, schema: str) -> BagTopic | None:
        _, robot, *rest = topic.split("/")
        converters: dict[str, Any] = {
            "foxglove.FrameTransforms": self._transforms,
            "foxglove.Log": self._log,
            "foxglove.LaserScan": self._scan,
            "foxglove.CompressedImage": self._picture,
            "paddock.RobotState": self._odometry,
        }
        convert = converters.get(schema, self._readings if rest == ["readings"] else None)
        if convert is None:
            return None
        return BagTopic(robot if rest else "", rest[0] if rest else "", convert, self._namespace(robot), schema)

    def _spec(self, topic: BagTopic, time: int, fits: Callable[[RobotSpec], bool] = lambda spec: True) -> RobotSpec:
        """Return the spec of a robot at a time [ns]; a removed robot and a new one may have the same name."""
        tick = round(time / (self._recording.dt * 1e9))
        specs = [specs[topic.robot] for since, specs in self._history if since <= tick and topic.robot in specs]
        return next(spec for spec in reversed(specs) if fits(spec))

    def _namespace(self, robot: str) -> str:
        return "" if len(self._specs) == 1 else make_token(robot)

    def _mounts(self) -> Iterator[tuple[int, str, Any]]:
        """Yield the static transforms of sensors that do not pivot."""
        start = round(self._recording.start * 1e9)
        mounts = []
        for robot, spec in self._specs.items():
            topic = BagTopic(robot, "", self._transforms, self._namespace(robot))
            for sensor in spec.sensors:
                if isinstance(sensor, RangeSensorSpec | CameraSpec) and not is_pivoting(sensor):
                    frames = zip(mount_frames(sensor), sensor.mounts, strict=True)
                    mounts += [self._mount(start, topic, *each) for each in frames]
        if mounts:
            yield start, LATCHED, ros.TFMessage(transforms=mounts)

    def _mount(self, time: int, topic: BagTopic, name: str, mount: Mount) -> Any:
        x, y, z, heading = mount
        place = ros.Transform(ros.Vector3(x, y, z), turn(math.radians(heading)))
        return ros.TransformStamped(make_header(time, topic.frame()), topic.frame(name), place)

    # ---- one function per kind of message; fields are numbered as in the schemas

    def _transforms(self, topic: BagTopic, time: int, fields: dict[int, list[Any]]) -> Iterator[tuple[str, Any]]:
        yield "/clock", ros.Clock(make_time(time))
        transforms = []
        for part in fields.get(1, ()):
            transform = decode(part)
            position, rotation = _numbers(transform[4][0], 3), _numbers(transform[5][0], 4)
            pose = ros.Transform(ros.Vector3(*position), ros.Quaternion(*rotation))
            robot = bytes(transform[3][0]).decode()
            child = BagTopic(robot, "", self._transforms, self._namespace(robot)).frame()
            transforms.append(ros.TransformStamped(make_header(time, WORLD_FRAME), child, pose))
        yield "/tf", ros.TFMessage(transforms=transforms)

    def _odometry(self, topic: BagTopic, time: int, fields: dict[int, list[Any]]) -> Iterator[tuple[str, Any]]:
        x, y, heading, left, right, *_ = (float(np.frombuffer(fields[number][0])[0]) for number in range(1, 9))
        separation = self._spec(topic, time).drive.wheel_separation
        twist = ros.Twist(ros.Vector3((left + right) / 2), ros.Vector3(z=(right - left) / separation))
        message = ros.Odometry(
            make_header(time, WORLD_FRAME),
            topic.frame(),
            ros.PoseWithCovariance(flat_pose(Pose(x, y, heading))),
            ros.TwistWithCovariance(twist),
        )
        yield topic.name("odom"), message

    def _scan(self, topic: BagTopic, time: int, fields: dict[int, list[Any]]) -> Iterator[tuple[str, Any]]:
        ranges = np.frombuffer(fields[6][0]).astype(np.float32)
        shape = topic.device, len(ranges)
        robot = self._spec(topic, time, lambda spec: shape in [(each.name, each.beams) for each in list_lasers(spec)])
        lasers = list_lasers(robot)
        spec = next(spec for spec in lasers if spec.name == topic.device)
        first, last = (float(np.frombuffer(fields[number][0])[0]) for number in (4, 5))
        message = ros.LaserScan(
            make_header(time, topic.frame(topic.device)),
            angle_min=first,
            angle_max=last,
            angle_increment=(last - first) / (spec.beams - 1),
            scan_time=spec.period,
            range_max=spec.range,
            ranges=ranges,
        )
        yield topic.name(*(["scan"] if spec is lasers[0] else [topic.device, "scan"])), message

    def _readings(self, topic: BagTopic, time: int, fields: dict[int, list[Any]]) -> Iterator[tuple[str, Any]]:
        devices = plain_sensors(self._spec(topic, time, lambda spec: name_readings(spec) == topic.schema))
        for number, values in fields.items():
            data = np.frombuffer(values[0], "<f4")
            yield topic.name(devices[number - 1]), ros.Float32MultiArray(data=data)

    def _picture(self, topic: BagTopic, time: int, fields: dict[int, list[Any]]) -> Iterator[tuple[str, Any]]:
        robot = self._spec(topic, time, lambda spec: topic.device in [sensor.name for sensor in spec.sensors])
        frame = topic.frame(BASE_FRAME if is_pivoting(robot.sensor(topic.device)) else topic.device)
        data = np.frombuffer(fields[2][0], np.uint8)
        message = ros.CompressedImage(make_header(time, frame), "jpeg", data)
        yield topic.name(topic.device, "image_raw", "compressed"), message

    def _log(self, topic: BagTopic, time: int, fields: dict[int, list[Any]]) -> Iterator[tuple[str, Any]]:
        name, text = (bytes(fields[number][0]).decode() for number in (4, 3))
        yield "/rosout", ros.Log(make_time(time), LOG_LEVELS[fields[2][0]], name, text)


def make_time(time: int) -> Any:
    """Return a time in nanoseconds as a message."""
    return ros.Time(*divmod(time, ros.NANOSECONDS))


def make_header(time: int, frame: str) -> Any:
    """Return the header of a message."""
    return ros.Header(make_time(time), frame)


def list_lasers(spec: RobotSpec) -> list[LaserSpec]:
    """Return the lasers of a robot."""
    return [sensor for sensor in spec.sensors if isinstance(sensor, LaserSpec)]


@cache
def name_readings(spec: RobotSpec) -> str:
    """Return the name of the schema of a robot's readings."""
    return describe_readings(spec, plain_sensors(spec))[0]


def _latched_quality() -> Any:
    """Return the QoS profile of latched topics (transient local)."""
    from rosbags import interfaces as bags

    never = bags.QosTime(9223372036, 854775807)
    return bags.Qos(
        history=bags.QosHistory.KEEP_LAST,
        depth=1,
        reliability=bags.QosReliability.RELIABLE,
        durability=bags.QosDurability.TRANSIENT_LOCAL,
        deadline=never,
        lifespan=never,
        liveliness=bags.QosLiveliness.AUTOMATIC,
        liveliness_lease_duration=never,
        avoid_ros_namespace_conventions=False,
    )


def _numbers(data: bytes, count: int) -> list[float]:
    """Return the doubles of a message that contains only doubles; omitted ones are 0."""
    fields = decode(data)
    return [float(np.frombuffer(fields[n][0])[0]) if n in fields else 0.0 for n in range(1, count + 1)]
