"""ROS 2 messages: definitions, hashes and bytes compared with rosbags' types."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from paddock.bridges.ros2.wire import (
    MESSAGES,
    SERVICES,
    HeaderMsg,
    HumbleRangeMsg,
    JointStateMsg,
    LaserScanMsg,
    RangeMsg,
    RosMessage,
    ServiceType,
    TextMsg,
    TimeMsg,
    TwistMsg,
    TwistStampedMsg,
    VectorMsg,
    dds_topic,
    dds_type,
    decode_cdr,
    define,
    encode_cdr,
    encode_json,
    find_message,
    hash_type,
    read_json,
)
from paddock.bridges.ros2.wire.discovery_messages import ParticipantEntitiesMsg
from paddock.bridges.ros2.wire.fields import DTYPES, FieldType, Int64
from paddock.bridges.ros2.wire.names import (
    LATCHED,
    SENSOR_DATA,
    RosQuality,
    ZenohNode,
    choose_name,
    make_token,
    quality_text,
)
from paddock.core.errors import BadMessage, UnknownName

JAZZY, HUMBLE = get_typestore(Stores.ROS2_JAZZY), get_typestore(Stores.ROS2_HUMBLE)
STANDARD = sorted(set(MESSAGES) & set(JAZZY.fielddefs))
OWN = sorted(set(MESSAGES) - set(JAZZY.fielddefs))


def add_own_types() -> None:
    """Add our own types to rosbags."""
    for name in OWN:
        JAZZY.register(get_types_from_msg(define(MESSAGES[name]), name))


def their_name(name: str) -> str:
    """Return the type name in rosbags, which treats all types as messages."""
    return name.replace("/srv/", "/srv/msg/")


add_own_types()


def values_of(kind: FieldType) -> st.SearchStrategy[Any]:
    if kind.many:
        count = {"min_size": kind.size, "max_size": kind.size} if kind.size else {"max_size": 3}
        items = st.lists(values_of(kind.single), **count)
        if kind.base in ("uint8", "char"):
            return items.map(bytes)
        return items.map(lambda found: np.array(found, DTYPES[kind.base])) if kind.base in DTYPES else items
    if not isinstance(kind.base, str):
        return messages_of(kind.base)
    if kind.base == "string":
        return st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9)
    if kind.base == "bool":
        return st.booleans()
    if kind.base.startswith("float"):
        return st.floats(width=int(kind.base[5:]))
    bounds = np.iinfo(DTYPES[kind.base].char)
    return st.integers(int(bounds.min), int(bounds.max))


def messages_of(kind: type[RosMessage]) -> st.SearchStrategy[RosMessage]:
    return st.builds(kind, **{field.name: values_of(field.type) for field in kind.ros_fields()})


def test_messages_needed_by_robots_exist() -> None:
    assert len(STANDARD) > 25
    assert ParticipantEntitiesMsg.ros_name in STANDARD
    assert {"sensor_msgs/msg/LaserScan", "nav_msgs/msg/Odometry", "tf2_msgs/msg/TFMessage"} < set(STANDARD)
    assert all(name.startswith("simulation_interfaces/") for name in OWN)


@pytest.mark.parametrize("name", [name for name in STANDARD if not name.startswith("rmw_dds_common")])
def test_definition_and_hash_match_ros(name: str) -> None:
    kind = MESSAGES[name]
    assert define(kind) == JAZZY.generate_msgdef(name, ros_version=2)[0]
    if name != "service_msgs/msg/ServiceEventInfo":  # rosbags hashes char as another type than ROS does
        assert hash_type(kind) == JAZZY.hash_rihs01(name)


@pytest.mark.parametrize("name", sorted(MESSAGES))
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_bytes_match_rosbags_and_round_trip(name: str, data: st.DataObject) -> None:
    message = data.draw(messages_of(MESSAGES[name]))
    encoded = encode_cdr(message)
    theirs = JAZZY.deserialize_cdr(encoded, their_name(name))
    assert bytes(JAZZY.serialize_cdr(theirs, their_name(name))) == encoded
    assert encode_cdr(decode_cdr(MESSAGES[name], encoded)) == encoded


@pytest.mark.parametrize("name", sorted(MESSAGES))
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_bytes_match_cyclonedds(name: str, data: st.DataObject) -> None:
    from paddock.bridges.ros2.dds_types import make_idl_type

    encoded = encode_cdr(data.draw(messages_of(MESSAGES[name])))
    idl = make_idl_type(MESSAGES[name])
    assert idl.deserialize(encoded).serialize() == encoded
    assert idl.__idl_typename__ == dds_type(name)


def test_twist_bytes() -> None:
    twist = TwistMsg(VectorMsg(x=1.0), VectorMsg(z=0.5))
    assert encode_cdr(twist).hex() == "00010000000000000000f03f" + "00" * 32 + "000000000000e03f"


def test_hashes_match_the_published_ones() -> None:
    @dataclasses.dataclass
    class Question(RosMessage, name="example_interfaces/srv/AddTwoInts_Request"):
        a: Int64 = 0
        b: Int64 = 0

    @dataclasses.dataclass
    class Sum(RosMessage, name="example_interfaces/srv/AddTwoInts_Response"):
        sum: Int64 = 0

    for name in (Question.ros_name, Sum.ros_name):
        del MESSAGES[name]
    service = ServiceType("example_interfaces/srv/AddTwoInts", Question, Sum)
    assert hash_type(service) == "RIHS01_e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a"
    assert hash_type(TextMsg) == "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
    assert len({hash_type(found) for found in SERVICES.values()}) == len(SERVICES)


def test_humble_range_message_has_no_variance() -> None:
    name = RangeMsg.ros_name
    assert define(HumbleRangeMsg) == HUMBLE.generate_msgdef(name, ros_version=2)[0]
    assert hash_type(HumbleRangeMsg) == HUMBLE.hash_rihs01(name)
    assert find_message("sensor_msgs/Range") is RangeMsg
    with pytest.raises(UnknownName, match="did you mean 'sensor_msgs/msg/Range'"):
        find_message("sensor_msgs/msg/Rang")


@given(st.binary(max_size=200), st.sampled_from([LaserScanMsg, TwistStampedMsg, JointStateMsg]))
def test_malformed_data_is_refused_with_the_message_name(garbage: bytes, kind: type[RosMessage]) -> None:
    for data in (garbage, b"\0\1\0\0" + garbage):
        try:
            told = str(decode_cdr(kind, data).ros_name)
        except BadMessage as error:
            told = str(error)
        assert kind.ros_name in told


def test_out_of_range_field_is_refused() -> None:
    with pytest.raises(BadMessage, match="std_msgs/msg/Header"):
        encode_cdr(HeaderMsg(TimeMsg(-1, -1)))
    with pytest.raises(BadMessage, match=r"expected float64\[36\], got 3 elements"):
        encode_cdr(find_message("geometry_msgs/PoseWithCovariance")(covariance=np.zeros(3)))


def test_json_uses_null_for_infinity_and_base64_for_bytes() -> None:
    scan = LaserScanMsg(HeaderMsg(TimeMsg.of(1.5), "laser"), ranges=np.array([1.0, math.inf]))
    table = json.loads(encode_json(scan))
    assert (table["header"], table["ranges"]) == (
        {"stamp": {"sec": 1, "nanosec": 500000000}, "frame_id": "laser"},
        [1.0, None],
    )
    again = read_json(LaserScanMsg, table)
    assert math.isnan(again.ranges[1])
    image = find_message("sensor_msgs/Image")
    table = json.loads(encode_json(image(data=b"\1\2\3")))
    assert table["data"] == "AQID"
    assert read_json(image, table) == image(data=b"\1\2\3") == read_json(image, {"data": [1, 2, 3]})


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ([], "msg: expected an object"),
        ({"linaer": {}}, "has no field 'linaer' (did you mean 'linear'?)"),
        ({"linear": {"x": "fast"}}, "msg.linear.x: expected a number"),
        ({"linear": {"x": True}}, "msg.linear.x: expected a number"),
    ],
)
def test_json_errors_name_their_location(table: Any, problem: str) -> None:
    with pytest.raises(BadMessage) as told:
        read_json(TwistMsg, table)
    assert problem in str(told.value)


def test_json_values_are_validated() -> None:
    image, joints = find_message("sensor_msgs/Image"), JointStateMsg
    for kind, table in (
        (image, {"height": -1}),
        (image, {"data": "!"}),
        (image, {"data": [256]}),
        (image, {"encoding": 3}),
        (joints, {"name": "left"}),
        (find_message("geometry_msgs/PoseWithCovariance"), {"covariance": [1.0]}),
        (find_message("sensor_msgs/RegionOfInterest"), {"do_rectify": 1}),
    ):
        with pytest.raises(BadMessage, match="expected"):
            read_json(kind, table)


def test_dds_and_zenoh_names() -> None:
    assert dds_topic("/cmd_vel") == "rt/cmd_vel"
    assert dds_type("geometry_msgs/msg/Twist") == "geometry_msgs::msg::dds_::Twist_"
    node = ZenohNode(0, "9872d1c5435b068b28547af43812411", "talker")
    assert node.token == "@ros2_lv/0/9872d1c5435b068b28547af43812411/0/0/NN/%/%/talker"
    assert node.data_key("/cmd_vel", "geometry_msgs/msg/Twist", "H") == "0/cmd_vel/geometry_msgs::msg::dds_::Twist_/H"
    entity = node.entity_token(10, "MP", "/a/cmd_vel", "geometry_msgs/msg/Twist", "H", RosQuality())
    place = "@ros2_lv/0/9872d1c5435b068b28547af43812411/0/10/MP/%/%/talker/%a%cmd_vel"
    assert entity == f"{place}/geometry_msgs::msg::dds_::Twist_/H/::,10:,:,:,,"
    assert (quality_text(SENSOR_DATA), quality_text(LATCHED)) == ("2::,5:,:,:,,", ":1:,1:,:,:,,")
    assert [make_token(name) for name in ("e-puck", "1st", "a b", "ä", "")] == ["e_puck", "_1st", "a_b", "_", "_"]
    assert choose_name("r", {"r", "r_2"}) == "r_3"
