"""ROS 2 messages and services without a ROS installation: serialisation, names and type hashes, without I/O."""

from paddock.bridges.ros2.wire.json_form import encode_json, read_json
from paddock.bridges.ros2.wire.messages import (
    SERVICES,
    RosMessage,
    ServiceType,
    decode_cdr,
    define,
    encode_cdr,
    find_message,
    hash_type,
)
from paddock.bridges.ros2.wire.names import RosQuality, dds_topic, dds_type

__all__ = [
    "SERVICES",
    "RosMessage",
    "RosQuality",
    "ServiceType",
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
