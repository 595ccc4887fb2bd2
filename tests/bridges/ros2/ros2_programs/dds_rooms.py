"""A node that uses only cyclonedds: it drives a Pioneer through rooms with /odom and checks /scan."""

import math
import sys
import time
from dataclasses import dataclass, field

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import array, float32, float64, int32, sequence, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

HERE = """<CycloneDDS><Domain><General><AllowMulticast>false</AllowMulticast>
<Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces></General>
<Discovery><ParticipantIndex>auto</ParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""
RELIABLE = Qos(Policy.Reliability.Reliable(1_000_000_000), Policy.History.KeepLast(10))
SENSOR_DATA = Qos(Policy.Reliability.BestEffort, Policy.History.KeepLast(5))
LATCHED = Qos(Policy.Reliability.Reliable(1_000_000_000), Policy.Durability.TransientLocal, Policy.History.KeepLast(1))


@dataclass
class Vector3(IdlStruct, typename="geometry_msgs::msg::dds_::Vector3_"):
    x: float64 = 0.0
    y: float64 = 0.0
    z: float64 = 0.0


@dataclass
class Point(IdlStruct, typename="geometry_msgs::msg::dds_::Point_"):
    x: float64
    y: float64
    z: float64


@dataclass
class Quaternion(IdlStruct, typename="geometry_msgs::msg::dds_::Quaternion_"):
    x: float64
    y: float64
    z: float64
    w: float64


@dataclass
class Twist(IdlStruct, typename="geometry_msgs::msg::dds_::Twist_"):
    linear: Vector3 = field(default_factory=Vector3)
    angular: Vector3 = field(default_factory=Vector3)


@dataclass
class Time(IdlStruct, typename="builtin_interfaces::msg::dds_::Time_"):
    sec: int32
    nanosec: uint32


@dataclass
class Header(IdlStruct, typename="std_msgs::msg::dds_::Header_"):
    stamp: Time
    frame_id: str


@dataclass
class Pose(IdlStruct, typename="geometry_msgs::msg::dds_::Pose_"):
    position: Point
    orientation: Quaternion


@dataclass
class PoseWithCovariance(IdlStruct, typename="geometry_msgs::msg::dds_::PoseWithCovariance_"):
    pose: Pose
    covariance: array[float64, 36]


@dataclass
class TwistWithCovariance(IdlStruct, typename="geometry_msgs::msg::dds_::TwistWithCovariance_"):
    twist: Twist
    covariance: array[float64, 36]


@dataclass
class Odometry(IdlStruct, typename="nav_msgs::msg::dds_::Odometry_"):
    header: Header
    child_frame_id: str
    pose: PoseWithCovariance
    twist: TwistWithCovariance


@dataclass
class LaserScan(IdlStruct, typename="sensor_msgs::msg::dds_::LaserScan_"):
    header: Header
    angle_min: float32
    angle_max: float32
    angle_increment: float32
    time_increment: float32
    scan_time: float32
    range_min: float32
    range_max: float32
    ranges: sequence[float32]
    intensities: sequence[float32]


@dataclass
class Transform(IdlStruct, typename="geometry_msgs::msg::dds_::Transform_"):
    translation: Vector3
    rotation: Quaternion


@dataclass
class TransformStamped(IdlStruct, typename="geometry_msgs::msg::dds_::TransformStamped_"):
    header: Header
    child_frame_id: str
    transform: Transform


@dataclass
class TFMessage(IdlStruct, typename="tf2_msgs::msg::dds_::TFMessage_"):
    transforms: sequence[TransformStamped]


class Node:
    def __init__(self, domain: int) -> None:
        self.domain = Domain(domain, HERE)
        self.participant = DomainParticipant(domain)
        self.scans = self.subscribe("scan", LaserScan, SENSOR_DATA)
        self.odometry = self.subscribe("odom", Odometry, RELIABLE)
        self.transforms = self.subscribe("tf", TFMessage, RELIABLE)
        self.mounts = self.subscribe("tf_static", TFMessage, LATCHED)
        self.command = DataWriter(self.participant, Topic(self.participant, "rt/cmd_vel", Twist), RELIABLE)
        self.counts = {"scan": 0, "odom": 0, "tf": 0}
        self.pose, self.ahead, self.frames = (0.0, 0.0, 0.0), math.inf, {}

    def subscribe(self, name: str, kind: type, qos: Qos) -> DataReader:
        return DataReader(self.participant, Topic(self.participant, f"rt/{name}", kind), qos)

    def look(self) -> None:
        for scan in self.scans.take(10):
            self.counts["scan"] += 1
            angles = [scan.angle_min + i * scan.angle_increment for i in range(len(scan.ranges))]
            self.ahead = min(r for a, r in zip(angles, scan.ranges, strict=True) if abs(a) < 0.3)
        for message in self.transforms.take(100):
            self.counts["tf"] += 1
            for frame in message.transforms:
                self.frames[frame.child_frame_id] = frame.header.frame_id
        for message in self.mounts.take(10):
            for frame in message.transforms:
                self.frames[frame.child_frame_id] = frame.header.frame_id
        for message in self.odometry.take(100):
            self.counts["odom"] += 1
            place, turn = message.pose.pose.position, message.pose.pose.orientation
            self.pose = place.x, place.y, 2 * math.atan2(turn.z, turn.w)

    def drive_to(self, x: float, y: float) -> None:
        while True:
            self.look()
            dx, dy = x - self.pose[0], y - self.pose[1]
            if math.hypot(dx, dy) < 0.15:
                return
            off = math.remainder(math.atan2(dy, dx) - self.pose[2], 2 * math.pi)
            speed = 0.5 if abs(off) < 0.5 and self.ahead > 0.4 else 0.0
            self.command.write(Twist(Vector3(x=speed), Vector3(z=max(-1.5, min(1.5, 3 * off)))))
            time.sleep(0.002)


def report(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


if __name__ == "__main__":
    node = Node(int(sys.argv[1]))
    for way_point in sys.argv[2:]:
        node.drive_to(*map(float, way_point.split(",")))
        report("at", way_point)
    node.command.write(Twist())
    report(node.frames["base_link"], node.frames["laser"], *(f"{name}={n > 10}" for name, n in node.counts.items()))
