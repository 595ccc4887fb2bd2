"""ROS 2 messages: definitions, hashes and bytes of rosbags, and classes whose fields have defaults as in ROS."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, cast

import msgspec
import numpy as np

from paddock.core.errors import BadMessage, LinkError, UnknownName
from paddock.core.packages import import_package

load = functools.partial(import_package, what="ROS 2", extra="ros2", error=LinkError)
typesys, Nodetype = load("rosbags.typesys"), load("rosbags.interfaces").Nodetype

FieldType = tuple[int, Any]
"""Type of a field in rosbags: BASE and (name, limit), NAME and the name of a message, ARRAY or SEQUENCE and (element
type, size)."""
FILLER = ("structure_needs_at_least_one_member", (Nodetype.BASE, ("uint8", 0)))  # IDL has no empty structures
DEFAULTS = {
    ("geometry_msgs/msg/Quaternion", "w"): 1.0,
    ("simulation_interfaces/srv/StepSimulation_Request", "steps"): 1,
}
"""Defaults in ROS's definitions that are not 0."""
ZEROS: dict[str, Any] = {"string": "", "bool": False, "float32": 0.0, "float64": 0.0}  # other numbers: 0
NANOSECONDS = 1_000_000_000


class RosMessage(msgspec.Struct):
    """Base class of all messages. Their constants are attributes of the class."""

    ros_name: ClassVar[str]  # package/msg/Name
    stored_name: ClassVar[str]  # its name in STORE, which differs for an older version of a message


class ServiceType(NamedTuple):
    """A service type with the name package/srv/Name."""

    ros_name: str
    request: type[Any]
    response: type[Any]


class _MessageTypes(dict[str, type[RosMessage]]):
    """Message classes by name; each is made when it is first needed."""

    def __missing__(self, name: str) -> type[RosMessage]:
        constants, fields = STORE.fielddefs[name]
        values = {"ros_name": name, "stored_name": name, **{constant: value for constant, _, value in constants}}
        made = [(field, Any, _make_default(kind, DEFAULTS.get((name, field)))) for field, kind in fields]
        short = name.rpartition("/")[2]
        kind = msgspec.defstruct(short, made, bases=(RosMessage,), module=__name__, namespace=values)
        self[name] = cast(type[RosMessage], kind)
        return self[name]


STORE: Any = typesys.get_typestore(typesys.Stores.ROS2_JAZZY)
STORE.types = _MessageTypes()


def _make_default(kind: FieldType, value: Any) -> Any:
    node, about = kind
    if node == Nodetype.BASE:
        return ZEROS.get(about[0], 0) if value is None else value
    if node == Nodetype.NAME:
        return msgspec.field(default_factory=STORE.types[about])
    (element, name), size = about
    if element == Nodetype.NAME or name[0] == "string":
        return msgspec.field(default_factory=list)
    count = size if node == Nodetype.ARRAY else 0
    return msgspec.field(default_factory=functools.partial(np.zeros, count, find_dtype(name[0])))


def find_dtype(number: str) -> np.dtype[Any]:
    """Return the numpy type of a ROS type of numbers."""
    return np.dtype("uint8" if number in ("char", "byte") else number)


def list_fields(kind: type[RosMessage]) -> list[tuple[str, FieldType]]:
    """Return names and types of a message's fields in order."""
    fields: list[tuple[str, FieldType]] = STORE.fielddefs[kind.stored_name][1]
    return fields


def find_message(name: str) -> type[Any]:
    """Return a message type by name: geometry_msgs/msg/Twist or geometry_msgs/Twist."""
    package, _, rest = name.partition("/")
    full = name if rest.startswith(("msg/", "srv/")) else f"{package}/msg/{rest}"
    if full not in STORE.fielddefs:
        raise UnknownName("message type", name, STORE.fielddefs)
    return STORE.types[full]  # type: ignore[no-any-return]


def encode_cdr(message: RosMessage) -> bytes:
    """Serialise a message. Arrays must have the type of their field."""
    try:
        return bytes(STORE.serialize_cdr(message, message.stored_name, little_endian=True))
    except Exception as error:
        raise BadMessage(f"{message.ros_name}: a field cannot be written: {error}") from None


def decode_cdr(kind: type[RosMessage], data: bytes) -> Any:
    """Deserialise a message."""
    try:
        return STORE.deserialize_cdr(data, kind.stored_name)
    except Exception as error:
        raise BadMessage(f"{kind.ros_name}: cannot read a message from {len(data)} bytes: {error}") from None


def define(kind: type[RosMessage]) -> str:
    """Return the definition of a message and of all nested messages, as in bags and `ros2 interface show`."""
    text: str = STORE.generate_msgdef(kind.stored_name, ros_version=2)[0]
    return text


@functools.cache
def hash_type(kind: type[RosMessage] | ServiceType) -> str:
    """Return the type hash of ROS 2 since Iron: `RIHS01_` and the SHA-256 of the type description."""
    digest: str = STORE.hash_rihs01(kind.ros_name)
    return digest


def add_definitions(text: str) -> list[ServiceType]:
    """Add message types in the notation of bags, and return the services among them."""
    added = []
    for part in text.split(f"{'=' * 80}\nMSG: ")[1:]:
        name, _, body = part.partition("\n")
        ((constants, fields),) = typesys.get_types_from_msg(body, name).values()
        STORE.fielddefs[name] = constants, fields or [FILLER]
        added.append(name)
    services = [name.removesuffix("_Request") for name in added if name.endswith("_Request")]
    return [_add_service(service) for service in services]


def _add_service(name: str) -> ServiceType:
    """Add the description of a service, which contains that of its event for introspection."""
    node, parts = Nodetype.NAME, {"request": f"{name}_Request", "response": f"{name}_Response"}
    watched = [(part, (Nodetype.SEQUENCE, ((node, kind), 1))) for part, kind in parts.items()]
    STORE.fielddefs[f"{name}_Event"] = [], [("info", (node, "service_msgs/msg/ServiceEventInfo")), *watched]
    whole = {**parts, "event": f"{name}_Event"}
    STORE.fielddefs[name] = [], [(f"{part}_message", (node, kind)) for part, kind in whole.items()]
    return ServiceType(name, *map(find_message, parts.values()))


SERVICES = {
    service.ros_name.rpartition("/")[2]: service
    for service in add_definitions(Path(__file__).with_name("definitions.msg").read_text(encoding="utf-8"))
}
"""The services of simulation_interfaces by their names: SpawnEntity, …"""

Time = find_message("builtin_interfaces/msg/Time")
Header = find_message("std_msgs/msg/Header")
Clock = find_message("rosgraph_msgs/msg/Clock")
Log = find_message("rcl_interfaces/msg/Log")
String = find_message("std_msgs/msg/String")
Float64 = find_message("std_msgs/msg/Float64")
Float32MultiArray = find_message("std_msgs/msg/Float32MultiArray")
Float64MultiArray = find_message("std_msgs/msg/Float64MultiArray")
MultiArrayDimension = find_message("std_msgs/msg/MultiArrayDimension")
MultiArrayLayout = find_message("std_msgs/msg/MultiArrayLayout")
Vector3 = find_message("geometry_msgs/msg/Vector3")
Point = find_message("geometry_msgs/msg/Point")
Quaternion = find_message("geometry_msgs/msg/Quaternion")
Pose = find_message("geometry_msgs/msg/Pose")
PoseStamped = find_message("geometry_msgs/msg/PoseStamped")
PoseWithCovariance = find_message("geometry_msgs/msg/PoseWithCovariance")
Twist = find_message("geometry_msgs/msg/Twist")
TwistStamped = find_message("geometry_msgs/msg/TwistStamped")
TwistWithCovariance = find_message("geometry_msgs/msg/TwistWithCovariance")
Transform = find_message("geometry_msgs/msg/Transform")
TransformStamped = find_message("geometry_msgs/msg/TransformStamped")
TFMessage = find_message("tf2_msgs/msg/TFMessage")
Odometry = find_message("nav_msgs/msg/Odometry")
BatteryState = find_message("sensor_msgs/msg/BatteryState")
CameraInfo = find_message("sensor_msgs/msg/CameraInfo")
CompressedImage = find_message("sensor_msgs/msg/CompressedImage")
Image = find_message("sensor_msgs/msg/Image")
Imu = find_message("sensor_msgs/msg/Imu")
JointState = find_message("sensor_msgs/msg/JointState")
LaserScan = find_message("sensor_msgs/msg/LaserScan")
Range = find_message("sensor_msgs/msg/Range")

STORE.fielddefs["sensor_msgs/msg/HumbleRange"] = (
    STORE.fielddefs[Range.ros_name][0],
    list_fields(Range)[:-1],  # without variance
)
HumbleRange = find_message("sensor_msgs/msg/HumbleRange")
HumbleRange.ros_name = Range.ros_name


def make_time(seconds: float) -> Any:
    """Return the time for seconds, rounded to nanoseconds."""
    return Time(*divmod(round(seconds * NANOSECONDS), NANOSECONDS))
