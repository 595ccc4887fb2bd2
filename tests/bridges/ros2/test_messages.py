"""ROS 2 messages: bytes compared with Cyclone DDS, and hashes with those of ROS."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_typestore

from paddock.bridges.ros2.wire import (
    SERVICES,
    RosMessage,
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
from paddock.bridges.ros2.wire import messages as ros
from paddock.bridges.ros2.wire.messages import FieldType, Nodetype, add_definitions, find_dtype, list_fields
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

HASHES = dict(
    line.split() for line in Path(__file__).parents[2].joinpath("golden", "ros2_hashes.txt").read_text().splitlines()
)
OFFERED = {service.ros_name: service for service in SERVICES.values()}
SENT = sorted(set(HASHES) - set(OFFERED))


def draw_values(kind: FieldType) -> st.SearchStrategy[Any]:
    node, about = kind
    if node == Nodetype.NAME:
        return draw_messages(find_message(about))
    if node == Nodetype.BASE:
        return plain_values(about[0])
    element, size = about
    count = {"min_size": size, "max_size": size} if node == Nodetype.ARRAY else {"max_size": 3}
    items = st.lists(draw_values(element), **count)
    if element[0] == Nodetype.BASE and element[1][0] != "string":
        return items.map(lambda found: np.array(found, find_dtype(element[1][0])))
    return items


def plain_values(kind: str) -> st.SearchStrategy[Any]:
    if kind == "string":
        return st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9)
    if kind == "bool":
        return st.booleans()
    if kind.startswith("float"):
        return st.floats(width=int(kind[5:]))
    bounds = np.iinfo(find_dtype(kind))
    return st.integers(int(bounds.min), int(bounds.max))


def draw_messages(kind: type[RosMessage]) -> st.SearchStrategy[RosMessage]:
    return st.builds(kind, **{name: draw_values(of) for name, of in list_fields(kind)})


@pytest.mark.parametrize("name", sorted(HASHES))
def test_hashes_stay(name: str) -> None:
    assert hash_type(OFFERED.get(name) or find_message(name)) == HASHES[name]


@pytest.mark.parametrize("name", SENT)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_bytes_match_cyclonedds_and_round_trip(name: str, data: st.DataObject) -> None:
    from paddock.bridges.ros2.dds_types import make_idl_type

    kind = find_message(name)
    encoded = encode_cdr(data.draw(draw_messages(kind)))
    idl = make_idl_type(kind)
    assert idl.deserialize(encoded).serialize() == encoded
    assert idl.__idl_typename__ == dds_type(name)
    assert encode_cdr(decode_cdr(kind, encoded)) == encoded


def test_twist_bytes() -> None:
    twist = ros.Twist(ros.Vector3(x=1.0), ros.Vector3(z=0.5))
    assert encode_cdr(twist).hex() == "00010000000000000000f03f" + "00" * 32 + "000000000000e03f"


def test_hashes_match_the_published_ones() -> None:
    name, line = "example_interfaces/srv/AddTwoInts", "=" * 80
    question = f"{line}\nMSG: {name}_Request\nint64 a\nint64 b\n"
    (service,) = add_definitions(f"{question}{line}\nMSG: {name}_Response\nint64 sum\n")
    assert hash_type(service) == "RIHS01_e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a"
    assert hash_type(ros.String) == "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"


def test_humble_range_message_has_no_variance() -> None:
    name = ros.Range.ros_name
    assert define(ros.HumbleRange) == get_typestore(Stores.ROS2_HUMBLE).generate_msgdef(name, ros_version=2)[0]
    assert ros.HumbleRange.ros_name == name
    assert find_message("sensor_msgs/Range") is ros.Range
    with pytest.raises(UnknownName, match="did you mean 'sensor_msgs/msg/Range'"):
        find_message("sensor_msgs/msg/Rang")


@given(st.binary(max_size=200), st.sampled_from([ros.LaserScan, ros.TwistStamped, ros.JointState]))
def test_malformed_data_is_refused_with_the_message_name(garbage: bytes, kind: type[RosMessage]) -> None:
    for data in (garbage, b"\0\1\0\0" + garbage):
        try:
            told = str(decode_cdr(kind, data).ros_name)
        except BadMessage as error:
            told = str(error)
        assert kind.ros_name in told


def test_out_of_range_field_is_refused() -> None:
    with pytest.raises(BadMessage, match="std_msgs/msg/Header"):
        encode_cdr(ros.Header(ros.Time(-1, -1)))
    with pytest.raises(BadMessage, match="PoseWithCovariance: a field cannot be written: Unexpected array length"):
        encode_cdr(find_message("geometry_msgs/PoseWithCovariance")(covariance=np.zeros(3)))


def test_json_uses_null_for_infinity_and_base64_for_bytes() -> None:
    scan = ros.LaserScan(ros.Header(ros.make_time(1.5), "laser"), ranges=np.array([1.0, math.inf]))
    table = json.loads(encode_json(scan))
    assert (table["header"], table["ranges"]) == (
        {"stamp": {"sec": 1, "nanosec": 500000000}, "frame_id": "laser"},
        [1.0, None],
    )
    again = read_json(ros.LaserScan, table)
    assert math.isnan(again.ranges[1])
    image = find_message("sensor_msgs/Image")
    table = json.loads(encode_json(image(data=np.array([1, 2, 3], np.uint8))))
    assert table["data"] == "AQID"
    assert [read_json(image, sent).data.tolist() for sent in (table, {"data": [1, 2, 3]})] == [[1, 2, 3]] * 2


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
        read_json(ros.Twist, table)
    assert problem in str(told.value)


def test_json_values_are_validated() -> None:
    image, joints = find_message("sensor_msgs/Image"), ros.JointState
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
    assert (quality_text(SENSOR_DATA), quality_text(LATCHED)) == ("::,5:,:,:,,", ":1:,1:,:,:,,")
    assert [make_token(name) for name in ("e-puck", "1st", "a b", "ä", "")] == ["e_puck", "_1st", "a_b", "_", "_"]
    assert choose_name("r", {"r", "r_2"}) == "r_3"
