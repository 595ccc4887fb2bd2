"""ROS 2 messages and services without a ROS installation: serialisation, names and type hashes, without I/O."""

from paddock.bridges.ros2.wire.cdr import decode_cdr, encode_cdr
from paddock.bridges.ros2.wire.descriptions import define, hash_type
from paddock.bridges.ros2.wire.fields import MESSAGES, RosMessage, find_message
from paddock.bridges.ros2.wire.json_form import encode_json, read_json
from paddock.bridges.ros2.wire.names import RosQuality, dds_topic, dds_type
from paddock.bridges.ros2.wire.sensor_messages import (
    BatteryStateMsg,
    CameraInfoMsg,
    HumbleRangeMsg,
    ImageMsg,
    ImuMsg,
    JointStateMsg,
    LaserScanMsg,
    RangeMsg,
)
from paddock.bridges.ros2.wire.service_type import ServiceType
from paddock.bridges.ros2.wire.simulation_services import SERVICES
from paddock.bridges.ros2.wire.standard_messages import (
    ClockMsg,
    HeaderMsg,
    NumberMsg,
    NumbersMsg,
    OdometryMsg,
    PoseMsg,
    PoseStampedMsg,
    QuaternionMsg,
    TextMsg,
    TimeMsg,
    TransformsMsg,
    TransformStampedMsg,
    TwistMsg,
    TwistStampedMsg,
    VectorMsg,
)

__all__ = [
    "MESSAGES",
    "SERVICES",
    "BatteryStateMsg",
    "CameraInfoMsg",
    "ClockMsg",
    "HeaderMsg",
    "HumbleRangeMsg",
    "ImageMsg",
    "ImuMsg",
    "JointStateMsg",
    "LaserScanMsg",
    "NumberMsg",
    "NumbersMsg",
    "OdometryMsg",
    "PoseMsg",
    "PoseStampedMsg",
    "QuaternionMsg",
    "RangeMsg",
    "RosMessage",
    "RosQuality",
    "ServiceType",
    "TextMsg",
    "TimeMsg",
    "TransformStampedMsg",
    "TransformsMsg",
    "TwistMsg",
    "TwistStampedMsg",
    "VectorMsg",
    "dds_topic",
    "dds_type",
    "decode_cdr",
    "define",
    "encode_cdr",
    "encode_json",
    "find_message",
    "hash_type",
    "read_json",
]
