"""ROS 2 over DDS: the interface of rmw_cyclonedds, tested with cyclonedds."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct, make_idl_struct
from cyclonedds.idl.types import int64, uint8, uint64
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

from bridges.ros2.ros2_fixtures import DOMAIN, by_dds, serve_bridge
from paddock.bridges.common.bridge import OpenBridges
from paddock.bridges.ros2 import RosBridge
from paddock.bridges.ros2.dds import configure
from paddock.bridges.ros2.dds_types import make_idl_type
from paddock.bridges.ros2.wire import find_message
from paddock.core.errors import LinkError, PaddockError, SimulationError
from paddock.network.server import Server, Settings
from paddock.testing import wait_for

RELIABLE = Qos(Policy.Reliability.Reliable(1_000_000_000), Policy.History.KeepLast(10))
SENSOR_DATA = Qos(Policy.Reliability.BestEffort, Policy.History.KeepLast(5))
LATCHED = Qos(Policy.Reliability.Reliable(1_000_000_000), Policy.Durability.TransientLocal, Policy.History.KeepLast(1))


class DdsProgram:
    """A DDS participant with shortcuts for readers and writers."""

    def __init__(self) -> None:
        self.participant = DomainParticipant(DOMAIN)

    def read(self, name: str, kind: Any, qos: Qos = RELIABLE) -> DataReader[Any]:
        return DataReader(self.participant, Topic(self.participant, name, kind), qos)

    def write(self, name: str, kind: Any) -> DataWriter[Any]:
        return DataWriter(self.participant, Topic(self.participant, name, kind), RELIABLE)

    def ask(self, service: str, kind: str, **fields: Any) -> Any:
        """Send a request and return its response, both with rmw_cyclonedds' header."""
        request_type, response_type = service_types(kind)
        responses = self.read(f"rr/{service}Reply", response_type)
        requests = self.write(f"rq/{service}Request", request_type)
        wait_for(lambda: requests.get_matched_subscriptions() and responses.get_matched_publications())
        requests.write(request_type(guid=77, seq=5, **fields))
        found: list[Any] = []
        wait_for(lambda: found.extend(responses.take(10)) or found)
        assert (found[0].guid, found[0].seq) == (77, 5)
        return found[0]


def service_types(kind: str) -> tuple[type[IdlStruct], type[IdlStruct]]:
    result = make_idl_type(find_message("simulation_interfaces/msg/Result"))
    header = {"guid": uint64, "seq": int64}
    name = f"simulation_interfaces::srv::dds_::{kind}"
    asked = {"StepSimulation": {"steps": uint64}, "ResetSimulation": {"scope": uint8}}[kind]
    return (
        make_idl_struct("Request", f"{name}_Request_", header | asked),
        make_idl_struct("Response", f"{name}_Response_", header | {"result": result}),
    )


@pytest.fixture(scope="module")
def bridge() -> Iterator[RosBridge]:
    with serve_bridge(by_dds) as bridge:
        yield bridge


@pytest.fixture
def program(bridge: RosBridge) -> DdsProgram:
    return DdsProgram()


def first(reader: DataReader[Any]) -> Any:
    found: list[Any] = []
    wait_for(lambda: found.extend(reader.take(1)) or found)
    return found[0]


@pytest.mark.parametrize("quality", [SENSOR_DATA, RELIABLE], ids=["best effort", "reliable"])
def test_sensor_data_reach_best_effort_and_reliable_subscribers(program: DdsProgram, quality: Qos) -> None:
    scan = first(program.read("rt/r0/scan", make_idl_type(find_message("sensor_msgs/LaserScan")), quality))
    assert (scan.header.frame_id, len(scan.ranges)) == ("r0/laser", 180)
    odometry = first(program.read("rt/r0/odom", make_idl_type(find_message("nav_msgs/Odometry")), quality))
    assert odometry.child_frame_id == "r0/base_link"
    image = first(program.read("rt/r0/camera/image_raw", make_idl_type(find_message("sensor_msgs/Image")), quality))
    assert len(image.data) == 160 * 120 * 3
    assert first(program.read("rt/clock", make_idl_type(find_message("rosgraph_msgs/Clock")), quality)).clock


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux binds ports to a network interface")
def test_ports_receive_from_this_machine_only(bridge: RosBridge) -> None:
    ports = range(7400 + 250 * DOMAIN, 7400 + 250 * (DOMAIN + 1))
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            port = socket.socket(fileno=int(entry.name))
            if port.type == socket.SOCK_DGRAM and port.getsockname()[1] in ports:
                found.append((port.getsockname()[0], port.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16)))
            port.detach()
    assert ("0.0.0.0", b"lo\0") in found
    assert ("0.0.0.0", b"") not in found


def test_static_transforms_reach_late_subscribers(program: DdsProgram) -> None:
    frames = first(program.read("rt/tf_static", make_idl_type(find_message("tf2_msgs/TFMessage")), LATCHED))
    assert {"r0/laser", "red/camera_optical_frame"} < {frame.child_frame_id for frame in frames.transforms}
    text = first(program.read("rt/red/robot_description", make_idl_type(find_message("std_msgs/String")), LATCHED))
    assert text.data.startswith('<?xml version="1.0"?>\n<robot name="e-puck">')


def test_both_twist_types_drive_the_robot(program: DdsProgram, bridge: RosBridge) -> None:
    robot = bridge.hub.arena["r1"]
    plain, stamped = (make_idl_type(find_message(f"geometry_msgs/{name}")) for name in ("Twist", "TwistStamped"))
    vector, header = (make_idl_type(find_message(name)) for name in ("geometry_msgs/Vector3", "std_msgs/Header"))
    time = make_idl_type(find_message("builtin_interfaces/Time"))
    still = vector(x=0.0, y=0.0, z=0.0)
    first, second = program.write("rt/r1/cmd_vel", plain), program.write("rt/r1/cmd_vel", stamped)
    wait_for(lambda: first.get_matched_subscriptions() and second.get_matched_subscriptions())
    first.write(plain(linear=vector(x=0.1, y=0.0, z=0.0), angular=still))
    wait_for(lambda: robot.wheels.speeds == (0.1, 0.1))
    twist = plain(linear=vector(x=-0.05, y=0.0, z=0.0), angular=still)
    second.write(stamped(header=header(stamp=time(sec=0, nanosec=0), frame_id=""), twist=twist))
    wait_for(lambda: robot.wheels.speeds == (-0.05, -0.05))
    wait_for(lambda: robot.wheels.speeds == (0.0, 0.0))  # nobody repeats it


def test_endpoints_announce_type_hashes(program: DdsProgram, bridge: RosBridge) -> None:
    known: dict[str, str] = {}
    for topic in (BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription):
        reader = BuiltinDataReader(program.participant, topic)
        known |= {sample.topic_name: sample.qos[Policy.Userdata].data.decode() for sample in reader.read(500)
                  if sample.qos[Policy.Userdata] is not None}  # fmt: skip
    clock = "typehash=RIHS01_692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564;"
    assert known["rt/clock"] == clock
    assert known["rr/reset_simulationReply"].startswith("serviceid=")


def test_participant_announces_its_node(program: DdsProgram, bridge: RosBridge) -> None:
    info = make_idl_type(find_message("rmw_dds_common/ParticipantEntitiesInfo"))
    (node,) = first(program.read("ros_discovery_info", info, LATCHED)).node_entities_info_seq
    assert (node.node_namespace, node.node_name) == ("/", "paddock")
    assert len(node.writer_gid_seq) == len(bridge.hub.graph.topics) + len(bridge.hub.graph.services)
    assert len(node.reader_gid_seq) == len(bridge.hub.graph.subscriptions) + len(bridge.hub.graph.services)


def test_services_are_answered(program: DdsProgram, bridge: RosBridge) -> None:
    arena = bridge.hub.arena
    assert program.ask("step_simulation", "StepSimulation", steps=3).result.result == 3  # time runs
    wait_for(lambda: arena.tick > 50)
    assert program.ask("reset_simulation", "ResetSimulation", scope=0).result.result == 1
    assert arena.time < 60


def test_invalid_message_is_logged_once_and_ignored(program: DdsProgram, caplog: pytest.LogCaptureFixture) -> None:
    twist = make_idl_type(find_message("geometry_msgs/Twist"))
    vector = make_idl_type(find_message("geometry_msgs/Vector3"))
    writer = program.write("rt/r0/cmd_vel", twist)
    wait_for(writer.get_matched_subscriptions)
    zero = vector(x=0.0, y=0.0, z=0.0)
    for _ in range(3):
        writer.write(twist(linear=vector(x=float("nan"), y=0.0, z=0.0), angular=zero))
    wait_for(lambda: "rt/r0/cmd_vel" in caplog.text)
    assert caplog.text.count("expected finite linear and angular speeds") == 1  # it is told once
    first(program.read("rt/clock", make_idl_type(find_message("rosgraph_msgs/Clock")), SENSOR_DATA))


def test_dds_is_limited_to_localhost_by_default() -> None:
    assert "AllowMulticast>false" in configure("127.0.0.1")
    assert 'address="10.0.0.5"' in configure("10.0.0.5")
    assert "autodetermine" in configure("0.0.0.0")


def test_unavailable_address_is_refused(bridge: RosBridge) -> None:
    with pytest.raises(LinkError, match=r"cannot join DDS domain \d+ at 203\.0\.113\.7"):
        RosBridge(bridge.hub.arena, "dds", domain=DOMAIN + 1, host="203.0.113.7")
    with pytest.raises(LinkError, match="at another address"):
        RosBridge(bridge.hub.arena, "dds", domain=DOMAIN, host="0.0.0.0")


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("dds,domain=900", "domain: expected a number from 0 to 232"),
        ("dds,domain=1.5", "domain: expected a number"),
        ("dds,rat=5", "expected dds or zenoh"),
        ("bus", "expected dds or zenoh"),
        ("namespaces", "expected dds or zenoh"),
        ("dds,stop=soon", "stop: expected a number"),
    ],
)
def test_invalid_options_are_reported(asked: str, problem: str) -> None:
    import paddock

    arena = paddock.open("empty")
    Server(arena, Settings(port=0))
    with pytest.raises(PaddockError, match=problem):
        OpenBridges(arena, [("ros2", asked)])


def test_unserved_arena_and_missing_cyclonedds_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    import paddock

    with pytest.raises(SimulationError, match="ros2: this arena is not served"):
        RosBridge(paddock.open("empty"), "dds")
    monkeypatch.setattr("paddock.bridges.ros2.dds_types.loaded", None)
    monkeypatch.setitem(__import__("sys").modules, "cyclonedds.core", None)
    arena = paddock.open("empty")
    Server(arena, Settings(port=0))
    with pytest.raises(LinkError, match=r"'\.\[ros2\]"):
        RosBridge(arena, "dds")
