"""rosbridge: topics of every sensor, commands, services and errors, as seen by a JSON client."""

from __future__ import annotations

import base64
import functools
import json
import math
import socket
from collections.abc import Iterator
from typing import Any

import cbor2
import numpy as np
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from bridges.player.player_fixtures import ROOM
from bridges.ros2.ros2_fixtures import RosbridgeProgram, by_rosbridge, serve_bridge
from paddock.bridges.ros2 import RosbridgeServer
from paddock.bridges.ros2.wire import decode_cdr, find_message
from paddock.core.errors import PaddockError
from paddock.simulation.worlds import WorldSpec
from paddock.testing import wait_for

OK, NOT_FOUND, INCORRECT_STATE = 1, 2, 3
LONG = "x" * 900_000


@pytest.fixture(scope="module")
def bridge() -> Iterator[RosbridgeServer]:
    with serve_bridge(by_rosbridge) as bridge:
        yield bridge


@pytest.fixture
def program(bridge: RosbridgeServer) -> Iterator[RosbridgeProgram]:
    with RosbridgeProgram(bridge) as program:
        yield program


def test_every_sensor_has_topics_in_its_robots_namespace(program: RosbridgeProgram) -> None:
    found = program.call("/rosapi/topics")["values"]
    types = dict(zip(found["topics"], found["types"], strict=True))
    assert {name: types[name] for name in ("/clock", "/tf", "/tf_static")} == {
        "/clock": "rosgraph_msgs/msg/Clock",
        "/tf": "tf2_msgs/msg/TFMessage",
        "/tf_static": "tf2_msgs/msg/TFMessage",
    }
    pioneer = {name.removeprefix("/r0/"): kind.split("/")[2] for name, kind in types.items() if name.startswith("/r0/")}
    sonars = {f"sonar{i}": "Range" for i in range(16)}
    assert pioneer == sonars | {
        "odom": "Odometry", "joint_states": "JointState", "robot_description": "String", "scan": "LaserScan",
        "bumper": "Float64MultiArray", "imu": "Imu", "inertial": "PoseStamped", "position": "PoseStamped",
        "camera/image_raw": "Image", "camera/camera_info": "CameraInfo", "camera/depth/image_raw": "Image",
        "cmd_vel": "Twist", "joint_commands": "JointState",
    }  # fmt: skip
    assert types["/red/battery_state"] == "sensor_msgs/msg/BatteryState"
    assert types["/red/selector"] == "std_msgs/msg/Float64"
    assert types["/red/ground"] == "std_msgs/msg/Float64MultiArray"


def test_scan_matches_the_laser_reading(program: RosbridgeProgram, bridge: RosbridgeServer) -> None:
    scan = program.listen("/r0/scan", type="sensor_msgs/LaserScan")
    laser = bridge.hub.arena["r0"].laser
    laser.enable()
    ranges = laser.read().astype(np.float32).tolist()  # as in ROS; the robot stands
    expected = [r if r < laser.spec.range else None for r in ranges]
    assert scan["ranges"] == expected
    assert (scan["header"]["frame_id"], scan["range_max"]) == ("r0/laser", 8.0)
    last = scan["angle_min"] + (len(expected) - 1) * scan["angle_increment"]
    assert (scan["angle_min"], last) == (pytest.approx(-math.pi / 2), pytest.approx(scan["angle_max"]))


def test_range_image_battery_and_imu_messages(program: RosbridgeProgram, bridge: RosbridgeServer) -> None:
    arena = bridge.hub.arena
    for sonar, at in (("/r0/sonar0", 0), ("/r0/sonar7", 7)):
        message = program.listen(sonar)
        arena["r0"].sonar.enable()
        metres = arena["r0"].sonar.read()[at]
        assert message["range"] == (metres if metres < 5.0 else None)
        assert (message["radiation_type"], message["field_of_view"]) == (0, pytest.approx(math.radians(30)))
    assert program.listen("/red/proximity0")["radiation_type"] == 1
    image, info = program.listen("/r0/camera/image_raw"), program.listen("/r0/camera/camera_info")
    arena["r0"].camera.enable()
    pixels = np.frombuffer(base64.b64decode(image["data"]), np.uint8).reshape(image["height"], image["width"], 3)
    assert (pixels == arena["r0"].camera.read()).all()
    assert (image["encoding"], image["step"], info["k"][2]) == ("rgb8", 480, 80.0)
    assert info["k"][0] == pytest.approx(80 / math.tan(math.radians(24)))
    depth = program.listen("/r0/camera/depth/image_raw")
    metres = np.frombuffer(base64.b64decode(depth["data"]), "<f4").reshape(120, 160)
    assert metres == pytest.approx(arena["r0"].camera.depth(), rel=1e-6)
    battery = program.listen("/red/battery_state")
    assert (battery["voltage"], battery["percentage"]) == (pytest.approx(3.9, abs=0.01), pytest.approx(0.62, abs=0.02))
    imu = program.listen("/r0/imu")
    assert imu["linear_acceleration_covariance"][0] == -1  # this robot has no accelerometer
    assert imu["orientation_covariance"][8] == 1e-9  # the robots of this room have no noise; 0 would mean unknown
    assert program.listen("/red/imu")["linear_acceleration"]["z"] == pytest.approx(9.8, abs=0.1)


def test_transforms_and_descriptions_reach_late_subscribers(program: RosbridgeProgram) -> None:
    frames = {frame["child_frame_id"]: frame for frame in program.listen("/tf_static")["transforms"]}
    assert (
        frames["r0/sonar3"]["header"]["frame_id"] == frames["r0/base_footprint"]["header"]["frame_id"] == "r0/base_link"
    )
    assert frames["r0/sonar3"]["transform"]["translation"] == {"x": 0.166, "y": 0.027, "z": 0.211}
    assert frames["r0/camera_optical_frame"]["header"]["frame_id"] == "r0/camera"
    assert '<link name="sonar3" />' in program.listen("/r0/robot_description")["data"]
    moving = {frame["child_frame_id"]: frame["header"]["frame_id"] for frame in program.listen("/tf")["transforms"]}
    turret = {"r1/turret": "r1/base_link"}  # pivots
    assert moving == turret | {f"{name}/base_link": f"{name}/odom" for name in ("r0", "r1", "red")}


def wait_for_twist(program: RosbridgeProgram, topic: str, linear: float, angular: float) -> dict[str, Any]:
    """Return the first odometry with these speeds."""
    while True:
        message: dict[str, Any] = program.next(topic)
        twist = message["twist"]["twist"]
        if (twist["linear"]["x"], twist["angular"]["z"]) == pytest.approx((linear, angular)):
            return message


def test_robot_stops_when_its_twist_is_not_repeated(program: RosbridgeProgram, bridge: RosbridgeServer) -> None:
    robot = bridge.hub.arena["r1"]
    start = robot.pose
    assert program.listen("/r1/odom")["child_frame_id"] == "r1/base_link"
    program.send(op="advertise", topic="/r1/cmd_vel", type="geometry_msgs/Twist")
    program.drive("/r1/cmd_vel", 0.1)
    wait_for_twist(program, "/r1/odom", 0.1, 0.0)
    odometry = wait_for_twist(program, "/r1/odom", 0.0, 0.0)
    driven = math.dist(robot.pose[:2], start[:2])
    assert 0.04 < driven < 0.1  # half a second, and what the wheels need to speed up and down
    assert odometry["pose"]["pose"]["position"]["x"] == pytest.approx(driven, abs=0.002)
    assert odometry["pose"]["covariance"][0] > 0


def test_stamped_twist_and_joint_commands_drive_the_robot(program: RosbridgeProgram, bridge: RosbridgeServer) -> None:
    robot = bridge.hub.arena["r1"]
    program.listen("/r1/odom")
    stamped = {"header": {"frame_id": ""}, "twist": {"angular": {"z": 0.5}}}
    program.send(op="publish", topic="/r1/cmd_vel", msg=stamped)
    wait_for_twist(program, "/r1/odom", 0.0, 0.5)
    names = ["left_wheel_joint", "right_wheel_joint"]
    command = {"name": [*names, "turret_pan_joint"], "velocity": [1.0, -1.0], "position": [0, 0, 0.5]}
    program.send(op="publish", topic="/r1/joint_commands", msg=command)
    drive = robot.spec.drive
    wait_for_twist(program, "/r1/odom", 0.0, -drive.wheel_diameter / drive.wheel_separation)
    assert program.listen("/r1/joint_states")["name"] == command["name"]
    wait_for(lambda: robot.turret.pan_angle == pytest.approx(0.5))
    wait_for(lambda: robot.wheels.speeds == (0.0, 0.0))


def test_relative_names_refer_to_the_same_topics_and_services(
    program: RosbridgeProgram, bridge: RosbridgeServer
) -> None:
    assert program.listen("r0/odom", id="relative")["child_frame_id"] == "r0/base_link"
    assert program.listen("/r0/odom", id="absolute")["child_frame_id"] == "r0/base_link"
    program.send(op="unsubscribe", topic="r0/odom")
    program.send(op="advertise", topic="r0/cmd_vel", type="geometry_msgs/Twist")
    program.drive("r0/cmd_vel", 0.2)
    answer = program.call("get_entities")
    assert (answer["service"], answer["values"]["entities"]) == ("get_entities", ["r0", "r1", "red"])
    assert bridge.arena["r0"].body.command.left > 0
    assert program.call("rosapi/nodes")["values"] == {"nodes": ["/paddock"]}
    program.drive("r0/cmd_vel", 0.0)
    wait_for(lambda: bridge.arena["r0"].body.command == (0.0, 0.0))


def test_command_sent_right_before_disconnection_is_applied() -> None:
    with serve_bridge(functools.partial(by_rosbridge, dead_man=math.inf)) as bridge:
        with RosbridgeProgram(bridge) as program:
            program.drive("/r0/cmd_vel", 0.2)
            program.call("/rosapi/get_time")
            assert bridge.arena["r0"].body.command.left > 0
            stop = json.dumps({"op": "publish", "topic": "/r0/cmd_vel", "msg": {}}).encode()
            mask = bytes(4)
            program.socket.socket.sendall(
                bytes([0x81, 0x80 | len(stop)]) + mask + stop + bytes([0x88, 0x80]) + mask  # a text, and a close frame
            )
        wait_for(lambda: bridge.arena["r0"].body.command == (0.0, 0.0))


def test_throttle_rate_limits_messages(program: RosbridgeProgram) -> None:
    program.listen("/clock", throttle_rate=1e9, id="slow")
    program.send(op="subscribe", topic="/r0/odom")
    assert [program.wait_for("publish")["topic"] for _ in range(5)] == ["/r0/odom"] * 5
    program.send(op="unsubscribe", topic="/r0/odom")
    program.send(op="subscribe", topic="/clock", id="quick")  # the quickest of a client's wishes counts
    assert [program.next("/clock") for _ in range(3)]
    program.send(op="unsubscribe", topic="/clock", id="quick")
    program.call("/rosapi/get_time")
    program.send(op="subscribe", topic="/r0/odom")
    assert program.wait_for("publish")["topic"] == "/r0/odom"


@pytest.mark.parametrize("compression", ["png", "cbor"])
def test_other_compressions_are_sent_as_plain_json(program: RosbridgeProgram, compression: str) -> None:
    program.send(op="subscribe", topic="/r0/odom", type="nav_msgs/Odometry", compression=compression)
    assert program.next("/r0/odom")["child_frame_id"] == "r0/base_link"


def test_cbor_raw_compression_carries_message_bytes(program: RosbridgeProgram) -> None:
    program.send(op="subscribe", topic="/r0/camera/image_raw", compression="cbor-raw")
    frame = program.socket.recv(timeout=60)
    assert isinstance(frame, bytes)
    found = cbor2.loads(frame)
    assert (found["op"], found["topic"]) == ("publish", "/r0/camera/image_raw")
    image = decode_cdr(find_message("sensor_msgs/Image"), found["msg"]["bytes"])
    assert (image.width, len(image.data)) == (160, 160 * 120 * 3)
    stamp = image.header.stamp
    assert (found["msg"]["secs"], found["msg"]["nsecs"]) == (stamp.sec, stamp.nanosec)


def test_errors_are_reported_only_to_the_client_that_caused_them(
    program: RosbridgeProgram, bridge: RosbridgeServer
) -> None:
    with RosbridgeProgram(bridge) as other:
        other.send(op="subscribe", topic="/clock")
        for frame, problem in (
            ("no JSON", "expected JSON"),
            ("[" * 100_000, "expected JSON"),
            (b"\0\1\2", "expected JSON in a text frame"),
            ("[]", "expected an object"),
            ('{"op": 3}', "op: expected a text"),
            ('{"op": []}', "op: expected a text"),
            ('{"op": {}}', "op: expected a text"),
            (f'{{"op": "{LONG}"}}', "op: expected at most 256 characters, got 900000"),
            (f'{{"op": "subscribe", "topic": "{LONG}"}}', "topic: expected at most 256 characters, got 900000"),
            (f'{{"op": "subscribe", "topic": "/clock", "id": "{LONG}"}}', "id: expected at most 256 characters"),
            ('{"op": "subscribe", "topic": "/clock", "id": []}', "id: expected a text"),
            (f'{{"op": "call_service", "service": "{LONG}"}}', "service: expected at most 256 characters"),
            (f'{{"op": "subscribe", "topic": "/clock", "throttle_rate": 1{"0" * 400}}}', "throttle_rate: expected"),
            (
                f'{{"op": "publish", "topic": "/r0/cmd_vel", "msg": {{"linear": {{"x": 1{"0" * 400}}}}}}}',
                "msg.linear.x",
            ),
            (f'{{"op": "publish", "topic": "/r0/cmd_vel", "msg": {{"{LONG}": 1}}}}', "has no field 'xxx"),
            ('{"op": "pubish"}', "did you mean 'publish'"),
            ('{"op": "subscribe"}', "topic: expected a text"),
            ('{"op": "subscribe", "topic": "/clock", "type": "std_msgs/String"}', "expected rosgraph_msgs/msg/Clock"),
            ('{"op": "subscribe", "topic": "/clock", "throttle_rate": "x"}', "throttle_rate: expected milliseconds"),
            (
                '{"op": "subscribe", "topic": "/clock", "compression": "zip"}',
                "compression: expected one of none, png, cbor, cbor-raw, got 'zip'",
            ),
            (
                '{"op": "advertise", "topic": "/r0/cmd_vel", "type": "std_msgs/String"}',
                "expected geometry_msgs/msg/Twist",
            ),
            ('{"op": "advertise", "topic": "/r0/cmd_vel", "type": "Twist"}', "no message type called 'Twist'"),
            ('{"op": "publish", "topic": "/r0/cmd_vel", "msg": {"linear": 3}}', "publish /r0/cmd_vel: msg.linear"),
            ('{"op": "publish", "topic": "/r0/cmd_vel", "msg": {"linear": {"x": null}}}', "expected finite linear"),
            ('{"op": "publish", "topic": "/r0/joint_commands", "msg": {"name": ["elbow"]}}', "no joint of r0"),
        ):
            program.socket.send(frame)
            told = program.wait_for("status")
            assert problem in told["msg"], told
            assert len(json.dumps(told)) < 1000
        assert bridge.hub.arena["r0"].wheels.speeds == (0.0, 0.0)
        other.next("/clock")
        assert program.call("/rosapi/topic_type", topic="/clock")["values"] == {"type": "rosgraph_msgs/msg/Clock"}


def test_unknown_topics_are_accepted_silently_and_logged(
    program: RosbridgeProgram, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING", logger="paddock.ros2"):
        program.send(op="subscribe", topic="/clok", id="a")
        program.send(op="advertise", topic="/chatter", type="std_msgs/String")
        for topic in ("/chatter", "/cmd_vel"):
            program.send(op="publish", topic=topic, msg={})
        program.send(op="call_service", service="/rosapi/topics")
        assert program.receive()["op"] == "service_response"  # and no status before
    assert "did you mean '/clock'" in caplog.text
    assert "did you mean '/r1/cmd_vel'" in caplog.text


def test_covariances_of_noisy_sensors_and_of_moving_wheels() -> None:
    sensors = [
        {"name": "sonar", "kind": "sonar", "noise": 0.02, "range": 3.0, "cone_deg": 30.0},
        {"name": "gyro", "kind": "gyroscope", "noise": 0.1},
        {"name": "compass", "kind": "compass", "noise": 0.05, "scale": 0.5},
    ]
    room = WorldSpec.from_table({
        "name": "noisy", "bounds": [0.0, 0.0, 4.0, 4.0],
        "robots": [{"name": "red", "at": [2.0, 2.0], "type": {"base": "scout", "sensors": sensors}}],
    })  # fmt: skip
    with serve_bridge(by_rosbridge, room) as bridge, RosbridgeProgram(bridge) as program:
        assert program.listen("/sonar")["variance"] == pytest.approx(0.02**2)
        imu = program.listen("/imu")
        assert imu["angular_velocity_covariance"] == pytest.approx(np.diag([0.1**2] * 3).ravel())
        assert imu["orientation_covariance"][8] == pytest.approx(0.1**2)  # in radians
        program.listen("/odom")
        program.drive("/cmd_vel", 0.2)
        odometry = wait_for_twist(program, "/odom", 0.2, 0.0)
        covariance = np.reshape(odometry["twist"]["covariance"], (6, 6))
        assert covariance[0, 0] > 1e-5 < covariance[5, 5]
        assert covariance[1, 1] == 1e-9  # it cannot move sideways


def test_localised_robots_share_the_frame_of_their_true_poses() -> None:
    def walk(*transforms: dict[str, Any]) -> tuple[float, float]:
        x = y = heading = 0.0
        for transform in transforms:
            moved, rotation = transform["translation"], transform["rotation"]
            x += math.cos(heading) * moved["x"] - math.sin(heading) * moved["y"]
            y += math.sin(heading) * moved["x"] + math.cos(heading) * moved["y"]
            heading += 2 * math.atan2(rotation["z"], rotation["w"])
        return x, y

    open_bridge = functools.partial(by_rosbridge, localised=True)
    with serve_bridge(open_bridge) as bridge, RosbridgeProgram(bridge) as program:
        program.listen("/r1/odom")
        program.drive("/r1/cmd_vel", 0.1, 0.5)
        wait_for_twist(program, "/r1/odom", 0.1, 0.5)
        program.send(op="subscribe", topic="/tf")
        program.send(op="subscribe", topic="/r1/position")
        while True:
            frames = {frame["child_frame_id"]: frame for frame in program.next("/tf")["transforms"]}
            true = program.next("/r1/position")
            if true["header"]["stamp"] == frames["r1/odom"]["header"]["stamp"]:
                break
        assert {frames[f"{name}/odom"]["header"]["frame_id"] for name in ("r0", "r1", "red")} == {"map"}
        at = true["pose"]["position"]
        place = walk(frames["r1/odom"]["transform"], frames["r1/base_link"]["transform"])
        assert place == pytest.approx((at["x"], at["y"]))


def test_invalid_messages_are_logged_with_their_topic(
    program: RosbridgeProgram, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING", logger="paddock.ros2"):
        for frame in ('{"op": "publish", "topic": "/r0/cmd_vel", "msg": {"linear": 7}}', "{"):
            program.socket.send(frame)
            program.wait_for("status")
    first, second = (record.getMessage() for record in caplog.records)
    assert first.startswith("rosbridge: /r0/cmd_vel: publish /r0/cmd_vel: msg.linear")
    assert second.startswith("rosbridge: rosbridge: ")


def test_overlong_topic_is_truncated_in_the_log(program: RosbridgeProgram, caplog: pytest.LogCaptureFixture) -> None:
    program.send(op="subscribe", topic="y" * 900_000)
    program.wait_for("status")
    assert caplog.messages
    assert max(map(len, caplog.messages)) < 1000


def test_unknown_services_and_wrong_arguments_are_reported(program: RosbridgeProgram) -> None:
    for service, args, problem in (
        ("/reset", {}, "did you mean '/reset_simulation'"),
        ("/rosapi/topic", {}, "did you mean '/rosapi/topics'"),
        ("/step_simulation", {"steps": -1}, "args.steps: expected uint64"),
        ("/rosapi/topics_for_type", {"type": LONG}, "type: expected at most 256 characters, got 900000"),
    ):
        answer = program.call(service, **args)
        assert not answer["result"]
        assert problem in answer["values"]
    found = program.call("/rosapi/topics_and_raw_types")["values"]
    assert found["typedefs_full_text"][found["topics"].index("/clock")].startswith("builtin_interfaces/Time clock\n")
    assert "/spawn_entity" in program.call("/rosapi/services")["values"]["services"]
    assert program.call("/rosapi/service_type", service="/spawn_entity")["values"]["type"].endswith("SpawnEntity")
    assert program.call("/rosapi/topics_for_type", type="nav_msgs/Odometry")["values"]["topics"][0] == "/r0/odom"
    assert program.call("/rosapi/nodes")["values"] == {"nodes": ["/paddock"]}
    assert program.call("/rosapi/publishers", topic="/r0/odom")["values"] == {"publishers": ["/paddock"]}
    assert program.call("/rosapi/publishers", topic="r0/odom")["values"] == {"publishers": ["/paddock"]}
    assert program.call("/rosapi/publishers", topic="/r0/cmd_vel")["values"] == {"publishers": []}
    assert program.call("/rosapi/subscribers", topic="/r0/cmd_vel")["values"] == {"subscribers": ["/paddock"]}


def test_failing_sensor_is_logged_once_and_the_others_continue(
    program: RosbridgeProgram, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(robot: object, device: str) -> None:
        raise RuntimeError("no picture today")

    monkeypatch.setattr("paddock.bridges.common.scene_world.ArenaRobot.depth", fail)
    program.send(op="subscribe", topic="/red/camera/depth/image_raw")
    program.send(op="subscribe", topic="/clock")
    for _ in range(3):
        program.next("/clock")
    assert caplog.text.count("/red/camera/depth/image_raw: no picture today") == 1


def test_foreign_origins_are_refused(bridge: RosbridgeServer) -> None:
    for origin in ("https://elsewhere.example", "null", "http://[", "file://localhost", "http://localhost.evil.org"):
        with pytest.raises(InvalidStatus, match="403"):
            RosbridgeProgram(bridge, origin=origin)
    with pytest.raises(InvalidStatus, match="403"):
        RosbridgeProgram(bridge, additional_headers={"Origin": "http://localhost"}, origin="http://localhost")
    with RosbridgeProgram(bridge, origin="http://localhost:8000") as page:
        assert page.listen("/clock")


def test_foreign_host_names_are_refused(bridge: RosbridgeServer) -> None:
    port = bridge.addresses[0][1]
    line = socket.create_connection(bridge.addresses[0])
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"ws://evil.example:{port}", sock=line)


def test_services_spawn_and_delete_robots() -> None:
    with serve_bridge(by_rosbridge) as bridge, RosbridgeProgram(bridge) as program:
        pose = {"pose": {"position": {"x": 3.0, "y": 1.0}, "orientation": {"z": 1.0, "w": 1.0}}}
        answer = program.call("/spawn_entity", name="guest", uri="e-puck", initial_pose=pose)["values"]
        assert (answer["result"]["result"], answer["entity_name"]) == (OK, "guest")
        assert program.listen("/guest/odom")["header"]["frame_id"] == "guest/odom"
        state = program.call("/get_entity_state", entity="guest")["values"]["state"]
        assert state["pose"]["position"] == {"x": 3.0, "y": 1.0, "z": 0.0}
        assert state["pose"]["orientation"]["z"] == pytest.approx(math.sin(math.pi / 4))
        taken = program.call("/spawn_entity", name="guest", uri="e-puck", initial_pose=pose)["values"]["result"]
        assert taken["result"] == 101
        elsewhere = {"pose": {"position": {"x": 2.0, "y": 1.0}}}
        again = program.call("/spawn_entity", uri="e-puck", allow_renaming=True, initial_pose=elsewhere)["values"]
        assert again["entity_name"] == "e-puck"
        assert bridge.live.spawned == {"guest", "e-puck"}  # the count that all ways to bring robots share
        assert program.call("/get_entities", filters={"filter": "^r"})["values"]["entities"] == ["r0", "r1", "red"]
        moved = {"pose": {"position": {"x": 3.2, "y": 1.0}}}
        assert (
            program.call("/set_entity_state", entity="guest", state=moved, set_pose=True)["values"]["result"]["result"]
            == OK
        )
        assert bridge.hub.arena["guest"].pose.x == 3.2
        for service, args, code in (
            ("/spawn_entity", {"uri": "tank", "name": "t"}, 103),
            ("/spawn_entity", {"uri": LONG, "name": "t"}, 103),
            ("/spawn_entity", {"name": "t"}, 104),
            ("/spawn_entity", {"uri": "e-puck"}, 102),
            ("/delete_entity", {"entity": "nobody"}, NOT_FOUND),
            ("/delete_entity", {"entity": LONG}, NOT_FOUND),
            ("/spawn_entity", {"uri": "e-puck", "name": "a" * 101}, 102),
            ("/get_entities", {"filters": {"filter": "("}}, 4),
            ("/get_entities", {"filters": {"filter": "(a+)+b"}}, 4),
            ("/set_entity_state", {"entity": "r0", "set_twist": True}, 0),
            ("/set_entity_state", {"entity": "r0", "set_pose": True, "state": {"header": {"frame_id": "odom"}}}, 101),
            ("/reset_simulation", {"scope": 1}, 0),
        ):
            result = program.call(service, **args)["values"]["result"]
            assert (result["result"], 0 < len(result["error_message"]) < 1000) == (code, True), service
        assert program.call("/delete_entity", entity="guest")["values"]["result"]["result"] == OK
        assert "/guest/odom" not in program.call("/rosapi/topics")["values"]["topics"]
        assert program.call("/reset_simulation")["values"]["result"]["result"] == OK
        assert list(bridge.hub.arena.robots) == ["r0", "r1", "red"]
        assert 10 in program.call("/get_simulator_features")["values"]["features"]["features"]


def test_services_pause_step_and_reset_time() -> None:
    with serve_bridge(by_rosbridge, speed=None) as bridge, RosbridgeProgram(bridge) as program:
        arena = bridge.hub.arena
        assert program.call("/step_simulation")["values"]["result"]["result"] == INCORRECT_STATE
        assert program.call("/set_simulation_state", state={"state": 2})["values"]["result"]["result"] == OK
        assert program.call("/set_simulation_state", state={"state": 2})["values"]["result"]["result"] == 101
        assert program.call("/get_simulation_state")["values"]["state"] == {"state": 2}
        before = arena.tick
        assert program.call("/step_simulation", steps=7)["values"]["result"]["result"] == OK
        assert arena.tick == before + 7
        assert program.call("/step_simulation", steps=0)["values"]["result"]["result"] == 4
        program.drive("/r0/cmd_vel", 0.3)
        assert program.call("/step_simulation", steps=20)["values"]["result"]["result"] == OK
        assert arena["r0"].pose.x > 1.01
        assert program.call("/reset_simulation")["values"]["result"]["result"] == OK
        assert (arena.tick, arena["r0"].pose.x) == (0, 1.0)
        assert program.call("/get_simulation_state")["values"]["state"] == {"state": 0}
        assert program.call("/set_simulation_state", state={"state": 9})["values"]["result"]["result"] == 0
        assert program.call("/set_simulation_state", state={"state": 1})["values"]["result"]["result"] == OK
        wait_for(lambda: arena.tick > 100)


def test_single_robot_needs_no_namespace() -> None:
    alone = ROOM.with_robots(ROOM.robots[2])
    for namespaces, name in ((False, "/odom"), (True, "/red/odom")):
        show = functools.partial(by_rosbridge, namespaces=namespaces)
        with serve_bridge(show, alone) as bridge, RosbridgeProgram(bridge) as program:
            assert name in program.call("/rosapi/topics")["values"]["topics"]


def test_settings_are_validated() -> None:
    for options, problem in (({"rate": 0.0}, "rate: expected"), ({"dead_man": -1.0}, "stop: expected seconds > 0")):
        with (
            pytest.raises(PaddockError, match=problem),
            serve_bridge(lambda arena, o=options: by_rosbridge(arena, **o)),
        ):
            pass


def test_messages_on_the_wire_are_json(bridge: RosbridgeServer) -> None:
    with RosbridgeProgram(bridge) as program:
        program.send(op="subscribe", topic="/clock", type="rosgraph_msgs/Clock", queue_length=1, compression="none")
        text = program.socket.recv(timeout=60)
        assert isinstance(text, str)
        assert list(json.loads(text)) == ["op", "topic", "msg"]
