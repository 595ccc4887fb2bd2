"""ROS 2 over zenoh: keys, attachments and tokens of rmw_zenoh, tested with zenoh."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest
import zenoh
from zenoh import ext

from bridges.player.player_fixtures import ROOM
from bridges.ros2.ros2_fixtures import serve_bridge
from paddock.bridges.ros2 import RosBridge
from paddock.bridges.ros2.robot_topics import RosRobot
from paddock.bridges.ros2.wire import messages as ros
from paddock.testing import wait_for

TWIST = "geometry_msgs::msg::dds_::Twist_/RIHS01_9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a"
CLOCK = "rosgraph_msgs::msg::dds_::Clock_/RIHS01_692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564"
FRAMES = "tf2_msgs::msg::dds_::TFMessage_/RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"
STEP = "simulation_interfaces::srv::dds_::StepSimulation_"
HEADER = b"\0\1\0\0"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def router() -> str:
    return f"tcp/127.0.0.1:{free_port()}"


@pytest.fixture(scope="module")
def bridge(router: str) -> Iterator[RosBridge]:
    def open_bridge(arena: Any) -> RosBridge:
        return RosBridge(arena, "zenoh", domain=4, router=router)

    with serve_bridge(open_bridge, ROOM) as bridge:
        yield bridge


@pytest.fixture
def session(router: str, bridge: RosBridge) -> Iterator[zenoh.Session]:
    config = zenoh.Config()
    settings = {"mode": "client", "connect/endpoints": [router], "scouting/multicast/enabled": False}
    for key, value in settings.items():
        config.insert_json5(key, json.dumps(value))
    with zenoh.open(config) as session:
        yield session


def test_messages_have_the_right_key_and_sequence_numbers(session: zenoh.Session) -> None:
    found: list[zenoh.Sample] = []
    with session.declare_subscriber(f"4/clock/{CLOCK}", found.append):
        wait_for(lambda: len(found) > 3)
    payloads = [sample.payload.to_bytes() for sample in found]
    assert all(data[:4] == HEADER and len(data) == 12 for data in payloads)
    attachments = [struct.unpack("<qqB16s", sample.attachment.to_bytes()) for sample in found]
    numbers, _, sizes, identities = zip(*attachments, strict=True)
    assert list(numbers) == list(range(numbers[0], numbers[0] + len(numbers)))
    assert (set(sizes), len(set(identities))) == ({16}, 1)


def test_latched_messages_reach_late_subscribers(session: zenoh.Session) -> None:
    found: list[zenoh.Sample] = []
    history = ext.HistoryConfig(detect_late_publishers=True)
    with ext.declare_advanced_subscriber(session, f"4/tf_static/{FRAMES}", found.append, history=history):
        wait_for(lambda: found)
    assert b"r0/laser\0" in found[0].payload.to_bytes()


def test_twist_drives_the_robot(session: zenoh.Session, bridge: RosBridge) -> None:
    robot = bridge.hub.arena["r1"]
    twist = HEADER + struct.pack("<6d", 0.1, 0, 0, 0, 0, 0)
    attachment = struct.pack("<qqB16s", 1, 0, 16, bytes(16))
    session.put(f"4/r1/cmd_vel/{TWIST}", twist, attachment=attachment)
    wait_for(lambda: robot.wheels.speeds == (0.1, 0.1))
    wait_for(lambda: robot.wheels.speeds == (0.0, 0.0))


def test_commands_are_applied_in_a_turn_of_the_arena(bridge: RosBridge, monkeypatch: pytest.MonkeyPatch) -> None:
    turn: Any = bridge.hub.arena.mutex
    owned: list[bool] = []
    monkeypatch.setattr(RosRobot, "_take_twist", lambda robot, twist: owned.append(turn._is_owned()))
    taker = next(taker for taker in bridge.hub.graph.subscriptions if taker.type.ros_name.endswith("TwistStamped"))
    taker.take(ros.TwistStamped())
    assert owned == [True]


def test_malformed_message_is_logged_and_ignored(session: zenoh.Session, caplog: pytest.LogCaptureFixture) -> None:
    session.put(f"4/r1/cmd_vel/{TWIST}", b"garbage")
    wait_for(lambda: "/r1/cmd_vel: geometry_msgs/msg/Twist: cannot read a message from 7 bytes" in caplog.text)
    found: list[zenoh.Sample] = []
    with session.declare_subscriber(f"4/clock/{CLOCK}", found.append):
        wait_for(lambda: found)


def test_nodes_topics_and_services_are_announced(session: zenoh.Session) -> None:
    tokens = {str(reply.ok.key_expr) for reply in session.liveliness().get("@ros2_lv/4/**") if reply.ok}
    (node,) = [token for token in tokens if "/NN/" in token]
    assert node.endswith("/0/0/NN/%/%/paddock")
    parts = {token.split("/", 5)[5] for token in tokens}
    assert f"MP/%/%/paddock/%clock/{CLOCK}/::,1:,:,:,," in parts
    assert f"MP/%/%/paddock/%tf_static/{FRAMES}/:1:,1:,:,:,," in parts
    assert f"MS/%/%/paddock/%r1%cmd_vel/{TWIST}/::,10:,:,:,," in parts
    assert any(part.startswith(f"SS/%/%/paddock/%step_simulation/{STEP}/RIHS01_") for part in parts)
    numbers = [token.split("/")[4] for token in tokens]
    assert len(set(numbers)) == len(numbers)


def test_services_are_answered(session: zenoh.Session) -> None:
    attachment = struct.pack("<qqB16s", 9, 0, 16, b"somebody".ljust(16))
    token = next(iter(session.liveliness().get(f"@ros2_lv/4/*/0/*/SS/*/*/paddock/%step_simulation/{STEP}/**"))).ok
    type_hash = str(token.key_expr).split("/")[-2]
    replies = session.get(
        f"4/step_simulation/{STEP}/{type_hash}",
        payload=HEADER + struct.pack("<Q", 1),
        attachment=attachment,
        target=zenoh.QueryTarget.ALL_COMPLETE,
        consolidation=zenoh.ConsolidationMode.NONE,
    )
    (reply,) = [reply.ok for reply in replies if reply.ok]
    number, _, size, asker = struct.unpack("<qqB16s", reply.attachment.to_bytes())
    assert (number, size, asker) == (9, 16, b"somebody".ljust(16))
    assert reply.payload.to_bytes()[:5] == HEADER + b"\3"  # time runs
    assert b"pause it first" in reply.payload.to_bytes()


def test_second_world_uses_the_existing_router(router: str, bridge: RosBridge, session: zenoh.Session) -> None:
    assert "as the router" in next(iter(bridge.describe()))
    found: list[zenoh.Sample] = []
    with (
        serve_bridge(lambda arena: RosBridge(arena, "zenoh", domain=5, router=router), "empty") as other,
        session.declare_subscriber(f"5/clock/{CLOCK}", found.append),
    ):
        assert "with the router there" in next(iter(other.describe()))
        wait_for(lambda: found)
